"""`noderag names`: list, merge, apart, undo."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from noderag_local.interfaces.cli.machine.logged import logged
from noderag_local.interfaces.cli.options import AsJson, VaultDir, Yes, opened_vault

if TYPE_CHECKING:
    from rich.console import Console

    from noderag_local.vault.browsing.same_names import ApartPair, MergedName, OfferedPair
    from noderag_local.vault.vault import Vault

SHOWN = 20
SHOWN_WIDTH = 120
"""Maximum characters shown of a sentence."""
STAY_APART = "stay apart, because merging them would join names that you hold apart. noderag names list shows these; noderag names undo reverses that decision."

names_app = typer.Typer(
    name="names",
    help="Decide which names mean the same.",
    no_args_is_help=True,
)

First = Annotated[str, typer.Argument(metavar="NAME", show_default=False, help="A name as the notes write it.")]
Second = Annotated[str, typer.Argument(metavar="NAME", show_default=False, help="The other name.")]
Limit = Annotated[int, typer.Option("--limit", metavar="N", min=0, help="Maximum pairs of each kind; 0 for all.")]


@names_app.command("list")
@logged
def list_names(limit: Limit = SHOWN, vault: VaultDir = None, as_json: AsJson = False) -> None:
    """List merged names, names that you hold apart, and pairs that may be the same.

    Names that are surely the same are merged by rule. Other pairs are offered here, best first, with the reasons: the rule, what both are named with, and how similar the sentences about them are, from 0 to 1.

    \b
    Examples:
      noderag names list
      noderag names list --limit 0 --json
    """
    from noderag_local.interfaces.cli.json_output import print_document
    from noderag_local.interfaces.cli.printed import console

    with opened_vault(vault) as opened:
        merged, apart, offered = opened.names.merged(), opened.names.apart(), opened.names.offered()
    if as_json:
        shown = offered[:limit] if limit else offered
        print_document({"vault": opened.folder, "merged": merged, "apart": apart, "offered": shown})
        return
    out = console()
    _print_merged(out, merged, limit)
    _print_apart(out, apart)
    _print_offered(out, offered, limit)


@names_app.command()
@logged
def merge(one: First, other: Second, yes: Yes = False, vault: VaultDir = None, as_json: AsJson = False) -> None:
    """Read two names as one.

    It shows what the notes say about each, and asks. Nothing is lost: `noderag names undo` reverses it.

    Example: noderag names merge "Bob Weber" "Robert Weber"
    """
    with opened_vault(vault) as opened:
        if not yes and not _agreed(opened, one, other):
            _report(opened, as_json, f"{one} and {other} stay as they were.")
            return
        is_one = opened.names.merge(one, other)
        _report(opened, as_json, f"{one} and {other} are read as one." if is_one else f"{one} and {other} {STAY_APART}")


@names_app.command()
@logged
def apart(one: First, other: Second, vault: VaultDir = None, as_json: AsJson = False) -> None:
    """Never read two names as one, whatever the rules say.

    Example: noderag names apart "San José" "San Jose"
    """
    with opened_vault(vault) as opened:
        opened.names.keep_apart(one, other)
        _report(opened, as_json, f"{one} and {other} are never read as one.")


@names_app.command()
@logged
def undo(one: First, other: Second, vault: VaultDir = None, as_json: AsJson = False) -> None:
    """Reverse a decision about two names.

    Example: noderag names undo "Bob Weber" "Robert Weber"
    """
    with opened_vault(vault) as opened:
        opened.names.undo(one, other)
        _report(opened, as_json, f"Nothing is decided about {one} and {other} any more.")


def _agreed(opened: Vault, *names: str) -> bool:
    """Shows what the notes say about two names, asks whether to merge them, and returns the answer.

    Raises:
        BadParameter: there is no terminal to ask at.
        NotFound: no entity has one of the names.
    """
    from noderag_local.interfaces.cli.printed import console, show

    if not sys.stdin.isatty():
        raise typer.BadParameter("merging asks first, and there is no terminal to ask at; say --yes")
    out = console(stderr=True)
    for name in names:
        show(out, name)
        for source in opened.names.sentences(opened.names.entity(name)):
            show(out, source.text.strip()[:SHOWN_WIDTH], indent=3)
    return typer.confirm("Read them as one name?", err=True)


def _report(opened: Vault, as_json: bool, told: str) -> None:
    from noderag_local.interfaces.cli.json_output import print_document
    from noderag_local.interfaces.cli.printed import console, show

    if as_json:
        print_document({"vault": opened.folder, "merged": opened.names.merged(), "apart": opened.names.apart()})
    else:
        show(console(), told)


def _print_merged(out: Console, merged: tuple[MergedName, ...], limit: int) -> None:
    from noderag_local.interfaces.cli.printed import show

    show(out, f"Read as one: {len(merged):,}")
    for one in merged[:limit] if limit else merged:
        others = "; ".join(f"{other.name} ({other.why})" for other in one.others)
        show(out, f"{one.name}: {others}", indent=2)
    _print_rest(out, len(merged), limit)


def _print_apart(out: Console, apart: tuple[ApartPair, ...]) -> None:
    from noderag_local.interfaces.cli.printed import show

    if apart:
        show(out, f"Held apart by you: {len(apart):,}")
    for pair in apart:
        show(out, f"{pair.first} | {pair.second}", indent=2)


def _print_offered(out: Console, offered: tuple[OfferedPair, ...], limit: int) -> None:
    from noderag_local.interfaces.cli.printed import show

    show(out, f"May be the same: {len(offered):,}")
    for pair in offered[:limit] if limit else offered:
        both = f"{pair.first.name} ({pair.first.sentences}) | {pair.second.name} ({pair.second.sentences})"
        beside = f"; both beside {', '.join(pair.shared)}" if pair.shared else ""
        show(out, both, indent=2)
        show(out, f"{pair.rule}, closeness {pair.closeness:.2f}{beside}", indent=4)
    _print_rest(out, len(offered), limit)
    if offered:
        show(out, "To decide: noderag names merge NAME NAME, or noderag names apart NAME NAME.")


def _print_rest(out: Console, total: int, limit: int) -> None:
    from noderag_local.interfaces.cli.printed import show

    if limit and total > limit:
        show(out, f"and {total - limit:,} more: --limit 0", indent=2)
