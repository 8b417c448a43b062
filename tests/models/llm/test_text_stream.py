from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from noderag_local.models.llm.text_stream import LOOP_TOKENS, StreamedText, WordLoops, loops


def fed(pieces: list[bytes], stop: tuple[str, ...] = ()) -> tuple[list[str], bool]:
    text = StreamedText(stop)
    return [*map(text.feed, pieces), text.rest()], text.stopped


def test_bytes_are_held_back_until_a_code_point_is_whole() -> None:
    euro = "€".encode()
    assert fed([b"5 " + euro[:1], euro[1:2], euro[2:], b"!"])[0] == ["5 ", "", "€", "!", ""]


def test_an_unfinished_code_point_at_the_end_is_dropped() -> None:
    assert "".join(fed([b"ab", "€".encode()[:2]])[0]) == "ab"


def test_bytes_that_are_no_text_become_replacement_characters() -> None:
    assert "".join(fed([b"a\xffb"])[0]) == "a\ufffdb"


def test_a_stop_string_over_several_pieces_ends_the_text() -> None:
    pieces, stopped = fed([b"one<", b"/", b"end>two", b"three"], ("</end>",))
    assert ("".join(pieces), stopped) == ("one", True)


def test_what_only_looked_like_a_stop_string_comes_out() -> None:
    pieces, stopped = fed([b"a <", b"/e", b"m> b <"], ("</end>",))
    assert ("".join(pieces), stopped) == ("a </em> b <", False)


@given(st.text(max_size=30), st.lists(st.integers(1, 4), max_size=30), st.sampled_from([(), ("ab",), ("aab", "ba")]))
def test_the_cut_of_the_bytes_never_matters(text: str, lengths: list[int], stop: tuple[str, ...]) -> None:
    data = text.encode("utf-8", errors="replace")
    pieces, at = [], 0
    for length in lengths:
        pieces.append(data[at : at + length])
        at += length
    pieces.append(data[at:])
    cuts = [cut for cut in map(data.decode().find, stop) if cut >= 0]
    out, stopped = fed(pieces, stop)
    assert stopped == bool(cuts)
    assert "".join(out) == data.decode()[: min(cuts, default=None)] if stopped else "".join(out) == data.decode()


def test_a_loop_is_noticed_whatever_its_length() -> None:
    start = list(range(100, 180))
    for period in (1, 2, 7, 13, 30, 64):
        rounds = max(4, -(-LOOP_TOKENS // period)) + 1
        assert loops(start + list(range(period)) * rounds)


def test_a_short_list_of_like_lines_is_no_loop() -> None:
    assert not loops(list(range(50)) + [1, 2, 3, 4, 5] * 3)
    assert not loops([7] * (LOOP_TOKENS - 1))
    assert not loops([])


def test_lines_that_count_on_are_no_loop() -> None:
    assert not loops([token for line in range(40) for token in (5, 1000 + line, 6)])


def noticed(pieces: Iterable[str]) -> bool:
    loops = WordLoops()
    return any(loops.feed(piece) for piece in pieces)


def test_circles_are_noticed_however_the_text_is_cut() -> None:
    for circle in ("the same words ", "a", "哈", "\n", "- Item one\n- Item two\n", "Москва — столица. "):
        text = "It began well. " + circle * 800
        for length in (1, 3, 7):
            assert noticed(text[at : at + length] for at in range(0, len(text), length)), circle


def test_texts_that_go_on_are_none() -> None:
    count = [f"{n}. The village counted {n * 3} houses.\n" for n in range(300)]
    assert not noticed(count)
    assert not noticed(["| --- | --- | --- | --- |\n", "-" * 80, "\n", "no no no no no", "\n- a\n- a\n- a\n"])
    assert not noticed([])
