"""How rules text and questions become lexemes: one expression for the postings and for the search leg."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import connection

# English stop words that carry meaning in the rules ("through" decides a question about trample; FIELD A43).
# The English configuration drops them, so they are taken as they stand. The rest of the stop words occur in
# nearly every rule and would only make the index ten times as large (D11).
KEPT_STOP_WORDS = (
    *("above", "after", "again", "against", "all", "any", "before", "below", "between", "both", "down", "during"),
    *("each", "few", "further", "more", "most", "no", "nor", "not", "off", "once", "only", "other", "out", "over"),
    *("own", "same", "than", "through", "under", "until", "up", "while"),
)


def lexemes_sql(text: str) -> str:
    """A SQL table expression of (lexeme, frequency) over the SQL expression *text*.

    Takes one parameter, the list KEPT_STOP_WORDS. *text* is an expression such as "rule.body" or "%(text)s",
    never user input. A word may come both ways ("owns" stems to "own"): its frequencies are added.
    """
    return f"""(
        SELECT lexeme, sum(cardinality(positions))::int AS frequency
        FROM (
            SELECT lexeme, positions FROM unnest(to_tsvector('english', {text}))
            UNION ALL
            SELECT lexeme, positions FROM unnest(to_tsvector('simple', {text}))
            WHERE lexeme = ANY(%(kept)s)
        ) AS words
        GROUP BY lexeme
    )"""  # noqa: S608  # *text* is ours


def lexemes_of(texts: Sequence[str]) -> list[dict[str, int]]:
    """Lexeme to frequency of each of *texts*, one round trip for all of them."""
    found: list[dict[str, int]] = [{} for _ in texts]
    if not texts:
        return found
    parameters: dict[str, list[str]] = {
        "texts": [text.replace("\0", " ") for text in texts],
        "kept": list(KEPT_STOP_WORDS),
    }
    with connection.cursor() as cursor:
        cursor.execute(
            f"""SELECT asked.place, words.lexeme, words.frequency
                FROM unnest(%(texts)s::text[]) WITH ORDINALITY AS asked(text, place)
                CROSS JOIN LATERAL {lexemes_sql("asked.text")} AS words""",  # noqa: S608  # our own text
            parameters,
        )
        for place, lexeme, frequency in cursor.fetchall():
            found[place - 1][lexeme] = frequency
    return found
