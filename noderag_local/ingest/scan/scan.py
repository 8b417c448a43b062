"""Finds the files to index by walking over folders; opens nothing but `.gitignore` files.

These are skipped and counted: hidden files and folders (version control among them), lock files of office programs, files
that a `.gitignore` names, files over the size limit, files of kinds that no reader takes, sockets, pipes and devices,
folders of installed packages, Zotero's own scripts beside its database, second copies of files in an export, and links that lead
to nothing, back to a folder already walked, or out of what the user
named: a folder that came from somebody else must not bring in what lies beside it. Other links are followed last, each
folder once by (device, inode), so that a file that can be reached by its own name is known by that name.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path

from noderag_local.domain.documents import Skipped, SourceFile
from noderag_local.domain.errors import SourceError
from noderag_local.ingest.formats.registry import known_format
from noderag_local.ingest.formats.twins import twin_of
from noderag_local.ingest.scan.ignored import IGNORE_FILE, NOTHING_IGNORED, Ignored
from noderag_local.ingest.scan.mounts import IsMount, mounts
from noderag_local.ingest.scan.skipped_names import BY_NAME, ZOTERO_DATABASE, reason_to_skip
from noderag_local.system.paths import lies_in

GIT_IGNORED = "named in .gitignore"
OTHER_KIND = "not a text document"
SPECIAL = "not a regular file"
LINK_LOOP = "folder already walked (link)"
DEAD_LINK = "link to nothing"
LINK_OUT = "link out of the folder"
TWIN = "second copy in an export"
UNREADABLE = "unreadable"
NOT_IF_NAMED = BY_NAME | {GIT_IGNORED, OTHER_KIND, TWIN, LINK_OUT}
"""Rules that do not hold for a path that the user named."""

LATEST_NS = 2**63 - 1
"""Latest time of change that a number of SQLite holds: in the year 2262. Some file systems know later ones."""
LEADS_NOWHERE = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP})
"""Errors for a link to what does not exist, or to itself; other errors may be temporary."""


@dataclass(frozen=True, slots=True)
class Scan:
    """Result of a walk over files and folders."""

    files: tuple[SourceFile, ...]
    """Files by path; each stands here once, however many ways lead to it."""
    skipped: tuple[Skipped, ...]
    """Skipped files and folders, by path and then reason."""
    places: frozenset[str] = frozenset()
    """Folders, among those that were walked, in which another file system is mounted: drives that may be taken away."""


def scan(paths: Sequence[Path], max_file_bytes: int, mounted: Callable[[], IsMount] = mounts) -> Scan:
    """Returns the files below `paths` that can be read, and all that was skipped.

    A path that is given by name is taken even if it is hidden, ignored or of another kind (it is then read as plain
    text); only the size limit still holds for it.

    Args:
        paths: files and folders that the user named.
        max_file_bytes: largest size of a file that is taken.
        mounted: tells where drives are now.

    Raises:
        SourceError: one of `paths` does not exist; names it.
    """
    walk = _Walk(max_file_bytes, mounted())
    for path in sorted(paths, key=_own_names_first):
        walk.start(path)
    walk.follow_links()
    files = sorted(walk.files.values(), key=lambda file: file.path)
    skipped = sorted(walk.skipped, key=lambda skipped: (skipped.path, skipped.reason))
    # A drive that was taken out before its folder was walked left it empty.
    places = frozenset(filter(mounted(), walk.places)) if walk.places else frozenset[str]()
    return Scan(tuple(files), tuple(skipped), places)


def _own_names_first(path: Path) -> tuple[bool, str]:
    """Returns the sort key of a named path: paths without links come first, so that a linked folder is stored under its own name."""
    absolute = os.path.abspath(os.path.expanduser(path))
    return os.path.realpath(absolute) != absolute, absolute


class _Walk:
    """The state of one walk: identities already seen, so that no link is followed twice."""

    def __init__(self, max_file_bytes: int, is_mount: IsMount) -> None:
        """Prepares a walk; it visits nothing yet."""
        self.max_file_bytes = max_file_bytes
        self.roots: list[str] = []
        """Path that the user named, links resolved."""
        self.root = ""
        """Path that the user named and that is walked now."""
        self.is_mount = is_mount
        self.files: dict[tuple[int, int], SourceFile] = {}
        self.skipped: list[Skipped] = []
        self.places: list[str] = []
        self.folders: set[tuple[int, int]] = set()
        self.links: list[tuple[str, Ignored, str]] = []
        """Links that are not followed yet, with the path that the user named and that led to them."""

    def start(self, path: Path) -> None:
        """Walks a path that the user named."""
        absolute = os.path.abspath(os.path.expanduser(path))
        try:
            status = os.stat(absolute)
            real = os.path.realpath(absolute)
        except FileNotFoundError as error:
            raise SourceError(f"{absolute} does not exist. Check the spelling.") from error
        except OSError as error:
            self._unreadable(absolute, error)
            return
        self.roots.append(real)
        self.root = absolute
        if stat.S_ISDIR(status.st_mode):
            ignored = Ignored.above(absolute)
            self.skipped += ignored.told
            self._folder(absolute, real, status, ignored)
        else:
            self._file(absolute, real, status)

    def _folder(self, path: str, real: str, status: os.stat_result, ignored: Ignored) -> None:
        """Walks a folder with an explicit stack, since folders can be nested deeper than Python recurses.

        Args:
            path: path of the folder as the user knows it.
            real: the path without links, by which all files below it are read.
            status: what the system says of the folder.
            ignored: rules of the `.gitignore` files above it.
        """
        stack = [(path, real, status, ignored)]
        while stack:
            path, real, status, ignored = stack.pop()
            identity = (status.st_dev, status.st_ino)
            if identity in self.folders:
                self._skip(path, LINK_LOOP)
                continue
            self.folders.add(identity)
            if self.is_mount(path):
                self.places.append(path)
            try:
                names = sorted(os.listdir(path), reverse=True)
                inside = ignored.below(path) if IGNORE_FILE in names else ignored
            except OSError as error:
                self._unreadable(path, error)
                continue
            self.skipped += inside.told[len(ignored.told) :]
            folder, is_beside_zotero = os.path.basename(path), ZOTERO_DATABASE in names
            for name in reversed(names):
                below = os.path.join(path, name)
                if reason := reason_to_skip(name, folder, is_beside_zotero=is_beside_zotero):
                    self._skip(below, reason)
                    continue
                # The two are mostly the same; one text in memory then serves both.
                real_below = below if real == path else os.path.join(real, name)
                child = self._child(below, real_below, inside)
                if child is not None:
                    stack.append((below, real_below, child, inside))

    def _child(self, path: str, real: str, ignored: Ignored) -> os.stat_result | None:
        """Handles an entry of a folder; returns its status if it is a folder to be walked."""
        try:
            status = os.lstat(path)
        except OSError as error:
            # It existed a moment ago and may come back, for example with its drive: it does not count as deleted.
            self._unreadable(path, error)
            return None
        if stat.S_ISLNK(status.st_mode):
            self.links.append((path, ignored, self.root))
            return None
        return self._entry(path, real, status, ignored)

    def _entry(self, path: str, real: str, status: os.stat_result, ignored: Ignored) -> os.stat_result | None:
        """Handles what an entry is or leads to; returns its status if it is a folder to be walked."""
        is_folder = stat.S_ISDIR(status.st_mode)
        if ignored is not NOTHING_IGNORED and ignored.matches(path, is_folder):
            self._skip(path, GIT_IGNORED)
        elif is_folder:
            return status
        elif known_format(path) is None:
            self._skip(path, OTHER_KIND)
        elif (twin := twin_of(path)) and os.path.isfile(twin):
            self._skip(path, TWIN)
        else:
            self._file(path, real, status)
        return None

    def follow_links(self) -> None:
        """Walks what the links found so far lead to."""
        while self.links:
            found, self.links = sorted(self.links, key=itemgetter(0)), []
            for path, ignored, root in found:
                self.root = root
                self._link(path, ignored)

    def _link(self, path: str, ignored: Ignored) -> None:
        try:
            status = os.stat(path)
            # Fails where the link becomes a file meanwhile.
            real = os.path.realpath(path)
        except OSError as error:
            if error.errno in LEADS_NOWHERE:
                self._skip(path, DEAD_LINK)
            else:
                self._unreadable(path, error)
            return
        if not any(lies_in(real, root) for root in self.roots):
            self._skip(path, LINK_OUT)
        elif (status.st_dev, status.st_ino) not in self.files:
            folder = self._entry(path, real, status, ignored)
            if folder is not None:
                self._folder(path, real, folder, ignored)

    def _file(self, path: str, real: str, status: os.stat_result) -> None:
        known = known_format(path)
        max_bytes = max(self.max_file_bytes, known.least_limit_bytes if known else 0)
        if not stat.S_ISREG(status.st_mode):
            self._skip(path, SPECIAL)
        elif status.st_size > max_bytes:
            limit = f"{max_bytes / 2**20:g} MB"
            detail = (
                f"{path} has {status.st_size / 2**20:.1f} MB, the limit is {limit}. Raise `max_file_mb` to index it."
            )
            self.skipped.append(Skipped(path, f"over {limit}", detail))
        else:
            identity = (status.st_dev, status.st_ino)
            found = SourceFile(path, status.st_size, min(status.st_mtime_ns, LATEST_NS), real, self.root)
            other = self.files.get(identity)
            # The smallest path stands for the file, so that the order of the arguments does not matter.
            if other is None or path < other.path:
                self.files[identity] = found

    def _skip(self, path: str, reason: str) -> None:
        self.skipped.append(Skipped(path, reason))

    def _unreadable(self, path: str, error: OSError) -> None:
        detail = f"{path} cannot be read: {error.strerror}. Fix its permissions or exclude it, then run `noderag index` again."
        self.skipped.append(Skipped(path, UNREADABLE, detail, is_error=True))
