"""Where Comprehensive Rules files come from: a data folder, or the .txt link on Wizards' rules page."""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from urllib.parse import unquote, urljoin, urlsplit

from sources.http import Patience, download, get_text

if TYPE_CHECKING:
    import httpx

RULES_PAGE = "https://magic.wizards.com/en/rules"
LONGEST_FILE = 32 * 2**20  # bytes unpacked; the rules have one million, a gzip bomb has more
# "MagicCompRules 20260807.txt", with "_", "%20" or nothing for the space; nine digits occur (FIELD A3), and people
# keep the file without a date.
_NAME = re.compile(r"MagicComp(?:rehensive)?Rules[ _-]*(?:(\d{8})\d?.*)?\.txt(?:\.gz)?", re.IGNORECASE)
_LINK = re.compile(r"""href\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.IGNORECASE)
_TEXT_PATH = re.compile(r"\.txt$", re.IGNORECASE)
_FOLDERS = ("", "cr")


class RulesSourceError(Exception):
    """A rules file could not be had; str() says from where and what to do."""


@dataclass(frozen=True, slots=True)
class RulesFile:
    """The bytes of a rules file and the name it was published under, decoded and without .gz."""

    name: str
    data: bytes


def published_name(name: str) -> str:
    """*name* percent-decoded, without folders and .gz: how Wizards call the file."""
    decoded = unquote(name).rsplit("/", 1)[-1]
    return decoded[:-3] if decoded.lower().endswith(".gz") else decoded


def name_date(name: str) -> str:
    """The YYYYMMDD in a rules file's name, "" when there is none."""
    match = _NAME.fullmatch(unquote(name).rsplit("/", 1)[-1])
    return (match and match[1]) or ""


def is_rules_file(name: str) -> bool:
    """Whether a file of this name is one of the Comprehensive Rules."""
    return _NAME.fullmatch(unquote(name).rsplit("/", 1)[-1]) is not None


def files_in(folder: Path) -> tuple[Path, ...]:
    """The rules files in *folder* and its subfolder cr/, oldest date in the name first, one without a date before all.

    Of a plain and a packed copy of one file only the plain one. () when the folder has none, or is none.
    """
    found: dict[str, Path] = {}
    for place in (folder / sub for sub in _FOLDERS):
        if not place.is_dir():
            continue
        for path in sorted(place.iterdir(), key=lambda each: (each.suffix.lower() == ".gz", each.name)):
            if is_rules_file(path.name) and path.is_file():
                found.setdefault(published_name(path.name).casefold(), path)
    return tuple(sorted(found.values(), key=lambda path: (name_date(path.name), path.name)))


def read_file(path: Path) -> RulesFile:
    """The rules file at *path*, unpacked. Raises RulesSourceError."""
    try:
        data = _unpacked(path)
    except FileNotFoundError:
        raise RulesSourceError(f"there is no file {path}") from None
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise RulesSourceError(f"{path} is a damaged .gz ({error}); copy it again") from error
    except OSError as error:
        raise RulesSourceError(f"{path} cannot be read: {error.strerror or error}") from error
    if len(data) > LONGEST_FILE:
        raise RulesSourceError(f"{path} holds over {LONGEST_FILE // 2**20} MiB; that is no rules text")
    return RulesFile(published_name(path.name), data)


def _unpacked(path: Path) -> bytes:
    """At most one byte more than LONGEST_FILE, so that a huge file is noticed and not read."""
    if path.suffix.lower() == ".gz":
        with gzip.open(path, "rb") as packed:
            return packed.read(LONGEST_FILE + 1)
    with path.open("rb") as plain:
        return plain.read(LONGEST_FILE + 1)


def newest_link(page: str, base: str) -> str:
    """The absolute URL of the newest rules .txt that the HTML *page* (found at *base*) links to.

    Wizards' page links to other .txt files too, so a name of a rules file counts before any other .txt, and of
    several the latest date in the name. Raises RulesSourceError when there is no .txt link.
    """
    links = [urljoin(base, unescape(next(filter(None, match.groups()), ""))) for match in _LINK.finditer(page)]
    texts = [link for link in links if _TEXT_PATH.search(unquote(urlsplit(link).path))]
    named = [link for link in texts if is_rules_file(_path_name(link))]
    if named:
        return _without_spaces(max(named, key=lambda link: name_date(_path_name(link))))
    like_rules = [link for link in texts if "rules" in _path_name(link).lower()]
    if len(set(like_rules)) == 1:
        return _without_spaces(like_rules[0])
    found = "no .txt link" if not texts else "no .txt link that is the rules for certain: " + _listed(texts)
    raise RulesSourceError(f"{base} has {found}. Download the file by hand and load it: ingest_rules FILE")


def _listed(links: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(_path_name(link) for link in links))


def _path_name(link: str) -> str:
    return published_name(urlsplit(link).path)


def _without_spaces(link: str) -> str:
    """*link* as it can be requested: pages write "MagicCompRules 20260807.txt" both ways."""
    return link.replace(" ", "%20")


def fetch_newest(client: httpx.Client, page: str = RULES_PAGE, *, patience: Patience | None = None) -> RulesFile:
    """The newest rules file that the rules page links to. Raises RulesSourceError and sources.http.FetchError.

    Nothing is kept on disk. Whether the text is the rules, and whole, is for the parser to say.
    """
    link = newest_link(get_text(client, page, patience=patience), page)
    with TemporaryDirectory(prefix="judge-rules-") as folder:
        target = Path(folder) / "rules.txt"
        download(client, link, target, patience=patience)
        return RulesFile(_path_name(link), read_file(target).data)
