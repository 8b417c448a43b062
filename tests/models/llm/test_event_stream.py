import pytest
from hypothesis import given
from hypothesis import strategies as st

from noderag_local.models.llm.server.event_stream import LINE_CHARACTERS, EndlessLine, EventStream, parse_chunk


def fed(*parts: bytes) -> list[str]:
    stream = EventStream()
    return [data for part in parts for data in stream.feed(part)] + stream.rest()


def test_each_event_gives_its_data() -> None:
    assert fed(b"data: one\n\ndata: two\n\n") == ["one", "two"]


def test_all_line_ends_count() -> None:
    assert fed(b"data: one\r\n\r\ndata: two\r\rdata: three\n\n") == ["one", "two", "three"]


def test_comments_names_and_ids_are_passed_over() -> None:
    assert fed(b": ping\n\nevent: x\nid: 1\nretry: 5\ndata: one\nother\n\n") == ["one"]


def test_lines_of_one_event_belong_together() -> None:
    assert fed(b"data:one\ndata:  two\ndata\ndata: \n\n") == ["one\n two\n\n"]


def test_an_event_without_its_blank_line_counts_at_the_end() -> None:
    assert fed(b"data: one") == ["one"]


def test_a_byte_order_mark_is_no_part_of_a_name() -> None:
    assert fed("\ufeffdata: one\n\n".encode()) == ["one"]


def test_an_endless_line_is_refused() -> None:
    stream = EventStream()
    with pytest.raises(EndlessLine):
        for _ in range(LINE_CHARACTERS // 1000 + 2):
            stream.feed(b"x" * 1000)


def test_an_endless_event_is_refused() -> None:
    stream = EventStream()
    with pytest.raises(EndlessLine):
        for _ in range(LINE_CHARACTERS // 1000 + 2):
            stream.feed(b"data: " + b"x" * 1000 + b"\n")


@pytest.mark.parametrize(
    ("data", "finish"),
    [
        ('{"choices": [{"delta": null, "finish_reason": "stop"}]}', "stop"),
        ('{"choices": null, "usage": {"prompt_tokens": 4, "completion_tokens": null}}', ""),
    ],
)
def test_an_odd_event_that_does_no_harm_is_read(data: str, finish: str) -> None:
    chunk = parse_chunk(data, "It")
    assert (chunk.text, chunk.thought, chunk.finish_reason, chunk.usage) == ("", "", finish, None)


@given(
    st.lists(st.sampled_from(["data: €", "data:", ": c", "x", "\r", "\n", "\r\n", "🚲"])), st.lists(st.integers(1, 5))
)
def test_the_cut_of_the_bytes_never_matters(parts: list[str], lengths: list[int]) -> None:
    data = "".join(parts).encode()
    pieces, at = [], 0
    for length in lengths:
        pieces.append(data[at : at + length])
        at += length
    assert fed(*pieces, data[at:]) == fed(data)
