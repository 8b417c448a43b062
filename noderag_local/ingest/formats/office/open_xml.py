"""Prepares files of office programs (Office Open XML) for libraries that trust what they open."""

from __future__ import annotations

import io
import zipfile
from typing import BinaryIO

from noderag_local.domain.errors import DocumentError
from noderag_local.ingest.formats.untrusted_xml import check_declarations
from noderag_local.ingest.formats.zipped import Archive

_XML_SUFFIXES = (".xml", ".rels")


def checked_copy(file: BinaryIO) -> io.BytesIO:
    """Returns the XML parts of an Office Open XML file as a zip in memory, for a library that trusts what it opens.

    Pictures, fonts, macros and other parts are there by name but empty.

    Raises:
        DocumentError: see `Archive`; or it declares XML entities.
    """
    archive = Archive(file)
    if "EncryptedPackage" in archive.names or "[Content_Types].xml" not in archive.names:
        raise DocumentError("it is damaged, or no file of this format: it has no list of content types")
    copy = io.BytesIO()
    with zipfile.ZipFile(copy, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as written:
        for name in archive.names:
            is_xml = name.lower().endswith(_XML_SUFFIXES)
            data = archive.read(name) if is_xml else b""
            check_declarations(data, name)
            written.writestr(name, data)
    copy.seek(0)
    return copy


def is_locked_office_file(file: BinaryIO) -> bool:
    """Whether a file is the container of office programs for a file with a password, or of a format before 2007."""
    file.seek(0)
    return file.read(8) == b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
