"""Reads the rules of one `.gitignore` file as git does, and matches them in time that grows only with the length of the path.

A rule may come with a folder from somebody else, and `*a*a*a*a` must not hang the walk. So a star ends at the first place
where the piece after it matches, and is never tried again (an atomic group); for globs this finds every match.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

MAX_RULES = 2000
MAX_RULE_CHARACTERS = 1000
"""A path on Linux has 4,096 bytes at most, a name 255."""

_ANY_FOLDERS = None
"""Stands for `**`: any number of folders."""
_Matches = Callable[[str], object]
_NAMED_CLASSES = {
    "alnum": r"^\W_",
    "alpha": r"^\W\d_",
    "blank": r" \t",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": r"0-9",
    "graph": r"!-~",
    "lower": r"a-z",
    "print": r" -~",
    "punct": r"!-/:-@\[-`{-~",
    "space": r"\s",
    "upper": r"A-Z",
    "xdigit": r"0-9A-Fa-f",
}


@dataclass(frozen=True, slots=True)
class IgnoreRule:
    """One rule of the file, made of one line."""

    takes_back: bool
    """Whether the rule begins with "!"."""
    folders_only: bool
    names: tuple[_Matches | None, ...]
    """A matcher for each part of the path; `_ANY_FOLDERS` stands for any number of parts."""

    def matches(self, parts: Sequence[str], is_folder: bool) -> bool:
        """Returns whether the rule matches a path, given as its parts below the folder of the `.gitignore` file."""
        return (is_folder or not self.folders_only) and _match(self.names, parts)


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """The rules of one `.gitignore` file."""

    rules: tuple[IgnoreRule, ...]
    over_limit: tuple[int, ...] = ()
    """Numbers of the lines that are ignored since they are over a limit."""

    @staticmethod
    def of(text: str) -> IgnoreRules:
        """Returns the rules of a file; other lines are ignored, as git does."""
        rules: list[IgnoreRule] = []
        over: list[int] = []
        for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
            if len(line) > MAX_RULE_CHARACTERS or len(rules) == MAX_RULES:
                if line.strip() and not line.startswith("#"):
                    over.append(number)
            elif (rule := _rule(line)) is not None:
                rules.append(rule)
        return IgnoreRules(tuple(rules), tuple(over))

    def verdict(self, parts: Sequence[str], is_folder: bool) -> bool | None:
        """Returns whether a path is left out, by the last rule that matches it; None if no rule does."""
        for rule in reversed(self.rules):
            if rule.matches(parts, is_folder):
                return not rule.takes_back
        return None


def _match(names: Sequence[_Matches | None], parts: Sequence[str]) -> bool:
    """Whether the parts of a path fit the names of a rule.

    Each name takes one part; `_ANY_FOLDERS` takes any number, and only the last one met is tried again with more parts.
    """
    name, part, tried, tried_part = 0, 0, -1, 0
    while part < len(parts):
        matches = names[name] if name < len(names) else _NOTHING
        if matches is _ANY_FOLDERS:
            tried, tried_part = name, part
            name += 1
        elif matches(parts[part]):
            name, part = name + 1, part + 1
        elif tried >= 0:
            tried_part += 1
            name, part = tried + 1, tried_part
        else:
            return False
    return name == len(names)


def _nothing(name: str) -> bool:
    return False


_NOTHING: _Matches = _nothing


def _rule(line: str) -> IgnoreRule | None:
    """Makes a rule of a line; None for a blank line, a comment, and a line that git ignores."""
    line = _without_spaces_at_end(line.removesuffix("\r"))
    if not line or line.startswith("#"):
        return None
    takes_back, line = line.startswith("!"), line.removeprefix("!")
    folders_only, line = line.endswith("/"), line.removesuffix("/")
    names = line.removeprefix("/").split("/")
    if not all(names):
        return None
    if "/" not in line:
        names = ["**", *names]
    compiled = [_ANY_FOLDERS if _is_any_folders(name) else _name(name) for name in names[:-1]]
    # "a/**" is all that lies in a, at any depth, and not a itself.
    compiled += [_ANY_FOLDERS, _name("*")] if _is_any_folders(names[-1]) else [_name(names[-1])]
    return None if _NOTHING in compiled else IgnoreRule(takes_back, folders_only, tuple(compiled))


def _without_spaces_at_end(line: str) -> str:
    """Returns the line without spaces at its end; one after a backslash stays."""
    stripped = line.rstrip(" ")
    backslashes = len(stripped) - len(stripped.rstrip("\\"))
    return stripped + " " if backslashes % 2 and stripped != line else stripped


def _is_any_folders(name: str) -> bool:
    return len(name) > 1 and not name.strip("*")


def _name(glob: str) -> _Matches:
    """Returns a function that tells whether one part of a path fits a glob; `_NOTHING` if the glob is damaged."""
    if not set(glob) & set("*?[\\"):
        return glob.__eq__
    pieces = _pieces(glob)
    if pieces is None:
        return _NOTHING
    first, *others = pieces
    # The last piece has to end the name, the others come as early as they can.
    between = "".join(f"(?>.*?{piece})" for piece in others[:-1])
    pattern = f"{first}{between}.*{others[-1]}" if others else first
    return re.compile(pattern, re.DOTALL).fullmatch


def _pieces(glob: str) -> list[str] | None:
    """Returns the patterns between the stars of a glob, each of a fixed length; None for a damaged glob."""
    pieces, at = [""], 0
    while at < len(glob):
        sign = glob[at]
        if sign == "*":
            pieces += [""] if pieces[-1] or len(pieces) == 1 else []
            at += 1
        elif sign == "[":
            end = _end_of_class(glob, at)
            if end is None:
                return None
            pieces[-1] += _class(glob[at + 1 : end])
            at = end + 1
        elif sign == "\\":
            if at + 1 == len(glob):
                return None
            pieces[-1] += re.escape(glob[at + 1])
            at += 2
        else:
            pieces[-1] += "." if sign == "?" else re.escape(sign)
            at += 1
    return pieces


def _end_of_class(glob: str, start: int) -> int | None:
    """Returns where the bracket that ends a class stands; None if there is none."""
    at = start + 1 + (glob[start + 1 : start + 2] in ("!", "^"))
    first = at
    while at < len(glob):
        if glob[at] == "\\":
            at += 2
        elif glob.startswith("[:", at) and (end := glob.find(":]", at + 2, at + 12)) >= 0:
            at = end + 2
        elif glob[at] == "]" and at > first:
            return at
        else:
            at += 1
    return None


def _class(inside: str) -> str:
    """Returns the pattern of a class of characters; it never has to match a slash."""
    negated, inside = (
        inside[:1] in ("!", "^"),
        inside.removeprefix("!") if inside[:1] == "!" else inside.removeprefix("^"),
    )
    alternatives = [f"[{one}]" for one in _members(inside)]
    either = "|".join(alternatives) or r"(?!)"
    return f"(?!{either})." if negated else f"(?:{either})"


def _members(inside: str) -> Iterable[str]:
    """Yields each member of a class as the inside of a Python class; empty ranges are left out."""
    at = 0
    while at < len(inside):
        if inside.startswith("[:", at) and (end := inside.find(":]", at + 2)) >= 0:
            named = _NAMED_CLASSES.get(inside[at + 2 : end])
            if named:
                yield named
            at = end + 2
            continue
        low, at = _member(inside, at)
        high = low
        if inside[at : at + 1] == "-" and at + 1 < len(inside):
            high, at = _member(inside, at + 1)
        if low <= high:
            yield f"{re.escape(low)}-{re.escape(high)}"


def _member(inside: str, at: int) -> tuple[str, int]:
    """Returns a character of a class, and where the next one begins."""
    at += inside[at] == "\\" and at + 1 < len(inside)
    return inside[at], at + 1
