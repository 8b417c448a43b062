"""The protocol of a retrieval method, what it searches in, and the registry of all methods."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Protocol, TypeVar, TypeVarTuple, cast

from noderag_local.domain.errors import LayerMissing, SettingsError
from noderag_local.domain.graph import GraphPart, Layer, NodeType
from noderag_local.domain.passages import Retrieval
from noderag_local.retrieval.method_spec import MethodSpec, read_spec
from noderag_local.retrieval.parameters import NoParameters, Parameter, changed_values, parameters_of, with_values

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    import numpy as np
    from _typeshed import DataclassInstance
    from numpy.typing import NDArray

    from noderag_local.models.llm.engine import Engine
    from noderag_local.retrieval.full_graph import FullGraph
    from noderag_local.retrieval.graph_arrays import GraphArrays
    from noderag_local.retrieval.scope import Inside
    from noderag_local.retrieval.search_arrays import SearchArrays, SentenceArrays
    from noderag_local.storage.database.store import Store
    from noderag_local.storage.vectors.vector_index import VectorIndex

T = TypeVar("T")
Values = TypeVarTuple("Values")
LayerKey = tuple[object, ...]
"""A function that builds a layer, followed by the values that it gets."""


@dataclass(frozen=True)
class SearchContext:
    """A vault as every method searches it; parts that cost time to open are opened when first used."""

    store: Store
    graph_arrays: Callable[[], GraphArrays]
    search_arrays: Callable[[], SearchArrays]
    full_graph: Callable[[], FullGraph]
    vector_index: Callable[[NodeType], VectorIndex]
    encode_all: Callable[[Sequence[str]], NDArray[np.float32]]
    """Questions to (n, dim) float32 of unit length."""
    count_tokens: Callable[[str], int] | None
    """Exact tokens of a context; None: the sum of the stored counts, an upper bound, stands for it."""
    inside: Inside | None = None
    """Limits what may be in a context to a scope; None: everything may."""
    layers: dict[LayerKey, object] = field(default_factory=dict)
    """Layers that single methods have built; all search contexts over the same state of a vault share them."""
    model: Callable[[], Engine] | None = None
    """Opens the language model for methods that ask it, or raises ModelError. None: no model is available."""
    can_read: Callable[[str], bool] = lambda _: True
    """Tells whether the embedding model knows the language of a question, or one in the same letters."""
    knows_language: Callable[[str], bool] = lambda _: True
    """Tells whether the embedding model was made for the language of a question."""
    evidence: GraphPart = GraphPart.ALL
    """Part of the graph that is searched; `over_evidence.limited` gives the arrays of a part."""
    most_passages: int | None = None
    """Number of passages that a context may have; None for no limit."""
    is_whole: bool = True
    """Whether rows of sentences are those of `graph_arrays`; else they are those of `search_arrays`, where removed ones stay."""

    def encode(self, question: str) -> NDArray[np.float32]:
        """Returns the vector of a question, (dim,) float32 of unit length."""
        return cast("NDArray[np.float32]", self.encode_all([question])[0])

    def sentence_arrays(self) -> SentenceArrays:
        """Returns the arrays whose rows the method's sentences are."""
        return self.graph_arrays() if self.is_whole else self.search_arrays()

    def layer(self, build: Callable[[SearchContext, *Values], T], *values: *Values) -> T:
        """Returns what one method needs beyond what all have; it is built at the first call with these values and then kept.

        Args:
            build: a function of a module without default values, which gets this search context and the values. It must not
                look at `inside`, `count_tokens` or `most_passages`.
            *values: hashable values.
        """
        key = (build, *values)
        if key not in self.layers:
            self.layers[key] = build(self, *values)
        return cast(T, self.layers[key])


class Retriever(Protocol):
    """Protocol of a method that finds and packs what a question needs."""

    name: str
    """Its name, with the values of its parameters that are not the defaults."""
    layers: tuple[Layer, ...]
    """Layers that the vault must have for this method."""
    stages_used: tuple[str, ...]
    """Stages of enriching whose results it uses where they exist, as it is; their requests are what its indexing costs."""

    def __init__(self, search_context: SearchContext) -> None: ...

    def retrieve(self, question: str, budget_tokens: int) -> Retrieval:
        """Returns the context for a question; the same vault, question and budget give the same context.

        Args:
            question: as the user asked it.
            budget_tokens: the context never has more, source labels included.
        """
        ...


