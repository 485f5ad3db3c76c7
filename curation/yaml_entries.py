"""YAML read strictly, with line numbers: unknown keys, wrong types and repeated keys are problems, in words.

PyYAML's loaders forget lines and keep the last of two equal keys, so the node tree is walked instead. It also keeps
the text of a scalar as written, which is why an unquoted rule number 702.10 stays 702.10 and is not the float 702.1.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

import yaml

from curation.entries import Place, Problem

_STR: Final = "tag:yaml.org,2002:str"
_BOOL: Final = "tag:yaml.org,2002:bool"
_NUMBERS: Final = frozenset({"tag:yaml.org,2002:int", "tag:yaml.org,2002:float"})
_TRUE: Final = frozenset({"true", "yes", "on"})  # what YAML 1.1 resolves to true


class UnreadableFileError(Exception):
    """The file gives no entries at all; `problem` says why."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem


def read_lists(path: Path, keys: Iterable[str]) -> dict[str, list[yaml.Node]]:
    """The lists under each of *keys* in the one mapping that *path* holds; a key that is not there gives [].

    Raises UnreadableFileError when the file is missing, is no YAML, or is shaped differently.
    """
    root = _compose(path)
    known = tuple(keys)
    lists: dict[str, list[yaml.Node]] = {key: [] for key in known}
    if not isinstance(root, yaml.MappingNode):
        raise UnreadableFileError(
            Problem(_place(path, root), f"expected {_listed(known)} with a list, found something else")
        )
    seen: set[str] = set()
    for key, value in root.value:
        name = str(key.value)
        if name not in known:
            raise UnreadableFileError(Problem(_place(path, key), f"unknown key {name!r}; known here: {_listed(known)}"))
        if name in seen:
            raise UnreadableFileError(Problem(_place(path, key), f"{name!r} stands in this file twice"))
        if not isinstance(value, yaml.SequenceNode):
            raise UnreadableFileError(Problem(_place(path, value), f"{name!r} must be a list"))
        seen.add(name)
        lists[name] = list(value.value)
    if known[0] not in seen:
        raise UnreadableFileError(Problem(_place(path, None), f"there is no {known[0]!r} list in it"))
    return lists


class Fields:
    """One mapping, read field by field. What is wrong with it gathers in `problems`; a wrong field reads as empty."""

    def __init__(self, node: yaml.Node, file: str) -> None:
        self.place = Place(file, node.start_mark.line + 1)
        self.problems: list[Problem] = []
        self._file = file
        self._fields: dict[str, yaml.Node] = {}
        self._is_mapping = isinstance(node, yaml.MappingNode)
        if not isinstance(node, yaml.MappingNode):
            self._object(node, "expected an entry with named fields")
            return
        for key, value in node.value:
            name = str(key.value)
            if name in self._fields:
                self._object(key, f"{name!r} stands in this entry twice")
            self._fields[name] = value

    def text(self, key: str, *, limit: int | None = None, required: bool = True) -> str:
        """The text of *key* without surrounding blanks; "" when it is absent or wrong. limit in characters."""
        node = self._fields.pop(key, None)
        if node is None:
            if required and self._is_mapping:
                self.problems.append(Problem(self.place, f"{key!r} is missing"))
            return ""
        return self._string(node, repr(key), limit=limit)

    def flag(self, key: str) -> bool:
        """Whether *key* is true; absent is false."""
        node = self._fields.pop(key, None)
        if node is None:
            return False
        if not isinstance(node, yaml.ScalarNode) or node.tag != _BOOL:
            self._object(node, f"{key!r} must be true or false")
            return False
        return str(node.value).lower() in _TRUE

    def texts(self, key: str, *, limit: int, numbers: bool = False) -> tuple[str, ...]:
        """The texts of the list *key*, each once; *numbers* allows unquoted numbers, taken as written."""
        node = self._fields.pop(key, None)
        if node is None:
            return ()
        if not isinstance(node, yaml.SequenceNode):
            self._object(node, f"{key!r} must be a list")
            return ()
        found: list[str] = []
        for item in node.value:
            text = self._string(item, f"each of {key!r}", limit=limit, numbers=numbers)
            if text in found:
                self._object(item, f"{text!r} stands in {key!r} twice")
            elif text:
                found.append(text)
        return tuple(found)

    def finish(self) -> bool:
        """Whether the entry is sound; call last: what is left over by now is an unknown key."""
        for name, node in self._fields.items():
            self._object(node, f"unknown key {name!r}")
        return not self.problems

    def object_to(self, message: str) -> None:
        """Adds a problem with the entry as a whole."""
        self.problems.append(Problem(self.place, message))

    def _string(self, node: yaml.Node, what: str, *, limit: int | None, numbers: bool = False) -> str:
        if not isinstance(node, yaml.ScalarNode) or not (node.tag == _STR or (numbers and node.tag in _NUMBERS)):
            quote = "; write it in quotes" if isinstance(node, yaml.ScalarNode) else ""
            self._object(node, f"{what} must be text{quote}")
            return ""
        text = str(node.value).strip()
        if not text:
            self._object(node, f"{what} is empty")
        elif any(char < " " and char != "\n" for char in text):
            self._object(node, f"{what} holds a control character")
        elif limit is not None and len(text) > limit:
            self._object(node, f"{what} is longer than {limit} characters")
        else:
            return text
        return ""

    def _object(self, node: yaml.Node, message: str) -> None:
        self.problems.append(Problem(Place(self._file, node.start_mark.line + 1), message))


def _compose(path: Path) -> yaml.Node | None:
    try:
        with path.open(encoding="utf-8-sig") as stream:
            return yaml.compose(stream, Loader=yaml.SafeLoader)
    except FileNotFoundError:
        raise UnreadableFileError(Problem(Place(path.name), "there is no such file")) from None
    except OSError as error:
        raise UnreadableFileError(Problem(Place(path.name), f"cannot be read: {error.strerror}")) from error
    except UnicodeDecodeError as error:
        raise UnreadableFileError(Problem(Place(path.name), "is not UTF-8 text")) from error
    except RecursionError:
        raise UnreadableFileError(Problem(Place(path.name), "is nested too deeply")) from None
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 0
        raise UnreadableFileError(Problem(Place(path.name, line), f"is no valid YAML: {error.problem}")) from error
    except yaml.YAMLError as error:
        raise UnreadableFileError(Problem(Place(path.name), f"is no valid YAML: {_one_line(error)}")) from error


def _place(path: Path, node: yaml.Node | None) -> Place:
    return Place(path.name, node.start_mark.line + 1 if node is not None else 0)


def _listed(words: Iterable[str]) -> str:
    return ", ".join(repr(word) for word in words)


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
