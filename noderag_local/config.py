"""Settings: defaults, then the TOML file, then NODERAG_* variables, then flags; an unknown key is an error."""

from __future__ import annotations

import difflib
import os
import sys
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

import platformdirs
from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict, TomlConfigSettingsSource

from noderag_local.domain.budget_bounds import LEAST_BUDGET, MOST_BUDGET
from noderag_local.domain.errors import SettingsError
from noderag_local.system.printing.value_problems import problem_in_words

APP_NAME = "noderag"
PREFIX = "NODERAG_"
_UNKNOWN = "extra_forbidden"
"""Pydantic's type of error for a name that is no setting; only the settings file can have one, flags have none."""
OTHER_VARIABLES = frozenset(
    f"NODERAG_{name}" for name in ("SETTINGS", "PYTHON", "WHEELS", "LLAMA_WHEEL", "PASSPHRASE_FILE", "STATE")
)
"""Variables that are no settings: where the settings file is, which Python scripts/ take, where the passphrase is, and which
folder remembers the encrypted vaults."""


def default_vault() -> Path:
    """Returns the folder of the vault when the user names none."""
    return Path(platformdirs.user_data_dir(APP_NAME)) / "vault"


def settings_file() -> Path:
    """Returns the path of the settings file, in TOML; NODERAG_SETTINGS names another."""
    named = os.environ.get("NODERAG_SETTINGS")
    return Path(named) if named else Path(platformdirs.user_config_dir(APP_NAME)) / "settings.toml"


def default_models_dir() -> Path:
    """Returns `models/` of the checkout that the package runs from, else a folder in the user's data directory."""
    checkout = Path(__file__).resolve().parent.parent / "models"
    return checkout if checkout.is_dir() else Path(platformdirs.user_data_dir(APP_NAME)) / "models"


def bounded_budget(written: object) -> object:
    """Returns a budget as it is written somewhere; the largest one in the place of a larger one, which old versions allowed."""
    if isinstance(written, str) and written.strip().isdecimal():
        return min(int(written), MOST_BUDGET)
    return min(written, MOST_BUDGET) if isinstance(written, int | float) else written


class Settings(BaseSettings):
    """All that a user can set; the same names in the TOML file and, in capitals with NODERAG_ in front, as variables."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, extra="forbid", frozen=True)

    vault: Path = Field(default_factory=default_vault, description="Folder of the vault")
    models_dir: Path = Field(default_factory=default_models_dir, description="Folder with the GGUF files")
    model: str = Field(
        "", description="GGUF that answers: a catalogue name or a file name; empty: the best installed one"
    )
    embedding_model: str = Field(
        "",
        description="Model that compares meanings: a name, a folder, a GGUF or a server's address; empty: the installed one",
    )
    budget_tokens: int = Field(500, ge=LEAST_BUDGET, le=MOST_BUDGET, description="Context tokens a question may use")
    answer_tokens: int = Field(300, ge=16, description="Tokens an answer may have")
    read_ahead: bool = Field(True, description="Whether the model reads passages while a question is typed")
    gleaning_rounds: int = Field(
        0, ge=0, le=5, description="Times the model is asked again for what it missed in a passage that it reads"
    )
    method: str = Field("noderag", description="Retrieval method; with parameters: ket(beta=0.6)")
    threads: int = Field(0, ge=0, description="Threads for models; 0: one a physical core")
    gpu_layers: int = Field(-1, ge=-1, description="Layers on a GPU; -1: all, where there is one")
    server_url: str = Field(
        "", description="Model server that answers instead of a GGUF, or several with blanks between; empty: none"
    )
    server_model: str = Field("", description="Which of the server's models; empty: the only one")
    server_key: SecretStr = Field(SecretStr(""), description="Key that the server asks for; never shown")
    server_concurrency: int = Field(8, ge=1, le=256, description="Requests at a time to each server")
    server_timeout_seconds: int = Field(300, ge=1, description="Silence after which the server is given up")
    server_private_network: bool = Field(False, description="Whether the server may be on a private network")
    automatic_backups: bool = Field(True, description="Whether long work is followed by a backup, at most one a day")
    max_file_mb: int = Field(20, ge=1, description="Larger files are left out")
    read_scans: bool = Field(
        True, description="Whether text in scans and pictures is read, where the extra for it is installed"
    )
    formats_without_walls: bool = Field(
        default_factory=lambda: sys.platform != "linux",
        description="Whether PDF, Office and the like are read where the system has no sandbox for it",
    )
    follow_folders: bool = Field(True, description="Whether the interface reads notes that change by itself")
    resident: bool = Field(True, description="Whether a search leaves a process that answers the next ones at once")
    editor: str = Field("", description="Editor that opens notes; VISUAL and EDITOR override it; empty: asked once")
    inbox_file: str = Field("", description="Note that `noderag add` appends to; empty: none")
    log: str = Field("", description="File that a log is written to; empty: none")
    log_names: bool = Field(False, description="Whether the log quotes file names and texts")
    theme: Literal["dark", "light"] = Field("dark", description="Colours of the terminal interface")

    @field_validator("*", mode="before")
    @classmethod
    def _is_text(cls, value: object) -> object:
        """Refuses what a library below could not take. A path may hold any bytes but the one that ends it."""
        text = value.get_secret_value() if isinstance(value, SecretStr) else value
        if isinstance(text, str | Path) and "\0" in str(text):
            raise ValueError("it holds a NUL character")
        return value

    @field_validator("budget_tokens", mode="before")
    @classmethod
    def _is_bounded(cls, value: object) -> object:
        return bounded_budget(value)

    @field_validator("model", "embedding_model", "method", "server_url", "server_model", "server_key")
    @classmethod
    def _is_utf8(cls, value: str | SecretStr) -> str | SecretStr:
        try:
            (value if isinstance(value, str) else value.get_secret_value()).encode()
        except UnicodeEncodeError:
            raise ValueError("it is not UTF-8") from None
        return value

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Returns the sources of settings: flags go before environment variables, and these before the file."""
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls, settings_file())