class WithParameters(Retriever, Protocol):
    """Protocol of a method that can be changed by parameters; `OverGraph` does what it takes."""

    parameters: DataclassInstance
    """Defaults of the method on its class; chosen values on an instance."""

    def __init__(self, search_context: SearchContext, parameters: DataclassInstance) -> None: ...

    @classmethod
    def stages_for(cls, parameters: DataclassInstance) -> tuple[str, ...]:
        """Returns the stages that the method uses with these values; with its defaults they are `stages_used`."""
        ...


METHODS: dict[str, str] = {
    "noderag": "noderag_local.retrieval.default.default_method:NodeRag",
    "noderag-paper": "noderag_local.papers.noderag.noderag_paper:NodeRagPaper",
    "noderag-paper-llm": "noderag_local.papers.noderag.noderag_paper:NodeRagPaperLlm",
    "light-local": "noderag_local.papers.lightrag.lightrag:LightLocal",
    "light-global": "noderag_local.papers.lightrag.lightrag:LightGlobal",
    "light-hybrid": "noderag_local.papers.lightrag.lightrag:LightHybrid",
    "light-mix": "noderag_local.papers.lightrag.lightrag:LightMix",
    "light-paper": "noderag_local.papers.lightrag.lightrag:LightPaper",
    "light-local-llm": "noderag_local.papers.lightrag.lightrag:LightLocalLlm",
    "light-global-llm": "noderag_local.papers.lightrag.lightrag:LightGlobalLlm",
    "light-hybrid-llm": "noderag_local.papers.lightrag.lightrag:LightHybridLlm",
    "light-mix-llm": "noderag_local.papers.lightrag.lightrag:LightMixLlm",
    "light-paper-llm": "noderag_local.papers.lightrag.lightrag:LightPaperLlm",
    "graphrag-local": "noderag_local.papers.graphrag.graphrag:GraphRagLocal",
    "graphrag-global": "noderag_local.papers.graphrag.graphrag:GraphRagGlobal",
    "ket": "noderag_local.papers.ketrag.ketrag:Ket",
    "ket-paper": "noderag_local.papers.ketrag.ketrag:KetPaper",
    "ket-uniform": "noderag_local.papers.ketrag.ketrag:KetUniform",
    "ket-keyword": "noderag_local.papers.ketrag.ketrag:KetKeyword",
    "ket-skeleton": "noderag_local.papers.ketrag.ketrag:KetSkeleton",
    "ket-knn": "noderag_local.papers.ketrag.ketrag:KetKnn",
    "arch": "noderag_local.papers.archrag.archrag:Arch",
    "arch-paper": "noderag_local.papers.archrag.archrag:ArchPaper",
    "arch-spectral": "noderag_local.papers.archrag.archrag:ArchSpectral",
    "arch-plain": "noderag_local.papers.archrag.archrag:ArchPlain",
    "arch-flat": "noderag_local.papers.archrag.archrag:ArchFlat",
    "arch-entities": "noderag_local.papers.archrag.archrag:ArchEntities",
    "arch-direct": "noderag_local.papers.archrag.archrag:ArchDirect",
    "hippo": "noderag_local.papers.hipporag.hipporag:Hippo",
    "hybrid": "noderag_local.papers.ketrag.ketrag:Hybrid",
    "hyde": "noderag_local.papers.baselines.baselines:Hyde",
    "naive": "noderag_local.papers.baselines.baselines:Naive",
    "bm25": "noderag_local.papers.baselines.baselines:Bm25",
    "zero-shot": "noderag_local.papers.baselines.baselines:ZeroShot",
}
"""Name of each method and the place of its class, which is imported when first used."""


FINISH_INDEXING = "Run 'noderag index' on your folder again and let it finish."
WRITE_SUMMARIES = "Run 'noderag enrich' until the language model has written some."
GROUP = "noderag_local.methods"
"""Group of the entry points by which other packages add methods."""


