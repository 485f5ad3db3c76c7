"""The page each thing has on this site, relative to its root. web/urls.py serves exactly these."""

from __future__ import annotations

from datetime import date
from urllib.parse import quote
from uuid import UUID

from judge.folding import fold_name
from judge.values import RuleId, parent_of


def rule_url(rule: RuleId, edition: date) -> str:
    """The page of *rule* in the edition that was quoted, which stays readable when a newer one comes.

    A subrule's page is its rule's, opened at the subrule.
    """
    anchor = "" if rule == parent_of(rule) else f"#{rule}"
    return f"/rules/{rule}?edition={edition.isoformat()}{anchor}"


def card_url(name: str, oracle_id: UUID) -> str:
    """The page of a card: by name where folding leaves one, otherwise by id (D84)."""
    slug = card_slug(name)
    return f"/cards/{quote(slug) if slug else oracle_id}"


def card_slug(name: str) -> str:
    """*name* folded, words joined by hyphens; "" for a name without letters or digits."""
    return fold_name(name).replace(" ", "-")


def glossary_url(term: str, edition: date) -> str:
    """The page of a glossary term in the edition that was quoted."""
    return f"/glossary/{quote(card_slug(term))}?edition={edition.isoformat()}"


def ruling_anchor(key: str) -> str:
    """The place of a ruling on its card's page."""
    return f"ruling-{key[:12]}"
