"""The programming languages that are read by their definitions."""

from __future__ import annotations

import os
from dataclasses import dataclass
from enum import Enum


class Shape(Enum):
    """How a language shows where a definition ends."""

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
