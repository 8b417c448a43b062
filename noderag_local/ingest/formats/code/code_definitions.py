"""Finds where the classes and functions of a file begin and end, by rules that hold for many languages.

The rules miss some (a function that a macro makes), but never lose a line, need no parser for each language, and read files
that are incomplete or incorrect.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum

from noderag_local.ingest.formats.code.code_braces import braced

_INDENTED = re.compile(
    r"(?P<indent>[ \t]*)(?:(?:async|local|private|public)\s+)?(?P<kind>def|class|module|function)\s+"
    r"(?P<name>\w+(?:(?:\.|::)\w+)*[!?]?)"
)
_STATEMENT = re.compile(
    r"\s*create\s+(?:or\s+replace\s+)?(?:(?:temp|temporary|unique|virtual|materialized|recursive)\s+)*"
    r"(?P<kind>table|view|function|procedure|trigger|index|type|schema)\s+(?:if\s+not\s+exists\s+)?(?P<name>[^\s(;]+)",
    re.IGNORECASE,
)
_STATEMENT_END = re.compile(r";\s*$")
_BODY_END = re.compile(r"\s*end\b[^;]*;\s*$", re.IGNORECASE)
_DOLLAR_QUOTE = re.compile(r"\$\w*\$")
_DECORATION = re.compile(r"\s*(?:@|#\[|\[\w|template\b)")
_COMMENT = re.compile(r"\s*(?:#|//|/\*|\*|--|;;)")
_TYPES = frozenset({"class", "module"})


class Shape(Enum):
    """Sign by which a language shows where a definition ends."""

    INDENTED = "indented"
    """By the indentation of its lines; some close it with a line "end"."""
    BRACED = "braced"
    """By braces; what stands before them with parentheses is a function, unless it is a statement such as `if`."""
    BRACED_WITH_KEYWORD = "braced with keyword"
    """By braces; functions have a keyword, and a name with parentheses before a brace may be a call."""
    STATEMENTS = "statements"
    """By a semicolon."""


@dataclass(frozen=True, slots=True)
class Language:
    """Facts about a programming language."""

    lexer: str
    """Name of the language in Pygments."""
    shape: Shape


_BRACED, _KEYWORD = Shape.BRACED, Shape.BRACED_WITH_KEYWORD
LANGUAGES: dict[str, Language] = {
    ".py": Language("python", Shape.INDENTED),
    ".pyi": Language("python", Shape.INDENTED),
    ".rb": Language("ruby", Shape.INDENTED),
    ".lua": Language("lua", Shape.INDENTED),
    ".js": Language("javascript", _BRACED),
    ".mjs": Language("javascript", _BRACED),
    ".cjs": Language("javascript", _BRACED),
    ".jsx": Language("javascript", _BRACED),
    ".ts": Language("typescript", _BRACED),
    ".tsx": Language("typescript", _BRACED),
    ".java": Language("java", _BRACED),
    ".c": Language("c", _BRACED),
    ".h": Language("cpp", _BRACED),
    ".cc": Language("cpp", _BRACED),
    ".cpp": Language("cpp", _BRACED),
    ".cxx": Language("cpp", _BRACED),
    ".hpp": Language("cpp", _BRACED),
    ".cs": Language("csharp", _BRACED),
    ".dart": Language("dart", _BRACED),
    ".sh": Language("bash", _BRACED),
    ".bash": Language("bash", _BRACED),
    ".zsh": Language("bash", _BRACED),
    ".rs": Language("rust", _KEYWORD),
    ".go": Language("go", _KEYWORD),
    ".kt": Language("kotlin", _KEYWORD),
    ".kts": Language("kotlin", _KEYWORD),
    ".swift": Language("swift", _KEYWORD),
    ".scala": Language("scala", _KEYWORD),
    ".php": Language("php", _KEYWORD),
    ".sql": Language("sql", Shape.STATEMENTS),
}
"""Languages by suffix, in lower case with the dot."""


def language_of_file(name: str) -> Language:
    """Returns the language of a file with one of these suffixes.

    Raises:
        KeyError: it has another one.
    """
    return LANGUAGES[os.path.splitext(name)[1].lower()]


@dataclass(frozen=True, slots=True)
class Definition:
    """A class or function, by 0-based half-open lines; its comment and decorators are in it."""

    name: str
    """Qualified by the classes around it: "Store.open"."""
    first: int
    end: int
    is_type: bool
    """Whether its members are definitions of their own; what is defined inside a function is a part of it."""


def definitions(lines: list[str], code: list[str], language: Language) -> list[Definition]:
    """Returns the definitions of a file, outer ones before those in them.

    Args:
        lines: lines of the file.
        code: the same lines with comments and strings blanked.
        language: language of the file.
    """
    if language.shape is Shape.INDENTED:
        found = list(_indented(lines, code))
    elif language.shape is Shape.STATEMENTS:
        found = list(_statements(code))
    else:
        any_name = language.shape is Shape.BRACED
        # Of two on the same lines, the outer one ends later and is to come first.
        found = [Definition(*each) for each in braced("\n".join(code), any_name=any_name)][::-1]
    return _with_leads(_qualified(sorted(found, key=lambda each: (each.first, -each.end))), lines, code)


def _indented(lines: list[str], code: list[str]) -> Iterator[Definition]:
    """Yields definitions that run up to the next line of code that is not indented further; a line "end" belongs to them."""
    waiting: list[tuple[int, str, int, bool]] = []
    depth = 0
    for number, line in enumerate(code):
        if line.strip() and depth <= 0:
            indent = len(line) - len(line.lstrip())
            while waiting and indent <= waiting[-1][0]:
                own_indent, name, first, is_type = waiting.pop()
                closes = indent == own_indent and line.strip() == "end"
                yield Definition(name, first, number + 1 if closes else _trimmed(lines, number, own_indent), is_type)
            begin = _INDENTED.match(line)
            if begin:
                waiting.append((indent, begin["name"], number, begin["kind"] in _TYPES))
        depth = max(0, depth + sum(map(line.count, "([{")) - sum(map(line.count, ")]}")))
    for own_indent, name, first, is_type in waiting:
        yield Definition(name, first, _trimmed(lines, len(lines), own_indent), is_type)


def _trimmed(lines: list[str], end: int, indent: int) -> int:
    """Returns an end moved before empty lines, and before comments that belong to what follows."""
    while end > 0:
        line = lines[end - 1]
        is_outer_comment = bool(_COMMENT.match(line)) and len(line) - len(line.lstrip()) <= indent
        if line.strip() and not is_outer_comment:
            break
        end -= 1
    return end


def _statements(code: list[str]) -> Iterator[Definition]:
    number = 0
    while number < len(code):
        begin = _STATEMENT.match(code[number])
        first, number = number, number + 1
        if begin is None:
            continue
        end = _statement_end(code, first, has_body=begin["kind"].lower() in ("function", "procedure", "trigger"))
        number = max(number, end)
        yield Definition(begin["name"].strip('"`[]'), first, number, False)


def _statement_end(code: list[str], first: int, *, has_body: bool) -> int:
    """Returns the line after the one that ends a statement; a body between $$ and $$ is passed over."""
    quotes = 0
    for number in range(first, len(code)):
        if number > first and _STATEMENT.match(code[number]):
            return number
        quotes += len(_DOLLAR_QUOTE.findall(code[number]))
        ends = _BODY_END.match(code[number]) if has_body and not quotes else _STATEMENT_END.search(code[number])
        if ends and quotes % 2 == 0:
            return number + 1
    return len(code)


def _qualified(found: list[Definition]) -> list[Definition]:
    """Returns definitions with the names of the types around them, without those inside functions."""
    kept: list[Definition] = []
    around: list[Definition] = []
    for definition in found:
        while around and definition.first >= around[-1].end:
            around.pop()
        if around and (not around[-1].is_type or _lines_of(around[-1]) == _lines_of(definition)):
            continue
        outer = f"{around[-1].name}." if around else ""
        kept.append(replace(definition, name=outer + definition.name.replace("::", ".")))
        around.append(kept[-1])
    return kept


def _lines_of(definition: Definition) -> tuple[int, int]:
    return definition.first, definition.end


def _with_leads(found: list[Definition], lines: list[str], code: list[str]) -> list[Definition]:
    """Returns definitions extended by the comment and the decorators directly above them."""
    taken = 0
    led: list[Definition] = []
    for definition in found:
        first = definition.first
        while first > taken and _leads(lines[first - 1], code[first - 1]):
            first -= 1
        led.append(replace(definition, first=first))
        taken = definition.first + 1 if definition.is_type else definition.end
    return led


def _leads(line: str, code: str) -> bool:
    """Whether a line is a comment (all of it blanked) or a decorator."""
    return bool(line.strip()) and (not code.strip() or bool(_DECORATION.match(code)))
