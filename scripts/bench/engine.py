#!/usr/bin/env python3
"""Many requests at once against one call after another, same model, same prompts, in the same run.

    .venv/bin/python scripts/bench/engine.py MODEL.gguf CORPUS.jsonl [--items 32] [--tokens 96] [--sequences 1 4 8 16 32]
    .venv/bin/python scripts/bench/engine.py MODEL.gguf CORPUS.jsonl --lost 2000

CORPUS is a JSON Lines file of {title, text}. Consecutive texts are joined until they have about 300 tokens; the model is
asked for the facts in them, under one instruction that all requests share. Each way runs in a process of its own:

    prompt    512 tokens read at a time by llama.cpp: the model's own prompt rate
    calls     llama-cpp-python's Llama.create_completion on the same tokens, greedy, one after another, its cache as it comes
    grammar   the same, held to lines of plain text by a grammar, as extraction usually is
    generate  LlamaEngine.generate, for each number of sequences

Useful tokens are those of the texts that were read and those that were written; instruction and template do not count.
With --lost, so many requests each copy a number of their own under a constraint, and every one must come back right.
Nothing else should be running.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from noderag_local.models.llm.engine import Message, Request, Role

if TYPE_CHECKING:
    from noderag_local.models.llm.llamacpp.llama import LlamaEngine

SYSTEM = Message(
    Role.SYSTEM,
    "You take notes. From the text that the user gives you, write the most important facts, one short sentence a line. "
    "Name people, places and works in full. Use only what the text says. Do not comment, do not number the lines.",
)
CHUNK_TOKENS = 300
GRAMMAR = r"""
root ::= line ("\n" line)*
line ::= [^\n*#`|\x00-\x1f]+
"""
LOST_SYSTEM = Message(Role.SYSTEM, "Repeat the number.")


class Copied:
    """Digits, and then the number that was asked for: the model chooses it, and only that one is allowed."""

    def __init__(self, wanted: str) -> None:
        self._left = wanted.encode()

    def allows(self, piece: bytes) -> bool:
        return self._left.startswith(piece)

    def accept(self, piece: bytes) -> None:
        self._left = self._left[len(piece) :]

    def may_end(self) -> bool:
        return not self._left

    def forced(self) -> bytes:
        return b""


def chunks(corpus: Path, count: Callable[[str], int], wanted: int) -> list[str]:
    """Texts of at most 300 tokens, made of whole documents where they are short."""
    made: list[str] = []
    held = ""
    for line in corpus.read_text(encoding="utf-8").splitlines():
        document = json.loads(line)
        text = f"{document['title']}\n{document['text']}"
        if held and count(held) + count(text) > CHUNK_TOKENS:
            made.append(held)
            held = ""
        held = f"{held}\n\n{text}" if held else text
        if len(made) == wanted:
            break
    return made


def requests(texts: list[str], tokens: int) -> Iterator[Request]:
    for text in texts:
        yield Request((SYSTEM, Message(Role.USER, text)), tokens)


def prompt_rate(arguments: argparse.Namespace) -> dict[str, object]:
    from noderag_local.models.llm.llamacpp.llama import LlamaEngine

    engine = LlamaEngine(arguments.model, threads=arguments.threads)
    return {"rate": read_rate(engine, " ".join(chunks(arguments.corpus, engine.count_tokens, 12)))}


def read_rate(engine: LlamaEngine, text: str, length: int = 0) -> float:
    """Tokens that the model reads a second: the median over the parts of a text.

    Args:
        length: tokens of a part, read from an empty cache; 0: as many as are read in one go.
    """
    from noderag_local.models.llm.llamacpp.llama_batch import PIECE_TOKENS, LlamaBatch
    from noderag_local.models.llm.llamacpp.llama_native import StopFlag

    length = length or PIECE_TOKENS
    tokens = engine._vocabulary.tokens(text)
    batch = LlamaBatch(engine._model, 1, length, engine._threads, StopFlag())
    rates = []
    for at in range(0, len(tokens) - length + 1, length):
        batch.begin(0)
        started = time.perf_counter()
        batch.read(0, tokens[at : at + length])
        rates.append(length / (time.perf_counter() - started))
    batch.close()
    return sorted(rates)[len(rates) // 2]


def calls(arguments: argparse.Namespace, grammar: str | None = None) -> dict[str, object]:
    from llama_cpp import Llama, LlamaGrammar

    from noderag_local.models.llm.llamacpp.llama import LlamaEngine

    engine = LlamaEngine(arguments.model, threads=arguments.threads)
    texts = chunks(arguments.corpus, engine.count_tokens, arguments.items)
    prompts = [engine._prompts.prompt(request.messages) for request in requests(texts, arguments.tokens)]
    read = sum(map(engine.count_tokens, texts))
    threads = engine._threads
    engine.close()
    model = Llama(str(arguments.model), n_ctx=1024, n_threads=threads, n_threads_batch=threads, verbose=False)
    written, answers = 0, []
    model.create_completion([*prompts[0].shared, *prompts[0].own], max_tokens=1)
    started = time.perf_counter()
    for prompt in prompts:
        answer = model.create_completion(
            [*prompt.shared, *prompt.own],
            max_tokens=arguments.tokens,
            temperature=0.0,
            repeat_penalty=1.0,
            grammar=LlamaGrammar.from_string(grammar, verbose=False) if grammar else None,
        )
        answers.append(answer["choices"][0]["text"])
        written += answer["usage"]["completion_tokens"]
    return {"seconds": time.perf_counter() - started, "read": read, "written": written, "answers": answers}


def calls_with_grammar(arguments: argparse.Namespace) -> dict[str, object]:
    return calls(arguments, GRAMMAR)


def generate(arguments: argparse.Namespace) -> dict[str, object]:
    from noderag_local.models.llm.llamacpp import llama_batch
    from noderag_local.models.llm.llamacpp.batching import BatchedAnswers
    from noderag_local.models.llm.llamacpp.llama import LlamaEngine
    from noderag_local.models.llm.llamacpp.writing import Writing

    spent = {"asking": 0.0, "steps": 0.0, "rows": 0.0}
    Writing.go_on = _timed(Writing.go_on, spent, "asking")  # type: ignore[method-assign]
    Writing.begin = _timed(Writing.begin, spent, "asking")  # type: ignore[method-assign]
    llama_batch.LlamaBatch.step = _timed(llama_batch.LlamaBatch.step, spent, "steps")  # type: ignore[method-assign]
    sequences = arguments.sequences[0]
    seen: dict[str, int] = {}

    new_batch = BatchedAnswers._new_batch

    def watched(answers: BatchedAnswers, tokens: int) -> llama_batch.LlamaBatch:
        """Remembers the room that a batch was given, which is given back at its end."""
        batch = new_batch(answers, tokens)
        seen.update(sequences=batch.sequences, room=batch.tokens)
        return batch

    BatchedAnswers._new_batch = watched  # type: ignore[method-assign]
    engine = LlamaEngine(arguments.model, threads=arguments.threads, sequences=sequences)
    if arguments.lost:
        return _lost(engine, arguments.lost)
    texts = chunks(arguments.corpus, engine.count_tokens, arguments.items)
    list(engine.generate(requests(texts[:1], 1)))
    spent.update(dict.fromkeys(spent, 0.0))
    started = time.perf_counter()
    found = {outcome.number: outcome for outcome in engine.generate(requests(texts, arguments.tokens))}
    seconds = time.perf_counter() - started
    return {
        "seconds": seconds,
        "read": sum(map(engine.count_tokens, texts)),
        "written": sum(outcome.completion.generated_tokens for outcome in found.values() if outcome.completion),
        "answers": [found[number].text for number in range(len(texts))],
        **seen,
        "cache": (seen["sequences"] + 1) * seen["room"] * engine._model.cache_bytes_per_token(),
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        **spent,
    }


def _timed(method: Callable[..., object], spent: dict[str, float], name: str) -> Callable[..., object]:
    def measured(*arguments: object) -> object:
        started = time.perf_counter()
        try:
            return method(*arguments)
        finally:
            spent[name] += time.perf_counter() - started

    return measured


def _lost(engine: object, wanted: int) -> dict[str, object]:
    from noderag_local.models.llm.llamacpp.llama import LlamaEngine

    assert isinstance(engine, LlamaEngine)
    numbers = [str(7919 * n % 1_000_003) for n in range(wanted)]
    started = time.perf_counter()
    asked = (
        Request((LOST_SYSTEM, Message(Role.USER, number)), 12, constraint=lambda number=number: Copied(number))
        for number in numbers
    )
    found: dict[int, list[str]] = {}
    for outcome in engine.generate(asked):
        found.setdefault(outcome.number, []).append(outcome.text)
    wrong = [n for n, number in enumerate(numbers) if found.get(n) != [number]]
    return {"seconds": time.perf_counter() - started, "wrong": wrong, "came": len(found)}


WAYS = {"prompt": prompt_rate, "calls": calls, "grammar": calls_with_grammar, "generate": generate}


def run(way: str, arguments: argparse.Namespace, *more: str) -> dict[str, object]:
    """One way, in a process of its own."""
    given = ["--items", str(arguments.items), "--tokens", str(arguments.tokens), "--threads", str(arguments.threads)]
    command = [sys.executable, __file__, str(arguments.model), str(arguments.corpus), "--way", way, *given, *more]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    told: dict[str, object] = json.loads(done.stdout)
    return told


def report(arguments: argparse.Namespace) -> None:
    rate = float(run("prompt", arguments)["rate"])  # type: ignore[arg-type]
    print(f"prompt      {rate:6.1f} tokens a second", flush=True)
    before = run("calls", arguments)
    _line("calls", before, rate)
    held = run("grammar", arguments)
    _line("grammar", held, rate)
    for sequences in arguments.sequences:
        ours = run("generate", arguments, "--sequences", str(sequences))
        _line(f"{ours['sequences']:2} together", ours, rate)
        pairs = list(zip(before["answers"], ours["answers"], strict=True))  # type: ignore[call-overload]
        same = sum(a.strip() == b.strip() for a, b in pairs)
        ratio, held_ratio = (useful(ours) / useful(other) for other in (before, held))
        asking, steps = (float(ours[key]) / float(ours["seconds"]) for key in ("asking", "steps"))  # type: ignore[arg-type]
        print(
            f"            {ratio:.2f} x calls, {held_ratio:.2f} x grammar; {asking:.1%} sampling, {steps:.0%} steps; {same} of {len(pairs)} texts "
            f"equal; {ours['room']} tokens each, caches {int(ours['cache']) >> 20} MB, peak {int(ours['peak']) >> 20} MB",  # type: ignore[call-overload]
            flush=True,
        )


def useful(told: dict[str, object]) -> float:
    """Tokens a second."""
    read, written, seconds = (float(told[key]) for key in ("read", "written", "seconds"))  # type: ignore[arg-type]
    return (read + written) / seconds


def _line(name: str, told: dict[str, object], rate: float) -> None:
    read, written, seconds = (float(told[key]) for key in ("read", "written", "seconds"))  # type: ignore[arg-type]
    print(
        f"{name:11} {useful(told):6.1f} useful tokens a second = {useful(told) / rate:.0%} of the prompt rate "
        f"({read:.0f} read, {written:.0f} written, {seconds:.1f} s)",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--items", type=int, default=32)
    parser.add_argument("--tokens", type=int, default=96)
    parser.add_argument("--sequences", type=int, nargs="+", default=[16, 32])
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--lost", type=int, default=0)
    parser.add_argument("--way", choices=WAYS, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.lost and not arguments.way:
        arguments.way = "generate"
        told = generate(arguments)
        print(f"{told['came']} of {arguments.lost} came back, wrong: {told['wrong']}, {told['seconds']:.1f} s")
        sys.exit(bool(told["wrong"]))
    if arguments.way:
        print(json.dumps(WAYS[arguments.way](arguments)))
        return
    report(arguments)


if __name__ == "__main__":
    main()
