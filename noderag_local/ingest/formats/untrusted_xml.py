"""Parses XML that may be hostile: one that lets the parser build a long text out of entities, or read other files, is refused."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from noderag_local.domain.errors import DocumentError

_DECLARATION = re.compile(r"<!(?:DOCTYPE|ENTITY)")
_WIDE_CODES = (b"\xff\xfe", b"\xfe\xff", b"<\x00", b"\x00<")


def xml_tree(data: bytes, name: str) -> Element:
    """Parses XML without entities or references to the outside.

    Args:
        data: the XML.
        name: name of the part, for messages.

    Raises:
        DocumentError: it is not well-formed XML, or it declares entities.
    """
    with xml_errors_told(name):
        tree: Element = fromstring(data)
    return tree


@contextmanager
def xml_errors_told(name: str) -> Iterator[None]:
    """Turns the errors of a parser of XML into messages.

    Args:
        name: name of the part that is parsed.

    Raises:
        DocumentError: it is not well-formed XML, or it declares entities.
    """
    try:
        yield
    except DefusedXmlException as error:
        raise DocumentError(_declares(name)) from error
    except (ParseError, ValueError, LookupError) as error:
        raise DocumentError(f"it is damaged: its part {name} is not well-formed XML") from error


def check_declarations(data: bytes, name: str) -> None:
    """Checks XML for a library that would follow what it declares.

    Args:
        data: the XML, in UTF-8, UTF-16 or a code that has the letters of ASCII.
        name: name of the part, for messages.

    Raises:
        DocumentError: it has a document type or declares entities.
    """
    text = data.decode("utf-16", "ignore") if data.startswith(_WIDE_CODES) else data.decode("latin-1")
    if _DECLARATION.search(text):
        raise DocumentError(_declares(name))


def _declares(name: str) -> str:
    return f"its part {name} declares XML entities, as no document needs; it was not read"
