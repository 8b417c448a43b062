"""Runs the tools: each reads the vault within the server's scope and returns JSON types."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from noderag_local.domain.errors import NotFound, SettingsError
from noderag_local.domain.library import LibraryDocument
from noderag_local.domain.passages import Scope, Source
from noderag_local.interfaces.mcp import tool_arguments as arguments
from noderag_local.interfaces.mcp.limits import narrowed
from noderag_local.system.printing.cited_place import named
from noderag_local.vault.vault import Vault

Result = dict[str, Any]
Tell = Callable[[str], None]
Cancelled = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class NoteTool:
    """A tool as the other program sees it."""

    name: str
    title: str
    description: str
    arguments: type[arguments.ToolArguments]


TOOLS = (
    NoteTool("search_notes", "Search notes", "Passages that fit a query, best first.", arguments.SearchArguments),
    NoteTool(
        "ask_notes",
        "Ask notes",
        "Answer to a question, with citations. Without a local language model, the passages. May take a minute.",
        arguments.AskArguments,
    ),
    NoteTool("read_document", "Read document", "Text of a document, page by page.", arguments.ReadArguments),
    NoteTool("find", "Find by name", "Documents and names that are like a query.", arguments.FindArguments),
    NoteTool(
        "related_names",
        "Related names",
        "Names that occur together with a name, and the sentences about it.",
        arguments.RelatedArguments,
    ),
    NoteTool("timeline", "Timeline", "Sentences that name a date between two days.", arguments.TimelineArguments),
    NoteTool("open_tasks", "Open tasks", "Empty check boxes of the notes.", arguments.TasksArguments),
    NoteTool("recent_changes", "Recent changes", "Documents that were changed last.", arguments.RecentArguments),
)


class NoteTools:
    """The tools over one vault and one scope. Only one thread may call them."""

    def __init__(self, vault: Vault, scope: Scope) -> None:
        self._vault = vault
        self._scope = scope
        self._notes = vault.atlas.within(scope)

    def call(self, given: arguments.ToolArguments, tell: Tell, cancelled: Cancelled) -> Result:
        """Runs the tool that takes these arguments.

        Args:
            given: arguments of a tool.
            tell: called with the progress in words.
            cancelled: called often; True ends the work early, with a result that nobody waits for.

        Raises:
            NotFound, SettingsError: the arguments fit nothing in the scope.
            NoderagError: as for the vault.
        """
        self.check_scope()
        match given:
            case arguments.SearchArguments():
                return self._search(given, tell)
            case arguments.AskArguments():
                return self._ask(given, tell, cancelled)
            case arguments.ReadArguments():
                return self._read(given)
            case arguments.FindArguments():
                return self._find(given)
            case arguments.RelatedArguments():
                return self._related(given)
            case arguments.TimelineArguments():
                return self._timeline(given)
            case arguments.TasksArguments():
                return self._tasks(given)
            case arguments.RecentArguments():
                return {"documents": [_document(one) for one in self._notes.recent(given.since, given.limit)]}
        raise AssertionError(f"no tool takes {type(given).__name__}")

    def check_scope(self) -> None:
        """Raises NotFound if no note is left in the scope; its message names nothing outside."""
        try:
            self._vault.atlas.count_in(self._scope)
        except (NotFound, SettingsError):
            # Its own message lists folders and tags outside the scope.
            raise NotFound("No note is left in the folder or with the tag that this server is limited to.") from None

    def _search(self, given: arguments.SearchArguments, tell: Tell) -> Result:
        tell("Searching …")
        scope = narrowed(self._scope, given.since, given.until)
        found = self._vault.search(given.query, budget_tokens=given.budget_tokens, scope=scope)
        sources = found.sources[: given.limit]
        return {"passages": [{"number": one.number, **passage_fields(one)} for one in sources], "method": found.method}

    def _ask(self, given: arguments.AskArguments, tell: Tell, cancelled: Cancelled) -> Result:
        scope = narrowed(self._scope, given.since, given.until)
        stream = self._vault.ask(
            given.question, scope=scope, progress=lambda told: tell(told.message), cancelled=cancelled
        )
        answer = stream.finish()
        cited = {number for part in answer.citations for number in part.numbers}
        return {
            "answer": answer.text,
            "model": answer.model,
            "abstained": answer.abstained,
            "note": answer.note,
            "citations": [
                {"sentence": part.text, "numbers": list(part.numbers), "supported": part.supported}
                for part in answer.citations
                if part.text
            ],
            "passages": [
                {"number": one.number, "cited": one.number in cited, **passage_fields(one)}
                for one in answer.retrieval.sources
            ],
        }

    def _read(self, given: arguments.ReadArguments) -> Result:
        page = self._notes.read(given.document, given.record, given.line, given.start, given.limit)
        end = page.start + len(page.sentences)
        return {
            "document": _document(page.document),
            "sentences": [passage_fields(one) for one in page.sentences],
            "start": page.start,
            "all_sentences": page.all_sentences,
            "next_start": end if end < page.all_sentences else None,
        }

    def _find(self, given: arguments.FindArguments) -> Result:
        return {
            "documents": [_document(one) for one in self._notes.find_documents(given.query, given.limit)],
            "names": [
                {"name": one.name, "kind": one.kind.value, "sentences": one.mentions}
                for one in self._notes.names(given.query, given.limit)
            ],
        }

    def _related(self, given: arguments.RelatedArguments) -> Result:
        page = self._notes.entity(given.name)
        return {
            "name": page.name,
            "also": [*page.merged, *(one.name for one in page.same)],
            "summary": page.summary.attribute,
            "statements": [
                {"text": one.text, "place": named(one.path, one.first_line, one.place, one.last_line)}
                for one in page.summary.relationships
            ],
            "related": [{"name": one.name, "sentences": one.together} for one in page.near[: given.limit]],
            "mentions": [{"day": one.day, **passage_fields(one.source)} for one in page.mentions[: given.limit]],
            "all_mentions": page.all_mentions,
        }

    def _timeline(self, given: arguments.TimelineArguments) -> Result:
        if given.last < given.first:
            raise SettingsError(f"Nothing is since {given.first} and until {given.last}: swap the two days.")
        found, count = self._notes.timeline(given.first, given.last, given.limit)
        return {"moments": [{"date": one.label, **passage_fields(one.source)} for one in found], "all_moments": count}

    def _tasks(self, given: arguments.TasksArguments) -> Result:
        tasks = self._notes.tasks(given.about)
        shown = [{"task": one.text, **passage_fields(one.source)} for one in tasks[: given.limit]]
        return {"tasks": shown, "all_tasks": len(tasks)}


def passage_fields(source: Source) -> Result:
    """Returns a passage with its place, as every result shows it."""
    headings = [heading for heading in source.headings if heading]
    return {
        "place": named(source.path, source.first_line, source.place, source.last_line),
        "path": source.path,
        "record": source.record,
        "title": source.title,
        "headings": headings,
        "first_line": source.first_line,
        "last_line": source.last_line,
        "text": source.text,
    }


def _document(document: LibraryDocument) -> Result:
    return {
        "place": document.path,
        "path": document.path,
        "record": document.record,
        "title": document.title,
        "changed": datetime.fromtimestamp(document.modified_ns / 1e9).astimezone().isoformat(timespec="seconds"),
    }
