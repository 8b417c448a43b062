"""Applies nested `.gitignore` files as git does: the deepest file with a matching rule decides."""

from __future__ import annotations

import os
from dataclasses import dataclass

from noderag_local.domain.documents import Skipped
from noderag_local.ingest.scan.ignore_rules import MAX_RULE_CHARACTERS, MAX_RULES, IgnoreRules

IGNORE_FILE = ".gitignore"
MAX_IGNORE_FILE_BYTES = 1 << 17
RULES_OVER_LIMIT = "ignore rules over the limit"


@dataclass(frozen=True, slots=True)
class Ignored:
    """The `.gitignore` files that apply in a folder, outermost first."""

    rules: tuple[tuple[str, IgnoreRules], ...] = ()
    """(folder of the file, its rules)"""
    told: tuple[Skipped, ...] = ()
    """Files of which some rules are ignored."""

    @staticmethod
    def above(folder: str) -> Ignored:
        """Returns the rules of the folders above `folder`, up to the root of its git repository; none outside a repository."""
        root = _repository_root(folder)
        if root is None or root == folder:
            return NOTHING_IGNORED
        ignored, current = NOTHING_IGNORED, root
        for part in os.path.relpath(folder, root).split(os.sep):
            ignored = ignored.below(current)
            current = os.path.join(current, part)
        return ignored

    def below(self, folder: str) -> Ignored:
        """Returns these rules with those of the `.gitignore` in `folder`.

        Raises:
            OSError: the file cannot be read.
        """
        path = os.path.join(folder, IGNORE_FILE)
        if not os.path.isfile(path):
            return self
        with open(path, "rb") as file:
            return self.with_rules(folder, file.read(MAX_IGNORE_FILE_BYTES + 1))

    def with_rules(self, folder: str, data: bytes) -> Ignored:
        """Returns these rules with those of one more file.

        Args:
            folder: folder of the file, on disk or in an archive.
            data: content of the file; what is above MAX_IGNORE_FILE_BYTES is not used.
        """
        path = os.path.join(folder, IGNORE_FILE)
        is_cut = len(data) > MAX_IGNORE_FILE_BYTES
        # Half a line would be another rule.
        data = data[: data.rfind(b"\n", 0, MAX_IGNORE_FILE_BYTES) + 1] if is_cut else data
        rules = IgnoreRules.of(data.decode("utf-8", "surrogateescape"))
        told = _told(path, rules, is_cut=is_cut)
        return Ignored((*self.rules, (folder, rules)), (*self.told, *told))

    def matches(self, path: str, is_folder: bool) -> bool:
        """Returns whether a path below the folders of the rules is left out; the folders above it are not."""
        for folder, rules in reversed(self.rules):
            verdict = rules.verdict(_parts(path, folder), is_folder)
            if verdict is not None:
                return verdict
        return False


def _parts(path: str, folder: str) -> list[str]:
    """Returns the parts of a path below a folder; in an archive, a slash separates them on every system."""
    return path[len(folder) :].replace(os.sep, "/").strip("/").split("/")


def _told(path: str, rules: IgnoreRules, *, is_cut: bool) -> list[Skipped]:
    if is_cut:
        which = f"Only the first {MAX_IGNORE_FILE_BYTES >> 10} KB of {path} are used."
    elif rules.over_limit:
        others = f" (the first of {len(rules.over_limit):,} such lines)" if len(rules.over_limit) > 1 else ""
        which = f"{path}:{rules.over_limit[0]} is not used as a rule{others}."
    else:
        return []
    limits = f"{MAX_RULES:,} rules of at most {MAX_RULE_CHARACTERS:,} characters each"
    detail = f"{which} Files that the rest would exclude are indexed. Shorten it to {limits}, then run `noderag index` again."
    return [Skipped(path, RULES_OVER_LIMIT, detail, is_error=True)]


NOTHING_IGNORED = Ignored()


def _repository_root(folder: str) -> str | None:
    while True:
        if os.path.exists(os.path.join(folder, ".git")):
            return folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent
