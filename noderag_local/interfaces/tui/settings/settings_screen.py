"""The screen of settings, which explains them, shows where their values come from, and changes them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Input, Label, OptionList, Static
from textual.widgets.option_list import Option

from noderag_local.config import settings_file
from noderag_local.domain.errors import SettingsError
from noderag_local.interfaces.tui.settings.setting_change import (
    MAIN_METHODS,
    changed,
    choices,
    forgotten,
    in_words,
    offered,
)
from noderag_local.interfaces.tui.settings.setting_notes import NOTES
from noderag_local.interfaces.tui.settings.settings_file import Origin, origins, variable_of
from noderag_local.interfaces.tui.shared.listed_screen import ListedScreen
from noderag_local.interfaces.tui.shared.option_lists import ChoiceList
from noderag_local.interfaces.tui.shared.terminal_text import on_one_line, safe_text
from noderag_local.interfaces.tui.shell.colour_themes import theme_name
from noderag_local.interfaces.tui.shell.owner import noderag_of
from noderag_local.interfaces.tui.shell.status_line import model_name

if TYPE_CHECKING:
    from noderag_local.config import Settings

TITLE_CELLS = 21
ORIGIN_CELLS = 13


class SettingList(ChoiceList):
    """The list of settings, which shows its key for choosing in the line of keys."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "select", "Change")]


