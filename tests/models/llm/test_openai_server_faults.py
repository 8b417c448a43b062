"""The engine for a served model, against servers that hang, lie, break and write without end."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from helpers.model_server import Answer, Exchange, ModelServer, serving

from noderag_local.domain.errors import ModelError
from noderag_local.models.llm.engine import Finish, Message, Request, Role, never
from noderag_local.models.llm.server.openai_server import OpenAIServerEngine
from noderag_local.models.llm.server.request_order import FAULTS_IN_A_ROW
from noderag_local.models.llm.server.server_faults import ServerBusy

PATIENCE_SECONDS = 300.0
TIMEOUT_SECONDS = 4.0
"""Silence after which a server is given up, in tests in which it falls silent; a busy machine answers within it."""


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with serving() as site:
        yield site


def engine_for(server: ModelServer, **options: Any) -> OpenAIServerEngine:
    given = {"timeout_seconds": PATIENCE_SECONDS, "start_seconds": PATIENCE_SECONDS, "pauses": (0.01, 0.02), **options}
    return OpenAIServerEngine(server.url, **given)


def request(text: str = "Why?", max_tokens: int = 50) -> Request:
    return Request((Message(Role.USER, text),), max_tokens)


def begun(exchange: Exchange) -> None:
    exchange.begin()
    exchange.piece("One")


def dies_half_way(exchange: Exchange) -> None:
    begun(exchange)


def dies_in_a_chunk(exchange: Exchange) -> None:
    exchange.send_response(200)
    exchange.send_header("Content-Type", "text/event-stream")
    exchange.send_header("Transfer-Encoding", "chunked")
    exchange.end_headers()
    exchange.wfile.write(b"400\r\ndata: {")


def is_reset(exchange: Exchange) -> None:
    begun(exchange)
    exchange.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    exchange.connection.close()


def turns_to_another(exchange: Exchange) -> None:
    """As llama-cpp-python's own server does when the next request comes."""
    begun(exchange)
    exchange.event("[DONE]")


def status(code: int, document: Any = None, **headers: str) -> Answer:
    named = [(name.replace("_", "-"), value) for name, value in headers.items()]
    return lambda exchange: exchange.send_document(document or {"error": {"message": "no"}}, code, named)


def sends(body: bytes, kind: str = "text/event-stream") -> Answer:
    return lambda exchange: exchange.send_body(body, kind)


def event(text: str) -> Answer:
    return sends(f"data: {text}\n\n".encode())


CUT = [dies_half_way, dies_in_a_chunk, is_reset, turns_to_another]
BUSY = [status(429), status(500), status(503, {"detail": "Loading model"}), status(502)]


@pytest.mark.parametrize("fault", [*CUT, *BUSY])
def test_a_fault_that_passes_is_tried_again(server: ModelServer, fault: Answer) -> None:
    server.answers = [fault, fault]
    outcomes = list(engine_for(server, concurrency=1).generate([request(), request()]))
    assert [(outcome.text, outcome.error) for outcome in outcomes] == [("Fine.", None)] * 2
    assert len(server.asked) == 4


@pytest.mark.parametrize("fault", [dies_half_way, turns_to_another, *BUSY])
def test_one_that_stays_is_the_requests_error_and_the_rest_goes_on(server: ModelServer, fault: Answer) -> None:
    server.answers = [fault] * 3
    outcomes = list(engine_for(server, concurrency=1).generate([request(), request()]))
    assert isinstance(outcomes[0].error, ModelError)
    assert (outcomes[0].text, outcomes[0].completion) == ("", None)
    assert (outcomes[1].text, outcomes[1].error) == ("Fine.", None)


class TestAChat:
    @pytest.mark.parametrize("fault", BUSY)
    def test_is_tried_again_before_the_first_word(self, server: ModelServer, fault: Answer) -> None:
        server.answers = [fault]
        assert "".join(engine_for(server).stream(request())) == "Fine."

    @pytest.mark.parametrize("fault", CUT[:1] + CUT[2:])
    def test_is_an_error_after_it(self, server: ModelServer, fault: Answer) -> None:
        server.answers = [fault]
        stream = engine_for(server).stream(request())
        assert next(stream) == "One"
        with pytest.raises(ModelError, match=server.url):
            list(stream)
        assert len(server.asked) == 1


def drips_in_the_head(exchange: Exchange) -> None:
    exchange.wfile.write(b"HTTP/1.1 200 OK\r\n")
    exchange.drip(b"X: y\r\n", 0.1)


def drips_comments(exchange: Exchange) -> None:
    begun(exchange)
    exchange.drip(b": ping\n\n")


def drips_a_line(exchange: Exchange) -> None:
    begun(exchange)
    exchange.drip(b"x")


