"""The dialog that asks how long the language model may read."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Label, OptionList
from textual.widgets.option_list import Option

from noderag_local.domain.errors import LayerMissing, NoderagError
from noderag_local.interfaces.tui.shared.dialog_box import Dialog, DialogBox
from noderag_local.interfaces.tui.shared.terminal_text import safe_text
from noderag_local.interfaces.tui.shell.owner import noderag_of
from noderag_local.pipeline.budget import Budget
from noderag_local.system.printing.amounts import counted

if TYPE_CHECKING:
    from noderag_local.pipeline.forecast import Estimate, StageEstimate

STAGES_IN_WORDS = {
    "decompose": ("read", "chunks"),
    "attributes": ("describe", "entities"),
    "elements": ("describe", "themes"),
}
"""What the language model does in a stage, and with what."""
CHOICES: tuple[tuple[str, float | None], ...] = (
    ("10 minutes", 600),
    ("30 minutes", 1800),
    ("2 hours", 7200),
    ("All night, 8 hours", 28800),
    ("Everything there is", None),
)
"""(text of the choice, seconds of work with the model)"""


class BudgetDialog(Dialog[Budget | None]):
    """Asks for a time budget and shows how much there is to do; None if the user cancels."""

    DEFAULT_CSS = """
    BudgetDialog {
        .muted { color: $text-muted; }
        #hint { margin-top: 1; }
        OptionList, OptionList:focus { height: auto; margin: 1 0; border: none; background: $surface; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "dismiss(None)", "Not now"),
        *(Binding(str(number), f"mark({number - 1})", show=False) for number in range(1, len(CHOICES) + 1)),
    ]

    def compose(self) -> ComposeResult:
        """Lays out the explanation, the estimate and the choices."""
        with DialogBox():
            yield Label("How long may the language model read on?", id="title")
            yield Label(
                "It finds who is said to do what, and what belongs together; the most central notes come first. "
                "You can go on asking meanwhile, pause, and stop: what is done is kept.",
                classes="muted",
            )
            yield OptionList(*(Option(f"{number}  {name}") for number, (name, _) in enumerate(CHOICES, 1)))
            yield Label("Looking what there is to do …", id="estimate", classes="muted")
            yield Label("1 to 5: mark a time · enter: begin · escape: not now", id="hint")

    def on_mount(self) -> None:
        """Estimates how much there is to do."""
        options = self.query_one(OptionList)
        options.highlighted = 0
        options.focus()
        self._estimate()

    @work(exclusive=True)
    async def _estimate(self) -> None:
        label = self.query_one("#estimate", Label)
        try:
            expected = await noderag_of(self).session.write(lambda vault: vault.enrichment.estimate(Budget()))
        except LayerMissing:
            self._refuse(
                "Indexing was stopped before its end: r in the library goes on with it, and then this can begin."
            )
        except NoderagError as error:
            self._refuse(str(error))
        else:
            label.update(estimate_text(expected))

    def _refuse(self, why: str) -> None:
        # The work would fail for the same reason, so nothing can be chosen.
        self.query_one("#estimate", Label).update(safe_text(why, "$text-error"))
        self.query_one(OptionList).disabled = True

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(Budget(seconds=CHOICES[event.option_index][1]))

    def action_mark(self, place: int) -> None:
        """Moves the cursor to a choice. It does not begin the work: a stray digit must not start hours of it."""
        self.query_one(OptionList).highlighted = place


def estimate_text(expected: Estimate) -> Content:
    """Returns two or three lines about how much there is to do and how long it takes."""
    from noderag_local.pipeline.enrichment_report import roughly

    todo = [stage for stage in expected.stages if stage.items]
    if not todo:
        return Content("Nothing is left to do.")
    items = ", ".join(_told(stage) for stage in todo)
    tokens = sum(stage.tokens for stage in todo)
    lines = [f"To do: {items}; some {counted(tokens, 'tokens')}."]
    if expected.seconds is None or expected.tokens_per_second is None:
        lines.append("How long all of it takes shows when the model has begun.")
    else:
        lines.append(f"All of it: {roughly(expected.seconds)} at {expected.tokens_per_second:,.0f} tokens/s.")
    lines.append("Later stages have more to do when earlier ones have found more.")
    return safe_text("\n".join(lines))


def _told(stage: StageEstimate) -> str:
    """Returns what a stage has to do in words; a stage that has none is named."""
    verb, unit = STAGES_IN_WORDS.get(stage.name, (stage.name, "items"))
    return f"{verb} {counted(stage.items, unit)}"
