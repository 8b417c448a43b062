"""Words that were parted at the end of a line."""

from __future__ import annotations

import pytest

from noderag_local.ingest.formats.pdf.text_piece import HyphenVocabulary


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        (["the incompre-", "hensibility of it"], "the incomprehensibility of it"),
        (["a well-", "known tree, well-known indeed"], "a well-known tree, well-known indeed"),
        (["die Haupt-", "und Nebensätze"], "die Haupt- und Nebensätze"),
        (["the Anglo-", "Saxon ledger"], "the Anglo-Saxon ledger"),
        (["the co\u00ad", "operative"], "the cooperative"),
        (["the re\u2010", "maining trees"], "the remaining trees"),
        (["from 1968-", "1975"], "from 1968-1975"),
        (["美しい", "りんご"], "美しいりんご"),
        (["one", "two"], "one two"),
        (["one –", "two"], "one – two"),
        ([], ""),
    ],
)
def test_lines_are_joined_as_a_person_reads_them(lines: list[str], text: str) -> None:
    assert HyphenVocabulary(lines).joined(lines) == text
