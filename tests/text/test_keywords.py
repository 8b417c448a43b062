"""Content words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noderag_local.text.keywords import document_frequencies, is_kept, keywords, marked_words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The army's 24th Infantry didn't die in 1950.", ["army", "24th", "infantry", "die", "1950"]),
        ("I can’t find O’Brien’s key.", ["find", "o'brien", "key"]),
        ("Die Männer gehen in der großen Stadt und warten.", ["männer", "gehen", "grossen", "stadt", "warten"]),
        ("Le chat est dans la maison de Paul.", ["chat", "maison", "paul"]),
        ("Он жил в Москве и в Киеве.", ["жил", "москве", "киеве"]),
        ("北京大学", ["北京", "京大", "大学"]),
        ("東京タワーです", ["東京", "京タ", "タワ", "ワー", "ーで"]),
        ("佐々木さんの電話", ["佐々", "々木", "木さ", "の電", "電話"]),
        ("猫", ["猫"]),
        ("犬 と ・ 𠮷野家", ["犬", "𠮷野", "野家"]),
        ("2024年 3月 5日 9時", ["2024", "3", "5", "9"]),
        ("할 수 있는 것 그 책", ["있는"]),
        ("ア か ก", []),
        ("महात्मा गांधी भारत में", ["महात्मा", "गांधी", "भारत"]),
        ("the the of", []),
        ("", []),
    ],
)
def test_keywords(text: str, expected: list[str]) -> None:
    assert keywords(text) == expected


@given(st.text())
def test_each_once_and_casefolded(text: str) -> None:
    words = keywords(text)
    assert len(words) == len(set(words))
    assert all(word == word.casefold() and word.strip() for word in words)


@given(st.lists(st.lists(st.sampled_from("abc"))))
def test_document_frequencies_count_lists_in_any_order(lists: list[list[str]]) -> None:
    frequencies = document_frequencies(lists)
    assert frequencies == document_frequencies(reversed(lists))
    assert all(frequencies[word] == sum(word in words for words in lists) for word in "abc")


def test_rare_words_are_kept_when_capitalised_or_numeric() -> None:
    marked = marked_words("She saw a Beatle in 1964.")
    assert marked_words("Call O’Brien") == {"call", "o'brien"}
    assert "beatle" in marked and "saw" not in marked
    assert is_kept("beatle", 1, "beatle" in marked)
    assert is_kept("1964", 1, False)
    assert is_kept("saw", 2, False)
    assert not is_kept("saw", 1, False)
