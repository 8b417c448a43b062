"""The base class of methods that search text, graph and vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from noderag_local.domain.graph import Layer
from noderag_local.retrieval.method_spec import MethodSpec
from noderag_local.retrieval.parameters import NoParameters, changed_values
from noderag_local.retrieval.retriever import SearchContext

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


class OverGraph:
    """Base of a method that needs text, graph and vectors; subclasses add `name`, `retrieve` and further stages."""

    name = ""
    layers: tuple[Layer, ...] = (Layer.TEXT, Layer.GRAPH, Layer.VECTORS)
    stages_used: tuple[str, ...] = ("decompose",)
    parameters: DataclassInstance = NoParameters()
    """Defaults of the method on its class; chosen values on an instance."""

    def __init__(self, search_context: SearchContext, parameters: DataclassInstance | None = None) -> None:
        """Keeps what is searched and the values of the parameters.

        Args:
            search_context: arrays and rows of the vault that is searched.
            parameters: an instance of the class of the defaults; None for the defaults.
        """
        self._search_context = search_context
        defaults = type(self).parameters
        self.parameters = defaults if parameters is None else parameters
        self.name = str(MethodSpec(type(self).name, changed_values(self.parameters, defaults)))

    @classmethod
    def stages_for(cls, parameters: DataclassInstance) -> tuple[str, ...]:
        """Returns the stages of enriching that the method uses with these values; subclasses look at the values."""
        return cls.stages_used
