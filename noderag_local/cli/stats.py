"""`noderag stats`: what the vault holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from noderag_local.cli.options import AsJson, VaultDir, opened_vault

if TYPE_CHECKING:
    from noderag_local.records import Stats


def stats(vault: VaultDir = None, as_json: AsJson = False) -> None:
    """Count what the vault holds.

    \b
    Example:
      noderag stats --vault ~/vaults/work
    """
    from noderag_local.cli.documents import print_document

    with opened_vault(vault) as opened:
        held = opened.stats()
    if as_json:
        print_document(held)
    else:
        _print_stats(held)


def _print_stats(held: Stats) -> None:
    from noderag_local.cli.screen import console, show, size

    rows = [
        ("vault", held.folder),
        ("size", size(held.size_bytes)),
        ("files", f"{held.files:,}"),
        ("documents", f"{held.documents:,}"),
        ("chunks", f"{held.chunks:,}"),
        ("sentences", f"{held.sentences:,}"),
        ("tokens", f"{held.tokens:,}  (by {held.tokenizer})"),
        *((f"nodes: {kind.name.lower()}", f"{number:,}") for kind, number in held.nodes),
        *((f"edges: {kind.value}", f"{number:,}") for kind, number in held.edges),
        ("embeddings", f"{held.embeddings:,}  (by {held.embedding_model})"),
        ("layers", ", ".join(layer.value for layer in held.layers)),
    ]
    width = max(len(label) for label, _ in rows)
    out = console()
    for label, value in rows:
        show(out, f"{label:{width}}  {value}")
