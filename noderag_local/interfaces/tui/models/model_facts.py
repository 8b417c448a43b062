"""Describes a model: its state, size, licence and needs."""

from __future__ import annotations

from collections.abc import Iterator

from textual.content import Content

from noderag_local.interfaces.tui.shared.terminal_text import from_home, on_one_line, safe_text
from noderag_local.models.llm.gguf_files.catalog import ModelRole, named_languages
from noderag_local.models.llm.gguf_files.model_list import ListedModel
from noderag_local.models.llm.machine import needed_memory_bytes
from noderag_local.system.printing.amounts import size


def mark(model: ListedModel) -> str:
    """Returns the symbol before a model's name, which has the same meaning as the word of `state`."""
    if model.problem:
        return "✗"
    if model.is_used:
        return "●"
    return "✓" if model.path else "↓" if model.unfinished_bytes else " "


def state(model: ListedModel) -> str:
    """Returns a model's state in one word."""
    if model.problem:
        return "damaged"
    if model.is_used:
        return "in use"
    if model.path:
        return "installed"
    return "cut off" if model.unfinished_bytes else ""


def can_be_used(model: ListedModel) -> bool:
    """Returns whether a model is installed and not yet the one in use."""
    if model.path is None or model.problem or model.is_used:
        return False
    return model.is_fetched or model.role is ModelRole.EMBEDDING


def facts(model: ListedModel, free_memory_bytes: int | None) -> Content:
    """Returns everything that is known about a model, in several lines.

    Args:
        model: the model to describe.
        free_memory_bytes: free memory; None if unknown.
    """
    lines = [safe_text(_description(model)), Content("")]
    lines += [Content.assemble((name.ljust(10), "$text-muted"), value) for name, value in _table(model)]
    lines += [Content.styled(text, "$text-warning") for text in _warnings(model, free_memory_bytes)]
    return Content("\n").join(lines)


def _description(model: ListedModel) -> str:
    if model.problem:
        return model.problem
    if model.entry is None:
        return "A file of yours that the catalogue does not know."
    text = model.entry.description
    return f"{text[0].upper()}{text[1:]}."


def _table(model: ListedModel) -> Iterator[tuple[str, Content]]:
    yield "state", Content(_state_in_words(model))
    yield "licence", on_one_line(model.entry.licence if model.entry else "not known")
    takes = f"; open, it takes about {size(needed_memory_bytes(model.size_bytes))} of memory"
    yield "size", Content(f"{size(model.size_bytes)}{takes if model.role is ModelRole.CHAT else ''}")
    if model.parameters and not model.entry:
        yield "numbers", Content(f"{model.parameters / 1e9:.1f} billion")
    if model.entry and model.entry.languages:
        yield "languages", Content(named_languages(model.entry.languages))
        yield "vectors", Content(f"{model.entry.dimensions:,} dimensions")
    if model.context_tokens:
        yield "context", Content(f"{model.context_tokens:,} tokens")
    if model.path:
        yield "file", on_one_line(from_home(model.path))


def _state_in_words(model: ListedModel) -> str:
    if model.role is ModelRole.EMBEDDING:
        return _state_of_embedding(model)
    if model.is_used:
        return "it answers now"
    if model.problem:
        return "damaged: x removes it, then g gets it again" if model.entry else "damaged: x removes it"
    if model.path:
        return "installed: enter makes it answer"
    if model.unfinished_bytes:
        return f"{size(model.unfinished_bytes)} of it came: enter goes on, x removes them"
    return "not installed: enter gets it"


def _state_of_embedding(model: ListedModel) -> str:
    is_shipped = model.entry is not None and not model.entry.is_fetched
    if model.is_used:
        return "it compares meanings now"
    if model.path:
        return "installed: enter makes it compare meanings"
    if is_shipped:
        return "missing: set the program up again"
    if model.unfinished_bytes:
        return f"{size(model.unfinished_bytes)} of it came: enter goes on, x removes them"
    return "not installed: enter gets it"


def _warnings(model: ListedModel, free_memory_bytes: int | None) -> Iterator[str]:
    wanted = needed_memory_bytes(model.size_bytes)
    # An open model has its memory already.
    if model.role is ModelRole.CHAT and free_memory_bytes and not model.is_used and wanted > free_memory_bytes:
        yield f"It needs {size(wanted)} of memory, and {size(free_memory_bytes)} are free now."
    if model.entry and not model.entry.sha256:
        yield "Its hash is not known: a download is checked only by size and structure."
