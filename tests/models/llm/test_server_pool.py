"""Several servers of one model: the work is spread by their speed, and a bad one is left out until it is well."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any

import pytest
from helpers.model_server import Answer, Exchange, ModelServer, serving

from noderag_local.config import load_settings
from noderag_local.domain.errors import ModelError, SettingsError
from noderag_local.interfaces.cli.machine.doctor_checks import model_servers
from noderag_local.models.llm.engine import Engine, Finish, Message, Request, Role
from noderag_local.models.llm.server.openai_server import OpenAIServerEngine
from noderag_local.models.llm.server.opening import server_addresses, server_engine
from noderag_local.models.llm.server.server_faults import ServerUnreachable
from noderag_local.models.llm.server.server_pool import ServerPool

PLACES = 2


def echo(exchange: Exchange) -> None:
    exchange.say(exchange.document["messages"][-1]["content"])


def slow(seconds: float) -> Answer:
    def answer(exchange: Exchange) -> None:
        time.sleep(seconds)
        echo(exchange)

    return answer


def fails(exchange: Exchange) -> None:
    exchange.send_document({"error": {"message": "out of memory"}}, 500)


def hangs(exchange: Exchange) -> None:
    exchange.begin()
    exchange.hang()


def dies_half_way(exchange: Exchange) -> None:
    exchange.begin()
    exchange.piece("Half")


@pytest.fixture
def servers() -> Iterator[list[ModelServer]]:
    with ExitStack() as stack:
        yield [stack.enter_context(serving(answer=echo)) for _ in range(2)]


@contextmanager
def pool(
    *urls: str, timeout_seconds: float = 60.0, patience_seconds: float = 0.3, hasty_seconds: float = 60.0
) -> Iterator[ServerPool]:
    opening = [
        partial(OpenAIServerEngine, url, concurrency=PLACES, timeout_seconds=timeout_seconds, start_seconds=60)
        for url in urls
    ]
    engine = ServerPool(opening, PLACES, rests=(0.02,), patience_seconds=patience_seconds, hasty_seconds=hasty_seconds)
    yield engine
    engine.close()


def request(text: str, beginning: str = "Be brief.") -> Request:
    return Request((Message(Role.SYSTEM, beginning), Message(Role.USER, text)), 50)


def texts(engine: Engine, count: int) -> list[str]:
    """Of all outcomes in the order of their requests; an error fails the test."""
    outcomes = sorted(engine.generate([request(f"number {n}") for n in range(count)]), key=lambda one: one.number)
    assert [one.error for one in outcomes] == [None] * count
    return [one.text for one in outcomes]


def wanted(count: int) -> list[str]:
    return [f"number {n}" for n in range(count)]


def test_texts_are_those_of_one_server(servers: list[ModelServer]) -> None:
    with pool(*(one.url for one in servers)) as engine:
        assert texts(engine, 20) == wanted(20)
    assert all(one.asked for one in servers), "both work"
    assert sum(len(one.asked) for one in servers) == 20


def test_a_quicker_server_gets_more(servers: list[ModelServer]) -> None:
    servers[0].answer = slow(0.2)
    with pool(*(one.url for one in servers)) as engine:
        assert texts(engine, 30) == wanted(30)
    assert len(servers[1].asked) > 2 * len(servers[0].asked) > 0


@pytest.mark.parametrize("fault", [fails, dies_half_way])
def test_a_failing_servers_requests_go_to_the_others(servers: list[ModelServer], fault: Answer) -> None:
    servers[0].answer = fault
    with pool(*(one.url for one in servers)) as engine:
        assert texts(engine, 20) == wanted(20)
    assert servers[0].asked, "it was asked"


def test_a_hanging_servers_requests_go_to_the_others(servers: list[ModelServer]) -> None:
    servers[0].answers = [hangs, hangs]
    with pool(*(one.url for one in servers), timeout_seconds=0.5) as engine:
        assert texts(engine, 6) == wanted(6)


def test_a_server_that_died_is_asked_again_when_it_is_back() -> None:
    with serving(answer=echo) as lasting:
        with serving(answer=echo) as dying:
            port = dying.port
        with pool(lasting.url, f"http://127.0.0.1:{port}") as engine:
            assert texts(engine, 4) == wanted(4)
            with serving(port, answer=echo) as back:
                lasting.answer = slow(0.02)
                end = time.monotonic() + 60
                while not back.asked and time.monotonic() < end:
                    assert texts(engine, 8) == wanted(8)
                assert back.asked


def test_one_that_comes_back_gets_one_request_until_it_has_answered(servers: list[ModelServer]) -> None:
    servers[0].answers = [fails, fails, hangs]
    servers[1].answer = slow(0.03)
    stopped = threading.Event()
    with pool(*(one.url for one in servers)) as engine:
        for outcome in engine.generate((request(f"number {n}") for n in range(60)), stopped.is_set):
            if outcome.number == 40:
                stopped.set()
    assert len(servers[0].asked) == 3, "two places failed, one tries it again"


def test_another_model_is_refused(servers: list[ModelServer]) -> None:
    servers[1].models = [{"id": "other", "object": "model"}]
    with pytest.raises(SettingsError, match=r"other served.*start all alike"), pool(*(one.url for one in servers)):
        pass


def test_a_server_that_comes_back_with_another_model_stays_out(servers: list[ModelServer]) -> None:
    servers[0].answers = [fails] * PLACES
    with pool(*(one.url for one in servers)) as engine:
        servers[0].models = [{"id": "other", "object": "model"}]
        asked_before = texts(engine, 20) and len(servers[0].asked)
        end = time.monotonic() + 0.2
        while time.monotonic() < end:
            assert texts(engine, 4) == wanted(4)
        assert len(servers[0].asked) == asked_before <= PLACES


def test_a_server_that_comes_back_with_a_shorter_context_is_told_apart_from_another_model(
    servers: list[ModelServer],
) -> None:
    def props(exchange: Exchange) -> None:
        exchange.send_document({"default_generation_settings": {"n_ctx": 8192}})

    servers[0].routes["/props"] = servers[1].routes["/props"] = props
    with pool(*(one.url for one in servers)) as engine:
        del servers[0].routes["/props"]
        for one in servers:
            one.answer = fails
        servers[1].routes["/v1/models"] = fails
        said, end = "", time.monotonic() + 60
        while "shorter context" not in said and time.monotonic() < end:
            with pytest.raises(ServerUnreachable) as raised:
                list(engine.generate([request("Why?")]))
            said = str(raised.value)
        assert "shorter context" in said


def test_counting_waits_for_a_server_that_comes_back(servers: list[ModelServer]) -> None:
    is_well = threading.Event()
    is_well.set()

    def tokenize(exchange: Exchange) -> None:
        exchange.send_document({"tokens": exchange.document["content"].split()}, 200 if is_well.is_set() else 404)

    for one in servers:
        one.routes["/tokenize"] = tokenize
    with pool(*(one.url for one in servers)) as engine:
        is_well.clear()
        threading.Timer(0.2, is_well.set).start()
        assert engine.count_tokens("one two") == 2


def test_counting_does_not_wait_for_servers_that_come_back_only_to_fail(servers: list[ModelServer]) -> None:
    def tokenize(exchange: Exchange) -> None:
        text = exchange.document["content"]
        exchange.send_document({"tokens": text.split()}, 200 if text == "a b" else 404)

    for one in servers:
        one.routes["/tokenize"] = tokenize
    with pool(*(one.url for one in servers)) as engine:
        with pytest.raises(ServerUnreachable, match="/tokenize"):
            engine.count_tokens("one two")
        assert all(one.paths.count("/tokenize") < 10 for one in servers)


def test_without_any_server_the_work_ends_with_what_the_first_says() -> None:
    with serving(answer=echo) as one, pool(one.url, "http://127.0.0.1:9", patience_seconds=0.1) as engine:
        one.answer = fails
        one.routes["/v1/models"] = fails
        with pytest.raises(ServerUnreachable, match=r"No server of server_url.*could not answer"):
            list(engine.generate([request("Why?")]))
    with pytest.raises(ModelError, match="cannot be reached"), pool("http://127.0.0.1:9", "http://127.0.0.1:10"):
        pass


def test_a_request_that_every_server_refuses_fails_alone(servers: list[ModelServer]) -> None:
    def picky(exchange: Exchange) -> None:
        if exchange.document["messages"][-1]["content"] == "number 1":
            exchange.send_document({"error": {"message": "too long"}}, 400)
        else:
            echo(exchange)

    for one in servers:
        one.answer = picky
    with pool(*(one.url for one in servers)) as engine:
        outcomes = list(engine.generate([request(f"number {n}") for n in range(6)]))
    assert [one.number for one in outcomes if one.error] == [1]


class TestAChat:
    def test_begins_at_another_server_if_the_first_fails(self, servers: list[ModelServer]) -> None:
        servers[0].answer = fails
        with pool(*(one.url for one in servers)) as engine:
            assert "".join(engine.stream(request("Why?"))) == "Why?"

    def test_that_broke_after_its_first_piece_is_an_error(self, servers: list[ModelServer]) -> None:
        for one in servers:
            one.answer = dies_half_way
        with pool(*(one.url for one in servers)) as engine, pytest.raises(ModelError, match="stopped in the middle"):
            list(engine.stream(request("Why?")))

    def test_stays_with_the_server_that_has_read_its_beginning(self, servers: list[ModelServer]) -> None:
        with pool(*(one.url for one in servers)) as engine:
            for beginning in ("A", "B", "A", "A"):
                list(engine.stream(request("Why?", beginning)))
            assert len({one.port for one in servers if "A" in str(one.asked)}) == 1

    def test_can_be_cancelled(self, servers: list[ModelServer]) -> None:
        with pool(*(one.url for one in servers)) as engine:
            assert engine.stream(request("Why?"), lambda: True).finish().finish is Finish.CANCELLED


def test_the_setting_names_addresses_between_blanks(servers: list[ModelServer]) -> None:
    settings = load_settings(server_url=f" {servers[0].url}  {servers[1].url}\n{servers[0].url} ")
    assert server_addresses(settings) == [one.url for one in servers]
    engine = server_engine(settings)
    assert isinstance(engine, ServerPool)
    engine.close()
    with pytest.raises(SettingsError, match="server_url"):
        server_engine(load_settings(server_url="  "))
    with pytest.raises(SettingsError, match="server_url"):
        server_engine(load_settings(server_url=f"{servers[0].url} 8.8.8.8"))


def test_the_state_of_each_is_told(servers: list[ModelServer]) -> None:
    urls: list[Any] = [servers[0].url, "http://127.0.0.1:9", servers[1].url]
    findings = list(model_servers(load_settings(server_url=" ".join(urls))))
    assert [one.ok for one in findings] == [True, False, True]
    servers[1].models = [{"id": "other", "object": "model"}]
    assert not list(model_servers(load_settings(server_url=f"{urls[0]} {urls[2]}")))[-1].ok
