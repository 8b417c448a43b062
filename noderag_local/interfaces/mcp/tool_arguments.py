"""The arguments of each tool, with their bounds; their JSON schemas are what the other program sees."""

from __future__ import annotations

from datetime import date
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from noderag_local.domain.budget_bounds import LEAST_BUDGET

LONGEST_QUESTION = 2000
LONGEST_NAME = 1000

Question = Annotated[str, Field(min_length=1, max_length=LONGEST_QUESTION, description="In your own words.")]
Since = Annotated[date | None, Field(description="Only documents from this day on, such as 2024-03-05.")]
Until = Annotated[date | None, Field(description="Only documents up to this day, included.")]
Name = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
Limit = Annotated[int, Field(ge=1, le=100, description="Most results.")]


class ToolArguments(BaseModel):
    """Arguments of any tool; unknown ones are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class SearchArguments(ToolArguments):
    """Arguments of `search_notes`."""

    query: Question
    budget_tokens: Annotated[
        int, Field(ge=LEAST_BUDGET, le=20000, description="Most tokens of all passages together.")
    ] = 1000
    limit: Annotated[int, Field(ge=1, le=200, description="Most passages.")] = 20
    since: Since = None
    until: Until = None


class AskArguments(ToolArguments):
    """Arguments of `ask_notes`."""

    question: Question
    since: Since = None
    until: Until = None


class ReadArguments(ToolArguments):
    """Arguments of `read_document`."""

    document: Annotated[Name, Field(description="Path or title, as another tool gave it.")]
    record: Annotated[int | None, Field(ge=0, description="Number in its file, if the file has several.")] = None
    line: Annotated[int, Field(ge=0, description="Begin at this line of the file.")] = 0
    start: Annotated[int, Field(ge=0, description="Begin at this sentence, from 0: next_start of the page before.")] = 0
    limit: Annotated[int, Field(ge=1, le=500, description="Most sentences.")] = 100


class FindArguments(ToolArguments):
    """Arguments of `find`."""

    query: Annotated[Name, Field(description="A title, file name or name; it may be misspelt.")]
    limit: Limit = 10


class RelatedArguments(ToolArguments):
    """Arguments of `related_names`."""

    name: Annotated[Name, Field(description="A person, place, project or other name.")]
    limit: Limit = 20


class TimelineArguments(ToolArguments):
    """Arguments of `timeline`."""

    first: Annotated[date, Field(description="First day, such as 2024-03-05.")]
    last: Annotated[date, Field(description="Last day, included.")]
    limit: Limit = 50


class TasksArguments(ToolArguments):
    """Arguments of `open_tasks`."""

    about: Annotated[str, Field(max_length=LONGEST_NAME, description="Only tasks with these words.")] = ""
    limit: Limit = 50


class RecentArguments(ToolArguments):
    """Arguments of `recent_changes`."""

    since: Annotated[date | None, Field(description="Only files that were changed on this day or later.")] = None
    limit: Limit = 20
