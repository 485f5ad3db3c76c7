"""The rules app's SQL, one leg or look-up a method."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from django.db import connection, models
from django.db.models import Q

from judge.folding import fold_name
from judge.values import RuleId
from rules.lexemes import KEPT_STOP_WORDS, lexemes_sql

if TYPE_CHECKING:
    from rules.models import Edition, GlossaryTerm, Rule

# BM25's constants: how fast repeats stop counting, and how much long rules pay for their length (D72).
BM25_K1 = 1.2
BM25_B = 0.75
# A lexeme that stands in more than this part of the rules ("card", "player") tells none of them apart; leaving it
# out halves the work. It counts again where a query has nothing rarer.
COMMON = 0.25
QUERY_LEXEMES = 24  # the rarest of a query that are looked up; a ruling or an Oracle text can have a hundred


@dataclass(frozen=True, slots=True)
class TextHit:
    """A rule or subrule that a text query found; score is BM25, larger is better."""

    id: RuleId
    is_leaf: bool
    score: float


class EditionQuerySet(models.QuerySet["Edition"]):
    """Editions."""

    def current(self) -> Edition | None:
        """The current edition, None while no rules are loaded."""
        return self.filter(is_current=True).first()


class RuleQuerySet(models.QuerySet["Rule"]):
    """Rules and subrules."""

    def of(self, edition: int) -> Self:
        """Those of the edition with that id."""
        return self.filter(edition_id=edition)

    def rules(self) -> Self:
        """Rules without their subrules: the units that are searched and shown."""
        return self.filter(parent__isnull=True)

    def numbered(self, numbers: Iterable[str]) -> Self:
        """Rules and subrules with one of *numbers*."""
        return self.filter(number__in=list(numbers))

    def in_sections(self, sections: Iterable[str]) -> Self:
        """The rules that *sections* stand for: "603" for its rules, "113.3" for that one rule, "6" for 600 to 699."""
        wanted = Q(pk__in=[])
        for section in sections:
            if len(section) == 1:
                wanted |= Q(section__startswith=section)
            else:
                wanted |= Q(number=section) if "." in section else Q(section=section)
        return self.rules().filter(wanted)

    def headed(self, headings: Iterable[str]) -> Self:
        """Rules under one of *headings* ("Trample"), whatever the case."""
        wanted = Q(pk__in=[])
        for heading in headings:
            wanted |= Q(heading__iexact=heading)
        return self.rules().filter(wanted)

    def headings(self, edition: int) -> dict[str, RuleId]:
        """The rule under every heading of 701 and 702, by the heading in lower case."""
        rows = self.of(edition).rules().filter(section__in=("701", "702")).exclude(heading="")
        return {heading.lower(): RuleId(number) for heading, number in rows.values_list("heading", "number")}

    def named_by(self, edition: int, rules: Collection[RuleId]) -> list[tuple[RuleId, RuleId]]:
        """(source, target) for every rule that one of *rules* or its subrules names, both at rule level."""
        from rules.models import RuleReference

        if not rules:
            return []
        inside = Q(source__number__in=list(rules)) | Q(source__parent__number__in=list(rules))
        rows = (
            RuleReference.objects.filter(inside, source__edition_id=edition)
            .order_by("source__position", "target__position")
            .values_list("source__number", "source__parent__number", "target__number", "target__parent__number")
        )
        pairs = ((RuleId(parent or number), RuleId(above or target)) for number, parent, target, above in rows)
        return list(dict.fromkeys(pair for pair in pairs if pair[0] != pair[1]))

    def search_text(self, edition: int, queries: Sequence[str], limit: int) -> list[list[TextHit]]:
        """For every query its best rules and its best subrules by BM25, *limit* of each, best first.

        All queries are answered in one round trip. Rarity and length are those of the edition, taken apart for rules
        and for subrules. A query without a lexeme that any rule has finds nothing.
        """
        found: list[list[TextHit]] = [[] for _ in queries]
        if not queries:
            return found
        parameters: dict[str, int | float | list[str]] = {
            "edition": edition,
            "queries": [query.replace("\0", " ") for query in queries],
            "kept": list(KEPT_STOP_WORDS),
            "k1": BM25_K1,
            "b": BM25_B,
            "common": COMMON,
            "lexemes": QUERY_LEXEMES,
            "limit": limit,
        }
        with connection.cursor() as cursor:
            cursor.execute(_BM25, parameters)
            for query, number, is_leaf, score in cursor.fetchall():
                found[query - 1].append(TextHit(RuleId(number), is_leaf, score))
        return found


_BM25 = f"""
WITH corpus AS MATERIALIZED (
    SELECT parent_id IS NOT NULL AS is_leaf, count(*)::float8 AS docs, greatest(avg(length), 1)::float8 AS mean_length
    FROM rules_rule WHERE edition_id = %(edition)s GROUP BY 1
), asked AS MATERIALIZED (
    SELECT query.no, words.lexeme, least(words.frequency, 3) AS weight
    FROM unnest(%(queries)s::text[]) WITH ORDINALITY AS query(text, no)
    CROSS JOIN LATERAL {lexemes_sql("query.text")} AS words
), rarity AS MATERIALIZED (
    SELECT counted.lexeme, counted.is_leaf, counted.df / corpus.docs AS share,
           ln(1 + (corpus.docs - counted.df + 0.5) / (counted.df + 0.5)) AS idf
    FROM (
        SELECT lexeme, is_leaf, count(*) AS df FROM rules_posting
        WHERE edition_id = %(edition)s AND lexeme IN (SELECT lexeme FROM asked) GROUP BY lexeme, is_leaf
    ) AS counted JOIN corpus USING (is_leaf)
), weighed AS MATERIALIZED (
    SELECT no, lexeme, is_leaf, weight * idf AS weight FROM (
        SELECT asked.no, asked.lexeme, rarity.is_leaf, asked.weight, rarity.idf, rarity.share,
               row_number() OVER (PARTITION BY asked.no, rarity.is_leaf ORDER BY rarity.idf DESC, asked.lexeme) AS place
        FROM asked JOIN rarity USING (lexeme)
    ) AS placed
    WHERE place <= %(lexemes)s AND (share <= %(common)s OR place <= 3)
), postings AS MATERIALIZED (
    SELECT posting.lexeme, posting.is_leaf, posting.rule_id,
           posting.frequency * (%(k1)s + 1) / (
               posting.frequency + %(k1)s * (1 - %(b)s + %(b)s * rule.length / corpus.mean_length)
           ) AS part
    FROM rules_posting AS posting
    JOIN rules_rule AS rule ON rule.id = posting.rule_id
    JOIN corpus ON corpus.is_leaf = posting.is_leaf
    WHERE posting.edition_id = %(edition)s
      AND (posting.lexeme, posting.is_leaf) IN (SELECT lexeme, is_leaf FROM weighed)
), ranked AS (
    SELECT no, rule_id, is_leaf, sum(weighed.weight * postings.part) AS score,
           row_number() OVER (
               PARTITION BY no, is_leaf ORDER BY sum(weighed.weight * postings.part) DESC, rule_id
           ) AS place
    FROM weighed JOIN postings USING (lexeme, is_leaf)
    GROUP BY no, is_leaf, rule_id
)
SELECT ranked.no, rule.number, ranked.is_leaf, ranked.score
FROM ranked JOIN rules_rule AS rule ON rule.id = ranked.rule_id
WHERE ranked.place <= %(limit)s
ORDER BY ranked.no, ranked.is_leaf, ranked.score DESC, rule.position
"""  # noqa: S608  # built from our own text alone


class GlossaryTermQuerySet(models.QuerySet["GlossaryTerm"]):
    """Glossary entries."""

    def in_edition(self, edition: Edition) -> Self:
        """The entries of *edition*, in order of the document."""
        return self.filter(edition=edition).order_by("position")

    def named(self, folded: Iterable[str]) -> Self:
        """Entries whose term, or one of the forms it lists, is one of *folded* (judge.folding.fold_name)."""
        names = list(folded)
        return self.filter(models.Q(folded__in=names) | models.Q(forms__overlap=names))

    def of(self, edition: int) -> Self:
        """Those of the edition with that id."""
        return self.filter(edition_id=edition)

    def named_in(self, edition: int, text: str, limit: int) -> list[GlossaryTerm]:
        """Entries one of whose forms stands in *text* as whole words, the longest terms first, at most *limit*.

        Folded on both sides; a plural counts ("counters" names "counter"). Obsolete entries are left out.
        """
        words = fold_name(text).split()
        phrases = {" ".join(words[start : start + size]) for size in range(1, 6) for start in range(len(words))}
        phrases |= {phrase.removesuffix("s") for phrase in phrases}
        rows = self.of(edition).filter(is_obsolete=False, forms__overlap=sorted(phrases - {""}))
        return sorted(rows, key=lambda term: (-len(term.folded.split()), -len(term.folded), term.folded))[:limit]
