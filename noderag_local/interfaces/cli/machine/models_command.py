"""`noderag models`: list, get, add, check, rm."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from noderag_local.interfaces.cli.completions import model_names
from noderag_local.interfaces.cli.json_output import print_document
from noderag_local.interfaces.cli.machine.logged import logged
from noderag_local.system.paths import absolute
from noderag_local.system.printing.amounts import size
from noderag_local.system.printing.plain_text import printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, TaskID

    from noderag_local.domain.progress import Finding
    from noderag_local.models.llm.gguf_files.catalog import CatalogEntry
    from noderag_local.models.llm.gguf_files.installed import InstalledModel

models_app = typer.Typer(
    name="models",
    help="List, get, add, check and remove models. Only `get` goes to the internet.",
    no_args_is_help=True,
)

ModelsDir = Annotated[
    Path | None, typer.Option("--models-dir", help="Folder with the model files.", file_okay=False, show_default=False)
]
AsJson = Annotated[bool, typer.Option("--json", help="Output for programs.")]


@models_app.command("list")
@logged
def list_models(models_dir: ModelsDir = None, as_json: AsJson = False) -> None:
    """List the models of the catalogue and the installed files.

    Example: noderag models list
    """
    from noderag_local.models.llm.gguf_files.catalog import catalog
    from noderag_local.models.llm.gguf_files.installed import installed_models

    folder = _folder(models_dir)
    models = installed_models(folder)
    rows = [_catalog_row(entry, models, folder) for entry in catalog()]
    rows += [_other_row(model) for model in models if model.entry is None]
    if as_json:
        print_document({"models_dir": str(folder), "models": rows})
        return
    _print_rows(rows)
    typer.echo(f"Models folder: {_printable(folder)}")


@models_app.command()
@logged
def get(
    name: Annotated[
        str, typer.Argument(help="Name from `models list`; left out: the default.", autocompletion=model_names)
    ] = "",
    models_dir: ModelsDir = None,
    as_json: AsJson = False,
) -> None:
    """Fetch a model of the catalogue and verify it. Continues where an earlier try was cut off.

    Example: noderag models get qwen3-4b-instruct-2507-q4_k_m
    """
    from noderag_local.models.llm.gguf_files.catalog import default_entry, find_entry
    from noderag_local.models.llm.gguf_files.download import fetch_model

    entry = find_entry(name) if name else default_entry()
    with _reporter(f"Fetching {entry.name}, {size(entry.size_bytes)}, {entry.licence}") as reporter:
        path = fetch_model(entry, _folder(models_dir), reporter)
    if as_json:
        print_document({"name": entry.name, "path": str(path), "size_bytes": entry.size_bytes, "sha256": entry.sha256})
        return
    verified = "verified by SHA-256" if entry.sha256 else "its hash is not known; size and structure are right"
    typer.echo(f"{_printable(path)}: {verified}.")


@models_app.command()
@logged
def add(
    file: Annotated[Path, typer.Argument(help="A GGUF file, for example on a USB stick.")],
    models_dir: ModelsDir = None,
    as_json: AsJson = False,
) -> None:
    """Copy a GGUF file into the models folder and verify it; needs no network.

    Example: noderag models add /media/stick/qwen3-4b-instruct-2507-q4_k_m.gguf
    """
    from noderag_local.models.llm.gguf_files.add_model import add_model

    with _reporter(f"Adding {_printable(file)}") as reporter:
        path, entry = add_model(file, _folder(models_dir), reporter)
    if as_json:
        print_document({"name": path.stem, "path": str(path), "in_catalogue": entry is not None})
        return
    what = f"it is the catalogue's {entry.name}, verified by SHA-256" if entry else "whole; not in the catalogue"
    typer.echo(f"{_printable(path)}: {what}.")


@models_app.command()
@logged
def check(models_dir: ModelsDir = None, as_json: AsJson = False) -> None:
    """Verify hash and structure of every installed model, and ask every model server of the settings.

    The exit code is 6 if a model is damaged or a server does not answer.

    Example: noderag models check
    """
    from noderag_local.domain.errors import ModelDamaged
    from noderag_local.models.llm.gguf_files.installed import check_models

    with _reporter("Checking models") as reporter:
        findings = check_models(_folder(models_dir), reporter)
    servers = _servers()
    if as_json:
        files = [{"path": str(f.path), "ok": f.good, "detail": f.message} for f in findings]
        print_document([*files, *({"path": None, "ok": one.ok, "detail": one.detail} for one in servers)])
    else:
        for finding in findings:
            mark = "good" if finding.good else "BAD "
            typer.echo(f"{mark}  {_printable(finding.path.name)}: {printable(finding.message)}")
        for one in servers:
            typer.echo(f"{'good' if one.ok else 'BAD '}  {one.what}: {printable(one.detail)}")
    if not all([*(finding.good for finding in findings), *(one.ok for one in servers)]):
        raise typer.Exit(ModelDamaged.exit_code)


@models_app.command("rm")
@logged
def remove(
    name: Annotated[str, typer.Argument(help="Name or file name from `models list`.")],
    models_dir: ModelsDir = None,
    as_json: AsJson = False,
) -> None:
    """Delete a model and any unfinished download of it.

    Example: noderag models rm qwen2.5-coder-0.5b-instruct-q4_k_m
    """
    from noderag_local.models.llm.gguf_files.installed import remove_model

    gone = remove_model(name, _folder(models_dir))
    if as_json:
        print_document({"removed": [str(path) for path in gone]})
        return
    for path in gone:
        typer.echo(f"{_printable(path)}: deleted.")


def _servers() -> list[Finding]:
    from noderag_local.config import load_settings
    from noderag_local.interfaces.cli.machine.doctor_checks import model_servers

    settings = load_settings()
    return list(model_servers(settings)) if settings.server_url else []


def _folder(models_dir: Path | None) -> Path:
    from noderag_local.config import load_settings

    return absolute(load_settings(models_dir=models_dir).models_dir)


def _catalog_row(entry: CatalogEntry, models: list[InstalledModel], folder: Path) -> dict[str, Any]:
    from noderag_local.models.llm.gguf_files.catalog import InstalledSource, installed_file
    from noderag_local.models.llm.gguf_files.model_folders import folder_of

    model = next((model for model in models if model.entry is entry), None)
    path = model.path if model else folder_of(entry, folder)
    for source in entry.sources:
        if isinstance(source, InstalledSource):
            path = installed_file(source)
    return {
        "name": entry.name,
        "role": entry.role.value,
        "default": entry.default,
        "installed": path is not None,
        "path": str(path) if path else None,
        "size_bytes": entry.size_bytes,
        "sha256": entry.sha256 or None,
        "context_tokens": entry.context_tokens,
        "licence": entry.licence,
        "prompt_style": entry.prompt_style,
        "languages": list(entry.languages),
        "dimensions": entry.dimensions,
        "description": entry.description,
        "problem": model.problem if model else "",
    }


def _other_row(model: InstalledModel) -> dict[str, Any]:
    """Returns the row of a file that is not in the catalogue."""
    from noderag_local.models.llm.gguf_files.hashes import noted_hash

    header = model.header
    return {
        "name": model.path.name,
        "role": "chat",
        "default": False,
        "installed": True,
        "path": str(model.path),
        "size_bytes": model.size_bytes,
        "sha256": noted_hash(model.path) or None,
        "context_tokens": header.context_tokens if header else 0,
        "licence": "not known",
        "languages": [],
        "dimensions": 0,
        "prompt_style": "chat template of the file" if header and header.has_chat_template else "none",
        "description": (header.name if header else "") or "not in the catalogue",
        "problem": model.problem,
    }


def _print_rows(rows: list[dict[str, Any]]) -> None:
    """Prints three lines for each model, since eight columns do not fit into a terminal."""
    from noderag_local.models.llm.gguf_files.catalog import named_languages
    from noderag_local.models.llm.machine import needed_memory_bytes

    for row in rows:
        state = "damaged" if row["problem"] else "installed" if row["installed"] else ""
        default = "default" if row["default"] else ""
        facts = (
            row["role"],
            size(row["size_bytes"]),
            f"about {size(needed_memory_bytes(row['size_bytes']))} of memory" if row["role"] == "chat" else "",
            f"{row['context_tokens']:,} tokens of context",
            named_languages(row["languages"]),
            f"{row['dimensions']:,} dimensions" if row["dimensions"] else "",
            row["licence"],
            "hash known" if row["sha256"] else "hash not known",
        )
        typer.echo(", ".join(filter(None, (_printable(row["name"]), default, state))))
        typer.echo(printable(f"    {' · '.join(filter(None, facts))}"))
        typer.echo(printable(f"    {row['problem'] or row['description']}"))


class _Bar:
    """Draws a progress bar for work on model files, with rate and time left; messages take one line each."""

    def __init__(self, console: Console, progress: Progress) -> None:
        self._console = console
        self._progress = progress
        self._stage = ""
        self._task: TaskID | None = None

    def progress(self, stage: str, done_bytes: int, total_bytes: int) -> None:
        if self._task is None or stage != self._stage:
            if self._task is not None:
                self._progress.remove_task(self._task)
            # Existing bytes do not count for the rate, so the bar of a resumed download starts after them.
            self._task = self._progress.add_task(stage, total=total_bytes, completed=done_bytes)
            self._stage = stage
        self._progress.update(self._task, completed=done_bytes, total=total_bytes)

    def say(self, text: str) -> None:
        self._console.print(printable(text), markup=False, highlight=False, soft_wrap=True)


@contextmanager
def _reporter(title: str) -> Iterator[_Bar]:
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

    # On stderr, so that --json and pipes get only the result.
    console = Console(stderr=True)
    console.print(printable(title), markup=False, highlight=False, soft_wrap=True)
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        yield _Bar(console, progress)


def _printable(name: object) -> str:
    from noderag_local.models.llm.gguf_files.gguf import MAX_PATH_CHARACTERS, one_line

    return one_line(str(name), MAX_PATH_CHARACTERS)