def drips_nothings(exchange: Exchange) -> None:
    begun(exchange)
    exchange.drip(b'data: {"choices": [{"delta": {"content": ""}}]}\n\n')


def stops_half_way(exchange: Exchange) -> None:
    begun(exchange)
    exchange.hang()


SILENT = [Exchange.hang, drips_in_the_head, drips_comments, drips_a_line, drips_nothings, stops_half_way]


class TestSilence:
    @pytest.mark.parametrize("fault", SILENT)
    def test_is_given_up_after_the_time_out_and_not_tried_again(self, server: ModelServer, fault: Answer) -> None:
        server.answers = [fault]
        engine = engine_for(server, concurrency=1, timeout_seconds=TIMEOUT_SECONDS)
        started = time.monotonic()
        outcomes = list(engine.generate([request(), request()]))
        assert time.monotonic() - started >= TIMEOUT_SECONDS
        assert "server_timeout_seconds" in str(outcomes[0].error)
        assert outcomes[1].text == "Fine."
        assert len(server.asked) == 2

    def test_slow_words_are_no_silence(self, server: ModelServer) -> None:
        def slow(exchange: Exchange) -> None:
            exchange.begin()
            for _ in range(20):
                time.sleep(TIMEOUT_SECONDS / 16)
                exchange.piece("slow ")
            exchange.piece(None, "stop")

        server.answer = slow
        engine = engine_for(server, timeout_seconds=TIMEOUT_SECONDS)
        assert "".join(engine.stream(request())) == "slow " * 20

    def test_a_missing_end_mark_is_not_waited_for(self, server: ModelServer) -> None:
        def stays(exchange: Exchange) -> None:
            begun(exchange)
            exchange.piece(None, "stop")
            exchange.hang()

        server.answer = stays
        stream = engine_for(server).stream(request())
        assert "".join(stream) == "One"
        assert stream.result.finish is Finish.STOP

    def test_a_server_that_only_listens(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listening, pytest.raises(ModelError, match="silent"):
            OpenAIServerEngine(f"http://127.0.0.1:{listening.getsockname()[1]}", start_seconds=2)


class TestRubbish:
    RUBBISH = {
        "a page": sends(b"<html><title>Router</title>", "text/html"),
        "a whole completion": sends(b'{"choices": [{"message": {"content": "x"}}]}', "application/json"),
        "broken JSON": event('{"choices": [{"delta": {"conte'),
        "no JSON": event("hello"),
        "a list": event("[1, 2]"),
        "choices as text": event('{"choices": "x"}'),
        "a choice as a number": event('{"choices": [3]}'),
        "content as a number": event('{"choices": [{"delta": {"content": 5}}]}'),
        "usage as text": event('{"choices": [], "usage": {"prompt_tokens": "many"}}'),
        "negative usage": event('{"choices": [], "usage": {"prompt_tokens": -1}}'),
        "depth": event("[" * 100_000),
        "not UTF-8": sends(b"data: \xff\xfe{}\n\n"),
        "a lone surrogate": event('{"choices": [{"delta": {"content": "\\ud83d"}}]}'),
    }

    def test_an_empty_event_is_passed_over(self, server: ModelServer) -> None:
        def empty_first(exchange: Exchange) -> None:
            exchange.begin()
            exchange.event("")
            exchange.piece("Well.", "stop")
            exchange.event("")
            exchange.event("[DONE]")

        server.answers = [empty_first]
        (outcome,) = engine_for(server).generate([request()])
        assert (outcome.text, outcome.error) == ("Well.", None)

    @pytest.mark.parametrize("rubbish", RUBBISH.values(), ids=RUBBISH.keys())
    def test_is_the_requests_error_and_the_rest_goes_on(self, server: ModelServer, rubbish: Answer) -> None:
        server.answers = [rubbish]
        outcomes = list(engine_for(server, concurrency=1).generate([request(), request()]))
        assert isinstance(outcomes[0].error, ModelError)
        assert server.url in str(outcomes[0].error)
        assert outcomes[1].text == "Fine."

    @pytest.mark.parametrize(
        "part", [b"data: " + b"x" * 65536, b"x" * 65536, b"data: y\n" * 8192], ids=["an event", "a line", "many lines"]
    )
    def test_an_endless_line_is_left_early(self, server: ModelServer, part: bytes) -> None:
        sent: list[int] = []

        def gigantic(exchange: Exchange) -> None:
            exchange.begin()
            while not exchange.site.stopping.is_set():
                sent.append(exchange.wfile.write(part.replace(b"data: x", b"x") if sent else part))

        server.answers = [gigantic]
        outcomes = list(engine_for(server, concurrency=1).generate([request(), request()]))
        assert "without end" in str(outcomes[0].error)
        assert outcomes[1].text == "Fine."
        # What is on its way in the buffers of the system comes on top.
        assert sum(sent) < 16 << 20

    def test_endless_events_are_left_early(self, server: ModelServer) -> None:
        def babbles(exchange: Exchange) -> None:
            exchange.begin()
            exchange.drip(b'data: {"choices": [{"delta": {"role": "assistant"}}]}\n\n' * 1000, 0)

        server.answers = [babbles]
        outcome = next(engine_for(server, concurrency=1).generate([request()]))
        assert "without end" in str(outcome.error)

    def test_a_flood_of_headers(self, server: ModelServer) -> None:
        def flood(exchange: Exchange) -> None:
            exchange.wfile.write(b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 1000)

        server.answers = [flood]
        outcome = next(engine_for(server, concurrency=1).generate([request()]))
        assert "does not speak HTTP" in str(outcome.error)

    def test_an_empty_answer_is_an_error_and_no_result(self, server: ModelServer) -> None:
        server.answers = [lambda exchange: exchange.say(), lambda exchange: exchange.say(" ", "\n")]
        outcomes = list(engine_for(server, concurrency=1).generate([request()] * 3))
        assert [bool(outcome.error) for outcome in outcomes] == [True, True, False]
        assert "answered nothing" in str(outcomes[0].error)

    def test_thoughts_alone_say_what_to_do(self, server: ModelServer) -> None:
        def thinks(exchange: Exchange) -> None:
            exchange.begin()
            for n in range(100):
                exchange.piece(None, reasoning_content=f"{n}?")

        server.answers = [thinks]
        outcome = next(engine_for(server).generate([request()]))
        assert "thinking off" in str(outcome.error)

    def test_what_an_error_says_is_shortened_and_printable(self, server: ModelServer) -> None:
        evil = "\x1b]0;owned\x07\n\x9b31m" + "long " * 1000
        for answer in (
            status(400, {"error": {"message": evil}}),
            status(400, {"detail": evil}),
            event('{"error": {"message": "\\u001b]0;owned\\u0007", "code": 400}}'),
            sends(evil.encode(), "text/html\x1b"),
        ):
            server.answers = [answer]
            outcome = next(engine_for(server, concurrency=1).generate([request()]))
            assert "owned" in str(outcome.error)
            assert len(str(outcome.error)) < 600
            assert str(outcome.error).isprintable()


class TestErrorsThatAreTold:
    @pytest.mark.parametrize("code", [400, 413, 422])
    def test_a_refused_request_is_not_tried_again(self, server: ModelServer, code: int) -> None:
        server.answers = [status(code, {"error": {"message": "context exceeded"}})]
        outcomes = list(engine_for(server, concurrency=1).generate([request(), request()]))
        assert "context exceeded" in str(outcomes[0].error)
        assert outcomes[1].text == "Fine."
        assert len(server.asked) == 2

    def test_an_error_in_the_stream(self, server: ModelServer) -> None:
        refused = event('{"error": {"code": 400, "message": "too long", "type": "exceed_context_size_error"}}')
        failed = event('{"error": {"message": "out of memory"}}')
        server.answers = [refused, failed]
        outcomes = list(engine_for(server, concurrency=1).generate([request(), request()]))
        assert "too long" in str(outcomes[0].error)
        assert outcomes[1].text == "Fine."
        assert len(server.asked) == 3

    def test_a_wait_that_the_server_asks_for_is_kept(self, server: ModelServer) -> None:
        server.answers = [status(429, Retry_After="1")]
        started = time.monotonic()
        assert next(engine_for(server).generate([request()])).text == "Fine."
        assert time.monotonic() - started >= 1

    def test_a_wait_ends_when_it_is_cancelled(self, server: ModelServer) -> None:
        server.answer = status(429, Retry_After="100000")
        assert list(engine_for(server).generate([request()], lambda: len(server.asked) > 0)) == []
        stream = engine_for(server).stream(request(), lambda: len(server.asked) > 1)
        assert list(stream) == []

    @pytest.mark.parametrize(
        ("code", "told"), [(401, "server_key"), (403, "server_key"), (404, "server_model"), (307, "server_url")]
    )
    def test_what_would_refuse_every_request_ends_them_all(self, server: ModelServer, code: int, told: str) -> None:
        server.answer = status(code)
        with pytest.raises(ModelError, match=told):
            list(engine_for(server).generate(request() for _ in range(100)))
        assert len(server.asked) <= 8

    def test_a_redirect_is_not_followed(self, server: ModelServer) -> None:
        with serving() as elsewhere:
            server.answer = status(307, Location=f"{elsewhere.url}/v1/chat/completions")
            with pytest.raises(ModelError, match="not followed"):
                list(engine_for(server).stream(request()))
            assert elsewhere.paths == []

    def test_names_of_headers_count_in_any_case(self, server: ModelServer) -> None:
        server.answer = status(307, location="http://there.example")
        with pytest.raises(ModelError, match=r"redirects to http://there\.example"):
            list(engine_for(server).stream(request()))
        server.answer = status(503, retry_after="7")
        with pytest.raises(ServerBusy) as raised:
            engine_for(server).whole(request(), never, ())
        assert raised.value.pause_seconds == 7


class TestTheEndOfAServer:
    def test_none_there_at_the_start(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        with pytest.raises(ModelError, match=rf"127\.0\.0\.1:{port}.*cannot be reached.*Start the server"):
            OpenAIServerEngine(f"http://127.0.0.1:{port}")

    @pytest.mark.parametrize(
        "answer",
        [
            sends(b"<html>", "text/html"),
            sends(b"[]", "application/json"),
            sends(b'{"data": [{"id": 5}]}', "application/json"),
            status(404),
        ],
        ids=["a page", "a list", "a numbered model", "no such path"],
    )
    def test_something_else_listens_there(self, server: ModelServer, answer: Answer) -> None:
        server.routes["/v1/models"] = answer
        with pytest.raises(ModelError, match=r"server_url|not JSON"):
            engine_for(server)

    def test_one_that_speaks_no_http(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listening:

            def greet() -> None:
                connection, _ = listening.accept()
                with connection:
                    connection.recv(65536)
                    connection.sendall(b"220 mail.example.org ESMTP\r\n" * 10)

            thread = threading.Thread(target=greet)
            thread.start()
            with pytest.raises(ModelError, match="does not speak HTTP"):
                OpenAIServerEngine(f"http://127.0.0.1:{listening.getsockname()[1]}")
            thread.join()

    def test_one_that_does_not_come_back_ends_them_all(self) -> None:
        with serving() as server:
            engine = engine_for(server, concurrency=2)
            outcomes = engine.generate(request() for _ in range(1000))
            assert next(outcomes).text == "Fine."
        with pytest.raises(ModelError, match="cannot be reached"):
            for outcome in outcomes:
                assert outcome.error is None

    def test_one_that_comes_back_goes_on(self) -> None:
        with serving() as first:
            engine = engine_for(first, concurrency=2, pauses=(0.1, 0.3, 1.0, 3.0, 10.0, 30.0))
            outcomes = engine.generate(request() for _ in range(20))
            assert next(outcomes).text == "Fine."
            port = first.port
        back = threading.Event()

        def come_back() -> None:
            time.sleep(0.2)
            with serving(port):
                back.wait(PATIENCE_SECONDS)

        thread = threading.Thread(target=come_back)
        thread.start()
        try:
            rest = list(outcomes)
        finally:
            back.set()
            thread.join()
        assert len(rest) == 19
        assert all(outcome.text == "Fine." for outcome in rest)

    @pytest.mark.parametrize(
        "fault", [Exchange.hang, sends(b"<html>", "text/html"), status(500)], ids=["hangs", "page", "500"]
    )
    def test_one_that_fails_every_request_is_given_up(self, server: ModelServer, fault: Answer) -> None:
        server.answer = fault
        errors = 0
        with pytest.raises(ModelError, match=f"{FAULTS_IN_A_ROW} requests failed"):
            for outcome in engine_for(server, timeout_seconds=0.4).generate(request() for _ in range(1000)):
                errors += bool(outcome.error)
        assert errors == FAULTS_IN_A_ROW - 1

    def test_a_server_that_turns_to_the_next_request_is_asked_one_at_a_time(self, server: ModelServer) -> None:
        under_way = threading.Lock()
        newest: list[Exchange] = []

        def one_only(exchange: Exchange) -> None:
            newest[:] = [exchange]
            with under_way:
                exchange.begin()
                for word in ("All", " is", " fine."):
                    exchange.piece(word)
                    time.sleep(0.02)
                    if newest != [exchange]:
                        exchange.event("[DONE]")
                        return
                exchange.piece(None, "stop")

        server.answer = one_only
        engine = engine_for(server, concurrency=4, pauses=(0.05,) * 6)
        outcomes = list(engine.generate(request() for _ in range(12)))
        assert [outcome.text for outcome in outcomes if not outcome.error] == ["All is fine."] * 12


def test_no_thread_is_left_behind(server: ModelServer) -> None:
    list(engine_for(server).generate(request() for _ in range(5)))
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("side-by-side")]
