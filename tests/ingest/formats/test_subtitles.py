"""Subtitles."""

from __future__ import annotations

import pytest
from ingest.formats.known_text import DOCUMENTS
from ingest.formats.reading import document, lines, texts

from noderag_local.domain.errors import DocumentError


def test_cues_are_joined_to_sentences() -> None:
    read = document("subtitles", (DOCUMENTS / "orchard.srt").read_bytes(), "a.srt")
    assert texts(read) == ["The press was built in Chemnitz, and bought in 1949.", "It presses 180 litres an hour."]
    assert [block.place for block in read.blocks] == ["00:01:02", "00:01:20"]
    assert lines(read) == [(3, 7), (11, 15)]


def test_speakers_are_named_and_marks_are_not_shown() -> None:
    read = document("subtitles", (DOCUMENTS / "orchard.vtt").read_bytes(), "a.vtt")
    assert texts(read) == ["Paula Reinke: We were <three>.", "The kettle boiled over."]
    assert [block.place for block in read.blocks] == ["00:01:02", "01:00:05"]


def test_what_rolling_captions_repeat_is_said_once() -> None:
    cues = "".join(f"00:00:0{n},0 --> 00:00:0{n + 1},0\nHello there\n\n" for n in range(3))
    assert texts(document("subtitles", cues, "a.srt")) == ["Hello there"]


def test_cues_without_empty_lines_between_them() -> None:
    data = "1\n00:00:01,0 --> 00:00:02,0\nOne.\n2\n00:00:03,0 --> 00:00:04,0\nTwo.\n"
    assert texts(document("subtitles", data, "a.srt")) == ["One.", "Two."]


def test_what_has_no_times_is_told() -> None:
    with pytest.raises(DocumentError):
        document("subtitles", "Just text.", "a.srt")
