"""Indexes a corpus into a vault of its own, for the commands that score methods."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from noderag_local.system.printing.plain_text import printable

if TYPE_CHECKING:
    from noderag_local.evaluation.provenance import Provenance
    from noderag_local.interfaces.cli.interruption import Interruption
    from noderag_local.vault.vault import Vault

Corpus = Annotated[Path, typer.Option("--corpus", metavar="PATH", help="File or folder that the questions are about.")]

Limit = Annotated[int, typer.Option("--limit", metavar="N", min=0, help="Only the first N questions; 0 for all.")]
DumpFile = Annotated[
    Path | None,
    typer.Option(
        "--dump",
        metavar="OUT.jsonl",
        help="File for all results; results of the same vault and model that it has are not made again.",
        show_default=False,
    ),
]


def corpus_vault(corpus: Path) -> Path:
    """Returns the default folder for a corpus's vault: beside the default vault, named after the corpus."""
    from hashlib import sha256

    from noderag_local.config import default_vault

    whole = corpus.absolute()
    return (
        default_vault().parent
        / "eval"
        / f"{whole.stem}-{sha256(str(whole).encode('utf-8', 'replace')).hexdigest()[:8]}"
    )


def index_corpus(vault: Vault, corpus: Path, by_lines: bool, stop: Interruption) -> None:
    """Updates the vault to the corpus; fast if nothing has changed."""
    from noderag_local.interfaces.cli.failures import say
    from noderag_local.interfaces.cli.stage_bars import shown_stages

    with shown_stages() as progress:
        report = vault.index([corpus], by_lines=by_lines, progress=progress, cancelled=stop.asked)
    if report.added or report.changed or report.removed:
        say(f"Indexed {report.added:,} documents into {vault.folder} in {report.elapsed_seconds:.0f} s.")
    for one in report.skipped:
        if one.is_error:
            say(one.told)
    _name_others(vault, corpus)


def _name_others(vault: Vault, corpus: Path) -> None:
    """Warns if the vault holds notes from elsewhere too: they take the room of the corpus's own in every context."""
    from noderag_local.domain.passages import Scope
    from noderag_local.interfaces.cli.failures import say
    from noderag_local.system.printing.amounts import counted

    others = vault.stats().documents - vault.atlas.count_in(Scope(folder=str(corpus.absolute())))
    if others:
        say(
            f"{vault.folder} also holds {counted(others, 'documents')} from elsewhere, which are searched too. For "
            f"figures of {printable(str(corpus))} alone, give a new folder to --vault."
        )


def provenance_of(vault: Vault, model: str) -> Provenance:
    """Returns a description of the vault and model that results are made with.

    Args:
        vault: vault that is searched.
        model: name of the model that answers; "" for none.
    """
    from noderag_local import __version__
    from noderag_local.evaluation.provenance import Provenance

    held = vault.stats()
    return Provenance(
        name=printable(vault.folder.name),
        state=held.state,
        model=model,
        documents=held.documents,
        corpus_tokens=held.tokens,
        size_bytes=held.size_bytes,
        stage_tokens={stage: use.worked_tokens for stage, use in held.stage_use},
        stage_use=dict(held.stage_use),
        stages=vault.enrichment.progress(),
        # With several models, the speed of a single one is unknown.
        tokens_per_second=held.model_rates[0][1] if len(held.model_rates) == 1 else 0.0,
        identity=vault.model_identity() if model else "",
        answer_tokens=vault.settings.answer_tokens if model else 0,
        version=__version__,
    )
