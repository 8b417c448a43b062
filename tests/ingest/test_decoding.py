"""Bytes to text and the exact way back, for every encoding and line end."""

from __future__ import annotations

import codecs
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noderag_local.domain.errors import DocumentError
from noderag_local.ingest.chunks.encodings import Encoding, decode_slice, detect
from noderag_local.ingest.chunks.file_parts import STEP, Decoded, blocks_of, parts

ALPHABETS = {
    "utf-8": "aé日😀 .\ufffd",
    "utf-16-le": "aé日😀 .",
    "utf-16-be": "aé日😀 .",
    "utf-32-le": "aé日😀 .",
    "cp1252": "aéß€“ .",
    "koi8-r": "aпривет .",
    "cp932": "aこれは東京ｱ .",
    "gb18030": "a这是北京é😀 .",
}
MARKS = {"utf-8": codecs.BOM_UTF8, "utf-16-le": codecs.BOM_UTF16_LE, "utf-16-be": codecs.BOM_UTF16_BE}


@st.composite
def encoded_texts(draw: st.DrawFn) -> tuple[str, str]:
    name = draw(st.sampled_from(sorted(ALPHABETS)))
    pieces = st.one_of(st.text(ALPHABETS[name], max_size=12), st.sampled_from(["\n", "\r\n", "\r"]))
    return name, "".join(draw(st.lists(pieces, max_size=40))) * draw(st.sampled_from([1, 1, 300]))


@given(encoded_texts(), st.data())
def test_every_stretch_is_found_again_in_the_bytes(sample: tuple[str, str], data: st.DataObject) -> None:
    name, text = sample
    raw = text.encode(name)
    decoded = Decoded(raw.decode(name), Encoding(name), char=7, byte=11, line=3)
    assert decoded.byte_length == len(raw)
    start = data.draw(st.integers(0, len(decoded.text)))
    end = data.draw(st.integers(start, len(decoded.text)))
    passage = decoded.passage(start, end)
    assert decode_slice(raw[passage.start_byte - 11 : passage.end_byte - 11], name) == decoded.text[start:end]
    assert (passage.start, passage.end) == (start + 7, end + 7)
    assert passage.first_line == 3 + decoded.text.count("\n", 0, start)
    assert passage.last_line == 3 + decoded.text.count("\n", 0, max(start, end - 1))


@given(st.binary(max_size=300), st.data())
def test_bytes_that_are_no_utf8_keep_their_offsets(raw: bytes, data: st.DataObject) -> None:
    encoding = Encoding("utf-8")
    decoded = Decoded(raw.decode("utf-8", encoding.errors), encoding)
    end = data.draw(st.integers(0, len(decoded.text)))
    passage = decoded.passage(0, end)
    assert decode_slice(raw[: passage.end_byte], "utf-8") == decoded.text[:end]
    assert decoded.byte_length == len(raw)


def test_offsets_past_many_checkpoints() -> None:
    text = "é日a\r\n" * STEP
    decoded = Decoded(text, Encoding("utf-8"))
    at = decoded.text.rindex("日")
    assert decoded.passage(at, at + 1).start_byte == text.encode().rindex("日".encode())


@pytest.mark.parametrize("name", sorted(MARKS))
def test_byte_order_marks_decide_and_are_not_text(name: str, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(MARKS[name] + "Größe\r\nzwei".encode(name))
    with path.open("rb") as file:
        encoding = detect(blocks_of(file))
        (part,) = parts(file, encoding)
    assert (encoding.name, part.decoded.text) == (name, "Größe\nzwei")
    assert part.decoded.passage(0, 1).start_byte == len(MARKS[name])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("cp1252", "café à Paris. L'été était chaud.\nDeuxième ligne."),
        ("cp1252", "Müller fährt über die Straße nach Köln."),
        ("cp1250", "Zażółć gęślą jaźń. To jest dłuższy tekst po polsku, który łatwo rozpoznać."),
        ("cp1251", "Привет, это короткий текст на русском языке."),
        ("koi8-r", "Привет, это короткий текст на русском языке."),
        ("cp932", "これは日本語のテキストです。東京に行きました。"),
        ("gb18030", "这是一个中文文本。我们去北京。"),
        ("big5", "這是一個中文文本。我們去台北。"),
        ("cp949", "이것은 한국어 텍스트입니다. 서울에 갔습니다."),
        ("cp1253", "Αυτό είναι ένα κείμενο στα ελληνικά."),
        ("utf-16-le", "Plain text that a Windows program wrote without a mark."),
    ],
)
def test_older_encodings_are_guessed(name: str, text: str) -> None:
    encoding = detect([text.encode(name)])
    assert text.encode(name).decode(encoding.name) == text


def test_damaged_utf8_stays_utf8_with_holes() -> None:
    raw = "Größe und Übermut, dazu Äpfel".encode() + b"\xff" + "und Öl".encode()
    assert detect([raw]).name == "utf-8"
    assert decode_slice(raw, "utf-8") == "Größe und Übermut, dazu Äpfel\ufffdund Öl"


@pytest.mark.parametrize("raw", [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", b"text\0text", bytes(range(1, 27)) * 20])
def test_binary_is_refused(raw: bytes) -> None:
    with pytest.raises(DocumentError, match="binary"):
        detect([raw])


def test_a_nul_far_behind_the_sample_is_found() -> None:
    with pytest.raises(DocumentError, match="binary"):
        detect([b"a" * (1 << 20), b"a" * 1000 + b"\0"])


@given(encoded_texts(), st.integers(3, 40))
def test_parts_make_up_the_file(tmp_path_factory: pytest.TempPathFactory, sample: tuple[str, str], size: int) -> None:
    name, text = sample
    path = tmp_path_factory.mktemp("parts") / "a.txt"
    mark = MARKS.get(name, b"")
    path.write_bytes(mark + text.encode(name))
    with path.open("rb") as file:
        found = list(parts(file, Encoding(name, len(mark)), size * 8))
    whole = re.sub("\r\n?", "\n", text)
    assert "".join(part.decoded.text for part in found) == whole
    assert mark + b"".join(part.data for part in found) == path.read_bytes()
    at = 0
    for part in found:
        passage = part.decoded.passage(0, len(part.decoded.text))
        assert passage.start == at and part.bytes_of(passage) == part.data
        assert passage.first_line == 1 + whole.count("\n", 0, at)
        at = passage.end
