"""Formats, validates and changes settings in the words that people read and type."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

from pydantic import SecretStr

from noderag_local.config import Settings, load_settings
from noderag_local.domain.errors import ModelError, SettingsError
from noderag_local.interfaces.tui.settings.settings_file import change_setting, forget_setting
from noderag_local.system.paths import absolute

YES, NO = "yes", "no"
MAIN_METHODS = ("noderag", "naive", "bm25")
"""Methods that are offered by name; the others reproduce papers and are for comparison."""


def in_words(settings: Settings, name: str, value: object = ...) -> str:
    """Returns a setting's value as text; secrets are never shown.

    Args:
        settings: settings with the value.
        name: a field of `Settings`.
        value: value to format instead of the setting's own.
    """
    shown = getattr(settings, name) if value is ... else value
    match shown:
        case bool():
            return YES if shown else NO
        case SecretStr():
            return "set" if shown.get_secret_value() else ""
        case Path():
            return _with_tilde(shown)
    return str(shown)


def choices(settings: Settings, name: str) -> tuple[str, ...]:
    """Returns all values of a setting that has only a few; () if it accepts any text or its values cannot be known."""
    field = Settings.model_fields[name]
    if field.annotation is bool:
        return (NO, YES)
    if name == "method":
        from noderag_local.retrieval.retriever import method_names

        return tuple(method_names())
    if name == "model":
        from noderag_local.models.llm.gguf_files.installed import installed_models

        try:
            return ("", *(model.name for model in installed_models(absolute(settings.models_dir))))
        except ModelError:
            # The models folder cannot be read, which `changed` tells.
            return ()
    return tuple(str(choice) for choice in get_args(field.annotation))


def offered(settings: Settings, name: str) -> str:
    """Returns a line about the values that a setting may have; "" if it accepts any text."""
    values = [value for value in choices(settings, name) if value]
    if name != "method":
        return f"one of {', '.join(values)}" if values else ""
    return f"{', '.join(MAIN_METHODS)}, or one of {len(values) - len(MAIN_METHODS)} others: noderag methods lists them"


def changed(settings: Settings, name: str, text: str) -> Settings:
    """Writes a setting into the settings file and returns the resulting settings.

    Raises:
        SettingsError: the value is invalid, or the file cannot be written.
    """
    _refuse_unknown(settings, name, text.strip())
    change_setting(name, text)
    return _read_again(settings, name)


def forgotten(settings: Settings, name: str) -> Settings:
    """Removes a setting from the settings file and returns the resulting settings.

    Raises:
        SettingsError: the file cannot be written.
    """
    forget_setting(name)
    return _read_again(settings, name)


def _read_again(settings: Settings, name: str) -> Settings:
    # Changes only this setting, since others may come from the command line.
    return settings.model_copy(update={name: getattr(load_settings(), name)})


def _refuse_unknown(settings: Settings, name: str, text: str) -> None:
    """Raises SettingsError for a valid value that names no existing method, model or server."""
    if name == "method":
        from noderag_local.retrieval.retriever import canonical

        canonical(text)
    if name == "model" and text:
        from noderag_local.models.llm.gguf_files.installed import resolve_model

        try:
            resolve_model(text, absolute(settings.models_dir))
        except ModelError as error:
            raise SettingsError(str(error)) from error
    if name == "embedding_model" and text:
        from noderag_local.models.embedding.embedding_model import embedding_model

        try:
            embedding_model(text, absolute(settings.models_dir))
        except ModelError as error:
            raise SettingsError(str(error)) from error
    if name == "server_url" and text:
        from noderag_local.models.llm.server.server_address import resolve_server

        try:
            for address in text.split():
                resolve_server(address, settings.server_private_network)
        except ModelError as error:
            raise SettingsError(str(error)) from error


def _with_tilde(path: Path) -> str:
    home = Path.home()
    return f"~/{path.relative_to(home)}" if path.is_relative_to(home) and path != home else str(path)
