#!/usr/bin/env python3
"""Decomposition of chunks against the paper's prompt, one call a chunk, same model, same chunks, in the same run.

    .venv/bin/python scripts/bench/decomposition.py MODEL.gguf VAULT PROMPT.txt [--chunks 16] [--calls 4] [--tokens 300]

VAULT is a vault that was indexed. PROMPT.txt is a decomposition prompt with {text} where the chunk goes, the one of NodeRAG's
appendix E ("Text Decomposition Prompt", both parts), say; a call ends at its own end or after 1,500 tokens. The chunks are those
nearest to --tokens tokens; the prompt gets the first --calls of them. Nothing else should be running.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import time
from pathlib import Path

from noderag_local.extraction.statements.numbered_text import NumberedText
from noderag_local.extraction.statements.semantic_units import Decomposition
from noderag_local.extraction.statements.statement_lines import parse
from noderag_local.models.llm.llamacpp.llama import LlamaEngine
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.texts import TextRows, label_of

MOST_TOKENS = 1500
UNQUOTED = re.compile(r"(semantic_unit|entities|relationships):")


def chosen(store: Store, engine: LlamaEngine, wanted: int, tokens: int) -> list[int]:
    """Chunks of about so many tokens, nearest first, ties by id."""
    rows = store.rows("SELECT id, text FROM chunks ORDER BY id")
    counts = engine.count_many([text for _, text in rows])
    order = sorted(range(len(rows)), key=lambda at: (abs(counts[at] - tokens), rows[at][0]))
    return [rows[at][0] for at in order[:wanted]]


def ours(store: Store, engine: LlamaEngine, chunks: list[int]) -> float:
    """Prints what `Decomposition` costs and gives; seconds a chunk."""
    stage = Decomposition()
    texts = []
    for chunk in chunks:
        read = TextRows(store).chunk_text(chunk)
        texts.append(NumberedText.of(label_of(read.title, read.headings), read.sentences))
    first = stage.request(store, chunks[0])
    assert first is not None
    list(engine.generate([first]))  # the instructions are read, the caches made
    started = time.perf_counter()
    outcomes = list(engine.generate(request for chunk in chunks if (request := stage.request(store, chunk))))
    seconds = (time.perf_counter() - started) / len(chunks)
    parsed = [parse(outcome.text, texts[outcome.number]) for outcome in outcomes]
    sources = [" ".join((text.title, *text.sentences)).casefold() for text in texts]
    invented = sum(
        name.casefold() not in sources[outcome.number]
        for outcome, found in zip(outcomes, parsed, strict=True)
        for statement in found.statements
        for name in (statement.subject, statement.object)
    )
    written = [outcome.completion.generated_tokens for outcome in outcomes if outcome.completion]
    statements, rejected = (
        sum(counts) for counts in zip(*((len(p.statements), p.rejected) for p in parsed), strict=True)
    )
    unread = sum(not found.statements for found in parsed)
    print(
        f"ours    {seconds:6.2f} s a chunk, {statistics.mean(written):.0f} tokens written, {len(chunks)} chunks together; "
        f"{statements} statements, {rejected} lines rejected, {unread} chunks without any, {invented} names not in their chunk",
        flush=True,
    )
    return seconds


def theirs(model: Path, store: Store, chunks: list[int], prompt: str, threads: int) -> float:
    """Prints what the prompt costs and gives; median seconds a chunk."""
    from llama_cpp import Llama

    llama = Llama(str(model), n_ctx=4096, n_threads=threads, n_threads_batch=threads, verbose=False)
    seconds, written, whole = [], [], 0
    for chunk in chunks:
        text = str(store.value("SELECT text FROM chunks WHERE id = ?", (chunk,)))
        started = time.perf_counter()
        answer = llama.create_chat_completion(
            [{"role": "user", "content": prompt.replace("{text}", text)}], max_tokens=MOST_TOKENS, temperature=0.0
        )
        seconds.append(time.perf_counter() - started)
        written.append(answer["usage"]["completion_tokens"])
        whole += _parses(answer["choices"][0]["message"]["content"])
        print(f"        {seconds[-1]:6.1f} s, {written[-1]} tokens written", flush=True)
    median = statistics.median(seconds)
    print(
        f"prompt  {median:6.2f} s a chunk (median), {statistics.mean(written):.0f} tokens written; {whole} of {len(chunks)} parse"
    )
    return median


def _parses(text: str) -> bool:
    """Whether there is a JSON list in it, its keys quoted or not."""
    try:
        return isinstance(json.loads(UNQUOTED.sub(r'"\1":', text[text.index("[") : text.rindex("]") + 1])), list)
    except ValueError:
        return False


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("vault", type=Path)
    parser.add_argument("prompt", type=Path)
    parser.add_argument("--chunks", type=int, default=16)
    parser.add_argument("--calls", type=int, default=4)
    parser.add_argument("--tokens", type=int, default=300)
    arguments = parser.parse_args()
    engine = LlamaEngine(arguments.model)
    with Store.open(arguments.vault, write=False) as store:
        chunks = chosen(store, engine, arguments.chunks, arguments.tokens)
        before = ours(store, engine, chunks)
        threads = engine._threads
        engine.close()
        prompt = arguments.prompt.read_text(encoding="utf-8")
        after = theirs(arguments.model, store, chunks[: arguments.calls], prompt, threads)
    print(f"ours takes 1/{after / before:.1f} of the prompt's time")


if __name__ == "__main__":
    main()
