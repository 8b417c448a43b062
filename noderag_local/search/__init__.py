"""From a question to a context: seeds, ranking, packing; one module a method."""

from noderag_local.search.retriever import (
    Grounds,
    Retriever,
    asks_model,
    method_class,
    method_names,
    retriever,
    stages_used,
)

__all__ = ["Grounds", "Retriever", "asks_model", "method_class", "method_names", "retriever", "stages_used"]
