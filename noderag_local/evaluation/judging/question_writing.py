"""Lets a language model write open questions about a corpus: of some users, for some tasks of each (Edge et al. 2024).

LightRAG's paper takes 5 users, 5 tasks of each and 5 questions for each task, 125 in all (Guo et al. 2024, section 4.1). Its
model sees the whole corpus; ours sees how the most central passages begin. What repeats an earlier line is asked for again, a
few times, and then left out. A text depends on the model and the prompts alone, so the same corpus gives the same questions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from noderag_local.generation.answer_prompt import filled
from noderag_local.models.llm.engine import Engine, Finish, Message, Request, Role
from noderag_local.models.llm.prompt_files import prompt_file
from noderag_local.system.printing.plain_text import printable
from noderag_local.text.keywords import keywords

OUTLINE_TOKENS = 700
"""Estimated tokens of the outline that the model sees."""
LINE_TOKENS = 48
"""Maximum tokens of a line."""
MOST_TRIES = 3
"""Times that the model is asked for the same lines; later answers mostly repeat what was refused."""
ALIKE = 0.8
"""Share of content words, of all in two lines, from which they count as the same."""
LONGEST = 400
"""Letters of a line; a longer one has run away."""

_ROOM = "evaluation.judging"
_NUMBERED = re.compile(r"^\s*+\W{0,3}\d{1,2}\W{0,2}[.):]\W{0,3}\s*+(.+)$")


@dataclass(frozen=True, slots=True)
class Numbers:
    """How many users, tasks of each user, and questions for each task are written."""

    users: int = 5
    tasks: int = 5
    questions: int = 5

    @property
    def total(self) -> int:
        """Number of questions in all."""
        return self.users * self.tasks * self.questions


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A question that a model wrote, with the user and the task that it is for."""

    id: str
    """Numbers of user, task and question from 1, such as "2-5-1"."""
    question: str
    user: str
    task: str


def write_questions(
    engine: Engine, outline: Sequence[str], numbers: Numbers, cancelled: Callable[[], bool]
) -> Iterator[OpenQuestion]:
    """Yields the questions as they come; fewer than wanted where the model only repeats itself, or when `cancelled`.

    Args:
        engine: the language model.
        outline: lines that say what the corpus is about.
        numbers: how many are wanted.
        cancelled: called often; True ends the questions.

    Raises:
        ModelError: the engine failed.
        SettingsError: outline and answer do not fit into the model.
    """
    lister = _Lister(engine, outline, cancelled)
    asked = _Distinct()
    for user_number, user in enumerate(lister.lines("open_users", numbers.users, {}, _Distinct()), 1):
        tasks = lister.lines("open_tasks", numbers.tasks, {"user": user}, _Distinct())
        for task_number, task in enumerate(tasks, 1):
            fields = {"user": user, "task": task}
            found = lister.lines("open_questions", numbers.questions, fields, asked, only_questions=True)
            for number, question in enumerate(found, 1):
                yield OpenQuestion(f"{user_number}-{task_number}-{number}", question, user, task)


class _Distinct:
    """Lines of which no two are alike."""

    def __init__(self) -> None:
        self._words: list[frozenset[str]] = []

    def takes(self, line: str) -> bool:
        """Adds a line; returns False if it has no content word or is like an earlier one."""
        words = frozenset(keywords(line))
        if not words or any(len(words & other) >= ALIKE * len(words | other) for other in self._words):
            return False
        self._words.append(words)
        return True


class _Lister:
    """Asks for numbered lines about a corpus until there are enough."""

    def __init__(self, engine: Engine, outline: Sequence[str], cancelled: Callable[[], bool]) -> None:
        self._engine, self._cancelled = engine, cancelled
        # The outline comes first, so that the model reads it only once.
        self._collection = "\n".join(["Collection:", *(f"- {line}" for line in outline)])

    def lines(
        self, prompt: str, wanted: int, fields: dict[str, str], distinct: _Distinct, *, only_questions: bool = False
    ) -> list[str]:
        """Returns at most `wanted` lines that `distinct` takes.

        Args:
            prompt: name of the prompt.
            wanted: number of lines.
            fields: fields of the prompt.
            distinct: lines before, which none may repeat.
            only_questions: whether a line must end with a question mark.
        """
        found: list[str] = []
        for _ in range(MOST_TRIES):
            if len(found) >= wanted or self._cancelled():
                break
            for line in self._written(prompt, wanted - len(found), fields, found):
                is_wanted = not only_questions or line.endswith(("?", "？"))
                if len(found) < wanted and is_wanted and distinct.takes(line):
                    found.append(line)
        return found

    def _written(self, prompt: str, number: int, fields: dict[str, str], before: Sequence[str]) -> list[str]:
        instruction = filled(_plain(prompt), {**fields, "number": str(number)})
        known = ["Already written, so write others:", *(f"- {line}" for line in before)] if before else []
        asked = "\n\n".join(["\n".join(part) for part in ([self._collection], [instruction], known) if part])
        messages = (Message(Role.SYSTEM, _plain("open_system")), Message(Role.USER, asked))
        stream = self._engine.stream(Request(messages, LINE_TOKENS * number), self._cancelled)
        text = printable("".join(stream))
        lines = text.split("\n")
        if stream.result.finish is not Finish.STOP:
            # The last line was cut off.
            lines.pop()
        matches = (_NUMBERED.match(line) for line in lines)
        read = (" ".join(match[1].replace("*", "").split()) for match in matches if match)
        return [line for line in read if len(line) <= LONGEST]


def _plain(name: str) -> str:
    return prompt_file(_ROOM, name).partition("\n")[2].strip()
