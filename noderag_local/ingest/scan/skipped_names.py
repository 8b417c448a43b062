"""Decides by its name alone whether an entry of a folder, or of an archive, is skipped: programs keep their own files under it."""

from __future__ import annotations

HIDDEN = "hidden"
VERSION_CONTROL = "version control"
OFFICE_LOCK = "lock file of an office program"
OLD_VERSION = "old version kept by Logseq"
PACKAGES = "installed packages"
PROGRAM_FILES = "own files of Zotero"
BY_NAME = frozenset({HIDDEN, VERSION_CONTROL, OFFICE_LOCK, OLD_VERSION, PACKAGES, PROGRAM_FILES})
"""All reasons of `reason_to_skip`."""

OFFICE_LOCK_MARK = "~$"
"""Start of the names of files that Word and others keep beside a document while it is open."""
LOGSEQ_COPIES = frozenset({("logseq", "bak"), ("logseq", "version-files")})
"""(folder, folder in it) where Logseq keeps old versions of pages."""
PACKAGE_FOLDERS = frozenset({"node_modules", "__pycache__", "site-packages", "venv"})
"""Folders of installed packages; without a .gitignore, a project would bring in thousands of their files."""
ZOTERO_DATABASE = "zotero.sqlite"
ZOTERO_PROGRAMS = frozenset({"translators", "styles", "locate", "cache", "pipes", "logs"})
"""Folders beside Zotero's database with hundreds of its own scripts and none of the user's papers."""
VERSION_CONTROL_FOLDERS = frozenset({".git", ".hg", ".svn", ".bzr", ".jj", "_darcs", ".fossil", ".pijul", "CVS", ".sl"})


def reason_to_skip(name: str, folder: str, *, is_beside_zotero: bool) -> str | None:
    """Returns why an entry is skipped by its name; None if it is not.

    Args:
        name: name of a file or folder.
        folder: name of the folder that it is in.
        is_beside_zotero: whether Zotero's database is in the same folder.
    """
    if is_beside_zotero and name in ZOTERO_PROGRAMS:
        return PROGRAM_FILES
    if name in VERSION_CONTROL_FOLDERS:
        return VERSION_CONTROL
    if name.startswith("."):
        return HIDDEN
    if name.startswith(OFFICE_LOCK_MARK):
        return OFFICE_LOCK
    if name in PACKAGE_FOLDERS:
        return PACKAGES
    return OLD_VERSION if (folder, name) in LOGSEQ_COPIES else None
