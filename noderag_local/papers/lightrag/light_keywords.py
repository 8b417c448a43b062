"""Finds the two levels of keywords that LightRAG searches with (Guo et al. 2024, section 3.2): names, and themes."""

from __future__ import annotations

import re
from dataclasses import dataclass

from noderag_local.models.llm.engine import Message, Request, Role
from noderag_local.models.llm.prompt_files import turns
from noderag_local.papers.graph_evidence.key_value_evidence import names_in
from noderag_local.retrieval.retriever import SearchContext
from noderag_local.retrieval.written_by_model import written
from noderag_local.text.capitals import capitalised_runs
from noderag_local.text.keywords import keywords

KEYWORD_TOKENS = 64
MOST_KEYWORDS = 8
"""Most keywords of a level; a small model that writes more has begun to repeat itself."""

_LINE = re.compile(r"^[^\w\n]*+(low|high)\b[^:\n]*+:(.*)$", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Keywords:
    """Keywords of the two levels; neither is empty unless the question is."""

    low: str
    """Names and things, for entities."""
    high: str
    """Themes, for relationships."""
    llm_tokens: int = 0
    """Tokens that the language model read and wrote for them."""
    seconds: float = 0.0
    """Seconds that it took."""


def keywords_by_rule(question: str, search_context: SearchContext) -> Keywords:
    """Returns the names in the question, and its other content words; the question itself for a level that has none."""
    named = {word for run in capitalised_runs(question) for word in keywords(" ".join(run))}
    theme = ", ".join(word for word in keywords(question) if word not in named)
    return Keywords(names_in(question), theme or question)


def keywords_by_model(question: str, search_context: SearchContext) -> Keywords:
    """Returns both levels as the language model names them, by one call; the question itself for a level that it leaves empty.

    Raises:
        ModelError: there is no language model, or it failed.
    """
    asked = Message(Role.USER, f"Question: {' '.join(question.split())}")
    answer = written(search_context, Request((*turns("papers.lightrag", "light_keywords"), asked), KEYWORD_TOKENS))
    levels = parse(answer.text)
    return Keywords(
        ", ".join(levels.get("low", ())) or question,
        ", ".join(levels.get("high", ())) or question,
        answer.tokens,
        answer.seconds,
    )


def parse(text: str) -> dict[str, tuple[str, ...]]:
    """Returns for each level, "low" or "high", its keywords, each once; of two lines of a level the first counts."""
    levels: dict[str, tuple[str, ...]] = {}
    for level, line in _LINE.findall(text):
        listed = (" ".join(word.strip(" .;*\"'").split()) for word in line.split(","))
        levels.setdefault(level.casefold(), tuple(dict.fromkeys(filter(None, listed)))[:MOST_KEYWORDS])
    return levels
