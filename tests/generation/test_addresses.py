import pytest
from hypothesis import given
from hypothesis import strategies as st

from noderag_local.generation.addresses import without_addresses


@pytest.mark.parametrize(
    ("note", "read"),
    [
        ("See https://evil.example/track?id=1 for details.", "See [link] for details."),
        ("write to mailto:boss@evil.example, now", "write to [link], now"),
        ("Book at <http://a.example> or www.b.example/x.", "Book at [link] or [link]."),
        ("[the map](https://maps.example/1) and ![](https://x.example/p.png)!", "the map and !"),
        ('<a href="https://evil.example">press</a> <img src=x>', "press "),
        ("[note](other.md) is near, [2] is a source, f(x)[1] stays", "note is near, [2] is a source, f(x)[1] stays"),
        ("anna@example.org has no link", "anna@example.org has no link"),
        ("ftp://files.example/a JAVASCRIPT:alert(1)", "[link] [link])"),
    ],
)
def test_the_model_reads_words_in_place_of_addresses(note: str, read: str) -> None:
    assert without_addresses(note, "When does the shop close?") == read


@pytest.mark.parametrize(
    "question",
    [
        "What is the website of the shop?",
        "Which URL has the map?",
        "Wie lautet der Link?",
        "Quel est le lien ?",
        "网址是什么？",
        "Was steht auf https://shop.example?",
    ],
)
def test_a_question_for_an_address_lets_the_model_read_it(question: str) -> None:
    assert without_addresses("It is https://shop.example.", question) == "It is https://shop.example."


@given(st.text(), st.sampled_from(["https://", "www.", "[a](b)", "<a href=x>"]), st.text())
def test_it_is_never_longer_than_it_was(before: str, link: str, after: str) -> None:
    text = before + link + after
    assert len(without_addresses(text, "Who?")) <= len(text)
