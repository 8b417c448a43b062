"""XML that may be hostile."""

from __future__ import annotations

import pytest
from ingest.formats.bombs import LAUGHS, OUTSIDE

from noderag_local.domain.errors import DocumentError
from noderag_local.ingest.formats.untrusted_xml import check_declarations, xml_tree


def test_plain_xml_is_parsed() -> None:
    assert xml_tree(b"<a><b>text</b></a>", "a.xml").findtext("b") == "text"


@pytest.mark.parametrize("head", [LAUGHS, OUTSIDE], ids=["entities of entities", "another file"])
def test_entities_are_refused(head: str) -> None:
    data = f"{head}<r>&a11;</r>".encode()
    for check in (xml_tree, check_declarations):
        with pytest.raises(DocumentError, match=r"its part a\.xml declares XML entities"):
            check(data, "a.xml")


@pytest.mark.parametrize("data", [b"", b"<a>", b"no XML", b"<?xml version='1.0' encoding='no-such-code'?><a/>"])
def test_what_is_no_xml_is_damaged(data: bytes) -> None:
    with pytest.raises(DocumentError, match=r"its part a\.xml is not well-formed XML"):
        xml_tree(data, "a.xml")