def load_settings(**flags: Any) -> Settings:
    """Returns the settings, with the flags that are not None in place of other values.

    Raises:
        SettingsError: the file is no TOML, a key is unknown or a value cannot be used; names the key and the file.
    """
    given = {name: value for name, value in flags.items() if value is not None}
    _refuse_unknown_variables()
    try:
        return Settings(**given)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{settings_file()} is not valid TOML: {error}. Fix or remove that line.") from error
    except UnicodeDecodeError as error:
        raise SettingsError(
            f"{settings_file()} is not UTF-8: {error.reason} at byte {error.start:,}. Save it as UTF-8, or remove it."
        ) from error
    except OSError as error:
        raise SettingsError(
            f"{settings_file()} cannot be read: {error.strerror or error}. Fix its permissions, or name another file with "
            "NODERAG_SETTINGS."
        ) from error
    except ValidationError as error:
        raise SettingsError(_problems(error.errors())) from error


def _problems(errors: Iterable[Mapping[str, Any]]) -> str:
    """Returns what is wrong with the settings, for pydantic's errors."""
    named = [(".".join(map(str, error["loc"])) or "settings", error) for error in errors]
    told = [_unknown(name) for name, error in named if error["type"] == _UNKNOWN]
    wrong = "; ".join(f"{name}: {problem_in_words(error)}" for name, error in named if error["type"] != _UNKNOWN)
    if wrong:
        place = f"Look in {settings_file()}, the NODERAG_* variables and the flags."
        told.append(f"A setting cannot be used: {wrong}. {place}")
    return " ".join(told)


def _unknown(name: str) -> str:
    near = difflib.get_close_matches(name, Settings.model_fields, 1)
    advice = f"Did you mean {near[0]}?" if near else "Fix or remove that line."
    return f"There is no setting {name} in {settings_file()}. {advice}"


def _refuse_unknown_variables() -> None:
    """Refuses variables with our prefix that name no setting: pydantic-settings passes over a misspelt one in silence."""
    known = {PREFIX + name.upper() for name in Settings.model_fields} | OTHER_VARIABLES
    unknown = sorted(name for name in os.environ if name.startswith(PREFIX) and name not in known)
    if unknown:
        raise SettingsError(
            f"There is no setting {', '.join(unknown)}. Unset it, or choose one of: {', '.join(sorted(known))}."
        )