@cache
def _others() -> dict[str, EntryPoint]:
    """Name of each method that another installed package brings; ours cannot be replaced."""
    from importlib.metadata import entry_points

    found = sorted(entry_points(group=GROUP), key=lambda point: (point.name, point.value))
    return {point.name: point for point in found if point.name not in METHODS}


def method_names() -> tuple[str, ...]:
    """Returns the names of all methods, the default first, those of other packages last."""
    return (*METHODS, *_others())


def method_class(method: str) -> type[Retriever]:
    """Returns the class of a method.

    Args:
        method: its name; values of parameters may follow in brackets.

    Raises:
        SettingsError: there is no such method, or it is another package's and cannot be loaded.
    """
    name = read_spec(method).name
    if name in METHODS:
        module, _, class_name = METHODS[name].partition(":")
        own: type[Retriever] = getattr(import_module(module), class_name)
        return own
    if name not in _others():
        raise SettingsError(f"There is no retrieval method {name!r}. Choose one of: {', '.join(method_names())}.")
    point = _others()[name]
    try:
        other: type[Retriever] = point.load()
    except (ImportError, AttributeError) as error:
        package = point.dist.name if point.dist else point.value
        raise SettingsError(
            f"The retrieval method {name!r} of the package {package} cannot be loaded: {error}. Reinstall or remove it."
        ) from error
    return other


def defaults_of(method: str) -> DataclassInstance:
    """Returns the parameters of a method with its own values; raises what `method_class` raises."""
    defaults: DataclassInstance = getattr(method_class(method), "parameters", NoParameters())
    return defaults


def method_parameters(method: str) -> tuple[Parameter, ...]:
    """Returns the parameters that a method has; raises what `method_class` raises."""
    return parameters_of(defaults_of(method))


def canonical(method: str) -> str:
    """Returns the one name of a method: values that are the defaults are left out, the others in alphabetical order.

    Raises:
        SettingsError: there is no such method or parameter, or a value cannot be used.
    """
    spec, defaults = read_spec(method), defaults_of(method)
    return str(MethodSpec(spec.name, changed_values(with_values(defaults, spec.values, spec.name), defaults)))


def stages_used(method: str) -> tuple[str, ...]:
    """Returns the stages of enriching that a method uses with its values; none for a method that is not installed.

    Args:
        method: its name; values of parameters may follow in brackets. A dump of another version may have values that the
            method does not know. Then the stages are those of its defaults.
    """
    spec = read_spec(method)
    if spec.name not in method_names():
        return ()
    found, defaults = method_class(spec.name), defaults_of(spec.name)
    if isinstance(defaults, NoParameters):
        return found.stages_used
    try:
        parameters = with_values(defaults, spec.values, spec.name)
    except SettingsError:
        parameters = defaults
    return cast("type[WithParameters]", found).stages_for(parameters)


def is_whole(method: str) -> bool:
    """Tells whether a method needs the whole graph as arrays; its class sets `is_whole` to False if `search_arrays` are enough."""
    return bool(getattr(method_class(method), "is_whole", True))


def asks_model(method: str) -> bool:
    """Tells whether a method asks the language model while it searches: its class then sets `asks_model`."""
    return bool(getattr(method_class(method), "asks_model", False))


def retriever(method: str, search_context: SearchContext, layers: tuple[Layer, ...]) -> Retriever:
    """Returns a method with the values of its parameters, ready to search a vault.

    Args:
        method: its name; values of parameters may follow in brackets.
        search_context: arrays and rows of the vault that is searched.
        layers: what the vault has.

    Raises:
        SettingsError: there is no such method or parameter, or a value cannot be used.
        LayerMissing: the vault lacks what the method needs.
    """
    spec, found = read_spec(method), method_class(method)
    parameters = with_values(defaults_of(method), spec.values, spec.name)
    missing = [layer for layer in found.layers if layer not in layers]
    if missing:
        needed = " and ".join(layer.value for layer in missing)
        remedy = WRITE_SUMMARIES if missing == [Layer.SUMMARIES] else FINISH_INDEXING
        raise LayerMissing(f"The method {spec.name!r} needs {needed}, which this vault does not have yet. {remedy}")
    if isinstance(parameters, NoParameters):
        return found(search_context)
    return cast("type[WithParameters]", found)(search_context, parameters)
