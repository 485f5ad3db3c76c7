"""The pages citations link to: a rule, a section, a glossary term, a card."""

from __future__ import annotations

import re
from datetime import date
from uuid import UUID

from django.db import DatabaseError
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.dateparse import parse_datetime
from django.views.decorators.http import require_safe

from calls.adapters.corpus import bulk_files
from calls.addresses import card_slug, ruling_anchor
from calls.asking import ground
from cards.models import Card
from judge.errors import InvalidRuleId
from judge.folding import fold_name
from judge.values import RuleId, parent_of, parse_rule_id
from rules.models import Edition, GlossaryTerm, Rule, Section
from web.shown import site

_SECTION = re.compile(r"[1-9]\d\d")
_UUID_LENGTH = 36
_LONGEST_NUMBER = 30  # characters read; a rule number has ten at most
_LONGEST_SLUG = 300  # characters; the longest name a card has


@require_safe
def rule(request: HttpRequest, number: str) -> HttpResponse:
    """One rule with its subrules and examples, a subrule marked in its rule; or the list of a section."""
    edition = _edition(request)
    if _SECTION.fullmatch(number):
        return _section(request, edition, number)
    try:
        wanted = parse_rule_id(number[:_LONGEST_NUMBER])
    except InvalidRuleId as error:
        raise Http404(f"{error}.") from None
    row = Rule.objects.filter(edition=edition, number=parent_of(wanted)).prefetch_related("subrules").first()
    subrules = list(row.subrules.order_by("position")) if row else []
    if row is None or not (wanted == row.number or any(wanted == subrule.number for subrule in subrules)):
        raise Http404(f"There is no rule {wanted} in the rules of {edition.effective:%B %-d, %Y}.")
    context = {
        "rule": row,
        "subrules": subrules,
        "wanted": wanted,
        "section": Section.objects.filter(edition=edition, number=row.section).first(),
        "shown_edition": edition,
        **_neighbours(row),
    }
    return render(request, "web/rule.html", site(ground()) | context)


@require_safe
def glossary(request: HttpRequest, slug: str) -> HttpResponse:
    """One glossary entry."""
    edition = _edition(request)
    folded = fold_name(slug[:_LONGEST_SLUG])
    term = GlossaryTerm.objects.filter(edition=edition, folded=folded).first()
    if term is None:
        raise Http404("The glossary has no such term.")
    return render(request, "web/glossary.html", site(ground()) | {"term": term, "shown_edition": edition})


@require_safe
def card(request: HttpRequest, slug: str) -> HttpResponse:
    """One card with its faces and rulings, by folded name or oracle_id; a choice where cards share the name."""
    found = _cards(slug)
    if not found:
        raise Http404("There is no card of this name here.")
    if len(found) > 1:
        return render(request, "web/same_name.html", site(ground()) | {"cards": found})
    if not _oracle_id(slug) and slug != card_slug(found[0].name):
        return HttpResponseRedirect(f"/cards/{card_slug(found[0].name)}")
    rulings = [(ruling_anchor(ruling.key), ruling) for ruling in found[0].rulings.order_by("published_at", "id")]
    legalities = [(name, status.replace("_", " ")) for name, status in found[0].legalities.items()]
    faces = found[0].faces.order_by("index")
    context = {"card": found[0], "faces": faces, "rulings": rulings, "legalities": legalities}
    return render(request, "web/card.html", site(ground()) | context)


@require_safe
def about_page(request: HttpRequest) -> HttpResponse:
    """The source this judge runs, who runs it and how fresh its data is; whole while the database is down."""
    try:
        files = [
            {"kind": str(file["kind"]).replace("_", " "), "rows": file["rows"]}
            | {key: parse_datetime(str(file[key])) for key in ("updated_at", "loaded_at")}
            for file in bulk_files()
        ]
    except DatabaseError:
        files = []
    return render(request, "web/about.html", site(ground()) | {"files": files})


def _edition(request: HttpRequest) -> Edition:
    """The edition ?edition= names, or the current one. Raises Http404 with what there is instead."""
    loaded = Edition.objects.exclude(status=Edition.Status.REJECTED).order_by("-effective", "-loaded_at")
    current = loaded.filter(is_current=True).first()
    if current is None:
        raise Http404("No rules are loaded yet.")
    text = request.GET.get("edition", "")
    if not text or text == current.effective.isoformat():
        return current
    try:
        found = loaded.filter(effective=date.fromisoformat(text)).first()
    except ValueError:
        raise Http404("An edition is a date such as 2026-08-07.") from None
    if found is None:
        raise Http404(f"The rules of {text} are not loaded; the current ones are of {current.effective.isoformat()}.")
    return found


def _section(request: HttpRequest, edition: Edition, number: str) -> HttpResponse:
    rules = Rule.objects.filter(edition=edition, section=number, parent__isnull=True).order_by("position")
    section = Section.objects.filter(edition=edition, number=number).first()
    if section is None or not rules:
        raise Http404(f"There is no section {number} in the rules of {edition.effective:%B %-d, %Y}.")
    context = {"section": section, "rules": rules, "shown_edition": edition}
    return render(request, "web/section.html", site(ground()) | context)


def _neighbours(row: Rule) -> dict[str, RuleId | None]:
    """The rules before and after *row* in the document."""
    rules = Rule.objects.filter(edition=row.edition_id, parent__isnull=True).values_list("number", flat=True)
    before = rules.filter(position__lt=row.position).order_by("-position").first()
    after = rules.filter(position__gt=row.position).order_by("position").first()
    return {"before": RuleId(before) if before else None, "after": RuleId(after) if after else None}


def _cards(slug: str) -> list[Card]:
    if oracle_id := _oracle_id(slug):
        return list(Card.objects.filter(oracle_id=oracle_id))
    folded = fold_name(slug[:_LONGEST_SLUG])
    if not folded:
        return []
    found = list(Card.objects.filter(folded=folded))
    return found or list(Card.objects.filter(faces__folded=folded).distinct())


def _oracle_id(slug: str) -> UUID | None:
    try:
        return UUID(slug) if len(slug) == _UUID_LENGTH else None
    except ValueError:
        return None
