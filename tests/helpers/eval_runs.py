"""Questions and runs for the tests of `noderag eval`."""

from __future__ import annotations

from dataclasses import replace

from noderag_local.evaluation.provenance import Provenance
from noderag_local.evaluation.questions import EvalQuestion
from noderag_local.evaluation.runs import AnswerForm, Run

ROME = EvalQuestion("1", "Which city?", ("Rome", "Roma"), ("Italy", "Cities"))
FIVE = EvalQuestion("2", "How many?", ("five",))
PROVENANCE = Provenance("notes", "a1", "", 12, 3400, 5_000_000, {"decompose": 900})


def run(question: EvalQuestion, context: str, **fields: object) -> Run:
    if "answer" in fields:
        fields = {"form": AnswerForm.SHORT, **fields}
    plain = Run(question, "naive", 1000, context, tokens=len(context.split()), elapsed_ms=10.0, titles=())
    return replace(plain, **fields)  # type: ignore[arg-type]
