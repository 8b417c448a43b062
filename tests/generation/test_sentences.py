import pytest
from hypothesis import given
from hypothesis import strategies as st

from noderag_local.generation.citing.markers import sentences


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("One. Two! Three?", ["One. ", "Two! ", "Three?"]),
        ("One [1]. Two. [2] Three [3][1]", ["One [1]. ", "Two. [2] ", "Three [3][1]"]),
        ("One.[1] Two.", ["One.[1] ", "Two."]),
        ("G. Stanley Hall met Dr. Freud. They talked.", ["G. Stanley Hall met Dr. Freud. ", "They talked."]),
        ("Am 3. Mai 2023 kam z. B. Anna. Dann ging sie.", ["Am 3. Mai 2023 kam z. B. Anna. ", "Dann ging sie."]),
        ("It ended in 1989. Then came 1990.", ["It ended in 1989. ", "Then came 1990."]),
        ("- red [1]\n- blue [2]\n", ["- red [1]\n", "- blue [2]\n"]),
        ("他住在乌特勒支。[1]他有两只猫。", ["他住在乌特勒支。[1]", "他有两只猫。"]),
        ("Version 3.11 is out. It is fast.", ["Version 3.11 is out. ", "It is fast."]),
        ("It costs 5 euros... or so. Yes.", ["It costs 5 euros... ", "or so. ", "Yes."]),
        ("", []),
    ],
)
def test_an_answer_is_cut_into_sentences_with_their_markers(text: str, parts: list[str]) -> None:
    assert list(sentences(text)) == parts


@given(st.text(alphabet="aB1 .!?。\n[]【】", max_size=60))
def test_nothing_is_lost(text: str) -> None:
    assert "".join(sentences(text)) == text
