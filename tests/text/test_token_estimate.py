from hypothesis import given
from hypothesis import strategies as st

from noderag_local.text.token_estimate import estimated_tokens, roughly_estimated_tokens


def test_prose_numbers_and_other_scripts_are_above_what_tokenizers_count() -> None:
    # The numbers are those of Qwen2.5's tokenizer.
    for text, tokens in {
        "The room cost 84 euros a night.": 10,
        "2023-05-09 14:22:01": 19,
        "Straßenbahnhaltestelle Vergnügungssteuer": 13,
        "Η Αθήνα είναι πρωτεύουσα": 20,
        "東京に行きました。美味しい寿司を食べた。": 11,
        "🚲🚲👩‍🚀": 6,
    }.items():
        assert tokens <= estimated_tokens(text) <= 4 * tokens


@given(st.text(), st.text())
def test_more_text_is_never_fewer_tokens(text: str, more: str) -> None:
    assert 1 <= estimated_tokens(text) <= estimated_tokens(text + more)


@given(st.text(alphabet="abcdefghij .,", max_size=60))
def test_the_rough_estimate_of_prose_is_never_below_four_characters_a_token(text: str) -> None:
    assert len(text) / 4 <= roughly_estimated_tokens(text) <= len(text)
