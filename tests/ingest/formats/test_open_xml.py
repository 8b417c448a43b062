"""Files of office programs, as the libraries that read them get them."""

from __future__ import annotations

import io
import zipfile

import pytest
from ingest.formats.bombs import zipped

from noderag_local.domain.errors import DocumentError
from noderag_local.ingest.formats.office.open_xml import checked_copy


@pytest.mark.parametrize("code", ["utf-8", "utf-16", "utf-16-le"])
def test_entities_never_reach_a_library(code: str) -> None:
    laughs = '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "ha"><!ENTITY c "&b;&b;">]><a>&c;</a>'.encode(code)
    with pytest.raises(DocumentError, match="declares XML entities"):
        checked_copy(io.BytesIO(zipped({"[Content_Types].xml": b"<Types/>", "word/document.xml": laughs})))


def test_pictures_are_not_unpacked() -> None:
    copy = checked_copy(io.BytesIO(zipped({"[Content_Types].xml": b"<Types/>", "word/media/a.png": bytes(100 << 20)})))
    assert zipfile.ZipFile(copy).read("word/media/a.png") == b""
