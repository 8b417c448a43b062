"""The stages and steps of an enrichment, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeGuard

from noderag_local.domain.errors import SettingsError
from noderag_local.graph.summaries.model_stage import Stage, Step
from noderag_local.storage.database.store import Store
from noderag_local.storage.graph.work_items import WorkItemRows

if TYPE_CHECKING:
    from noderag_local.models.embedding.embedder import Embedder

Part = Stage | Step
NODERAG = "noderag"
ARCH = "arch"
LIGHT = "light"
WRITTEN = "written"
LAYERS = (NODERAG, ARCH, LIGHT, WRITTEN)
"""Layers that can be enriched; the first is the default."""


def plan(embedder: Callable[[], Embedder], layer: str = NODERAG, gleaning_rounds: int = 0) -> tuple[Part, ...]:
    """Returns the stages and steps of a layer, in order.

    Args:
        embedder: function that loads the embedding model when a text must be embedded.
        layer: one of LAYERS.
        gleaning_rounds: how often the model is asked for what it missed in a chunk.

    Raises:
        SettingsError: there is no such layer.
    """
    if layer not in LAYERS:
        raise SettingsError(f"There is no layer {layer!r} to enrich. Layers: {', '.join(LAYERS)}.")
    if layer == ARCH:
        return _arch(embedder)
    return {NODERAG: _noderag, LIGHT: _light, WRITTEN: _written}[layer](embedder, gleaning_rounds)


def _arch(embedder: Callable[[], Embedder]) -> tuple[Part, ...]:
    """Returns the parts for the attributed communities of ArchRAG; the summaries of a level decide the level above it."""
    from noderag_local.papers.archrag.attributed_build import AttributedEmbeddingStep, AttributedStep, UpperLevelStep
    from noderag_local.papers.archrag.attributed_communities import MOST_LEVELS
    from noderag_local.papers.archrag.attributed_summaries import CommunitySummaryStage

    embedding = AttributedEmbeddingStep(embedder)
    upper = (
        part
        for level in range(2, MOST_LEVELS + 1)
        for part in (UpperLevelStep(level), CommunitySummaryStage(level), embedding)
    )
    return (AttributedStep(), CommunitySummaryStage(1), embedding, *upper)


def _light(embedder: Callable[[], Embedder], gleaning_rounds: int) -> tuple[Part, ...]:
    """Returns the parts for LightRAG: chunks are read as for NodeRAG, then entities and relationships are profiled."""
    from noderag_local.extraction.statements.semantic_units import Decomposition
    from noderag_local.graph.vectors.node_embedding import NodeEmbeddingStep
    from noderag_local.papers.lightrag.profiles import ProfileStage

    return (Decomposition(gleaning_rounds), ProfileStage(), NodeEmbeddingStep(embedder))


def _written(embedder: Callable[[], Embedder], gleaning_rounds: int) -> tuple[Part, ...]:
    """Returns the parts for NodeRAG's paraphrased semantic units: chunks are read, then the model writes each unit anew."""
    from noderag_local.extraction.statements.semantic_units import Decomposition
    from noderag_local.graph.vectors.node_embedding import NodeEmbeddingStep
    from noderag_local.papers.noderag.written_units import WrittenUnitStage

    return (Decomposition(gleaning_rounds), WrittenUnitStage(), NodeEmbeddingStep(embedder))


def _noderag(embedder: Callable[[], Embedder], gleaning_rounds: int) -> tuple[Part, ...]:
    """Returns the parts G1 to G5 of NodeRAG; each builds on those before it."""
    from noderag_local.extraction.statements.semantic_units import Decomposition
    from noderag_local.graph.summaries.attributes import AttributeStage
    from noderag_local.graph.summaries.communities import CommunitiesStep
    from noderag_local.graph.summaries.elements import ElementStage
    from noderag_local.graph.summaries.matching import MatchingStep
    from noderag_local.graph.vectors.node_embedding import NodeEmbeddingStep
    from noderag_local.graph.vectors.similar_edges import SimilarEdgesStep

    return (
        Decomposition(gleaning_rounds),
        AttributeStage(),
        CommunitiesStep(),
        ElementStage(),
        NodeEmbeddingStep(embedder),
        MatchingStep(),
        SimilarEdgesStep(),
    )


def is_stage(part: Part) -> TypeGuard[Stage]:
    """Returns whether a part is a stage, which uses the language model."""
    return hasattr(part, "accept")


def is_step(part: Part) -> TypeGuard[Step]:
    """Returns whether a part is a step, which does not use the language model."""
    return not is_stage(part)


def stages_of(parts: Iterable[Part]) -> Iterator[Stage]:
    """Yields the parts that are stages."""
    return (part for part in parts if is_stage(part))


def named_part(parts: Sequence[Part], name: str) -> Part:
    """Returns the stage or step of that name.

    Raises:
        SettingsError: there is no such part.
    """
    for part in parts:
        if part.name == name:
            return part
    raise SettingsError(f"There is no stage {name!r}. Stages: {', '.join(dict.fromkeys(part.name for part in parts))}.")


def drop_part(store: Store, part: Part) -> None:
    """Removes the results of one stage or step. The model's answers stay in the cache."""
    with store.transaction():
        part.drop(store)
        WorkItemRows(store).forget(part.name)
