"""`noderag resident`: tells of the process that a search leaves behind, or ends it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any

import typer

from noderag_local.interfaces.cli.options import AsJson

End = Annotated[bool, typer.Option("--end", help="End it; what it runs is finished first.")]


def resident(end: End = False, as_json: AsJson = False) -> None:
    """Show the process that a search leaves behind, or end it.

    It holds the vault and the embedding model, so that the next searches are quick, and ends by itself after ten minutes
    without one. `resident = false` in the settings turns it off.

    \b
    Examples:
      noderag resident
      noderag resident --end
    """
    from noderag_local.interfaces.cli.json_output import print_document
    from noderag_local.interfaces.cli.printed import console, show
    from noderag_local.interfaces.resident.leaving import told_by_resident

    told = told_by_resident("end" if end else "tell")
    if as_json:
        print_document({"running": told is not None and not end, **(told or {})})
    elif told is None:
        show(console(), "No resident process is running.")
    else:
        show(
            console(),
            f"Ended: process {told['process']}." if end else f"{of_resident(told)} To end it: noderag resident --end",
        )


def of_resident(told: Mapping[str, Any]) -> str:
    """Returns what the resident process tells about itself, as a sentence."""
    from noderag_local.interfaces.resident.serving import IDLE_SECONDS
    from noderag_local.system.printing.amounts import counted

    left = max(round((IDLE_SECONDS - told["idle_seconds"]) / 60), 0)
    since = datetime.fromtimestamp(told["since"])
    return (
        f"process {told['process']} since {since:%H:%M}, with {counted(told['vaults'], 'vaults')} and "
        f"{told['memory_bytes'] / 1e6:.0f} MB; it ends after {left} more minutes without a search."
    )
