import pytest
from hypothesis import given
from hypothesis import strategies as st

from noderag_local.system.printing.plain_text import printable, printable_pieces

ESCAPES = [
    "\x1b[2J",
    "\x1b]0;title\x07",
    "\x1b]8;;http://evil.example\x1b\\link\x1b]8;;\x1b\\",
    "\x1b]52;c;ZWNobyBv\x07",
    "\x1bPq#0\x1b\\",
    "\x9b31m",
    "\x9d0;title\x9c",
    "\x90q\x9c",
    "a\rb",
    "a\bb",
    "\x7f",
    "\u202eright to left",
    "\u2066isolate\u2069",
    "\u200f\u061c",
    "\U000e0041\U000e0042",
    "\ufeff",
    "\x00",
    "\x1b",
]


@pytest.mark.parametrize("text", ESCAPES)
def test_nothing_is_left_that_a_terminal_obeys(text: str) -> None:
    shown = printable(f"before {text} after")
    assert shown.startswith("before ")
    assert shown.endswith(" after")
    assert not any(ord(sign) < 32 or 127 <= ord(sign) < 160 for sign in shown)
    assert not set(shown) & set("\u202e\u2066\u2069\u200f\u061c\ufeff\U000e0041")


def test_ordinary_text_stays_as_it_is() -> None:
    text = "naïve €5 — 東京 🚲 e\u0301 שלום नमस्ते\n\tindented"
    assert printable(text) == text


def test_lone_surrogates_become_something_that_can_be_written() -> None:
    assert printable("a\ud800b").encode() == "a\ufffdb".encode()


@given(st.lists(st.text(st.sampled_from("aक्षم1❤👩\u20e3\u200b\u200c\u200d\ufe0f\U000e0041\ud800\n"), max_size=4)))
def test_a_stream_shows_what_the_whole_text_does(pieces: list[str]) -> None:
    assert "".join(printable_pieces(pieces)) == printable("".join(pieces))


@given(st.text(st.sampled_from("aक्षम1❤👩ᠠ\u20e3\u200b\u200c\u200d\ufe0e\ufe0f\u180b\U000e0041\n")))
def test_doing_it_again_changes_nothing(text: str) -> None:
    assert printable(printable(text)) == printable(text)


def test_a_stream_gives_what_it_can_tell_at_once() -> None:
    assert list(printable_pieces(["a", "b\u200d", "\u200d", "c", "👩\u200d"])) == ["a", "b", "c", "👩"]
