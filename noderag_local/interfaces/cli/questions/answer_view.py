"""Shows an answer while it is written, then its citations and sources; for programs, returns it as JSON."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from noderag_local.domain.errors import NoderagError
from noderag_local.interfaces.cli.printed import console, show, source_line
from noderag_local.system.printing.excerpt import PASSAGES_SHOWN, excerpt
from noderag_local.system.printing.plain_text import printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from noderag_local.domain.passages import Source
    from noderag_local.domain.stream import Stream
    from noderag_local.generation.answering import Answer
    from noderag_local.models.llm.engine import Completion
    from noderag_local.vault.ask import AskProgress
    from noderag_local.vault.vault import Vault

UNSUPPORTED = " (no source supports this)"


def begun(vault: Vault, question: str, *, passages_first: bool = False, **options: Any) -> Stream[Answer]:
    """Asks a question and, at a terminal, shows what is being done until the answer begins.

    Args:
        vault: the vault to ask.
        question: question in the user's own words.
        passages_first: True prints what the question was understood as and, if a language model is to answer, the best passages, as
            soon as both are known.
        options: further arguments of `Vault.ask`.
    """
    before = ShownBefore()
    with console(stderr=True).status("Searching …") as status:

        def tell(told: AskProgress) -> None:
            status.update(told.message)
            if passages_first:
                before.show(told)

        stream = vault.ask(question, progress=tell, **options)
        stream.begin()
    return stream


class ShownBefore:
    """Prints what is known before the answer: the question as it was understood, and the best passages; each once."""

    def __init__(self) -> None:
        self._is_told = False
        self._passages: tuple[Source, ...] = ()

    def show(self, told: AskProgress) -> None:
        """Prints what a step of the progress tells anew."""
        if told.retrieval is None:
            return
        out = console()
        # Where a model reads, the note below the answer tells the steps that led to its question.
        if told.asked_as and not told.reader and not self._is_told:
            self._is_told = True
            show(out, f"Asked as: {printable(told.asked_as)}\n")
        passages = told.retrieval.sources[:PASSAGES_SHOWN]
        if told.reader and passages != self._passages:
            self._passages = passages
            self._print_passages(out)
        sys.stdout.flush()

    def _print_passages(self, out: Console) -> None:
        for source in self._passages:
            show(out, source_line(source))
            _print_excerpt(out, source)
        show(out)


def _print_excerpt(out: Console, source: Source) -> None:
    from rich.text import Text

    show(out, Text(excerpt(source.text), style="dim"), indent=4)


def print_answer(stream: Stream[Answer], *, say_how_to_add_model: bool = True, quiet: bool = False) -> None:
    """Prints an answer, asked for with `passages_first`, as it is written, then its sources; with `quiet` the answer alone.

    On a terminal, the finished answer replaces the streamed one, with a mark at each sentence that no source supports. Elsewhere
    printed text cannot be replaced, so these sentences are listed below the answer.
    """
    out = console()
    if out.is_terminal:
        _stream_live(out, stream)
        show(out, marked(stream.result))
        if not quiet:
            _print_behind(out, stream.result, say_how_to_add_model, nearest=not stream.result.model)
    elif quiet:
        _stream_plain(stream)
    else:
        print_plainly(stream, say_how_to_add_model=say_how_to_add_model, passages_shown=True)
    if stream.result.model and not quiet:
        show(out)
        show(out, _cost(stream.result))


def print_plainly(stream: Stream[Answer], *, say_how_to_add_model: bool = True, passages_shown: bool = False) -> None:
    """Prints an answer like `print_answer`, but never replaces printed text and does not show the cost."""
    out = console()
    _stream_plain(stream)
    _name_unsupported(out, stream.result)
    _print_behind(out, stream.result, say_how_to_add_model, nearest=not (passages_shown and stream.result.model))


def marked(answer: Answer) -> Text:
    """Returns the answer with its citations; sentences that no source supports are dimmed and say so."""
    from rich.text import Text

    if not answer.citations:
        return Text(answer.text)
    text = Text()
    for part in answer.citations:
        doubtful = bool(part.text) and not part.supported
        text.append(part.text, style="dim" if doubtful else "")
        if part.numbers:
            text.append(" " + "".join(f"[{number}]" for number in part.numbers), style="dim" if part.added else "cyan")
        if doubtful:
            text.append(UNSUPPORTED, style="dim italic")
        text.append(part.after)
    text.rstrip()
    return text


def _stream_live(out: Console, stream: Stream[Answer]) -> None:
    from rich.live import Live
    from rich.text import Text

    text = Text()
    try:
        with Live(text, console=out, transient=True, refresh_per_second=12) as live:
            for piece in stream:
                text.append(piece)
                live.update(text)
    except NoderagError:
        # Text written before the model failed is kept; the error message is printed below it.
        show(out, text)
        raise


def _stream_plain(stream: Stream[Answer]) -> None:
    written = ""
    for piece in stream:
        written = piece
        sys.stdout.write(piece)
        sys.stdout.flush()
    if not written.endswith("\n"):
        sys.stdout.write("\n")
    sys.stdout.flush()


def _print_behind(out: Console, answer: Answer, say_how_to_add_model: bool, nearest: bool) -> None:
    """Prints the sources that an answer cites, or the nearest ones where it cites none, and the note about it."""
    from noderag_local.generation.citing.extractive import ADD_MODEL

    show(out)
    _print_sources(out, answer, nearest)
    if answer.note and (say_how_to_add_model or answer.note != ADD_MODEL):
        show(out)
        show(out, answer.note)


def _name_unsupported(out: Console, answer: Answer) -> None:
    for part in answer.citations:
        if part.text and not part.supported:
            show(out, f"No source supports: {part.text}")


def _print_sources(out: Console, answer: Answer, nearest: bool) -> None:
    from noderag_local.generation.computed_answers import COMPUTED

    found = answer.retrieval
    cited = {number for part in answer.citations for number in part.numbers}
    # Without a model, all citations are by the program itself.
    added = {number for part in answer.citations if part.added and answer.model for number in part.numbers}
    if not found.sources:
        return
    if not cited and nearest:
        show(out, "The nearest passages:")
        cited = {source.number for source in found.sources[:PASSAGES_SHOWN]}
    for source in found.sources:
        if source.number in cited:
            show(out, source_line(source, "added by noderag, not cited by the model" if source.number in added else ""))
            if found.method == COMPUTED:
                _print_excerpt(out, source)


def _cost(answer: Answer) -> Text:
    from rich.text import Text

    if not answer.first_piece_seconds:
        return Text(
            f"{answer.model}: stopped before the first word, after {answer.elapsed_seconds:.1f} s.", style="dim"
        )
    rate = answer.completion.written_per_second if answer.completion else 0.0
    written = f", {rate:.0f} tokens/s" if rate else ""
    return Text(
        f"{answer.model}: first words after {answer.first_piece_seconds:.1f} s, {answer.elapsed_seconds:.1f} s in all"
        f"{written}; search {answer.retrieval.elapsed_ms:.0f} ms.",
        style="dim",
    )


def answer_fields(answer: Answer) -> dict[str, Any]:
    """Returns the answer, its citations, all sources and its cost, for JSON."""
    found = answer.retrieval
    cited = {number for part in answer.citations for number in part.numbers}
    return {
        "question": found.question,
        "asked_as": answer.asked_as,
        "answer": answer.text,
        "abstained": answer.abstained,
        "finish": answer.finish,
        "model": answer.model,
        "note": answer.note,
        "citations": [
            {"sentence": part.text, "numbers": part.numbers, "supported": part.supported, "added": part.added}
            for part in answer.citations
            if part.text
        ],
        "sources": [{**asdict(source), "cited": source.number in cited} for source in found.sources],
        "stats": _costs(answer),
    }


def _costs(answer: Answer) -> dict[str, Any]:
    """Returns the cost of the answer; "completion" is null if no model was used."""
    found, completion = answer.retrieval, answer.completion
    return {
        "method": found.method,
        "context_tokens": found.tokens,
        "budget_tokens": found.budget_tokens,
        "search_ms": found.elapsed_ms,
        "first_token_seconds": answer.first_piece_seconds,
        "elapsed_seconds": answer.elapsed_seconds,
        "completion": _request_costs(completion) if completion else None,
    }


def _request_costs(completion: Completion) -> dict[str, Any]:
    fields = asdict(completion)
    fields["written_tokens"] = fields.pop("generated_tokens")
    return fields
