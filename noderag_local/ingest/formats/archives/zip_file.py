"""Reads a zip as a folder: every file in it that indexing a folder would read. A place begins with the file's path in the zip.

Nothing is written to disk. Files are unpacked one at a time and read in this process, behind the same walls, so that a hostile
file can reach only the other files of its archive. A zip inside the zip is read, because Notion writes such exports; a zip inside
that one is not. A file that cannot be read is reported, and the others are read.
"""

from __future__ import annotations

import importlib
import io
import os
from collections.abc import Iterator
from dataclasses import replace
from typing import BinaryIO
from zipfile import ZipInfo

from noderag_local.domain.errors import DocumentError
from noderag_local.ingest.formats.archives.member_paths import member_path, shown_paths
from noderag_local.ingest.formats.archives.member_walk import MemberWalk
from noderag_local.ingest.formats.archives.text_members import text_documents
from noderag_local.ingest.formats.exports.notion_names import without_ids
from noderag_local.ingest.formats.extract import ExtractedDocument, Extractor
from noderag_local.ingest.formats.registry import PICTURE, format_of
from noderag_local.ingest.formats.text.text_reader import stem
from noderag_local.ingest.formats.zipped import MAX_BYTES, Archive, Unpacked
from noderag_local.system.printing.amounts import counted

MAX_MEMBERS = 100_000
ZIP = "zip"
NAMED = 3
"""Most files of kinds that are not read that are named."""
WHATSAPP_NAME = "_chat.txt"
"""Name of every chat that an iPhone exports; only the name of the zip tells whose chat it is."""


def _read(file: BinaryIO, name: str) -> Iterator[ExtractedDocument]:
    unpacked, notices = Unpacked(), list[str]()
    archive = Archive(file, MAX_MEMBERS, unpacked)
    yield from _Reading(archive, name, unpacked, notices).documents()
    if notices:
        yield ExtractedDocument("", (), notices=tuple(notices))


class _Reading:
    """Reads one archive."""

    def __init__(
        self, archive: Archive, name: str, unpacked: Unpacked, notices: list[str], inside: str | None = None
    ) -> None:
        """Reads the names of its files, and the rules that leave some of them out.

        Args:
            archive: the archive.
            name: name of its file.
            unpacked: counts what is unpacked.
            notices: receives what could not be read.
            inside: beginning of all places, if the archive lies in another one; None if it does not.
        """
        self._archive, self._name, self._unpacked, self._notices, self._inside = (
            archive,
            name,
            unpacked,
            notices,
            inside,
        )
        self._infos = {member_path(info): info for info in archive.members}
        unread_rules = list[str]()
        walk = MemberWalk(self._infos, self._unpack, unread_rules)
        self._paths = list(walk.read_paths())
        notices += (f"{inside or ''}{notice}" for notice in (*unread_rules, *_left_out(walk)))
        self._shown = shown_paths(self._paths)

    def documents(self) -> Iterator[ExtractedDocument]:
        """Yields the documents of all files, in the order of their paths."""
        locked = {path for path in self._paths if self._infos[path].flag_bits & 1}
        pictures = {path for path in self._paths if format_of(path) is PICTURE}
        for path in self._paths:
            if self._unpacked.bytes > MAX_BYTES:
                self._notices.append(
                    f"{self._place(path)} and all later files: the archive unpacks to more than {MAX_BYTES >> 20} MB"
                )
                break
            if path not in locked and path not in pictures:
                yield from self._read(path)
        if locked:
            self._notices.append(
                f"{counted(len(locked), 'files')} locked by a password (pack the archive again without one)"
            )
        if pictures:
            self._notices.append(f"{counted(len(pictures), 'pictures')} (unpack the archive to have them read)")

    def _unpack(self, info: ZipInfo) -> bytes:
        return self._archive.read(info.filename)

    def _place(self, path: str) -> str:
        return f"{self._inside or ''}{self._shown[path]}"

    def _read(self, path: str) -> Iterator[ExtractedDocument]:
        """Yields the documents of one file; adds a notice if it cannot be read."""
        place = self._place(path)
        try:
            data = io.BytesIO(self._unpack(self._infos[path]))
            if format_of(path).name == ZIP:
                yield from self._inner(data, path)
                return
            for found in _member(data, path, self._name):
                self._notices += _told(found, place)
                yield _placed(found, place, path)
        except DocumentError as error:
            self._notices.append(f"{place} cannot be read: {error}")
        except MemoryError:
            raise
        except Exception as error:  # noqa: BLE001 - a library may raise anything on a damaged file, and only this file is lost
            self._notices.append(f"{place} cannot be read: its reader stumbled over it ({type(error).__name__})")

    def _inner(self, data: io.BytesIO, path: str) -> Iterator[ExtractedDocument]:
        if self._inside is not None:
            raise DocumentError("it is a zip in a zip in a zip; unpack the archive first")
        is_alone = len(self._paths) == 1
        inner = Archive(data, MAX_MEMBERS, self._unpacked)
        inside = "" if is_alone else f"{self._shown[path]}/"
        yield from _Reading(inner, path, self._unpacked, self._notices, inside).documents()


def _left_out(walk: MemberWalk) -> Iterator[str]:
    """Yields how many files of an archive are left out, as the scan of a folder tells it."""
    if kinds := walk.other_kinds:
        named = ", ".join([*kinds[:NAMED], *["…"] * (len(kinds) > NAMED)])
        yield f"{counted(len(kinds), 'files')} of kinds that are not read ({named})"
    if walk.unwanted:
        yield counted(walk.unwanted, "hidden or ignored files")


def _member(file: BinaryIO, path: str, archive_name: str) -> Iterator[ExtractedDocument]:
    """Yields the documents of one file in the archive.

    Raises:
        DocumentError: it cannot be read.
    """
    known = format_of(path)
    module = importlib.import_module(known.full_module)
    folder, name = os.path.split(path)
    if known.is_text:
        yield from text_documents(module.READER, file, os.path.join(os.path.basename(folder), name))
        return
    own_name = f"{stem(archive_name)}.txt" if name == WHATSAPP_NAME else name
    for found in module.EXTRACTOR.read(file, own_name):
        if isinstance(found, ExtractedDocument):
            yield found


def _told(document: ExtractedDocument, place: str) -> list[str]:
    """Returns notices of what could not be read of a document."""
    notices = [notice if notice.startswith(place) else f"{place}: {notice}" for notice in document.notices]
    if document.scanned_pages:
        notices.append(
            f"{counted(len(document.scanned_pages), 'scanned pages')} of {place} (unpack the archive to have them read)"
        )
    return notices


def _placed(document: ExtractedDocument, place: str, path: str) -> ExtractedDocument:
    """Returns a document with places in the archive: "Notes/Bread.md, line 3", "Papers/a.pdf, page 2"."""
    blocks = []
    for block in document.blocks:
        line = f"line {block.first_line}" if block.first_line else ""
        inside = ", ".join(part for part in (place, line, block.place) if part)
        blocks.append(replace(block, place=inside, first_line=0, last_line=0))
    called = stem(without_ids(path)) if format_of(path).is_text else ""
    title = document.title or stem(path)
    # Links between notes name their files, not their titles.
    aliases = dict.fromkeys((*document.aliases, *([called] if called and called != title else [])))
    return ExtractedDocument(title, tuple(blocks), document.tags, tuple(aliases), day=document.day)


EXTRACTOR = Extractor(_read)
