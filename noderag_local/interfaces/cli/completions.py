"""Values that the shell completes; each is found in some milliseconds, without opening a vault."""

from __future__ import annotations


def method_names(incomplete: str) -> list[str]:
    """Returns the retrieval methods that begin so."""
    from noderag_local.retrieval.retriever import METHODS

    return [name for name in METHODS if name.startswith(incomplete)]


def model_names(incomplete: str) -> list[str]:
    """Returns the models of the catalogue that begin so."""
    from noderag_local.models.llm.gguf_files.catalog import catalog

    return [entry.name for entry in catalog() if entry.name.startswith(incomplete)]


def topics(incomplete: str) -> list[str]:
    """Returns the pages of the manual that begin so."""
    from noderag_local.manual.pages import pages

    return [page.name for page in pages() if page.name.startswith(incomplete)]
