"""Zip files that lie about themselves."""

from __future__ import annotations

import io
import zipfile

import pytest

from noderag_local.domain.errors import DocumentError
from noderag_local.ingest.formats.zipped import MAX_MEMBERS, Archive


def archive(members: dict[str, bytes]) -> io.BytesIO:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as written:
        for name, data in members.items():
            written.writestr(name, data)
    return file


def test_a_member_is_read() -> None:
    assert Archive(archive({"a.xml": b"<a/>"})).xml("a.xml").tag == "a"


def test_a_bomb_is_refused_before_it_fills_the_memory() -> None:
    with pytest.raises(DocumentError, match="packed over 250 times"):
        Archive(archive({"a.xml": bytes(30 << 20)})).read("a.xml")


def test_many_members_that_are_large_together_are_refused() -> None:
    import random

    block = random.Random(1).randbytes(1 << 18) * 16
    bomb = Archive(archive({f"{number}.xml": block for number in range(40)}))
    with pytest.raises(DocumentError, match="unpacks to more than 128 MB"):
        for name in bomb.names:
            bomb.read(name)


def test_a_member_that_is_too_large_by_itself_is_told_with_its_own_limit() -> None:
    import random

    large = random.Random(1).randbytes(1 << 18) * 257
    with pytest.raises(DocumentError, match="more than 64 MB in one part"):
        Archive(archive({"a.mbox": large})).read("a.mbox")


def test_too_many_members_are_refused() -> None:
    with pytest.raises(DocumentError, match="holds more than"):
        Archive(archive({str(number): b"" for number in range(MAX_MEMBERS + 1)}))


@pytest.mark.parametrize("cut", [10, 60, 100])
def test_a_file_that_is_cut_short_is_damaged(cut: int) -> None:
    data = archive({"a.xml": b"<a>text</a>"}).getvalue()
    with pytest.raises(DocumentError, match="damaged"):
        Archive(io.BytesIO(data[:cut])).read("a.xml")


def test_a_member_with_a_wrong_checksum_is_damaged() -> None:
    data = bytearray(archive({"a.xml": b"<a>text</a>"}).getvalue())
    data[36] ^= 0xFF
    with pytest.raises(DocumentError, match=r"its part a\.xml cannot be unpacked"):
        Archive(io.BytesIO(bytes(data))).read("a.xml")
