"""Adaptive filtering: the model first looks through the sources in groups, then answers from what it found (Wang et al. 2025,
"ArchRAG", section 3.2.2, equations 3 and 4).

The paper's model rates points in its own words from 0 to 100. Here a point is a passage copied from a source, with a score from
0 to 3, so that the answer's citations still open the notes; see `point_lines`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from noderag_local.domain.passages import Source
from noderag_local.generation.answer_prompt import filled, quoted
from noderag_local.generation.point_lines import Point, PointConstraint, parse, quotable
from noderag_local.models.llm.engine import Engine, Message, Request, Role, never
from noderag_local.models.llm.prompt_files import turns

GROUP_TOKENS = 500
"""Tokens of the sources in one group: few enough for a small model."""
POINT_TOKENS = 270
"""Most tokens of the points of one group."""


@dataclass(frozen=True, slots=True)
class Filtered:
    """The passages that the model has chosen from the sources of a question."""

    context: str
    """The passages that help under the numbers of their sources, the best last, next to the question; "" where none does."""
    llm_tokens: int
    """Tokens that the model read and wrote for it."""


def filtered(
    engine: Engine, sources: Sequence[Source], question: str, cancelled: Callable[[], bool] = never
) -> Filtered:
    """Lets the model choose what helps to answer a question; all groups of sources are one batch.

    Args:
        sources: best first.
        cancelled: asked many times a second; what was found by then is returned.

    Raises:
        SettingsError: a group does not fit into the model's context.
        ModelError: the engine failed.
    """
    texts = {source.number: quotable(quoted(source.text, question)) for source in sources}
    groups = _groups(engine, texts)
    found: dict[int, list[Point]] = {}
    llm_tokens = 0
    for outcome in engine.generate((_request(group, question) for group in groups), cancelled):
        if outcome.error is not None:
            raise outcome.error
        if outcome.completion is not None:
            llm_tokens += outcome.completion.prompt_tokens + outcome.completion.generated_tokens
        found[outcome.number] = parse(outcome.text, groups[outcome.number])
    points = [point for number in sorted(found) for point in found[number]]
    return Filtered(_context(points, sources), llm_tokens)


def _groups(engine: Engine, texts: dict[int, str]) -> list[dict[int, str]]:
    """Numbers and texts of the sources, in their order; a group has at least one."""
    groups: list[dict[int, str]] = []
    left = 0
    for (number, text), tokens in zip(texts.items(), engine.count_many(list(texts.values())), strict=True):
        if not groups or tokens > left:
            groups.append({})
            left = GROUP_TOKENS
        groups[-1][number] = text
        left -= tokens
    return groups


def _request(group: dict[int, str], question: str) -> Request:
    *before, template = turns("generation", "filter")
    fields = {
        "sources": "\n".join(f"[{number}] {text}" for number, text in group.items()),
        "question": " ".join(question.split()),
    }
    messages = (*before, Message(Role.USER, filled(template.content, fields)))
    return Request(messages, POINT_TOKENS, constraint=lambda: PointConstraint(group))


def _context(points: Sequence[Point], sources: Sequence[Source]) -> str:
    """Source by source, the one with the best point last; of equal ones the one that retrieval had first."""
    by_source: dict[int, list[str]] = {}
    for point in sorted(points, key=lambda point: -point.score):
        by_source.setdefault(point.number, []).append(point.quote)
    labels = {source.number: " > ".join(filter(None, (source.title, *source.headings))) for source in sources}
    return "\n".join(
        f"[{number}] " + f"({labels[number]}) " * bool(labels[number]) + " … ".join(quotes)
        for number, quotes in reversed(by_source.items())
    )
