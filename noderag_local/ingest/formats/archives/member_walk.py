"""Walks through the paths of an archive and leaves out what the scan of a folder would leave out.

Hidden files, version control, installed packages, what a `.gitignore` in the archive names, and files of kinds that no reader takes:
an archive of a program's source code holds thousands of them.
"""

from __future__ import annotations

import stat
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from zipfile import ZipInfo

from noderag_local.domain.errors import DocumentError
from noderag_local.ingest.formats.registry import known_format
from noderag_local.ingest.formats.twins import twin_of
from noderag_local.ingest.scan.ignored import IGNORE_FILE, NOTHING_IGNORED, Ignored
from noderag_local.ingest.scan.skipped_names import ZOTERO_DATABASE, reason_to_skip

APPLE_FOLDER = "__MACOSX"
"""Folder in which Apple's programs pack what their file system knows about the other files."""
APPLE_FILE = ".DS_Store"
"""File in which Apple's programs keep how a folder is shown."""
MAX_PATH_CHARACTERS = 1000
"""Maximum length of a path; longer ones are no documents, since file systems allow 255 characters for a name."""


@dataclass(frozen=True, slots=True)
class _Folder:
    """A folder that the walk is in."""

    name: str
    path: str
    """Path in the archive, with slashes; "" for the archive itself."""
    ignored: Ignored | None
    """Rules for what is in it; None if all of it is left out."""
    is_zoteros: bool
    """Whether Zotero's database is in it."""


class MemberWalk:
    """The state of one walk."""

    def __init__(self, members: Mapping[str, ZipInfo], read: Callable[[ZipInfo], bytes], notices: list[str]) -> None:
        """Reads the rules of the outermost folder.

        Args:
            members: path → member; a path has slashes and is relative.
            read: returns the content of a member, or raises a DocumentError.
            notices: receives which rules could not be read.
        """
        self._members, self._read, self._notices = members, read, notices
        self._folders = [self._folder("", "", self._with_rules(NOTHING_IGNORED, ""))]
        """Folders from the archive itself to that of the last path."""
        self.other_kinds: list[str] = []
        """Paths of files of kinds that no reader takes, once `read_paths` has ended; those in skipped folders are not among them."""
        self.unwanted = 0
        """Number of files that are hidden, ignored or in such a folder; what Apple's programs add on their own is not counted."""

    def read_paths(self) -> Iterator[str]:
        """Yields the paths of the files that are read, sorted, so that the files of a folder follow each other."""
        for path in filter(self._is_file, sorted(self._members)):
            *folders, name = path.split("/")
            folder = self._enter(folders)
            if folder.ignored is None or _is_skipped(name, folder) or folder.ignored.matches(path, is_folder=False):
                self.unwanted += APPLE_FOLDER not in folders and name not in (APPLE_FILE, IGNORE_FILE)
            elif known_format(path) is None:
                self.other_kinds.append(path)
            elif twin_of(path) not in self._members:
                yield path

    def _is_file(self, path: str) -> bool:
        member = self._members[path]
        return not member.is_dir() and not _is_link(member) and 0 < len(path) <= MAX_PATH_CHARACTERS

    def _enter(self, names: list[str]) -> _Folder:
        """Goes to a folder; returns it, or the outermost folder above it that is left out."""
        shared = 0
        while shared < min(len(names), len(self._folders) - 1) and self._folders[shared + 1].name == names[shared]:
            shared += 1
        del self._folders[shared + 1 :]
        for name in names[shared:]:
            above = self._folders[-1]
            if above.ignored is None:
                break
            path = _inside(above.path, name)
            self._folders.append(self._folder(name, path, self._rules_in(path, name, above, above.ignored)))
        return self._folders[-1]

    def _folder(self, name: str, path: str, ignored: Ignored | None) -> _Folder:
        return _Folder(name, path, ignored, _inside(path, ZOTERO_DATABASE) in self._members)

    def _rules_in(self, path: str, name: str, above: _Folder, ignored: Ignored) -> Ignored | None:
        """Returns the rules that apply in a folder; None if it is left out."""
        if name == APPLE_FOLDER or _is_skipped(name, above) or ignored.matches(path, is_folder=True):
            return None
        return self._with_rules(ignored, path)

    def _with_rules(self, ignored: Ignored, folder: str) -> Ignored | None:
        """Returns these rules with those of a folder; None if they cannot be read, so that nothing is read against them."""
        path = _inside(folder, IGNORE_FILE)
        member = self._members.get(path)
        if member is None or member.is_dir() or _is_link(member):
            return ignored
        try:
            rules = ignored.with_rules(folder, self._read(member))
        except DocumentError as error:
            self._notices.append(f"{path} cannot be read, so the files beside and below it are left out: {error}")
            return None
        if len(rules.told) > len(ignored.told):
            self._notices.append(f"{path} has rules over the limit, so files that only these exclude are read")
        return rules


def _is_skipped(name: str, folder: _Folder) -> bool:
    return reason_to_skip(name, folder.name, is_beside_zotero=folder.is_zoteros) is not None


def _inside(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _is_link(member: ZipInfo) -> bool:
    return stat.S_ISLNK(member.external_attr >> 16)
