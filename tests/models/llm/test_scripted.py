import pytest

from noderag_local.domain.errors import ModelError
from noderag_local.domain.stream import Stream
from noderag_local.models.llm.engine import Completion, Engine, Finish, Message, Request, Role
from noderag_local.models.llm.scripted import ScriptedEngine


def request(text: str = "Why?", max_tokens: int = 100, stop: tuple[str, ...] = ()) -> Request:
    return Request((Message(Role.USER, text),), max_tokens, stop)


def test_it_says_what_was_enqueued_and_remembers_what_it_was_asked() -> None:
    engine = ScriptedEngine("First.")
    engine.enqueue("Second.")
    assert "".join(engine.stream(request("One?"))) == "First."
    assert "".join(engine.stream(request("Two?"))) == "Second."
    assert [asked.messages[0].content for asked in engine.history] == ["One?", "Two?"]


def test_it_is_an_engine() -> None:
    engine: Engine = ScriptedEngine(name="fake", context_length=64)
    assert (engine.name, engine.context_length) == ("fake", 64)
    assert engine.count_many(["one two", ""]) == [engine.count_tokens("one two"), 0] == [3, 0]


def test_a_stream_tells_its_cost_after_the_last_piece() -> None:
    stream = ScriptedEngine("One two.").stream(request())
    with pytest.raises(RuntimeError):
        _ = stream.result
    assert list(stream) == ["One", " ", "two", "."]
    assert stream.result == Completion(Finish.STOP, 2, 0, 4, 0.0, 0.0)
    assert list(stream) == []


def test_it_ends_at_the_length_at_a_stop_string_and_when_cancelled() -> None:
    stream = ScriptedEngine("One two.").stream(request(max_tokens=2))
    assert ("".join(stream), stream.result.finish) == ("One ", Finish.LENGTH)
    stream = ScriptedEngine("One\ntwo.").stream(request(stop=("\n",)))
    assert ("".join(stream), stream.result.finish) == ("One", Finish.STOP)
    stream = ScriptedEngine("One two.").stream(request(), cancelled=lambda: True)
    assert ("".join(stream), stream.result.finish) == ("", Finish.CANCELLED)


def test_an_enqueued_exception_is_raised() -> None:
    engine = ScriptedEngine()
    engine.enqueue(ModelError("no"))
    with pytest.raises(ModelError):
        engine.stream(request())


def test_being_asked_too_often_is_an_error_of_the_test() -> None:
    with pytest.raises(AssertionError, match="more often"):
        ScriptedEngine().stream(request())


def test_rates_are_of_what_was_read_and_written() -> None:
    completion = Completion(Finish.STOP, 110, 10, 21, 2.0, 4.0)
    assert completion.written_per_second == 10.0
    assert Completion(Finish.STOP, 5, 5, 1, 0.0, 0.0).written_per_second == 0.0


def test_closing_a_stream_ends_it() -> None:
    stream: Stream[Completion] = ScriptedEngine("One two.").stream(request())
    assert next(stream) == "One"
    stream.close()
    assert list(stream) == []


class Digits:
    """One to three digits."""

    def __init__(self) -> None:
        self._length = 0

    def allows(self, piece: bytes) -> bool:
        return (piece + b"0").isdigit() and self._length + len(piece) <= 3

    def accept(self, piece: bytes) -> None:
        self._length += len(piece)

    def may_end(self) -> bool:
        return self._length > 0

    def forced(self) -> bytes:
        return b""


def test_many_requests_are_answered_in_order_and_fail_alone() -> None:
    engine = ScriptedEngine("First.", reply=lambda asked: asked.messages[0].content.upper())
    engine.enqueue(ModelError("no"))
    engine.enqueue(ValueError("broken"))
    outcomes = list(engine.generate(request(text) for text in ("a", "b", "c", "d")))
    assert [outcome.number for outcome in outcomes] == [0, 1, 2, 3]
    assert [outcome.text for outcome in outcomes] == ["First.", "", "", "D"]
    assert [type(outcome.error) for outcome in outcomes] == [type(None), ModelError, ModelError, type(None)]


def test_many_requests_can_be_cancelled_and_are_taken_one_by_one() -> None:
    engine = ScriptedEngine("First.", "Second.")
    outcomes = engine.generate(map(request, ("a", "b")), cancelled=lambda: len(engine.history) > 1)
    assert [outcome.text for outcome in outcomes] == ["First."]


def test_a_strict_one_holds_its_script_to_the_constraint() -> None:
    asked = Request((Message(Role.USER, "How many?"),), 10, constraint=Digits)
    assert [outcome.text for outcome in ScriptedEngine("12", strict=True).generate([asked])] == ["12"]
    for wrong in ("twelve", "1234", ""):
        with pytest.raises(AssertionError):
            list(ScriptedEngine(wrong, strict=True).generate([asked]))
        assert [outcome.text for outcome in ScriptedEngine(wrong).generate([asked])] == [wrong]
