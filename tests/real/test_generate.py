"""Many requests at once with a real model: each text as if alone, and what goes wrong with one stays with it."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from real.slow_constraints import Characters, Nothing, OneOf

from noderag_local.domain.errors import ModelError, SettingsError, SourceError
from noderag_local.models.llm.engine import Finish, Message, Outcome, Request, Role
from noderag_local.models.llm.llamacpp.llama import LlamaEngine

SYSTEM = Message(Role.SYSTEM, "You answer in a few words. " + "Be brief, be kind, be exact. " * 8)
OTHER_SYSTEM = Message(Role.SYSTEM, "You are a parrot and say what you hear. " * 6)
STORY = " ".join(f"In the year {1500 + n} the village counted {40 + n * 3} houses and {n} wells." for n in range(60))


def request(
    text: str, max_tokens: int = 8, system: Message = SYSTEM, constraint: Callable[[], Characters | OneOf] | None = None
) -> Request:
    return Request((system, Message(Role.USER, text)), max_tokens, constraint=constraint)


def mixed(count: int) -> list[Request]:
    """Requests of many lengths, some with constraints, some with another prefix."""
    requests = []
    for n in range(count):
        question = f"{STORY[: 40 * (n % 5)]} What comes after {n}?"
        system = OTHER_SYSTEM if n % 7 == 3 else SYSTEM
        constraint = (lambda: Characters("[a-z ]", 30)) if n % 3 == 1 else None
        requests.append(request(question, 4 + n % 9, system, constraint))
    return requests


def outcomes(engine: LlamaEngine, requests: list[Request]) -> dict[int, Outcome]:
    found = {outcome.number: outcome for outcome in engine.generate(requests)}
    assert sorted(found) == list(range(len(requests)))
    return found


def texts(engine: LlamaEngine, requests: list[Request]) -> list[str]:
    found = outcomes(engine, requests)
    return [found[number].text for number in range(len(requests))]


def test_a_text_does_not_depend_on_its_company_or_its_place(engine: LlamaEngine) -> None:
    requests = mixed(14)
    together = texts(engine, requests)
    order = random.Random(5).sample(range(14), 14)
    assert texts(engine, [requests[n] for n in order]) == [together[n] for n in order]
    for alone in (4, 10):
        assert texts(engine, [requests[alone]]) == [together[alone]]


def test_the_prefix_is_read_once_for_all_that_share_it(engine: LlamaEngine) -> None:
    found = outcomes(engine, [request(f"Say {n}.", 2, Message(Role.SYSTEM, STORY[:300])) for n in range(5)])
    reused = [outcome.completion.reused_tokens for _, outcome in sorted(found.items()) if outcome.completion]
    assert reused[0] == 0
    assert min(reused[1:]) >= engine.count_tokens(STORY[:300])


def test_requests_are_taken_when_there_is_room(engine: LlamaEngine) -> None:
    taken = []

    def requests() -> Iterator[Request]:
        for n in range(24):
            taken.append(n)
            yield request(f"Count on from {n}.", 1 + n % 2)

    ended = 0
    for _ in engine.generate(requests()):
        ended += 1
        assert len(taken) <= ended + 16
    assert ended == 24


def test_constraints_bind_and_forced_bytes_cost_no_question(engine: LlamaEngine) -> None:
    found = texts(
        engine,
        [
            request("What is the capital of France?", 20, constraint=lambda: OneOf("Berlin is it.", "Bern is not it.")),
            request(
                "What is the capital of France?", 20, constraint=lambda: OneOf("exactly these words, naïve €5 東京")
            ),
            request("What is the capital of France?", 20, constraint=lambda: Characters("[0-9]", 3)),
            request("What is the capital of France?", 20),
        ],
    )
    assert found[0] in ("Berlin is it.", "Bern is not it.")
    assert found[1] == "exactly these words, naïve €5 東京"
    assert found[2].isdigit() and len(found[2]) <= 3
    assert "Paris" in found[3]


def test_a_stream_keeps_to_its_constraint_too(engine: LlamaEngine) -> None:
    asked = request("What is the capital of France?", 20, constraint=lambda: OneOf("Berlin, that is.", "Bern, I say."))
    assert "".join(engine.stream(asked)) in ("Berlin, that is.", "Bern, I say.")


def test_a_stream_reads_a_long_forced_text(engine: LlamaEngine) -> None:
    told = " ".join(f"{n} and" for n in range(200))
    stream = engine.stream(request("Hello?", 900, constraint=lambda: OneOf(told, f"{told} more")))
    assert "".join(stream) in (told, f"{told} more")
    assert stream.result.generated_tokens > 512


def test_a_dead_end_ends_the_text(engine: LlamaEngine) -> None:
    found = outcomes(engine, [request("Hello?", constraint=Nothing)])[0]
    assert found.error is None and found.completion is not None
    assert (found.text, found.completion.finish) == ("", Finish.LENGTH)


def test_lengths_stop_strings_and_repetition_are_each_text_s_own(engine: LlamaEngine) -> None:
    repeat = request("Say something.", 200, constraint=lambda: OneOf("ha, " * 150))
    found = outcomes(
        engine,
        [
            request("Count from one to fifty in words.", 5),
            Request((SYSTEM, Message(Role.USER, "Write: alpha, beta, gamma, delta")), 30, ("beta",)),
            request("Nothing at all.", 0),
            repeat,
        ],
    )
    finishes = [found[n].completion.finish for n in range(4) if found[n].completion]  # type: ignore[union-attr]
    assert finishes == [Finish.LENGTH, Finish.STOP, Finish.LENGTH, Finish.REPETITION]
    assert "beta" not in found[1].text
    assert found[2].text == ""


class Broken(Characters):
    """Fails after a character or two, as a constraint with a bug does."""

    def accept(self, piece: bytes) -> None:
        super().accept(piece)
        if self._length > 1:
            raise KeyError("lost")


def test_what_fails_fails_alone(engine: LlamaEngine) -> None:
    def unmade() -> Characters:
        raise SourceError("its chunk is gone")

    requests = [
        request("Name a colour.", constraint=lambda: Broken("[a-z ]", 60)),
        request("Name a colour."),
        request("x " * engine.context_length),
        request("Name an animal.", constraint=unmade),
        request("Name an animal."),
    ]
    alone = [texts(engine, [requests[n]])[0] for n in (1, 4)]
    found = outcomes(engine, requests)
    assert [type(found[n].error) for n in range(5)] == [ModelError, type(None), SettingsError, SourceError, type(None)]
    assert "KeyError" in str(found[0].error)
    assert [found[1].text, found[4].text] == alone


def test_what_the_requests_raise_comes_out_and_the_engine_goes_on(engine: LlamaEngine) -> None:
    def requests() -> Iterator[Request]:
        yield request("Name a colour.", 30)
        raise LookupError("no more")

    with pytest.raises(LookupError):
        list(engine.generate(requests()))
    assert texts(engine, [request("Name a colour.")])[0]


def test_a_longer_text_makes_room_for_itself(model_file: Path) -> None:
    opened = LlamaEngine(model_file, sequences=8, sequence_tokens=256)
    long = request(f"{STORY[:1100]} How many wells were there in 1510?", 6)
    assert opened.count_tokens(STORY[:1100]) > 256
    short = [request(f"Say {n}.", 4) for n in range(3)]
    before = texts(opened, short)
    found = texts(opened, [short[0], long, *short[1:]])
    opened.close()
    assert [found[0], *found[2:]] == before
    assert found[1]


def test_cancelled_in_a_prompt_it_stops_at_once(engine: LlamaEngine) -> None:
    texts(engine, [request("Say yes.", 1)])
    started = time.perf_counter()
    outcomes = engine.generate([request(STORY[:2500], 8)] * 3, lambda: time.perf_counter() - started > 0.3)
    assert list(outcomes) == []
    assert "Paris" in texts(engine, [request("What is the capital of France?")])[0]


def test_closing_the_iterator_drops_what_runs(engine: LlamaEngine) -> None:
    running = engine.generate([request("Say yes.", 1), request("Count from one to fifty in words.", 400)])
    assert next(running).number == 0
    with pytest.raises(RuntimeError, match="only one `generate` can run at a time"):
        next(engine.generate([request("Say no.")]))
    running.close()  # type: ignore[attr-defined]
    assert texts(engine, [request("Say yes.", 1)])[0]


def test_a_person_s_question_goes_first_and_changes_nothing(engine: LlamaEngine) -> None:
    requests = mixed(12)
    undisturbed = texts(engine, requests)
    question = request("What is the capital of France?", 8)
    alone = "".join(engine.stream(question))
    answers: list[str] = []
    answered_before_the_work: list[bool] = []
    work_done = threading.Event()

    def ask() -> None:
        for _ in range(3):
            time.sleep(0.25)
            answers.append("".join(engine.stream(question)))
            answered_before_the_work.append(not work_done.is_set())

    person = threading.Thread(target=ask)
    person.start()
    disturbed = texts(engine, requests)
    work_done.set()
    person.join()
    assert disturbed == undisturbed
    assert answers == [alone] * 3
    assert answered_before_the_work[0]


def test_closing_the_engine_ends_what_runs(model_file: Path) -> None:
    opened = LlamaEngine(model_file, sequence_tokens=512)
    running = opened.generate([request("Say yes.", 1), request("Count from one to fifty in words.", 400)])
    next(running)
    opened.close()
    with pytest.raises(ModelError, match="closed"):
        list(running)
    with pytest.raises(ModelError, match="closed"):
        list(opened.generate([request("Hello?")]))


def test_the_identity_names_the_model_and_its_content(engine: LlamaEngine) -> None:
    assert engine.identity.startswith(f"{engine.name} ")
    assert len(engine.identity) == len(engine.name) + 17
