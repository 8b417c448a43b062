"""Which paths `.gitignore` files leave out, as git reads them: nested ones too, the deepest file that speaks decides."""

from __future__ import annotations

import os
from dataclasses import dataclass

from pathspec import GitIgnoreSpec

MAX_IGNORE_FILE_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Ignored:
    """The `.gitignore` files that hold in a folder, outermost first."""

    rules: tuple[tuple[str, GitIgnoreSpec], ...] = ()
    """(folder of the file, its patterns)"""

    @staticmethod
    def above(folder: str) -> Ignored:
        """Rules of the folders over `folder`, up to the root of its git repository; none outside of one."""
        root = _repository_root(folder)
        if root is None or root == folder:
            return NOTHING_IGNORED
        ignored, current = NOTHING_IGNORED, root
        for part in os.path.relpath(folder, root).split(os.sep):
            if os.path.isfile(os.path.join(current, ".gitignore")):
                ignored = ignored.below(current)
            current = os.path.join(current, part)
        return ignored

    def below(self, folder: str) -> Ignored:
        """These rules and those of the `.gitignore` in `folder`.

        Raises:
            OSError: the file cannot be read.
        """
        path = os.path.join(folder, ".gitignore")
        if not os.path.isfile(path):
            return self
        with open(path, encoding="utf-8", errors="replace") as file:
            lines = file.read(MAX_IGNORE_FILE_BYTES).splitlines()
        return Ignored((*self.rules, (folder, GitIgnoreSpec.from_lines(_valid(lines)))))

    def matches(self, path: str, is_folder: bool) -> bool:
        """Whether the path is left out."""
        for folder, spec in reversed(self.rules):
            relative = os.path.relpath(path, folder).replace(os.sep, "/") + ("/" if is_folder else "")
            verdict = spec.check_file(relative).include
            if verdict is not None:
                return verdict
        return False


NOTHING_IGNORED = Ignored()


def _repository_root(folder: str) -> str | None:
    while True:
        if os.path.exists(os.path.join(folder, ".git")):
            return folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent


def _valid(lines: list[str]) -> list[str]:
    """Lines that are patterns; git passes over those that are none, pathspec raises."""
    valid = []
    for line in lines:
        try:
            GitIgnoreSpec.from_lines([line])
        except ValueError:
            continue
        valid.append(line)
    return valid
