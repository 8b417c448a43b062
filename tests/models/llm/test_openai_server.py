"""The engine for a served model, against a server that keeps to the rules."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from helpers.model_server import Exchange, ModelServer, serving

from noderag_local.domain.errors import ModelError, SettingsError
from noderag_local.domain.stream import Stream
from noderag_local.models.llm.engine import Completion, Engine, Finish, Message, Request, Role
from noderag_local.models.llm.server.openai_server import OpenAIServerEngine

PATIENCE_SECONDS = 300.0


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with serving() as site:
        yield site


def engine_for(server: ModelServer, **options: Any) -> OpenAIServerEngine:
    return OpenAIServerEngine(
        server.url,
        **{"timeout_seconds": PATIENCE_SECONDS, "start_seconds": PATIENCE_SECONDS, "pauses": (0.01,), **options},
    )


def request(text: str = "Why?", max_tokens: int = 50, stop: tuple[str, ...] = (), **options: Any) -> Request:
    return Request((Message(Role.SYSTEM, "Be brief."), Message(Role.USER, text)), max_tokens, stop, **options)


def read(stream: Stream[Completion]) -> tuple[str, Completion]:
    return "".join(stream), stream.result


def echo(exchange: Exchange) -> None:
    exchange.say(exchange.document["messages"][-1]["content"])


class TestOneAnswer:
    def test_the_text_comes_in_pieces_and_the_cost_is_told(self, server: ModelServer) -> None:
        usage = {"prompt_tokens": 21, "completion_tokens": 4, "prompt_tokens_details": {"cached_tokens": 16}}
        server.answer = lambda exchange: exchange.say("One", " tw", "o", usage=usage)
        engine: Engine = engine_for(server)
        stream = engine.stream(request())
        assert list(stream) == ["One", " tw", "o"]
        completion = stream.result
        assert (completion.finish, completion.prompt_tokens, completion.reused_tokens) == (Finish.STOP, 21, 16)
        assert completion.generated_tokens == 4
        assert 0 < completion.first_token_seconds <= completion.elapsed_seconds

    def test_a_judgement_is_the_word_that_the_answer_begins_with(self, server: ModelServer) -> None:
        server.answer = lambda exchange: exchange.say("Yes", ".")
        assert engine_for(server).likelihoods(request(), ("yes", "no")).weights == (0.0, -math.inf)
        server.answer = lambda exchange: exchange.say("Perhaps", ".")
        assert engine_for(server).likelihoods(request(), ("yes", "no")).weights == (-math.inf, -math.inf)
        stopped = engine_for(server).likelihoods(request(), ("yes", "no"), lambda: True)
        assert (stopped.texts, stopped.completion.finish) == ((), Finish.CANCELLED)

    @pytest.mark.parametrize(
        ("written", "meant"),
        [
            ("**Yes**", "yes"),
            ('"yes"', "yes"),
            ("1. No, it does not", "no"),
            ("None", ""),
            ("Not sure", ""),
            ("Yesterday", ""),
            (" ", ""),
        ],
    )
    def test_a_judgement_is_a_whole_word_without_signs(self, server: ModelServer, written: str, meant: str) -> None:
        server.answer = lambda exchange: exchange.say(written)
        weighing = engine_for(server).likelihoods(request(max_tokens=2), ("yes", "no"))
        assert weighing.weights == tuple(0.0 if text == meant else -math.inf for text in ("yes", "no"))
        assert server.asked[0]["max_tokens"] == 4

    def test_a_model_that_thinks_does_not_judge(self, server: ModelServer) -> None:
        def thinks(exchange: Exchange) -> None:
            exchange.begin()
            exchange.piece(None, "length", reasoning_content="Hm")
            exchange.event("[DONE]")

        server.answer = thinks
        with pytest.raises(ModelError, match="Turn its thinking off"):
            engine_for(server).likelihoods(request(), ("yes", "no"))

    @pytest.mark.parametrize("written", ["**Porto**", "«Porto»", "Porto,", "porto!", "`Porto`", "„Porto“."])
    def test_signs_around_a_written_text_do_not_count(self, server: ModelServer, written: str) -> None:
        server.answer = lambda exchange: exchange.say(written)
        assert engine_for(server).likeliest(request(), ("-Porto", "Porto"), 4).texts == ("Porto",)

    @pytest.mark.parametrize("reason", ["stop", "STOP", "eos", "eos_token"])
    def test_an_end_by_any_name_is_one(self, server: ModelServer, reason: str) -> None:
        server.answer = lambda exchange: exchange.say("Fine.", finish=reason)
        text, completion = read(engine_for(server).stream(request()))
        assert (text, completion.finish) == ("Fine.", Finish.STOP)

    def test_the_likeliest_text_is_what_the_model_writes(self, server: ModelServer) -> None:
        server.answer = lambda exchange: exchange.say('"Hull', '".', "\nIt is in England.")
        assert engine_for(server).likeliest(request(), ("hull", "Bern"), 4).texts == ("hull",)
        assert engine_for(server).likeliest(request(), ("Bern",), 4).texts == ()
        assert engine_for(server).likeliest(request(), (), 4).texts == ()

    def test_a_server_that_tells_no_cost_is_estimated(self, server: ModelServer) -> None:
        server.answer = lambda exchange: exchange.say("One", " two")
        completion = read(engine_for(server).stream(request()))[1]
        assert (completion.generated_tokens, completion.reused_tokens) == (2, 0)
        assert completion.prompt_tokens > 5

    def test_the_request_is_what_was_asked_for(self, server: ModelServer) -> None:
        read(engine_for(server).stream(request("Why?", 7, ("\n", "###"), temperature=0.5, seed=3)))
        assert server.asked[0] == {
            "model": "fake",
            "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Why?"}],
            "max_tokens": 7,
            "temperature": 0.5,
            "seed": 3,
            "stop": ["\n", "###"],
            "stream": True,
            "stream_options": {"include_usage": True},
        }

    def test_the_length_is_told_and_held_even_against_the_server(self, server: ModelServer) -> None:
        server.answers = [
            lambda exchange: exchange.say("One", " two", finish="length"),
            lambda exchange: exchange.say(*[f" {n}" for n in range(100)]),
        ]
        engine = engine_for(server)
        assert read(engine.stream(request()))[1].finish is Finish.LENGTH
        text, completion = read(engine.stream(request(max_tokens=5)))
        assert (text, completion.finish) == (" 0 1 2 3 4", Finish.LENGTH)

    def test_a_stop_string_ends_the_text_even_where_the_server_passes_over_it(self, server: ModelServer) -> None:
        server.answer = lambda exchange: exchange.say("One<", "/en", "d> two")
        text, completion = read(engine_for(server).stream(request(stop=("</end>",))))
        assert (text, completion.finish) == ("One", Finish.STOP)

    def test_a_loop_is_noticed_and_the_server_is_left(self, server: ModelServer) -> None:
        def circle(exchange: Exchange) -> None:
            exchange.begin()
            for _ in range(500):
                for word in (" the", " same", " words"):
                    exchange.piece(word)
            exchange.hang()

        server.answer = circle
        text, completion = read(engine_for(server).stream(request(max_tokens=1500)))
        assert completion.finish is Finish.REPETITION
        assert len(text) < 2000
        assert server.left.wait(PATIENCE_SECONDS)

    def test_letters_outside_ascii_and_signs_that_steer_terminals_come_as_they_are(self, server: ModelServer) -> None:
        server.answer = lambda exchange: exchange.say("Grüße 東京 ", "🚲", "\x1b[31m")
        # What is shown is made printable where it is shown; a stage wants the text as it was written.
        assert read(engine_for(server).stream(request()))[0] == "Grüße 東京 🚲\x1b[31m"

    def test_thoughts_are_no_part_of_the_answer(self, server: ModelServer) -> None:
        def thinking(exchange: Exchange) -> None:
            exchange.begin()
            exchange.piece(None, reasoning_content="Hm.")
            exchange.piece("", reasoning="Well.")
            exchange.piece("Yes.")
            exchange.piece(None, "stop")

        server.answer = thinking
        assert read(engine_for(server).stream(request()))[0] == "Yes."

    def test_an_end_without_the_end_mark_is_an_end(self, server: ModelServer) -> None:
        def no_mark(exchange: Exchange) -> None:
            exchange.begin()
            exchange.piece("Yes.", "stop")

        server.answer = no_mark
        assert read(engine_for(server).stream(request()))[0] == "Yes."


class TestStopping:
    def test_a_cancelled_answer_is_off_the_wire_at_once(self, server: ModelServer) -> None:
        def endless(exchange: Exchange) -> None:
            exchange.begin()
            exchange.piece("One")
            exchange.hang()

        server.answer = endless
        cancelled = threading.Event()
        stream = engine_for(server).stream(request(), cancelled.is_set)
        assert next(stream) == "One"
        cancelled.set()
        assert list(stream) == []
        assert (stream.result.finish, stream.result.generated_tokens) == (Finish.CANCELLED, 1)
        assert server.left.wait(PATIENCE_SECONDS)

    def test_cancelled_before_the_first_word(self, server: ModelServer) -> None:
        server.answer = Exchange.hang
        text, completion = read(engine_for(server).stream(request(), lambda: bool(server.asked)))
        assert (text, completion.finish) == ("", Finish.CANCELLED)
        assert server.left.wait(PATIENCE_SECONDS)

    def test_a_closed_stream_leaves_the_server(self, server: ModelServer) -> None:
        def endless(exchange: Exchange) -> None:
            exchange.begin()
            exchange.piece("One")
            exchange.hang()

        server.answer = endless
        stream = engine_for(server).stream(request())
        assert next(stream) == "One"
        stream.close()
        assert server.left.wait(PATIENCE_SECONDS)

    def test_a_closed_engine_says_so(self, server: ModelServer) -> None:
        engine = engine_for(server)
        engine.close()
        engine.close()
        with pytest.raises(ModelError, match="closed"):
            read(engine.stream(request()))
        with pytest.raises(ModelError, match="closed"):
            list(engine.generate([request()]))


class TestManyRequests:
    def test_none_is_lost_and_none_mixed_up(self, server: ModelServer) -> None:
        server.answer = echo
        outcomes = list(engine_for(server).generate(request(f"Number {n}") for n in range(300)))
        assert sorted(outcome.number for outcome in outcomes) == list(range(300))
        assert all(outcome.text == f"Number {outcome.number}" and outcome.completion for outcome in outcomes)
        assert 1 < server.most_at_a_time <= 8

    def test_a_request_is_taken_when_there_is_room_for_it(self, server: ModelServer) -> None:
        server.answer = echo
        taken: list[int] = []

        def requests() -> Iterator[Request]:
            for n in range(20):
                taken.append(n)
                yield request(f"Number {n}")

        outcomes = engine_for(server, concurrency=2).generate(requests())
        assert taken == []
        next(outcomes)
        assert len(taken) == 2
        assert len(list(outcomes)) == 19

    def test_the_quick_ones_come_first(self, server: ModelServer) -> None:
        others_came = threading.Event()

        def slow(exchange: Exchange) -> None:
            others_came.wait(PATIENCE_SECONDS)
            echo(exchange)

        server.answer = lambda exchange: (slow if "0" in exchange.document["messages"][1]["content"] else echo)(
            exchange
        )
        outcomes = engine_for(server).generate(request(str(n)) for n in range(4))
        try:
            assert {next(outcomes).number for _ in range(3)} == {1, 2, 3}
        finally:
            others_came.set()
        assert [outcome.number for outcome in outcomes] == [0]

    def test_cancelled_it_ends_and_drops_what_runs(self, server: ModelServer) -> None:
        server.answer = Exchange.hang
        outcomes = engine_for(server).generate((request() for _ in range(50)), lambda: len(server.asked) >= 8)
        assert list(outcomes) == []
        assert server.left.wait(PATIENCE_SECONDS)

    def test_dropped_in_the_middle_it_leaves_the_server(self, server: ModelServer) -> None:
        server.answers = [echo]
        server.answer = Exchange.hang
        outcomes = engine_for(server).generate(request() for _ in range(50))
        assert next(outcomes).text == "Why?"
        outcomes.close()  # type: ignore[attr-defined]
        assert server.left.wait(PATIENCE_SECONDS)
        assert len(server.asked) <= 9

    def test_what_taking_a_request_raises_comes_out(self, server: ModelServer) -> None:
        def requests() -> Iterator[Request]:
            yield request()
            raise LookupError("no more")

        with pytest.raises(LookupError, match="no more"):
            list(engine_for(server).generate(requests()))

    def test_a_chat_goes_before_what_is_still_to_begin(self, server: ModelServer) -> None:
        server.answer = echo
        engine = engine_for(server, concurrency=1)
        outcomes = engine.generate(request(f"Number {n}") for n in range(3))
        next(outcomes)
        chat = engine.stream(request("chat"))
        next(chat)
        asked = len(server.asked)
        time.sleep(0.2)
        assert len(server.asked) == asked
        chat.close()
        assert len(list(outcomes)) == 2


class TestTheModel:
    def test_its_name_is_without_folders_and_control_signs(self) -> None:
        for model_id, name in (
            ("/home/me/models/small-q4.gguf", "small-q4"),
            ("C:\\models\\small.GGUF", "small"),
            ("Qwen/Qwen3-4B", "Qwen/Qwen3-4B"),
            ("evil\x1b]0;owned\x07\nname", "evil]0;owned name"),
        ):
            with serving(models=[{"id": model_id}]) as server:
                assert engine_for(server).name == name
                read(engine_for(server).stream(request()))
                assert server.asked[0]["model"] == model_id

    def test_the_identity_follows_the_model_and_not_the_clock(self) -> None:
        entry = {"id": "fake", "created": 1, "permission": [{"id": "perm-1"}], "meta": {"n_params": 500, "size": 10}}
        later = {**entry, "created": 2, "permission": [{"id": "perm-2"}]}
        other = {**entry, "meta": {"n_params": 500, "size": 11}}
        identities = []
        for model in (entry, later, other):
            with serving(models=[model]) as server:
                identities.append(engine_for(server).identity)
        assert identities[0] == identities[1] != identities[2]

    def test_the_identity_is_that_of_the_loaded_model(self, server: ModelServer) -> None:
        def models(exchange: Exchange) -> None:
            is_loaded = server.paths.count("/props") > 1
            exchange.send_document({"data": [{"id": "fake", "meta": {"n_params": 5} if is_loaded else None}]})

        def props(exchange: Exchange) -> None:
            is_loaded = server.paths.count("/props") > 1
            exchange.send_document({}, 200 if is_loaded else 503)

        server.routes |= {"/v1/models": models, "/props": props}
        assert engine_for(server).identity == engine_for(server).identity

    def test_ollama_tells_the_content_of_a_name(self) -> None:
        identities = []
        for digest in ("aa", "bb"):
            tags = {"models": [{"name": "fake", "digest": digest}, {"name": "other", "digest": "cc"}]}
            with serving(routes={"/api/tags": lambda exchange, tags=tags: exchange.send_document(tags)}) as server:
                identities.append(engine_for(server).identity)
        assert identities[0] != identities[1]

    def test_one_of_several_is_chosen_by_its_id_or_name(self) -> None:
        with serving(models=[{"id": "a"}, {"id": "/models/b.gguf"}]) as server:
            assert engine_for(server, model="a").name == "a"
            assert engine_for(server, model="b").name == "b"
            with pytest.raises(ModelError, match=r"several models: a, b\. .*server_model"):
                engine_for(server)
            with pytest.raises(ModelError, match=r"no model 'c', but a, b\. Set server_model"):
                engine_for(server, model="c")

    def test_a_server_without_a_model(self) -> None:
        with serving(models=[]) as server, pytest.raises(ModelError, match="serves no model"):
            engine_for(server)

    def test_the_key_is_sent_and_never_shown(self, server: ModelServer) -> None:
        engine = engine_for(server, key="sk-secret-key")
        read(engine.stream(request()))
        assert {headers["authorization"] for headers in server.headers} == {"Bearer sk-secret-key"}
        assert "sk-secret" not in repr(vars(engine))
        with pytest.raises(SettingsError, match="server_key") as caught:
            engine_for(server, key="sk-secret\r\nX-Evil: 1")
        assert "secret" not in str(caught.value)

    def test_proxies_of_the_environment_are_not_asked(
        self, server: ModelServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
            monkeypatch.setenv(name, "http://127.0.0.1:1")
        for name in ("no_proxy", "NO_PROXY"):
            monkeypatch.delenv(name, raising=False)
        assert engine_for(server).name == "fake"

    def test_a_path_before_the_interface_is_kept(self) -> None:
        models = {"data": [{"id": "behind"}]}
        routes = {"/llm/v1/models": lambda exchange: exchange.send_document(models)}
        with serving(routes=routes) as server:
            assert OpenAIServerEngine(f"{server.url}/llm/v1/").name == "behind"


class TestTokens:
    def test_llama_server_and_vllm_count(self) -> None:
        def tokenize(exchange: Exchange) -> None:
            exchange.send_document({"tokens": exchange.document["content"].split()})

        with serving(routes={"/tokenize": tokenize}) as server:
            engine = engine_for(server)
            assert engine.counts_exactly
            assert engine.count_many(["one two three", "one"]) == [3, 1]

    def test_llama_cpp_python_counts(self) -> None:
        def count(exchange: Exchange) -> None:
            exchange.send_document({"count": len(exchange.document["input"].split())})

        with serving(routes={"/extras/tokenize/count": count}) as server:
            assert engine_for(server).count_tokens("one two three") == 3

    def test_elsewhere_it_is_estimated_from_above(self, server: ModelServer) -> None:
        engine = engine_for(server)
        asked = len(server.paths)
        assert not engine.counts_exactly
        assert engine.count_tokens("Three plain words") >= 3
        assert engine.count_many(["one", ""]) == [engine.count_tokens("one"), engine.count_tokens("")]
        assert len(server.paths) == asked

    @pytest.mark.parametrize("reply", [{}, [], {"tokens": 5}, {"count": "many"}, None])
    def test_a_count_of_another_shape_is_no_count(self, reply: Any) -> None:
        routes = dict.fromkeys(("/tokenize", "/extras/tokenize/count"), lambda exchange: exchange.send_document(reply))
        with serving(routes=routes) as server:
            assert not engine_for(server).counts_exactly

    def test_the_context_is_what_the_server_tells(self, server: ModelServer) -> None:
        assert engine_for(server).context_length == 4096
        server.routes["/props"] = lambda exchange: exchange.send_document(
            {"default_generation_settings": {"n_ctx": 8192}}
        )
        assert engine_for(server).context_length == 8192
        server.models = [{"id": "fake", "max_model_len": 32768}]
        assert engine_for(server).context_length == 32768

    def test_a_server_that_is_busy_for_a_moment_is_asked_again(self, server: ModelServer) -> None:
        told = {"/props": {"default_generation_settings": {"n_ctx": 8192}}, "/tokenize": {"tokens": ["a", "b"]}}

        def busy_at_first(exchange: Exchange) -> None:
            is_first = server.paths.count(exchange.path) == 1
            exchange.send_document({} if is_first else told[exchange.path], 503 if is_first else 200)

        server.routes |= dict.fromkeys(told, busy_at_first)
        engine = engine_for(server)
        assert (engine.context_length, engine.counts_exactly) == (8192, True)

    def test_a_prompt_that_does_not_fit_is_an_error_with_a_way_out(self, server: ModelServer) -> None:
        server.models = [{"id": "fake", "max_model_len": 100}]
        server.routes["/tokenize"] = lambda exchange: exchange.send_document(
            {"tokens": exchange.document["content"].split()}
        )
        engine = engine_for(server)
        with pytest.raises(SettingsError, match=r"reads at most 100.*budget_tokens \(--budget\)"):
            read(engine.stream(request("word " * 90)))
        outcomes = list(engine.generate([request("word " * 90), request("word " * 20)]))
        assert {outcome.number: type(outcome.error) for outcome in outcomes} == {0: SettingsError, 1: type(None)}
