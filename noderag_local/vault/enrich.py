"""Lets the language model read the notes of a vault."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from noderag_local.domain.errors import LayerMissing
from noderag_local.domain.progress import BACKING_UP

if TYPE_CHECKING:
    from noderag_local.config import Settings
    from noderag_local.domain.stage_progress import StageProgress
    from noderag_local.models.language_model import ModelAccess
    from noderag_local.pipeline.budget import Budget
    from noderag_local.pipeline.enrichment_report import EnrichProgress, EnrichReport
    from noderag_local.pipeline.forecast import Estimate
    from noderag_local.pipeline.plan import Part
    from noderag_local.storage.database.store import Store
    from noderag_local.storage.graph.work_items import ItemCounts
    from noderag_local.vault.reader import Reader


class VaultEnrichment:
    """Enrichment of one vault: the language model reads its notes; see `Vault.enrichment`."""

    def __init__(
        self,
        folder: Path,
        settings: Settings,
        model: ModelAccess,
        read: Callable[[], Reader],
        writing: Callable[[], AbstractContextManager[Store]],
        back_up_after: Callable[[float, Callable[[int, int], None]], None],
    ) -> None:
        """Takes the parts of a vault that enriching needs.

        Args:
            folder: folder of the vault.
            settings: settings of the vault.
            model: the language model; it is opened when it is first needed.
            read: returns the vault's reader.
            writing: opens the vault's store for writing.
            back_up_after: called with the number of seconds that a run has worked, and what to tell how far the backup is.
        """
        self._folder, self._settings, self._model = folder, settings, model
        self._read, self._writing, self._back_up_after = read, writing, back_up_after

    def run(
        self,
        budget: Budget,
        *,
        layer: str = "noderag",
        redo: Sequence[str] = (),
        progress: Callable[[EnrichProgress], None] = lambda _: None,
        cancelled: Callable[[], bool] = lambda: False,
        paused: Callable[[], bool] = lambda: False,
    ) -> EnrichReport:
        """Continues the language model's reading of the notes, most central chunks first; each finished chunk improves searches.

        Args:
            budget: limits of this run.
            layer: one of `pipeline.plan.LAYERS`.
            redo: names of the layer's stages and steps whose results are dropped and made again.
            progress: called at each progress.
            cancelled: called often; True ends the run cleanly and keeps what is done.
            paused: called often; no request starts while it returns True.

        Raises:
            VaultMissing: nothing was indexed yet.
            LayerMissing: indexing was stopped before its end.
            ModelError: there is no language model, or it cannot be opened. If the model fails later, the run ends and the
                report says why.
            SettingsError: there is no such stage.
            VaultLocked, VaultDamaged, StoreError: the vault cannot be written.
        """
        from noderag_local.pipeline.enrichment import enrich
        from noderag_local.pipeline.enrichment_report import EnrichProgress
        from noderag_local.pipeline.plan import drop_part, named_part

        with self._enriching(layer) as (store, parts):
            for part in [named_part(parts, name) for name in redo]:
                drop_part(store, part)
            report = enrich(store, parts, self._model.needed(), budget, progress, cancelled, paused)
        self._back_up_after(
            report.elapsed_seconds, lambda done, total: progress(EnrichProgress(BACKING_UP, done, total))
        )
        return report

    def estimate(
        self,
        budget: Budget,
        *,
        layer: str = "noderag",
        measure: bool = False,
        cancelled: Callable[[], bool] = lambda: False,
        told: Callable[[str], None] = lambda _: None,
    ) -> Estimate:
        """Estimates the tokens and time that enriching takes; raises the same errors as `run`.

        Args:
            budget: limits of the run; only `share` and `keep_old` are used.
            layer: one of `pipeline.plan.LAYERS`.
            measure: whether a model that this vault has not used yet processes a few items to measure its speed.
            cancelled: called often; True ends the measuring, and the estimate has no time.
            told: called with a line for the user that says what is being waited for.
        """
        from noderag_local.pipeline.forecast import estimate

        with self._enriching(layer) as (store, parts):
            told("Opening the language model …")
            return estimate(store, parts, self._model.needed(), budget, measure, cancelled, told)

    def drop(self, name: str, *, layer: str = "noderag") -> None:
        """Removes the results of one stage or step of a layer, or of all of them if `name` is "all".

        Raises:
            VaultMissing, VaultLocked, VaultDamaged, StoreError: the vault cannot be written.
            SettingsError: there is no such stage.
        """
        from noderag_local.pipeline.plan import drop_part, named_part

        with self._enriching(layer) as (store, parts):
            for part in reversed(parts) if name == "all" else [named_part(parts, name)]:
                drop_part(store, part)
            store.checkpoint()

    def stages(self) -> tuple[tuple[str, ItemCounts], ...]:
        """Returns the item counts of each stage of enriching; stages that never started are left out."""
        from noderag_local.storage.graph.work_items import WorkItemRows
        from noderag_local.storage.vectors.unembedded import FAILED_TEXTS

        rows = WorkItemRows(self._read().store)
        return tuple((name, rows.counts(name)) for name in rows.stages() if name != FAILED_TEXTS)

    def progress(self) -> tuple[StageProgress, ...]:
        """Returns how far each stage of every layer has come; takes seconds for a large vault that the model has read in."""
        from noderag_local.pipeline.plan import LAYERS
        from noderag_local.pipeline.stage_states import stage_states

        store = self._read().store
        return stage_states(store, (self._plan(store, layer) for layer in LAYERS))

    def _plan(self, store: Store, layer: str) -> tuple[Part, ...]:
        from noderag_local.models.embedding.opening import open_embedder
        from noderag_local.pipeline.plan import plan
        from noderag_local.vault.index import embedding_of

        settings = self._settings
        return plan(lambda: open_embedder(embedding_of(store, settings), settings), layer, settings.gleaning_rounds)

    @contextmanager
    def _enriching(self, layer: str) -> Iterator[tuple[Store, tuple[Part, ...]]]:
        """Opens the store for writing and yields it with the stages and steps of a layer."""
        from noderag_local.storage.browsing.freshness import is_complete

        if not is_complete(self._read().store):
            raise LayerMissing(
                f"Indexing of {self._folder} was stopped before its end. Run noderag index PATH again, then enrich."
            )
        with self._writing() as store:
            yield store, self._plan(store, layer)