class SettingField(Input):
    """The field for a new value, which shows its key for saving in the line of keys."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "submit", "Save")]


class SettingsScreen(ListedScreen):
    """Shows all settings, explains the selected one, and changes it in a field."""

    TITLE = "Settings"
    CSS = """
    SettingsScreen {
        #notes { height: auto; }
        #field { display: none; margin-top: 1; background: $panel; }
        #field.-open { display: block; }
        #problem { width: 1fr; color: $text-error; height: auto; display: none; }
        #problem.-shown { display: block; }
    }
    SettingsScreen.-narrow {
        #detail { height: auto; max-height: 9; }
        #field { margin-top: 0; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "next_choice", "Next", tooltip="Next choice"),
        Binding("delete,r", "forget", "Default", tooltip="Back to default", key_display="del"),
        Binding("escape", "stop_editing", "Leave", tooltip="Leave it as it was"),
    ]

    def __init__(self) -> None:
        notes = Static(id="notes", markup=False)
        super().__init__(
            SettingList(), [notes, SettingField(id="field", compact=True), Label(id="problem", markup=False)]
        )
        self._waiting: dict[str, object] = {}
        """Values of changed settings that take effect at the next start, by name."""
        self._used_model = ""
        """Name of the model that answers, or why there is none; "" before it is known."""

    @property
    def _settings(self) -> Settings:
        """Settings as they are, or as they will be after the next start."""
        return noderag_of(self).session.settings.model_copy(update=self._waiting)

    def on_mount(self) -> None:
        """Shows which file changes are written to."""
        self.name_place(settings_file())

    def on_screen_resume(self) -> None:
        """Shows the settings again, since the models screen may have changed one."""
        self.call_after_refresh(self._show_all)
        self._read_used_model()

    @work(exclusive=True, group="used model")
    async def _read_used_model(self) -> None:
        """Shows which model answers although none is named."""
        used = await asyncio.to_thread(model_name, noderag_of(self).session.model)
        if used != self._used_model:
            self._used_model = used
            self.call_after_refresh(self._show_all)

    def _shown_value(self, name: str) -> str:
        value = in_words(self._settings, name)
        return f"none named: {self._used_model}" if name == "model" and not value and self._used_model else value

    @property
    def _field(self) -> Input:
        return self.query_one("#field", Input)

    @property
    def _chosen(self) -> str:
        """Name of the selected setting."""
        option = self.listed.highlighted_option
        return option.id if option and option.id else next(iter(NOTES))

    @on(ChoiceList.WidthChanged)
    def _show_all(self) -> None:
        """Shows all settings, and the explanation of the selected one."""
        name = self._chosen
        rows = list(self._rows())
        self.listed.set_options(rows)
        self.listed.highlighted = next(place for place, row in enumerate(rows) if row.id == name)
        self._explain()

    def _rows(self) -> Iterator[Option]:
        value_cells = max(10, self.listed.row_cells - TITLE_CELLS - ORIGIN_CELLS - 4)
        group = ""
        where = origins(self._settings)
        for name, note in NOTES.items():
            if note.group != group:
                group = note.group
                yield Option(Content.styled(group, "bold $text-primary"), disabled=True)
            value = on_one_line(self._shown_value(name)).truncate(value_cells, ellipsis=True, pad=True)
            style = "$text-muted" if where[name] is Origin.DEFAULT else "$text-accent"
            yield Option(
                Content.assemble("  ", note.title.ljust(TITLE_CELLS), value, "  ", (where[name].value, style)), id=name
            )

    @on(OptionList.OptionHighlighted, "#list")
    def _explain(self) -> None:
        name = self._chosen
        note = NOTES[name]
        where = origins(self._settings)[name]
        self.name_row(note.title)
        default = type(self._settings).model_fields[name].get_default(call_default_factory=True)
        shown = self._shown_value(name), in_words(self._settings, name, default)
        now, usual = (on_one_line(value or "none") for value in shown)
        told = [Content(name), Content("now ") + now, Content(f"from {where.value}"), Content("default ") + usual]
        lines = [Content(note.effect), Content(" · ").join(told).stylize("$text-muted")]
        if told_choices := offered(self._settings, name):
            lines.append(on_one_line(told_choices, "$text-muted"))
        lines += [Content.styled(text, "$text-warning") for text in self._warnings(name, where)]
        self.query_one("#notes", Static).update(Content("\n").join(lines))

    def _warnings(self, name: str, where: Origin) -> Iterator[str]:
        if where is Origin.VARIABLE:
            yield f"The variable {variable_of(name)} is set and overrides the settings file; unset it before changing this here."
        elif where is Origin.UNREADABLE:
            yield "The settings file can no longer be read; fix it before changing anything here."
        elif where is Origin.CHANGED:
            yield "It was changed in the settings file; the value there is used from the next start."
        elif where is Origin.FLAG:
            yield "The command line has set it for this run; a change here takes effect at the next start."
        elif NOTES[name].at_next_start:
            yield "A change takes effect at the next start."

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Hides the keys that have no effect now."""
        is_editing = self.is_mounted and self._field.has_class("-open")
        match action:
            case "stop_editing":
                return is_editing
            case "forget":
                return not is_editing
            case "next_choice":
                return not is_editing and bool(choices(self._settings, self._chosen))
        return True

    @on(OptionList.OptionSelected, "#list")
    def _edit(self) -> None:
        """Opens the field with the current value."""
        field = self._field
        is_secret = self._chosen == "server_key"
        field.password = is_secret
        field.value = "" if is_secret else in_words(self._settings, self._chosen)
        field.placeholder = "enter saves it, escape leaves it as it was"
        field.add_class("-open")
        field.focus()
        self.query_one("#detail").scroll_end(animate=False)
        self.refresh_bindings()

    def action_stop_editing(self) -> None:
        """Closes the field without a change."""
        self._tell_problem("")
        self._field.remove_class("-open")
        self.listed.focus()
        self.refresh_bindings()

    def action_next_choice(self) -> None:
        """Selects the next value of a setting with few values."""
        values = MAIN_METHODS if self._chosen == "method" else choices(self._settings, self._chosen)
        now = in_words(self._settings, self._chosen)
        place = values.index(now) + 1 if now in values else 0
        self._change(self._chosen, values[place % len(values)])

    def action_forget(self) -> None:
        """Removes the setting from the settings file."""
        self._change(self._chosen, None)

    @on(Input.Submitted, "#field")
    def _submitted(self, event: Input.Submitted) -> None:
        self._change(self._chosen, event.value)

    @on(Input.Changed, "#field")
    def _typed(self) -> None:
        self._tell_problem("")

    @work(group="settings")
    async def _change(self, name: str, text: str | None) -> None:
        try:
            if text is None:
                settings = await asyncio.to_thread(forgotten, self._settings, name)
            else:
                settings = await asyncio.to_thread(changed, self._settings, name, text)
        except SettingsError as error:
            self._tell_problem(str(error))
            return
        self.action_stop_editing()
        # Read before the change, since the session closes what a running job uses only afterwards.
        self.call_after_refresh(self._show_all)
        await self._take_effect(name, settings)

    async def _take_effect(self, name: str, settings: Settings) -> None:
        if name == "theme":
            noderag_of(self).theme = theme_name(settings.theme)
        if NOTES[name].at_next_start:
            self._waiting[name] = getattr(settings, name)
        else:
            await noderag_of(self).change_settings(settings)

    def _tell_problem(self, text: str) -> None:
        problem = self.query_one("#problem", Label)
        problem.update(safe_text(text))
        problem.set_class(bool(text), "-shown")
        if text:
            self.call_after_refresh(self.query_one("#detail").scroll_end, animate=False)
            if not self._field.has_class("-open"):
                self.notify(safe_text(text).plain, severity="error", markup=False)
