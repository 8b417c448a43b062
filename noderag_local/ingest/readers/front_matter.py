"""Front matter of a note: title, aliases and tags. What cannot be parsed stays text and is no error."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from typing import Any

import yaml  # type: ignore[import-untyped]  # no stubs among the dependencies
from frontmatter.default_handlers import YAMLHandler

MAX_CHARACTERS = 1 << 16

_FENCED = re.compile(
    r"(?P<fence>---|\+\+\+)[ \t]*\n(?P<body>(?:.*\n)*?)(?:(?P=fence)|(?:(?<!\A)\.\.\.))[ \t]*(?:\n|\Z)"
)


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What is used of it."""

    end: int = 0
    """Characters that it takes at the start of the text; 0 where there is none."""
    title: str = ""
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()


def front_matter(text: str) -> FrontMatter:
    """Front matter (YAML between ---, TOML between +++) at the start of a text."""
    match = _FENCED.match(text, 0, MAX_CHARACTERS)
    if match is None:
        return FrontMatter()
    try:
        fields = _load(match["fence"], match["body"])
    except (yaml.YAMLError, tomllib.TOMLDecodeError, ValueError, RecursionError):
        return FrontMatter()
    if not isinstance(fields, dict):
        return FrontMatter()
    named = {str(key).lower(): value for key, value in fields.items()}
    title = named.get("title")
    return FrontMatter(
        match.end(),
        " ".join(str(title).split()) if isinstance(title, str | int | float) else "",
        tuple(tag.lstrip("#") for tag in _names(named.get("tags", named.get("tag")), r"[,\s]+")),
        tuple(_names(named.get("aliases", named.get("alias")), r"\s*,\s*")),
    )


def _load(fence: str, body: str) -> Any:
    return tomllib.loads(body) if fence == "+++" else YAMLHandler().load(body)


def _names(value: Any, separator: str) -> list[str]:
    """A list of names, or one string of them; each once, in order."""
    if isinstance(value, str):
        value = re.split(separator, value)
    if not isinstance(value, list):
        return []
    names = (" ".join(str(item).split()) for item in value if isinstance(item, str | int | float))
    return list(dict.fromkeys(name for name in names if name))
