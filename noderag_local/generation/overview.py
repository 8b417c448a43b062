"""Answers a question about a time or a theme: the model copies what helps out of many passages, one part after another.

A small model that is asked to sum up thousands of tokens writes about the first of them and makes up the rest. So it only
selects, as for ArchRAG's adaptive filtering, and every line of the answer stands word for word in the note that it cites.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, field

from noderag_local.domain.passages import Retrieval
from noderag_local.generation import abstention
from noderag_local.generation.answer_prompt import quoted
from noderag_local.generation.answering import Answer, stop_note
from noderag_local.generation.citing.markers import written
from noderag_local.generation.computed_answers import computed_citations
from noderag_local.generation.filtering import Point, grouped, parse, point_request, quotable
from noderag_local.generation.question_language import language_of
from noderag_local.models.llm.engine import Completion, Engine, Finish, never
from noderag_local.system.printing.amounts import counted
from noderag_local.system.printing.plain_text import printable


def overview(
    engine: Engine, retrieval: Retrieval, question: str, cancelled: Callable[[], bool] = never
) -> Generator[str, None, Answer]:
    """Yields a line for each point that the model selects, and returns the answer.

    Args:
        engine: engine that selects.
        retrieval: the passages, in the order in which they are read.
        question: as the user asked it.
        cancelled: called many times a second; when it returns True, the answer ends with the points found so far.

    Raises:
        SettingsError: a part does not fit into the model's context.
        ModelError: the engine failed.
    """
    reading = _Reading(engine, retrieval, question, cancelled)
    lines: list[str] = []
    for point in reading.points():
        line = f"- {printable(point.quote)} {written([point.number])}"
        yield line if not lines else f"\n{line}"
        lines.append(line)
    is_stopped = reading.finish is Finish.CANCELLED
    if not lines and not is_stopped:
        lines.append(abstention.sentence(language_of(question)))
        yield lines[0]
        return Answer(lines[0], (), True, Finish.STOP, engine.name, retrieval, "", reading.completion())
    note = f"Copied from {counted(len(retrieval.sources), 'passages')}, read in {counted(reading.parts, 'parts')}."
    text = "\n".join(lines)
    return Answer(
        text,
        computed_citations(text, retrieval),
        False,
        reading.finish,
        engine.name,
        retrieval,
        stop_note(reading.finish) if is_stopped else note,
        reading.completion(),
    )


@dataclass
class _Reading:
    """The reading of all parts, with what it cost so far."""

    engine: Engine
    retrieval: Retrieval
    question: str
    cancelled: Callable[[], bool]
    finish: Finish = Finish.STOP
    parts: int = 0
    _costs: list[Completion] = field(default_factory=list)

    def points(self) -> Iterator[Point]:
        """Yields the selected passages of each part as soon as it was read, those of a source together."""
        texts = {source.number: quotable(quoted(source.text, self.question)) for source in self.retrieval.sources}
        seen: set[str] = set()
        for group in grouped(self.engine, texts):
            with closing(self.engine.stream(point_request(group, self.question), self.cancelled)) as stream:
                text = "".join(stream)
            self._costs.append(stream.result)
            self.parts += 1
            for point in sorted(parse(text, group), key=lambda one: list(group).index(one.number)):
                if point.quote not in seen:
                    seen.add(point.quote)
                    yield point
            if stream.result.finish is Finish.CANCELLED:
                self.finish = Finish.CANCELLED
                return

    def completion(self) -> Completion:
        """Returns the cost of all parts as one."""
        costs = self._costs
        return Completion(
            self.finish,
            sum(one.prompt_tokens for one in costs),
            sum(one.reused_tokens for one in costs),
            sum(one.generated_tokens for one in costs),
            costs[0].elapsed_seconds if costs else 0.0,
            sum(one.elapsed_seconds for one in costs),
        )
