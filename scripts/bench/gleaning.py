#!/usr/bin/env python3
"""What gleaning adds: facts of each round, with their tokens and seconds, and the new facts to read.

    .venv/bin/python scripts/bench/gleaning.py MODEL.gguf VAULT [--chunks 16] [--rounds 2] [--show]

VAULT is an indexed vault; it is left as it is. The chunks are the most central ones, as `noderag enrich` takes them. An entity is
new if no fact of an earlier round, and no rule, names it in its chunk. With --show, every new fact stands with its sentence, so
that a person can judge whether it is right. Nothing else should be running.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass, field
from pathlib import Path

from noderag_local.domain.graph import EdgeType
from noderag_local.extraction.statements.semantic_units import Decomposition, central_first, numbered_chunk
from noderag_local.extraction.statements.statement_lines import Statement, parse
from noderag_local.models.llm.engine import Outcome
from noderag_local.models.llm.llamacpp.llama import LlamaEngine
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.texts import TextRows
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.text.identity import entity_key


@dataclass
class Read:
    """A chunk with the answers about it."""

    node: int
    entities: set[str]
    """Keys of the entities that are known."""
    texts: list[str] = field(default_factory=list)
    facts: list[Statement] = field(default_factory=list)


@dataclass
class Round:
    """Totals of one round over all chunks."""

    asked: int = 0
    lines: int = 0
    facts: int = 0
    entities: int = 0
    read_tokens: int = 0
    written_tokens: int = 0
    seconds: float = 0.0


def known_entities(store: Store, node: int) -> set[str]:
    """Keys of the entities that rules found in a chunk."""
    graph = GraphRows(store)
    found = graph.targets_of((EdgeType.MENTION,), TextRows(store).chunk_text(node).sentence_ids)
    return {entity_key(name) for ends in found.values() for name in graph.names(ends)}


def take(stage: Decomposition, store: Store, chunk: Read, outcome: Outcome, total: Round, show: bool) -> None:
    """Adds an answer to a chunk and counts what is new in it."""
    text = numbered_chunk(store, chunk.node)
    chunk.texts.append(outcome.text)
    found = list(parse("\n".join(chunk.texts), text, stage.most_requests).statements)
    new = found[len(chunk.facts) :]
    total.asked += 1
    total.lines += sum(bool(line.strip()) for line in outcome.text.split("\n"))
    total.facts += len(new)
    for fact in new:
        keys = {entity_key(fact.subject), entity_key(fact.object)}
        total.entities += len(keys - chunk.entities)
        chunk.entities |= keys
        if show:
            print(f"{len(chunk.texts)}  {fact}\n       {text.sentences[fact.sentence]}")
    chunk.facts = found
    if outcome.completion is not None:
        total.read_tokens += outcome.completion.prompt_tokens - outcome.completion.reused_tokens
        total.written_tokens += outcome.completion.generated_tokens


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("vault", type=Path)
    parser.add_argument("--chunks", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--show", action="store_true")
    arguments = parser.parse_args()
    engine, stage = LlamaEngine(arguments.model), Decomposition(arguments.rounds)
    rounds: list[Round] = []
    with Store.open(arguments.vault, write=False) as store:
        chunks = [Read(node, known_entities(store, node)) for node in central_first(store)[: arguments.chunks]]
        asked = [(chunk, request) for chunk in chunks if (request := stage.request(store, chunk.node))]
        list(engine.generate([request for _, request in asked[:1]]))  # the instructions are read, the caches made
        while asked:
            total = Round()
            started = time.perf_counter()
            for outcome in engine.generate([request for _, request in asked]):
                take(stage, store, asked[outcome.number][0], outcome, total, arguments.show)
            total.seconds = time.perf_counter() - started
            rounds.append(total)
            left = [chunk for chunk, _ in asked]
            asked = [(one, request) for one in left if (request := stage.further(store, one.node, one.texts))]
    engine.close()
    print("| answer | chunks asked | lines | new facts | new entities | tokens read | tokens written | seconds |")
    print("| --- " * 8 + "|")
    for number, total in enumerate(rounds, start=1):
        print(
            f"| {number} | {total.asked} | {total.lines} | {total.facts} | {total.entities} | {total.read_tokens:,}"
            f" | {total.written_tokens:,} | {total.seconds:.0f} |"
        )


if __name__ == "__main__":
    main()
