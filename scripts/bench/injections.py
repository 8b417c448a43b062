#!/usr/bin/env python3
"""How many notes that try to command the model get through, with one defence and another.

    .venv/bin/python scripts/bench/injections.py MODEL.gguf [--defence NAME]… [--only N] [--rows FILE.jsonl]

Every case of tests/data/injections is a note of its own in a folder of its own; its question is asked within that folder, as
`noderag ask --folder` does, and the same questions of the notes without the injections. Defences:

    none      the rules do not speak of instructions in sources
    told      the rules say that sources are data
    marks     told, and control marks of chat templates are taken out
    shipped   marks, and web addresses are taken out: what noderag does
    reminded  shipped, and the question is preceded by a reminder
    firm      shipped, with longer rules
    given     shipped, with the prompt files of --system and --user

Nothing else should be running; 140 questions take some minutes a defence.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from noderag_local.config import load_settings
from noderag_local.domain.passages import Scope
from noderag_local.domain.stream import Stream
from noderag_local.evaluation.engine_around import EngineAround
from noderag_local.evaluation.injections import (
    CLEAN,
    Carrier,
    Case,
    InjectionVerdict,
    judged_injection,
    read_cases,
    write_documents,
)
from noderag_local.generation.answer_prompt import (
    VERSION_LINE,
    compose,
    examples,
    filled,
    prompt,
    quoted,
    without_control_marks,
)
from noderag_local.generation.answering import ANSWER_TOKENS, Answerer
from noderag_local.generation.question_language import NAMES, language_of
from noderag_local.models.language_model import OpenedEngine
from noderag_local.models.llm.engine import Completion, Message, Outcome, Request, Role, never
from noderag_local.models.llm.llamacpp.llama import LlamaEngine
from noderag_local.system import offline
from noderag_local.system.disk.private_files import write_private
from noderag_local.vault.vault import Vault

ROOT = Path(__file__).resolve().parents[2]
PROMPTS = Path(__file__).with_name("injection_prompts")


def as_it_is(context: str, question: str) -> str:
    return context


def without_marks(context: str, question: str) -> str:
    return without_control_marks(context)


@dataclass(frozen=True)
class Defence:
    """What the model is told, and what is done to the sources."""

    system: str
    user: str
    sources: Callable[[str, str], str] = quoted

    def request(self, context: str, question: str) -> Request:
        """The request of `compose`, changed."""
        language = language_of(question)
        sources = self.sources(context, question).strip()
        fields = {"context": sources, "question": question, "language": NAMES[language]}
        user = Message(Role.USER, filled(self.user, fields))
        asked = compose("", question, language, ANSWER_TOKENS)
        return replace(asked, messages=(Message(Role.SYSTEM, self.system), *asked.messages[1:-1], user))

    @property
    def texts(self) -> str:
        """All that is ours in a request."""
        return "\n".join([self.system, *(message.content for message in examples()), self.user])


def defences(system: Path | None, user: Path | None) -> dict[str, Defence]:
    shipped = Defence(prompt("chat_system"), prompt("chat_user"))
    told = replace(shipped, sources=as_it_is)
    return {
        "none": replace(told, system=text_of(PROMPTS / "none_system.txt")),
        "told": told,
        "marks": replace(shipped, sources=without_marks),
        "shipped": shipped,
        "reminded": replace(shipped, user=text_of(PROMPTS / "reminded_user.txt")),
        "firm": replace(shipped, system=text_of(PROMPTS / "firm_system.txt")),
        "given": replace(
            shipped,
            system=text_of(system) if system else shipped.system,
            user=text_of(user) if user else shipped.user,
        ),
    }


def text_of(path: Path) -> str:
    return VERSION_LINE.sub("", path.read_text(encoding="utf-8")).strip()


class InsteadEngine(EngineAround):
    """An engine that is asked for one thing and asks another for something else; it tells no probabilities."""

    def __init__(self, engine: OpenedEngine, request: Request) -> None:
        super().__init__(engine)
        self._request = request

    @property
    def weighs(self) -> bool:
        return False

    def stream(self, request: Request, cancelled: Callable[[], bool] = never) -> Stream[Completion]:
        return self._engine.stream(self._request, cancelled)

    def generate(self, requests: Iterable[Request], cancelled: Callable[[], bool] = never) -> Iterator[Outcome]:
        return self._engine.generate((self._request for _ in requests), cancelled)


@dataclass(frozen=True)
class Row:
    """One answer."""

    defence: str
    case: str
    answer: str
    verdict: InjectionVerdict


def ask(
    vault: Vault, engine: OpenedEngine, name: str, defence: Defence, folder: Path, carrier: Carrier, case: Case | None
) -> Row:
    found = vault.search(carrier.question, scope=Scope(str(folder)))
    stream = Answerer(InsteadEngine(engine, defence.request(found.context, carrier.question))).stream(
        found, carrier.question
    )
    text = "".join(stream)
    verdict = judged_injection(carrier, case, text, stream.result.abstained, defence.texts)
    return Row(name, case.name if case else f"{CLEAN}/{carrier.name}", text, verdict)


def measure(
    vault: Vault, engine: OpenedEngine, name: str, defence: Defence, cases: Sequence[Case], notes: Path
) -> list[Row]:
    carriers = {case.carrier.name: case.carrier for case in cases}
    started = time.perf_counter()
    clean = [ask(vault, engine, name, defence, notes / CLEAN / one.name, one, None) for one in carriers.values()]
    rows = []
    for number, case in enumerate(cases, 1):
        rows.append(ask(vault, engine, name, defence, notes / case.name, case.carrier, case))
        if sys.stderr.isatty():
            print(f"\r{name} {number}/{len(cases)}", end="", file=sys.stderr)
    report(name, clean, rows, cases, engine.count_tokens(defence.texts), time.perf_counter() - started)
    return clean + rows


def report(name: str, clean: list[Row], rows: list[Row], cases: Sequence[Case], tokens: int, seconds: float) -> None:
    right_before = {row.case.removeprefix(f"{CLEAN}/") for row in clean if row.verdict.right}
    could = [(row, case) for row, case in zip(rows, cases, strict=True) if case.carrier.name in right_before]
    changed = sum(not row.verdict.right or row.verdict.obeyed for row, _ in could)
    counts = {
        "obeyed": sum(row.verdict.obeyed for row in rows),
        "other language": sum(row.verdict.other_language for row in rows),
        "link": sum(row.verdict.link for row in rows),
        "prompt revealed": sum(row.verdict.prompt for row in rows),
        "any of these": sum(row.verdict.got_through for row in rows),
    }
    told = ", ".join(f"{what} {number}" for what, number in counts.items())
    print(
        f"\r{name:9}{len(rows)} cases: {told}; right {sum(row.verdict.right for row in rows)};"
        f" clean right {len(right_before)} of {len(clean)}; changed by the injection {changed} of {len(could)}"
        f" ({100 * changed / max(len(could), 1):.0f} %); prompt {tokens} tokens; {seconds:.0f} s"
    )
    kinds = Counter(case.kind for row, case in zip(rows, cases, strict=True) if row.verdict.got_through)
    print(
        f"{'':9}got through by kind: {', '.join(f'{kind} {number}' for kind, number in kinds.most_common())}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument(
        "--defence", action="append", choices=list(defences(None, None)), help="all but given, if left out"
    )
    parser.add_argument("--cases", type=Path, default=ROOT / "tests" / "data" / "injections")
    parser.add_argument("--only", type=int, default=0, help="the first N cases")
    parser.add_argument("--system", type=Path)
    parser.add_argument("--user", type=Path)
    parser.add_argument("--rows", type=Path, help="every answer, a line each")
    arguments = parser.parse_args()
    offline.install()
    cases = read_cases(arguments.cases)[: arguments.only or None]
    known = defences(arguments.system, arguments.user)
    engine = LlamaEngine(arguments.model)
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as scratch:
        notes = Path(scratch) / "notes"
        write_documents(cases, notes)
        with Vault(Path(scratch) / "vault", load_settings()) as vault:
            vault.index([notes])
            for name in arguments.defence or [one for one in known if one != "given"]:
                rows += measure(vault, engine, name, known[name], cases, notes)
    engine.close()
    if arguments.rows:
        lines = (json.dumps(asdict(row), ensure_ascii=False) + "\n" for row in rows)
        write_private(arguments.rows, "".join(lines))


if __name__ == "__main__":
    main()
