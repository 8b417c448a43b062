#!/usr/bin/env python3
"""How work spreads over model servers, and what a dead one costs.

    .venv/bin/python scripts/bench/servers.py [--requests 60] [--seconds 0.5]

The servers are stand-ins on this machine that sleep before they answer, since two models on the same cores would only share them.
They show how the requests are spread, and not how fast a model is. Prints for one server, for two equal ones, for one with a second
that takes twice as long, and for two of which one dies in the middle: wall time, requests a second, and requests of each server.
"""

from __future__ import annotations

import argparse
import sys
import time
from contextlib import ExitStack
from functools import partial
from pathlib import Path

TESTS = Path(__file__).parents[2] / "tests"
sys.path.insert(0, str(TESTS))

from helpers.model_server import Answer, Exchange, ModelServer, serving  # noqa: E402

from noderag_local.models.llm.engine import Message, Request, Role  # noqa: E402
from noderag_local.models.llm.server.openai_server import OpenAIServerEngine  # noqa: E402
from noderag_local.models.llm.server.server_pool import ServerPool  # noqa: E402

PLACES = 4


def answer_after(seconds: float, dies_after: float = float("inf")) -> Answer:
    started = time.monotonic()

    def answer(exchange: Exchange) -> None:
        time.sleep(seconds)
        if time.monotonic() - started > dies_after:
            exchange.send_document({"error": {"message": "dead"}}, 500)
        else:
            exchange.say(exchange.document["messages"][-1]["content"])

    return answer


def measured(name: str, answers: list[Answer], count: int) -> None:
    with ExitStack() as stack:
        sites: list[ModelServer] = [stack.enter_context(serving(answer=answer)) for answer in answers]
        engine = ServerPool([partial(OpenAIServerEngine, site.url, concurrency=PLACES) for site in sites], PLACES)
        requests = [Request((Message(Role.USER, f"number {n}"),), 10) for n in range(count)]
        started = time.perf_counter()
        outcomes = sorted(engine.generate(requests), key=lambda one: one.number)
        elapsed = time.perf_counter() - started
        engine.close()
        right = sum(one.text == f"number {one.number}" for one in outcomes)
        shares = " + ".join(str(len(site.asked)) for site in sites)
    print(f"{name:30} {elapsed:6.2f} s {count / elapsed:6.1f} a second, {right} of {count} right, asked {shares}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=60)
    parser.add_argument("--seconds", type=float, default=0.5, help="seconds that a server takes to answer")
    given = parser.parse_args()
    seconds, count = given.seconds, given.requests
    measured("one", [answer_after(seconds)], count)
    measured("two", [answer_after(seconds), answer_after(seconds)], count)
    measured("one, and one half as fast", [answer_after(seconds), answer_after(2 * seconds)], count)
    measured("two, one dies in the middle", [answer_after(seconds), answer_after(seconds, 2 * seconds)], count)


if __name__ == "__main__":
    main()
