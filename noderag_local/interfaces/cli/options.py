"""Defines the options that several commands share, and opens the vault that they name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from noderag_local.domain.budget_bounds import LEAST_BUDGET, MOST_BUDGET
from noderag_local.interfaces.cli.completions import method_names
from noderag_local.interfaces.resident.held_vaults import held_vault
from noderag_local.system.paths import absolute

if TYPE_CHECKING:
    from noderag_local.config import Settings
    from noderag_local.evaluation.metered_model import Meter
    from noderag_local.models.language_model import ModelAccess
    from noderag_local.vault.vault import Vault


def _given_here_or_before_the_command(context: typer.Context, folder: Path | None) -> Path | None:
    """Returns the folder of a command's own --vault, or else that of `noderag --vault DIR COMMAND`."""
    return folder or context.find_root().params.get("vault")


VaultDir = Annotated[
    Path | None,
    typer.Option(
        "--vault",
        metavar="DIR",
        file_okay=False,
        show_default=False,
        callback=_given_here_or_before_the_command,
        help="Folder of the vault; else NODERAG_VAULT, the settings file or the user's data directory decides.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON document on stdout, for programs.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask.")]
Force = Annotated[bool, typer.Option("--force", help="Replace files of the same names.")]
Method = Annotated[
    str,
    typer.Option(
        "--method",
        metavar="NAME",
        show_default=False,
        autocompletion=method_names,
        help="noderag, the default, or one to compare it with: hippo, ket, light-mix, arch, naive, bm25 and more; "
        "`noderag methods` lists them. Those that end in -llm, and hyde, ask the language model.",
    ),
]
Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="PARAMETER=VALUE",
        show_default=False,
        help="Change a parameter of the method, such as beta=0.6 of ket. May be given several times.",
    ),
]
Budget = Annotated[
    int | None,
    typer.Option(
        "--budget",
        metavar="N",
        min=LEAST_BUDGET,
        max=MOST_BUDGET,
        show_default=False,
        help="Maximum tokens of the context, 50 to 100,000; else the setting budget_tokens decides.",
    ),
]

Folder = Annotated[
    str,
    typer.Option("--folder", metavar="PATH", show_default=False, help="Only documents in this folder, or this file."),
]
Tag = Annotated[
    str, typer.Option("--tag", metavar="TAG", show_default=False, help="Only documents that contain this tag.")
]
Since = Annotated[
    str,
    typer.Option(
        "--since",
        metavar="DATE",
        show_default=False,
        help="Only documents from this day, month or year on (2024-03-05, 2024-03, 2024), "
        "by a date in the file's name, else by the day that the note itself tells, else by its last change.",
    ),
]
Until = Annotated[
    str,
    typer.Option(
        "--until", metavar="DATE", show_default=False, help="Only documents up to the end of this date; see --since."
    ),
]


def method_with(vault: Vault, method: str, assignments: Sequence[str] | None) -> str:
    """Returns the method that --method and --set name; "" if neither is given.

    Raises:
        SettingsError: the method has no such parameter, or a value cannot be used.
    """
    if not assignments:
        return method
    from noderag_local.retrieval.variants import with_assignments

    return with_assignments(method or vault.settings.method, assignments)


@contextmanager
def opened_vault(
    folder: Path | None, *, model: str | None = None, cache: Path | None = None, meter: Meter | None = None
) -> Iterator[Vault]:
    """Opens the vault that options, environment and settings name, and closes it at the end of the block.

    The resident process holds it open instead.

    Asks for the passphrase of an encrypted vault. Finishes an interrupted `forget` first.

    Args:
        folder: folder of the vault; None for the one of the settings.
        model: language model to use; None for the one of the settings.
        cache: file of what the model writes, from which the same prompt is answered again; None for no such file.
        meter: counts what the model is asked to do for answers; None to count nothing.

    Raises:
        SettingsError: a setting is invalid.
        VaultSealed: the vault is encrypted, and no passphrase was given.
        SourceError: the cache cannot be written.
    """
    from noderag_local.config import load_settings
    from noderag_local.interfaces.cli.safety.ask_passphrase import unlock_at_terminal
    from noderag_local.interfaces.cli.safety.unfinished_forgetting import finish_forgetting
    from noderag_local.vault.vault import Vault

    settings = load_settings(vault=folder, model=model)
    place = absolute(settings.vault)
    held = held_vault(place, settings)
    if held is not None:
        yield held
        return
    unlock_at_terminal(place)
    with (
        closing(language_model_of(settings, cache, meter)) as language_model,
        Vault(place, settings, language_model) as vault,
    ):
        finish_forgetting(vault)
        yield vault


def language_model_of(settings: Settings, cache: Path | None, meter: Meter | None = None) -> ModelAccess:
    """Returns the language model of the settings; with a file, it remembers there what it wrote; with a meter, it is counted.

    Raises:
        SourceError: the file cannot be written.
    """
    from noderag_local.models.language_model import LanguageModel

    if cache is None:
        model: ModelAccess = LanguageModel(settings)
    else:
        from noderag_local.evaluation.remembered_model import RememberedModel

        model = RememberedModel(settings, cache)
    if meter is None:
        return model
    from noderag_local.evaluation.metered_model import MeteredModel

    return MeteredModel(model, meter)
