"""Shows under the question box how the next question will be asked, and holds these choices."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import work
from textual.content import Content
from textual.widgets import Static

from noderag_local.config import Settings
from noderag_local.domain.errors import NoderagError
from noderag_local.domain.passages import EVERYTHING, Scope
from noderag_local.interfaces.tui.jobs.jobs import Job
from noderag_local.interfaces.tui.shared.terminal_text import on_one_line
from noderag_local.interfaces.tui.shell.owner import noderag_of
from noderag_local.retrieval.scope_words import in_words

if TYPE_CHECKING:
    from noderag_local.models.language_model import LanguageModel
    from noderag_local.models.llm.answers_set_up import AnswersSetUp
    from noderag_local.models.llm.engine import Engine
    from noderag_local.storage.conversations.conversations import Turn


@dataclass(frozen=True, slots=True)
class AskChoices:
    """Method, budget and scope of questions until the interface closes."""

    method: str = ""
    """Name of the retrieval method; "" for that of the settings."""
    budget_tokens: int = 0
    """Token budget of the context; 0 for that of the settings."""
    scope: Scope = EVERYTHING
    with_model: bool = True
    """Whether the language model answers; otherwise the passages are the answer."""


OPENING = "opening the model …"
NO_MODEL = "no model: the passages answer"
PASSAGES_ONLY = "passages alone, without the model"
UNUSABLE = "the model cannot be opened"


class AskLine(Static):
    """Opens the model in the background when it is first shown, and shows the progress."""

    DEFAULT_CSS = """
    AskLine { height: 1; padding: 0 2; color: $text-muted; text-wrap: nowrap; text-overflow: ellipsis; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.choices = AskChoices()
        """How the next question will be asked."""
        self._state = OPENING
        self._last = ""
        self._is_closed = False
        self._opened: LanguageModel | None = None
        """The model whose state is shown."""

    def on_mount(self) -> None:
        """Starts to open the model."""
        noderag_of(self).job_changes.subscribe(self, self._job_changed)
        noderag_of(self).set_up_changes.subscribe(self, self._set_up_changed)
        self.look_again()

    def on_unmount(self) -> None:
        """Stops opening the model."""
        self._is_closed = True

    def look_again(self) -> None:
        """Applies changed settings, and opens the model if it is another one."""
        if noderag_of(self).session.model is not self._opened:
            self._open_model()
        self._show()

    def choose(self, choices: AskChoices) -> None:
        """Shows how questions will be asked from now on."""
        self.choices = choices
        self._show()

    def answered(self, turn: Turn | None) -> None:
        """Shows the cost of the last answer of the conversation; None if it has no answer yet."""
        cost = turn.cost if turn else None
        self._last = f"{cost.read_tokens:,} read, {cost.seconds:.1f} s" if cost else ""
        self._show()

    def _show(self) -> None:
        settings, choices = noderag_of(self).session.settings, self.choices
        method = choices.method or settings.method
        budget = choices.budget_tokens
        # Default values are not shown.
        parts = [
            in_words(choices.scope),
            "" if method == Settings.model_fields["method"].default else f"method {method}",
            f"up to {budget:,} tokens of passages" if budget else "",
            self._state if choices.with_model else PASSAGES_ONLY,
            f"last answer {self._last}" if self._last else "",
        ]
        self.update(Content(" · ").join(on_one_line(part) for part in parts if part))

    def _job_changed(self, job: Job) -> None:
        if job.is_over and job.kind.brings_model:
            self._open_model()

    def _set_up_changed(self, set_up: AnswersSetUp) -> None:
        if not set_up.is_at_work:
            self._open_model()

    @work(exclusive=True, group="model")
    async def _open_model(self) -> None:
        self._state = OPENING
        self._opened = model = noderag_of(self).session.model
        self._show()
        engine = None
        try:
            engine = await asyncio.to_thread(model.engine)
            # The line below names an open model.
            self._state = "" if engine else NO_MODEL
        except NoderagError as error:
            self._state = UNUSABLE
            self.notify(str(error), severity="warning", markup=False)
        self._show()
        if engine is not None:
            await asyncio.to_thread(self._prime, engine)

    def _prime(self, engine: Engine) -> None:
        from noderag_local.generation import answer_prompt, plain_question

        if not engine.keeps_what_it_read:
            return
        try:
            settings = noderag_of(self).session.settings
            answer_prompt.prime(engine, settings.budget_tokens + settings.answer_tokens, lambda: self._is_closed)
            plain_question.prime(engine, lambda: self._is_closed)
        except NoderagError:
            # The first question will show the error, when the user is waiting for it.
            return
