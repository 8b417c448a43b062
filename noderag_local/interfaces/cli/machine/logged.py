"""Adds the options --log and --log-names to a command."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer

from noderag_local.interfaces.cli.machine.run_log import start_log_of

LogFile = Annotated[
    Path | None,
    typer.Option(
        "--log",
        metavar="FILE",
        dir_okay=False,
        show_default=False,
        help="Write a log to this file: times, stages, counts and errors, no text or file name.",
    ),
]
LogNames = Annotated[
    bool, typer.Option("--log-names", help="The log also quotes file names and texts where a message has them.")
]


def logged(command: Callable[..., None]) -> Callable[..., None]:
    """Returns the command with --log and --log-names; typer reads its options from the signature."""
    own = inspect.signature(command, eval_str=True).parameters
    # typer passes the context to one parameter only.
    context = next((name for name, one in own.items() if one.annotation is typer.Context), "run_context")
    added = {
        context: _parameter(context, typer.Context, inspect.Parameter.empty),
        "log": _parameter("log", LogFile, None),
        "log_names": _parameter("log_names", LogNames, False),
    }
    parameters = [*own.values(), *(one for name, one in added.items() if name not in own)]

    @wraps(command)
    def run(**given: Any) -> None:
        _start_log(given[context], given["log"], given["log_names"])
        command(**{name: value for name, value in given.items() if name in own})

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in parameters}
    return run


def _start_log(context: typer.Context, file: Path | None, names: bool) -> None:
    from noderag_local.config import load_settings
    from noderag_local.domain.errors import SettingsError

    try:
        settings = load_settings(log=None if file is None else str(file))
    except SettingsError:
        # Most commands report this error themselves, and `doctor` continues without the settings.
        return
    start_log_of(settings, " ".join([context.command_path, *_given_options(context)]), names=names)


def _given_options(context: typer.Context) -> Iterator[str]:
    for param in context.command.params:
        source = context.get_parameter_source(param.name or "")
        if param.param_type_name == "option" and source is not None and source.name == "COMMANDLINE":
            yield param.opts[0]


def _parameter(name: str, annotation: Any, default: object) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
