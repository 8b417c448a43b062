"""Finds the definitions of languages with braces by the words between the last statement and a brace."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

MAX_HEADER_CHARACTERS = 1000
"""Characters before a brace that are searched for a signature; a longer one is not recognised."""

_MARK = re.compile(r"[{}();]|^[ \t]*#.*$", re.MULTILINE)
_TYPE = re.compile(
    r"\b(?:class|interface|struct|enum|trait|record|object|protocol|extension|namespace|module|mod|union)\s+"
    r"(?:class\s+|struct\s+)?(?P<name>[A-Za-z_$][\w$:.]*)"
)
_IMPLEMENTATION = re.compile(r"\bimpl\b(?:[^{}]*?\bfor\s++|(?:\s*+<[^{}]*?>)?\s++)(?P<name>[A-Za-z_][\w:]*)")
_GO_TYPE = re.compile(r"\btype\s+(?P<name>\w+)(?:\[[^\[\]]*\])?\s+(?:struct|interface)\s*$")
_KEYWORD = re.compile(
    r"\b(?:function|func|fn|fun|def)\b\s*+(?:[*&]\s*+)?(?:\((?:\w++\s++)?\*?(?P<receiver>\w++)[^()]*+\)\s*+)?(?:<[^<>]*+>\s*+)?"
    r"(?P<name>[A-Za-z_$][\w$.]*)"
)
_ASSIGNED = re.compile(
    r"\b(?:const|let|var)\s+(?P<name>[\w$]+)\s*(?::[^=]*)?=\s*(?:async\s*)?(?:function\b|\([^{}]*=>|[\w$]+\s*=>)"
)
_CALLED = re.compile(r"(?<![@\w$.])(?P<name>~?[A-Za-z_$][\w$:~]*+)\s*+(?:<[^<>()]*+>\s*+)?\(")
_CONTINUATION = re.compile(r"\s*(?:[:,.=+|&?)\]>]|(?:throws|where|extends|implements|with|const|override|noexcept)\b)")
_FIRST_WORD = re.compile(r"\s*(\w+)")
_TYPE_LINE = re.compile(r"(?![ \t]*(?:package|import|using|use|export|return|from)\b)[ \t]*[A-Za-z_][\w \t*&<>:,\[\]]*")
_STATEMENTS = frozenset(
    "if for while switch catch else do try synchronized using lock foreach return with match guard unless until throw "
    "new await yield elif sizeof assert case default in and or not fixed checked unchecked super this".split()
)


class Braced(NamedTuple):
    """A definition, by 0-based half-open lines."""

    name: str
    first: int
    end: int
    is_type: bool


class _Found(NamedTuple):
    """The definition that a header begins."""

    name: str
    is_type: bool
    at: int
    """Offset in the header at which the definition is named."""


class _Open(NamedTuple):
    """A brace that is not closed yet."""

    found: _Found | None
    first: int
    statement: int
    """Offset at which the statement around it began."""
    in_parentheses: bool


def braced(code: str, *, any_name: bool) -> Iterator[Braced]:
    """Yields the definitions of a file in the order in which they end.

    Args:
        code: source code with comments and strings blanked.
        any_name: whether a name with parentheses before a brace is a function; else it needs a keyword.
    """
    waiting: list[_Open] = []
    parentheses = [0]
    statement, line, counted = 0, 0, 0
    for mark in _MARK.finditer(code):
        line += code.count("\n", counted, mark.start())
        counted = mark.start()
        sign = mark.group()
        if sign == "(":
            parentheses[-1] += 1
        elif sign == ")":
            parentheses[-1] = max(0, parentheses[-1] - 1)
        elif sign == "{":
            header = code[max(statement, mark.start() - MAX_HEADER_CHARACTERS) : mark.start()]
            inside = parentheses[-1] > 0
            found = None if inside else _named(header, any_name)
            first = line - _lines_of(header, found.at, any_name) if found else line
            waiting.append(_Open(found, first, statement, inside))
            parentheses.append(0)
            statement = mark.end()
        elif sign == "}":
            statement = mark.end()
            if waiting:
                opened = waiting.pop()
                parentheses.pop()
                statement = opened.statement if opened.in_parentheses else statement
                if opened.found is not None:
                    yield Braced(opened.found.name, opened.first, line + 1, opened.found.is_type)
        elif sign != ";" or parentheses[-1] == 0:
            statement = mark.end()


def _lines_of(header: str, at: int, with_types: bool) -> int:
    """Returns the number of line ends in a header from the line that names the definition.

    Args:
        header: what stands before the brace.
        at: where the definition is named in it.
        with_types: whether the line before may hold its type, as in C.
    """
    start = header.rfind("\n", 0, at) + 1
    before = header.rfind("\n", 0, max(0, start - 1)) + 1
    if with_types and start and _TYPE_LINE.fullmatch(header[before : start - 1]):
        start = before
    return header.count("\n", start)


def _named(header: str, any_name: bool) -> _Found | None:
    """Returns the definition that a header begins; None if it begins none."""
    at = _last_statement(header)
    own = header[at:]
    for pattern in (_IMPLEMENTATION, _GO_TYPE, _TYPE):
        found = pattern.search(own)
        if found and _is_type(own, found, any_name):
            return _Found(found["name"], True, at + found.start())
    keyword = _KEYWORD.search(own)
    if keyword:
        receiver = f"{keyword['receiver']}." if keyword["receiver"] else ""
        return _Found(receiver + keyword["name"], False, at + keyword.start())
    assigned = _ASSIGNED.search(own)
    if assigned:
        return _Found(assigned["name"], False, at + assigned.start())
    called = _CALLED.search(own) if any_name else None
    if called is None or called["name"] in _STATEMENTS or _begins_statement(own) or "=" in own[: called.start()]:
        return None
    return _Found(called["name"], False, at + called.start())


def _last_statement(header: str) -> int:
    """Returns where the last statement of a header begins; in many languages the line end alone ends one."""
    depth, at = 0, len(header.rstrip())
    while at > 0:
        start = header.rfind("\n", 0, at) + 1
        line = header[start:at]
        depth += line.count(")") - line.count("(")
        if depth <= 0 and line.strip() and not _CONTINUATION.match(line):
            return start
        at = start - 1
    return 0


def _is_type(statement: str, found: re.Match[str], any_name: bool) -> bool:
    """Whether a word such as "struct" begins a type here, and not a value or a function of that type."""
    rest = statement[found.end() :].rstrip()
    is_of_c = any_name and found.group().startswith(("struct", "union", "enum"))
    before = statement[: found.start()]
    return not (rest.endswith("=") or (is_of_c and "(" in rest) or "(" in before or "=" in before)


def _begins_statement(header: str) -> bool:
    word = _FIRST_WORD.match(header)
    return word is not None and word[1] in _STATEMENTS
