"""Turns of conversations, made by hand."""

from __future__ import annotations

from dataclasses import replace

from noderag_local.domain.graph import NodeType
from noderag_local.domain.passages import Ranked, Retrieval, Source
from noderag_local.storage.conversations.conversations import Cost, Turn

SOURCE = Source(
    number=1,
    path="/notes/trips/porto.md",
    record=0,
    title="Porto",
    headings=("Hotels", "By the river"),
    first_line=12,
    last_line=14,
    start_byte=300,
    end_byte=420,
    text="Marta recommended the Pensão Favorita.",
)
FOUND = Retrieval(
    method="noderag",
    question="Who recommended the hotel in Porto?",
    budget_tokens=1000,
    context="[1] (Porto) Marta recommended the Pensão Favorita.\n[2] It rained.",
    tokens=20,
    sources=(SOURCE, replace(SOURCE, number=2, first_line=30, last_line=30, headings=(), text="It rained.")),
    ranked=(Ranked(17, NodeType.SENTENCE, 1, 0.75, (("walk", 0.5), ("words", 0.25))),),
    seeds=(("Porto", 0.5), ("Marta", 0.25)),
    elapsed_ms=12.5,
)
TURN = Turn(
    question="Who recommended the hotel in Porto?",
    asked_as="",
    answer="Marta recommended it. [1]",
    found=FOUND,
    model="qwen",
    cost=Cost(1.5, 4.25, 620, 24),
)


def turn(question: str, answer: str = "It is so. [1]") -> Turn:
    """A turn with another question and answer."""
    return replace(TURN, question=question, answer=answer, found=replace(FOUND, question=question))
