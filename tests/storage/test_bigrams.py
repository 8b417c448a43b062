from __future__ import annotations

import pytest

from noderag_local.storage.documents.bigrams import bigrams, without_unspaced


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain words", []),
        ("Café déjà vu", []),
        ("北京", ["北京"]),
        ("北京大学 and 東", ["北京", "京大", "大学", "東"]),
        ("ラーメン屋", ["ラー", "ーメ", "メン", "ン屋"]),
        ("서울에서", ["서울", "울에", "에서"]),
        ("สวัสดี", ["สว", "วั", "ัส", "สด", "ดี"]),
        ("", []),
    ],
)
def test_pairs_of_scripts_without_spaces(text: str, expected: list[str]) -> None:
    assert bigrams(text) == expected


def test_the_rest_is_left_to_be_cut_at_spaces() -> None:
    assert without_unspaced("Python入門 book").split() == ["Python", "book"]
