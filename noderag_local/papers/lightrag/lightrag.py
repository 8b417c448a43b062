"""The methods of LightRAG: search by names and by themes (Guo et al. 2024, section 3.2).

A rule or the language model finds the keywords of the two levels.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from noderag_local.domain.model_use import NOTHING_ASKED, ModelUse
from noderag_local.domain.passages import Retrieval
from noderag_local.graph.algorithms.rows import top_rows
from noderag_local.models.llm.engine import Message, Request, Role
from noderag_local.models.llm.prompt_files import turns
from noderag_local.papers.graph_evidence.key_value_evidence import KeyValueEvidence, names_in
from noderag_local.papers.lightrag.profiles import PROFILING
from noderag_local.retrieval.evidence import EvidenceParameters
from noderag_local.retrieval.over_evidence import OverEvidence
from noderag_local.retrieval.packing.budget_shares import in_shares
from noderag_local.retrieval.packing.results import packed_in_order
from noderag_local.retrieval.parameters import at_paper_values, parameter
from noderag_local.retrieval.retriever import SearchContext
from noderag_local.retrieval.scope import Inside
from noderag_local.retrieval.written_by_model import written
from noderag_local.storage.database.distinct import distinct
from noderag_local.text.capitals import capitalised_runs
from noderag_local.text.keywords import keywords

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

KEYWORD_TOKENS = 64
MOST_KEYWORDS = 8
"""Maximum keywords per level; a small model that writes more has begun to repeat itself."""

_LINE = re.compile(r"^[^\w\n]*+(low|high)\b[^:\n]*+:(.*)$", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Keywords:
    """Keywords of the two levels; neither is empty unless the question is empty."""

    low: str
    """Names and things, which find entities."""
    high: str
    """Themes, which find relationships."""
    llm_use: ModelUse = NOTHING_ASKED
    """Use of the language model to find the keywords."""
    seconds: float = 0.0
    """Seconds that the language model took."""


def keywords_by_rule(question: str, search_context: SearchContext) -> Keywords:
    """Returns the names in the question and its other content words; the question itself for an empty level."""
    named = {word for run in capitalised_runs(question) for word in keywords(" ".join(run))}
    theme = ", ".join(word for word in keywords(question) if word not in named)
    return Keywords(names_in(question), theme or question)


def keywords_by_model(question: str, search_context: SearchContext) -> Keywords:
    """Returns both levels as the language model names them in one call; the question itself for an empty level.

    Raises:
        ModelError: there is no language model, or it failed.
    """
    asked = Message(Role.USER, f"Question: {' '.join(question.split())}")
    answer = written(search_context, Request((*turns("papers.lightrag", "light_keywords"), asked), KEYWORD_TOKENS))
    levels = parse(answer.text)
    return Keywords(
        ", ".join(levels.get("low", ())) or question,
        ", ".join(levels.get("high", ())) or question,
        answer.use,
        answer.seconds,
    )


def parse(text: str) -> dict[str, tuple[str, ...]]:
    """Returns the distinct keywords of each level, "low" or "high"; of two lines for one level, the first counts."""
    levels: dict[str, tuple[str, ...]] = {}
    for level, line in _LINE.findall(text):
        listed = (" ".join(word.strip(" .;*\"'").split()) for word in line.split(","))
        levels.setdefault(level.casefold(), tuple(dict.fromkeys(filter(None, listed)))[:MOST_KEYWORDS])
    return levels


SHARES = (0.2, 0.27, 0.53)
"""Shares of the budget for entities, relationships and texts (the authors' code, 6,000 and 8,000 of 30,000 tokens)."""


@dataclass(frozen=True, slots=True)
class _Level:
    """Entities and relationships found at one level of retrieval, best first."""

    entities: list[int]
    """Rows of the entities in the graph arrays."""
    relationships: list[int]
    """Rows of the relationships in the key values."""


@dataclass(frozen=True, slots=True)
class LightParameters(EvidenceParameters):
    """Parameters of both levels of retrieval."""

    top_k: int = parameter(
        40,
        meaning="entities or relationships found by their keys, and of those that come with them; the authors' code has 40",
        least=1,
    )
    neighbours: bool = parameter(
        False, paper=True, meaning="whether the entities one hop from those found come with them (section 3.2, iii)"
    )
    origin: bool = parameter(
        True, paper=True, meaning="whether the original texts come with them; without, it is the paper's -Origin"
    )
    profiles: bool = parameter(
        False,
        paper=True,
        meaning="whether the model's profiles are searched and shown where it has written some (P(·))",
    )


class _Light(OverEvidence):
    """Base class of all LightRAG methods: dual-level retrieval."""

    stages_used: tuple[str, ...] = ("decompose", "attributes")
    parameters: LightParameters = LightParameters()
    with_local = with_global = True
    with_chunks = False
    keywords_of: Callable[[str, SearchContext], Keywords] = staticmethod(keywords_by_rule)

    @classmethod
    def stages_for(cls, parameters: DataclassInstance) -> tuple[str, ...]:
        """Returns the stages that the method uses with these values: profiles only where it searches them."""
        used = tuple(stage for stage in super().stages_for(parameters) if stage != PROFILING)
        return (*used, PROFILING) if used and cast(LightParameters, parameters).profiles else used

    def retrieve(self, question: str, budget_tokens: int) -> Retrieval:
        """Retrieves the evidence for a question; see `Retriever.retrieve`."""
        wanted = self.keywords_of(question, self._search_context)
        started = time.perf_counter() - wanted.seconds
        evidence = KeyValueEvidence(self._search_context, with_profiles=self.parameters.profiles)
        vector, low, high = self._search_context.encode_all([question, wanted.low, wanted.high])
        levels = []
        if self.with_local:
            levels.append(_local(evidence, question, low, vector, self.parameters.top_k))
        if self.with_global:
            levels.append(_global(evidence, high, self._search_context.inside, self.parameters.top_k))
        entities = in_turn([level.entities for level in levels])
        relationships = in_turn([level.relationships for level in levels])
        if self.parameters.neighbours:
            entities = [
                *entities,
                *_neighbours(evidence, entities, vector, self._search_context.inside, self.parameters.top_k),
            ]
        cosines = evidence.cosines(vector)
        chunks = evidence.chunks(entities, relationships, cosines)
        if self.with_chunks:
            chunks = in_turn([chunks, top_rows(cosines, len(cosines)).tolist()])
        texts = evidence.texts(chunks, budget_tokens) if self.parameters.origin else []
        kinds = (evidence.described(entities), evidence.stated(relationships), texts)
        pieces = in_shares(zip(SHARES, kinds, strict=True), budget_tokens)
        found = packed_in_order(
            self.name,
            question,
            budget_tokens,
            self._search_context,
            pieces,
            evidence.graph_arrays.entities[entities],
            started,
        )
        return replace(found, llm_use=wanted.llm_use)


def _local(
    evidence: KeyValueEvidence, question: str, low: NDArray[np.float32], vector: NDArray[np.float32], most: int
) -> _Level:
    """Finds entities by names, and their relationships.

    Args:
        evidence: entities and relationships that the scope allows.
        question: as it was asked.
        low: (dim,) vector of the names.
        vector: (dim,) vector of the whole question.
        most: number of entities, and of relationships.
    """
    entities = evidence.entities(question, most, low)
    near = distinct(evidence.stores.relationships_of[entities].indices)
    near = near[evidence.allowed_relationships()[near]]
    cosines = np.asarray(evidence.stores.vectors[near] @ vector, dtype=np.float32)
    return _Level(entities, near[top_rows(cosines, most)].tolist())


def _global(evidence: KeyValueEvidence, high: NDArray[np.float32], inside: Inside | None, most: int) -> _Level:
    """Finds relationships by the (dim,) vector of a theme, then their entities, those with most of them first."""
    stores = evidence.stores
    cosines = np.asarray(stores.vectors @ high, dtype=np.float32)
    rows = top_rows(np.where(evidence.allowed_relationships(), cosines, -np.inf).astype(np.float32), most)
    counts = np.asarray(stores.ends[rows].sum(axis=0)).ravel()
    if inside is not None:
        counts = counts * inside.entities
    ends = np.flatnonzero(counts > 0)
    order = np.lexsort((ends, -stores.degrees()[ends], -counts[ends]))
    return _Level(ends[order][:most].tolist(), rows.tolist())


def _neighbours(
    evidence: KeyValueEvidence, entities: Sequence[int], vector: NDArray[np.float32], inside: Inside | None, most: int
) -> list[int]:
    """Returns the entities one hop away, those with most relationships to the given ones first, then by cosine.

    Args:
        evidence: entities and relationships that the scope allows.
        entities: rows of the entities that were found.
        vector: (dim,) vector of the whole question.
        inside: scope of the question.
        most: number of neighbours.
    """
    stores = evidence.stores
    between = distinct(stores.relationships_of[list(entities)].indices)
    between = between[evidence.allowed_relationships()[between]]
    counts = np.asarray(stores.ends[between].sum(axis=0)).ravel()
    counts[list(entities)] = 0
    if inside is not None:
        counts = counts * inside.entities
    # Half a cosine never outweighs a relationship.
    scores = np.where(counts > 0, counts + stores.entity_vectors @ vector / 2, -np.inf)
    return list(map(int, top_rows(scores.astype(np.float32), most)))


class LightLocal(_Light):
    """Search by names: entities, then their relationships."""

    name = "light-local"
    with_global = False


class LightGlobal(_Light):
    """Search by themes: relationships, then their entities."""

    name = "light-global"
    with_local = False


class LightHybrid(_Light):
    """Both searches in turn."""

    name = "light-hybrid"


class LightMix(_Light):
    """Both searches in turn, and the nearest chunks."""

    name = "light-mix"
    with_chunks = True


class LightPaper(_Light):
    """Both searches in turn, and the neighbours of all entities, as in the paper."""

    name = "light-paper"
    stages_used = ("decompose", "attributes", PROFILING)
    parameters = at_paper_values(LightParameters)


def in_turn(lists: Iterable[Sequence[int]]) -> list[int]:
    """Returns the first item of each list, then the second of each, and so on, without duplicates."""
    mixed = (item for row in zip_longest(*lists) for item in row if item is not None)
    return list(dict.fromkeys(mixed))


class _KeywordsByModel:
    """Mixin that asks the language model for the keywords."""

    asks_model = True
    keywords_of = staticmethod(keywords_by_model)


class LightLocalLlm(_KeywordsByModel, LightLocal):
    """Search by names that the model finds."""

    name = "light-local-llm"


class LightGlobalLlm(_KeywordsByModel, LightGlobal):
    """Search by themes that the model finds."""

    name = "light-global-llm"


class LightHybridLlm(_KeywordsByModel, LightHybrid):
    """Both searches with keywords from the model."""

    name = "light-hybrid-llm"


class LightMixLlm(_KeywordsByModel, LightMix):
    """Both searches with keywords from the model, and the nearest chunks."""

    name = "light-mix-llm"


class LightPaperLlm(_KeywordsByModel, LightPaper):
    """The paper's search with keywords from the model."""

    name = "light-paper-llm"
