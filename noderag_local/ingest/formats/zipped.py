"""Reads zip files without trusting what they say about themselves: documents of office programs, books, and archives of files.

A hostile one claims a small size and unpacks to a large one, or holds a hundred thousand members. So members are counted, and
every member is unpacked through a counter of bytes.
"""

from __future__ import annotations

import zipfile
import zlib
from dataclasses import dataclass
from typing import BinaryIO
from xml.etree.ElementTree import Element

from noderag_local.domain.errors import DocumentError
from noderag_local.ingest.formats.untrusted_xml import xml_tree

MAX_MEMBERS = 10_000
MAX_MEMBER_BYTES = 64 << 20
"""Largest size of one member, unpacked."""
MAX_BYTES = 128 << 20
"""Largest total size of the members that are read, unpacked."""
MAX_RATIO = 250
"""Largest ratio of unpacked to packed bytes; office files reach some 40, repeated rows some 150."""
RATIO_FREE_BYTES = 1 << 20
"""Unpacked size up to which the ratio does not matter."""

_BLOCK_BYTES = 1 << 16


@dataclass(slots=True)
class Unpacked:
    """Number of bytes unpacked so far from a zip and the zips inside it."""

    bytes: int = 0


class Archive:
    """A zip that is open for reading."""

    def __init__(self, file: BinaryIO, max_members: int = MAX_MEMBERS, unpacked: Unpacked | None = None) -> None:
        """Reads the directory of a file.

        Args:
            file: open for reading bytes and seekable.
            max_members: maximum number of members.
            unpacked: counter of unpacked bytes, which several zips may share.

        Raises:
            DocumentError: it is not a zip, is damaged or has too many members.
        """
        file.seek(0)
        try:
            self._zip = zipfile.ZipFile(file)
        except (zipfile.BadZipFile, ValueError, OverflowError, NotImplementedError) as error:
            raise DocumentError("it is damaged, or no file of this format: its zip directory cannot be read") from error
        if len(self._zip.infolist()) > max_members:
            raise DocumentError(f"it holds more than {max_members:,} parts, which no document needs; it was not opened")
        self._members = {info.filename: info for info in self._zip.infolist()}
        self._unpacked = unpacked or Unpacked()

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the members, in the order of the directory."""
        return tuple(self._members)

    @property
    def members(self) -> tuple[zipfile.ZipInfo, ...]:
        """Members as the directory describes them; of several with one name the last one, which programs unpack, too."""
        return tuple(self._members.values())

    def read(self, name: str) -> bytes:
        """Returns a member, unpacked.

        Raises:
            DocumentError: it is missing, damaged, locked, or unpacks to more than a document needs.
        """
        info = self._members.get(name)
        if info is None:
            raise DocumentError(f"its part {name} is missing; open it in the program that made it and save it again")
        if info.flag_bits & 1:
            raise DocumentError("it is locked by a password; save a copy without one to have it read")
        unpacked = bytearray()
        try:
            with self._zip.open(info) as member:
                while block := member.read(_BLOCK_BYTES):
                    unpacked += block
                    self._unpacked.bytes += len(block)
                    self._check_size(len(unpacked), info.compress_size)
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, ValueError) as error:
            raise DocumentError(f"it is damaged: its part {name} cannot be unpacked") from error
        return bytes(unpacked)

    def xml(self, name: str) -> Element:
        """Returns a member as an XML tree, without entities or references to the outside.

        Raises:
            DocumentError: see `read`; or it is not well-formed XML.
        """
        return xml_tree(self.read(name), name)

    def _check_size(self, member_bytes: int, packed_bytes: int) -> None:
        if member_bytes > MAX_MEMBER_BYTES:
            raise DocumentError(f"it unpacks to more than {MAX_MEMBER_BYTES >> 20} MB in one part; it was not opened")
        if self._unpacked.bytes > MAX_BYTES:
            raise DocumentError(f"it unpacks to more than {MAX_BYTES >> 20} MB; it was not opened")
        if member_bytes > RATIO_FREE_BYTES and member_bytes > MAX_RATIO * max(packed_bytes, 1):
            raise DocumentError(f"it is packed over {MAX_RATIO} times, as no document is; it was not opened")
