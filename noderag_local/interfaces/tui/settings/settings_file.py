"""Finds where each setting comes from, and changes the settings file without touching the rest of it."""

from __future__ import annotations

import os
import tomllib
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import SecretStr, TypeAdapter, ValidationError

from noderag_local.config import PREFIX, Settings, bounded_budget, settings_file
from noderag_local.domain.errors import SettingsError
from noderag_local.system.disk.private_files import make_private_folder, write_private
from noderag_local.system.printing.value_problems import problem_in_words

if TYPE_CHECKING:
    from tomlkit import TOMLDocument


class Origin(StrEnum):
    """Where the value of a setting comes from, in the words of the screen."""

    DEFAULT = "default"
    FILE = "settings file"
    VARIABLE = "variable"
    FLAG = "command line"
    CHANGED = "changed file"
    """The settings file has another value since it was read."""
    UNREADABLE = "?"
    """The settings file has become unreadable since it was read."""


BY_FLAG = "vault"
"""The setting that an option of the interface overrides."""


def variable_of(name: str) -> str:
    """Returns the environment variable that overrides a setting in the file."""
    return PREFIX + name.upper()


def origins(settings: Settings) -> dict[str, Origin]:
    """Returns where the value of each setting comes from; later sources override earlier ones, as in `config`."""
    try:
        written = _written()
    except SettingsError:
        return dict.fromkeys(Settings.model_fields, Origin.UNREADABLE)
    return {name: _origin(settings, name, written) for name in Settings.model_fields}


def _origin(settings: Settings, name: str, written: dict[str, Any]) -> Origin:
    value = getattr(settings, name)
    if variable_of(name) in os.environ:
        return Origin.VARIABLE
    if name in written and (there := _read(name, written[name])) is not None:
        if there == value:
            return Origin.FILE
        if name != BY_FLAG:
            return Origin.CHANGED
    default = Settings.model_fields[name].get_default(call_default_factory=True)
    return Origin.DEFAULT if value == default else Origin.FLAG


def change_setting(name: str, text: str) -> None:
    """Writes a setting into the settings file; comments, order and all other keys stay.

    Args:
        name: a field of Settings.
        text: value as the user typed it.

    Raises:
        SettingsError: the value is invalid, or the file cannot be read or written.
    """
    value = _value(name, text.strip())
    plain = value.get_secret_value() if isinstance(value, SecretStr) else value
    document = _document()
    document[name] = str(plain) if isinstance(plain, Path) else plain
    _write(document)


def forget_setting(name: str) -> None:
    """Removes a setting from the settings file, so that its default applies; does nothing if it is not there.

    Raises:
        SettingsError: the file cannot be read or written.
    """
    document = _document()
    if name in document:
        del document[name]
        _write(document)


def _read(name: str, written: object) -> Any:
    """Returns the value of a setting that the file has; None if it is invalid."""
    try:
        return _value(name, bounded_budget(written) if name == "budget_tokens" else written)
    except SettingsError:
        return None


def _value(name: str, given: object) -> Any:
    field = Settings.model_fields[name]
    try:
        adapter: TypeAdapter[Any] = TypeAdapter(Annotated[field.annotation, field])  # type: ignore[arg-type]
        return adapter.validate_python(given)
    except ValidationError as error:
        told = "; ".join(problem_in_words(problem) for problem in error.errors())
        raise SettingsError(f"{told[:1].upper()}{told[1:]}.") from error


def _written() -> dict[str, Any]:
    try:
        return tomllib.loads(settings_file().read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeError, tomllib.TOMLDecodeError) as error:
        raise _unreadable(error) from error


def _document() -> TOMLDocument:
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        return tomlkit.parse(settings_file().read_text(encoding="utf-8"))
    except FileNotFoundError:
        return tomlkit.document()
    except (OSError, UnicodeError, TOMLKitError) as error:
        raise _unreadable(error) from error


def _write(document: TOMLDocument) -> None:
    """Replaces the settings file at once with a new one, so that a full disk leaves the old file intact."""
    import tomlkit

    # The settings file may be a link, for example into a repository of dotfiles.
    target = settings_file().resolve()
    try:
        make_private_folder(target.parent)
        write_private(target, tomlkit.dumps(document))
    except OSError as error:
        raise SettingsError(
            f"{target} cannot be written: {error.strerror or error}. Check the permissions of its folder and the free space."
        ) from error


def _unreadable(error: Exception) -> SettingsError:
    return SettingsError(f"{settings_file()} cannot be read: {error}. Fix or remove it.")
