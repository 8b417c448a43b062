#!/usr/bin/env python3
"""How soon the first word of an answer comes, against the time that the model needs to read the context.

    .venv/bin/python scripts/bench/first_word.py VAULT QUESTIONS.json [--limit 10] [--budgets 1000 2000] [--ahead]

QUESTIONS is a list of {"question"}. They are asked as the interface asks them, one conversation, from the search to the
first piece of text that is handed to the screen, after the instructions were read as they are while the first question is
being written. The model's own prompt rate is measured before and after each budget on a text as long as the context: reading
slows down as a text grows. Prints for each question its context, what was read and what was still known, and the ratio
  first word / (1.15 x context tokens / prompt rate + 0.3 s)
which should not be above 1. With --ahead, every question is asked once more after the model has read its passages ahead, as it
does while a person pauses before enter, and the median of the ratios of the two times is printed. Nothing else should be running.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from engine import read_rate

from noderag_local.config import load_settings
from noderag_local.domain.passages import EVERYTHING
from noderag_local.generation.answer_prompt import prime
from noderag_local.interfaces.tui.shell.session import Session
from noderag_local.models.llm.engine import never

if TYPE_CHECKING:
    from noderag_local.domain.passages import Retrieval
    from noderag_local.models.llm.engine import Completion
    from noderag_local.vault.ask import AskProgress


async def asked(session: Session, question: str, budget: int) -> tuple[float, Retrieval, Completion]:
    """Seconds to the first word, what was found, and what the answer cost."""

    async def heard(_: AskProgress | str) -> None:
        """Nothing is shown."""

    answer = await session.ask(
        lambda vault, progress: vault.ask(question, budget_tokens=budget, progress=progress), heard
    )
    assert answer.completion is not None
    return answer.first_piece_seconds or answer.elapsed_seconds, answer.retrieval, answer.completion


async def asked_after_a_pause(session: Session, question: str, budget: int) -> float:
    """Seconds to the first word, where the passages were read ahead."""
    await session.read_ahead(question, method="", budget_tokens=budget, scope=EVERYTHING, unwanted=never)
    return (await asked(session, question, budget))[0]


async def measure(session: Session, questions: list[str], budget: int, *, ahead: bool) -> None:
    engine = await session.read(lambda _: session.model.engine())
    if engine is None:
        sys.exit("no language model is installed: noderag models get")
    text = (await session.read(lambda vault: vault.search(questions[0], budget_tokens=budget + 500))).context
    rates = [read_rate(engine, text, budget)]
    prime(engine, budget + session.settings.answer_tokens)
    times = [await asked(session, question, budget) for question in questions]
    rates.append(read_rate(engine, text, budget))
    rate = sum(rates) / 2
    print(f"{budget:,} tokens; prompt rate {rates[0]:.1f} before and {rates[1]:.1f} after")
    ratios = []
    for seconds, found, cost in times:
        allowed = 1.15 * found.tokens / rate + 0.3
        ratios.append(seconds / allowed)
        print(
            f"  first word {seconds:5.1f} s of {allowed:5.1f} allowed: {seconds / allowed:.2f}; context {found.tokens} tokens, "
            f"read {cost.prompt_tokens - cost.reused_tokens}, still known {cost.reused_tokens}"
        )
    print(f"  median ratio {median(ratios):.2f}, worst {max(ratios):.2f}", flush=True)
    if ahead:
        paused = [await asked_after_a_pause(session, question, budget) for question in questions]
        shares = [then / seconds for then, (seconds, *_) in zip(paused, times, strict=True)]
        print(
            f"  read ahead: first word after {median(paused):.2f} s instead of {median(one for one, *_ in times):.2f} s (medians); "
            f"median ratio {median(shares):.2f}, worst {max(shares):.2f}",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vault", type=Path)
    parser.add_argument("questions", type=Path)
    parser.add_argument("--limit", type=int, default=10)
    parser.add_argument("--budgets", type=int, nargs="+", default=[1000, 2000])
    parser.add_argument("--ahead", action="store_true")
    arguments = parser.parse_args()
    questions = [item["question"] for item in json.loads(arguments.questions.read_text(encoding="utf-8"))]
    session = Session(load_settings(vault=arguments.vault))
    for budget in arguments.budgets:
        asyncio.run(measure(session, questions[: arguments.limit], budget, ahead=arguments.ahead))
    session.close()


if __name__ == "__main__":
    main()
