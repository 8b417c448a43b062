"""`noderag stats`: counts the contents of the vault."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from noderag_local.interfaces.cli.options import AsJson, VaultDir, opened_vault

if TYPE_CHECKING:
    from collections.abc import Sequence

    from noderag_local.domain.holdings import Stats
    from noderag_local.storage.graph.work_items import ItemCounts


def stats(vault: VaultDir = None, as_json: AsJson = False) -> None:
    """Count the contents of the vault.

    \b
    Example:
      noderag stats --vault ~/vaults/work
    """
    from noderag_local.interfaces.cli.json_output import print_document

    with opened_vault(vault) as opened:
        held, stages = opened.stats(), opened.enrichment.stages()
    if as_json:
        print_document(_fields(held, stages))
    else:
        _print_stats(held, stages)


def _fields(held: Stats, stages: Sequence[tuple[str, ItemCounts]]) -> dict[str, Any]:
    """Returns the counts for JSON, each stage with its use of the language model."""
    from noderag_local.domain.model_use import NOTHING_ASKED

    fields = {"vault": held.folder, **asdict(held)}
    del fields["folder"], fields["stage_use"]
    use = dict(held.stage_use)
    done = {name: {**asdict(counts), "llm_use": asdict(use.get(name, NOTHING_ASKED))} for name, counts in stages}
    return {**fields, "stages": done}


def _print_stats(held: Stats, stages: Sequence[tuple[str, ItemCounts]]) -> None:
    from noderag_local.domain.model_use import NOTHING_ASKED
    from noderag_local.interfaces.cli.printed import console, show
    from noderag_local.system.printing.amounts import size

    rows = [
        ("vault", held.folder),
        ("size", size(held.size_bytes)),
        ("files", f"{held.files:,}"),
        ("documents", f"{held.documents:,}"),
        ("chunks", f"{held.chunks:,}"),
        ("sentences", f"{held.sentences:,}"),
        ("tokens", f"{held.tokens:,}  (by {held.tokenizer})"),
        *((f"nodes: {kind.name.lower()}", f"{number:,}") for kind, number in held.nodes if number),
        *((f"edges: {kind.value}", f"{number:,}") for kind, number in held.edges if number),
        ("embeddings", f"{held.embeddings:,}  (by {held.embedding_model})"),
        *[("in progress", f"embeddings by {held.coming_model}; noderag index continues")] * bool(held.coming_model),
        *(
            (f"stage: {name}", _standing(counts, dict(held.stage_use).get(name, NOTHING_ASKED).worked_tokens))
            for name, counts in stages
        ),
        ("layers", ", ".join(layer.value for layer in held.layers)),
    ]
    width = max(len(label) for label, _ in rows)
    out = console()
    for label, value in rows:
        show(out, f"{label:{width}}  {value}")


def _standing(counts: ItemCounts, tokens: int) -> str:
    parts = [f"{counts.done:,} done", f"{counts.failed:,} failed"]
    if tokens:
        parts.append(f"{tokens:,} tokens read and written")
    if counts.rejected_share is not None:
        parts.append(f"{100 * counts.rejected_share:.0f} % rejected")
    return ", ".join(parts)
