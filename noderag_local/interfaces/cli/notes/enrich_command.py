"""`noderag enrich`: lets the language model read the notes for as long as the user wants."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated

import typer

from noderag_local.interfaces.cli.completions import model_names
from noderag_local.interfaces.cli.options import AsJson, VaultDir, opened_vault

if TYPE_CHECKING:
    from collections.abc import Mapping

    from noderag_local.interfaces.cli.interruption import Interruption
    from noderag_local.pipeline.budget import Budget
    from noderag_local.vault.vault import Vault

DEFAULT_SECONDS = 600.0
"""Default time: long enough to be useful, short enough to wait for; --all has no limit."""

For = Annotated[
    str,
    typer.Option("--for", metavar="T", show_default=False, help="How long: 90s, 30m, 2h, 1h30m; the default is 10m."),
]
Share = Annotated[
    float | None,
    typer.Option(
        "--share", metavar="F", show_default=False, help="Share of the chunks to read, most central first: 0.3."
    ),
]
All = Annotated[bool, typer.Option("--all", help="Do everything, however long it takes.")]
Redo = Annotated[
    list[str], typer.Option("--redo", metavar="STAGE", show_default=False, help="Do a stage again; may be given twice.")
]
Drop = Annotated[
    str,
    typer.Option(
        "--drop", metavar="STAGE", show_default=False, help="Remove the results of a stage, or of all, and end."
    ),
]
Layer = Annotated[
    str,
    typer.Option(
        "--layer",
        metavar="LAYER",
        help="What to make: noderag; arch, the summaries that arch searches; light, the profiles that light-paper searches; "
        "written, semantic units in the model's words, for noderag-paper(units=written).",
    ),
]
KeepOld = Annotated[
    bool,
    typer.Option("--keep-old", help="Keep results of older prompts or settings for now, and do only the rest."),
]
OnlyEstimate = Annotated[bool, typer.Option("--estimate", help="Show how much there is to do and how long it takes.")]
Model = Annotated[
    str | None,
    typer.Option(
        "--model",
        metavar="NAME",
        show_default=False,
        help="Use this model instead of the settings'.",
        autocompletion=model_names,
    ),
]


def enrich(
    time: For = "",
    share: Share = None,
    everything: All = False,
    redo: Redo = [],  # noqa: B006 - typer copies it
    drop: Drop = "",
    layer: Layer = "noderag",
    keep_old: KeepOld = False,
    only_estimate: OnlyEstimate = False,
    model: Model = None,
    vault: VaultDir = None,
    as_json: AsJson = False,
) -> None:
    """Let the language model read the notes, for better answers.

    It finds out what is said about whom and what belongs together. The most central notes come first, and each finished one makes answers better. It runs for ten minutes unless you say otherwise.
    Ctrl-C stops cleanly and keeps what is done. The same command continues from there, and nothing is asked twice.

    \b
    Stages, in order: decompose, attributes, communities, elements, embedding, matching, similar.
    With --layer arch: arch-communities, arch-level-1, arch-embedding, then arch-communities-2, arch-level-2 and so on up to 4.
    With --layer light: decompose, profiles, embedding.
    With --layer written: decompose, written-units, embedding.

    \b
    Examples:
      noderag enrich --for 30m
      noderag enrich --share 0.3
      noderag enrich --all --estimate
      noderag enrich --redo attributes
      noderag enrich --layer arch --estimate
    """
    from noderag_local.interfaces.cli.interruption import clean_stop
    from noderag_local.interfaces.cli.low_priority import low_priority

    if drop:
        given = {"--redo": redo, "--estimate": only_estimate, "--for": time, "--all": everything}
        _refuse("--drop", given | {"--share": share is not None})
    if redo:
        _refuse("--redo", {"--estimate": only_estimate})
    budget = _budget(time, share, everything, keep_old)
    with (
        low_priority(),
        opened_vault(vault, model=model) as opened,
        clean_stop("Stopping; what is done is kept. Ctrl-C again stops at once.") as stop,
    ):
        if drop:
            _drop(opened, drop, layer, as_json)
            return
        _tell_estimate(opened, budget, layer, stop, as_json, only_estimate)
        if not only_estimate:
            _enrich(opened, budget, layer, redo, stop, as_json)


def _drop(vault: Vault, part: str, layer: str, as_json: bool) -> None:
    from noderag_local.interfaces.cli.failures import say
    from noderag_local.interfaces.cli.json_output import print_document

    vault.enrichment.drop(part, layer=layer)
    if as_json:
        print_document({"dropped": part})
    else:
        say(f"Removed: {part} of the layer {layer}. The model's answers are kept, so nothing is asked twice.")


def _refuse(chosen: str, given: Mapping[str, object]) -> None:
    """Raises an error if options were given that do not go with the chosen one."""
    # Ignoring --estimate would remove results for someone who only asks what there is to do.
    if useless := [name for name, value in given.items() if value]:
        raise typer.BadParameter(f"{chosen} removes results and takes no {', '.join(useless)}; leave one of them out")


def _tell_estimate(opened: Vault, budget: Budget, layer: str, stop: Interruption, as_json: bool, is_all: bool) -> None:
    from noderag_local.interfaces.cli.failures import say
    from noderag_local.interfaces.cli.json_output import print_document
    from noderag_local.interfaces.cli.notes.enrich_view import estimate_lines, shown_waiting
    from noderag_local.interfaces.cli.printed import console, show

    with shown_waiting() as told:
        expected = opened.enrichment.estimate(budget, layer=layer, measure=is_all, cancelled=stop.asked, told=told)
    if is_all and as_json:
        print_document({"seconds": expected.seconds, **_fields(expected)})
        return
    for line in estimate_lines(expected, budget):
        if is_all:
            show(console(), line)
        else:
            say(line)


def _enrich(opened: Vault, budget: Budget, layer: str, redo: list[str], stop: Interruption, as_json: bool) -> None:
    from noderag_local.domain.errors import ModelError
    from noderag_local.interfaces.cli.failures import STOPPED
    from noderag_local.interfaces.cli.json_output import print_document
    from noderag_local.interfaces.cli.notes.enrich_view import print_enriched, shown_enrichment

    with shown_enrichment() as progress:
        report = opened.enrichment.run(budget, layer=layer, redo=redo, progress=progress, cancelled=stop.asked)
    if as_json:
        print_document({"vault": opened.folder, **_fields(report)})
    else:
        print_enriched(report)
    if report.stopped:
        raise typer.Exit(STOPPED)
    if report.error:
        raise typer.Exit(ModelError.exit_code)


def _budget(time: str, share: float | None, everything: bool, keep_old: bool) -> Budget:
    from noderag_local.pipeline.budget import Budget

    if everything and (time or share is not None):
        raise typer.BadParameter("--all has no limit; leave out --for and --share, or --all")
    if share is not None and not 0 < share <= 1:
        raise typer.BadParameter(f"--share {share:g} should be above 0 and at most 1, such as 0.3")
    if time:
        return Budget(seconds_of(time), share, keep_old)
    return Budget(None if everything or share is not None else DEFAULT_SECONDS, share, keep_old)


def seconds_of(text: str) -> float:
    """Returns the seconds of "90s", "30m", "2h" or "1h30m".

    Raises:
        BadParameter: the text is not such a time.
    """
    found = re.fullmatch(r"(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?", text.replace(" ", "").lower())
    hours, minutes, seconds = (int(part or 0) for part in found.groups()) if found else (0, 0, 0)
    total = 3600 * hours + 60 * minutes + seconds
    if not total:
        raise typer.BadParameter(f"--for {text!r} should be a time, such as 90s, 30m, 2h or 1h30m")
    return float(total)


def _fields(record: object) -> dict[str, object]:
    from dataclasses import asdict

    return asdict(record)  # type: ignore[call-overload, no-any-return]
