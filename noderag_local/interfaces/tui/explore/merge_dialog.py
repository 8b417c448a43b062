"""The dialog that asks which other name means the same entity."""

from __future__ import annotations

import shlex
from collections.abc import Iterable

from textual import on, work
from textual.suggester import SuggestFromList
from textual.widgets import Input, Label

from noderag_local.domain.errors import NoderagError
from noderag_local.interfaces.tui.shared.dialog_box import DialogBox
from noderag_local.interfaces.tui.shared.dialogs import NamingDialog
from noderag_local.interfaces.tui.shared.terminal_text import safe_text
from noderag_local.interfaces.tui.shell.owner import noderag_of
from noderag_local.system.printing.plain_text import printable


class MergeDialog(NamingDialog):
    """Asks for another name of an entity, completes names of the vault, and stays open if there is no such name."""

    DEFAULT_CSS = """
    MergeDialog {
        #problem { color: $text-error; margin-top: 1; display: none; }
        #problem.-told { display: block; }
    }
    """

    def __init__(self, name: str, names: Iterable[str]) -> None:
        """Creates the dialog.

        Args:
            name: name of the entity.
            names: names in the vault, those to be offered first at the beginning.
        """
        undone = f"to undo: 4, then u; or noderag names undo {shlex.quote(name)} NAME"
        super().__init__(
            f"Which other name in your notes means {name}?",
            hint=f"enter: read them as one · right: complete the name · escape: not now · {undone}",
        )
        self._entity = name
        self._names = [other for other in names if other != name and printable(other) == other]

    def on_mount(self) -> None:
        """Completes what is typed, and adds a line for what is wrong with it."""
        self.query_one(Input).suggester = SuggestFromList(self._names, case_sensitive=False)
        self.query_one(DialogBox).mount(Label(id="problem"), before="#hint")

    @on(Input.Changed)
    def _typed(self) -> None:
        self._tell("")

    def take(self, name: str) -> None:
        """Closes the dialog with the name if it is that of another entity."""
        self._check(name)

    @work(exclusive=True, group="check")
    async def _check(self, name: str) -> None:
        try:
            this, other = await noderag_of(self).session.read(
                lambda vault: (vault.names.entity(self._entity), vault.names.entity(name))
            )
        except NoderagError as error:
            self._tell(str(error))
            return
        if this == other:
            self._tell(f"{self._entity} and {name} are one name already: they differ in case or dots at most.")
        else:
            self.dismiss(name)

    def _tell(self, problem: str) -> None:
        for label in self.query("#problem").results(Label):
            label.update(safe_text(problem))
            label.set_class(bool(problem), "-told")
