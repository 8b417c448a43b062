"""Reads from a question what is to be computed: the operation, what it is about, and the days."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise

from noderag_local.aggregation.asked_day_words import day_phrases
from noderag_local.aggregation.operation_cues import Operation, operations_of
from noderag_local.aggregation.question_content import (
    Stems,
    is_terse,
    languages_of,
    names_in,
    split_off_asking,
    wanted_words,
    without_dates,
)
from noderag_local.aggregation.question_phrases import POSSESSIVE, Phrases, near_forms, other_forms, phrases, words_of
from noderag_local.aggregation.refused_operations import refused_operations, refuses_either
from noderag_local.text.capitals import capitalised_runs
from noderag_local.text.dates.days import Days


@dataclass(frozen=True, slots=True)
class Plan:
    """One reading of a question: the operation, and what it is to be computed of."""

    operation: Operation
    phrases: Phrases
    language: str
    """ISO 639-1 code of the question's language."""
    wanted: tuple[tuple[str, Stems], ...]
    """Content words of the question with their stems, in its order, without those that name the operation."""
    names: tuple[str, ...]
    """Names in the question, as it writes them."""
    words: tuple[str, ...]
    """All words of the question, casefolded."""
    kinds: tuple[str, ...]
    """Words that may say what is listed, the likeliest first: "recipes" of "Which recipes use leeks?"."""
    is_own: bool
    """Whether the question is about the one who asks: "When did I …". Their notes tell of the day that they are written on."""
    text: str = ""
    """The question without its dates."""
    days: Days | None = None
    """Days that the question limits itself to."""
    options: tuple[str, ...] = ()
    """What is compared: "A" and "B" in "Which came first, A or B?"."""


def plans(question: str, today: date, is_in_notes: Callable[[str], bool] = lambda _: True) -> Iterator[Plan]:
    """Yields what a question may ask to be computed, the likeliest first; nothing where it asks for nothing of the kind.

    The words of a question seldom decide alone. So each operation refuses a plan that the notes do not bear out.

    Args:
        question: the question in the user's own words, in English, German, French or Spanish.
        today: day that "last week" in the question is seen from.
        is_in_notes: tells whether the notes have a word; others may be mistyped.
    """
    for language in languages_of(question):
        known = phrases(language)
        undated, days = without_dates(question, known, today)
        if len(days) > 1 or None in days:
            return
        asked_days = next(iter(days), None)
        for version in _versions(known.without_command(known.rephrased(undated), is_in_notes), known, is_in_notes):
            words = words_of(version)
            refused = refused_operations(words, known)
            for operation in dict.fromkeys(operations_of(words, known, asked_days)):
                plan = _plan(operation, language, version, asked_days)
                if operation not in refused and not refuses_either(operation, plan.words, plan.wanted, known):
                    yield plan


def names_one_of_several(plan: Plan) -> bool:
    """Whether a question is about one thing, or some, by their order: "my last run", "the first three visits"."""
    named = {word for name in plan.names for word in words_of(name)}
    in_order = {word for phrase in day_phrases(plan.language, "in_order") for word in phrase}
    return any(word in in_order and word not in named for word in plan.words)


def subjects(question: str, today: date) -> Iterator[tuple[tuple[str, ...], list[Stems]]]:
    """Yields the names in a question and the stems of its words that matter, for the whole question and for its last clause.

    Arguments as for `plans`.
    """
    for language in languages_of(question)[:1]:
        known = phrases(language)
        for version in _versions(without_dates(question, known, today)[0], known, lambda _: True):
            wanted = wanted_words(version, known, language, other_forms())
            names = names_in(version, {word for word, _ in wanted}, known)
            asked = _asked_nouns(words_of(version), known) if language == "de" else frozenset[str]()
            yield tuple(name for name in names if name.casefold() not in asked), [stems for _, stems in wanted]


def _asked_nouns(words: Sequence[str], known: Phrases) -> frozenset[str]:
    """Returns the nouns of German, which have a capital letter like names, that a question asks for: "welche Schuhgröße"."""
    asking = known.single("asks_what")
    return frozenset(word for before, word in pairwise(words) if before in asking)


def _versions(question: str, known: Phrases, is_in_notes: Callable[[str], bool]) -> Iterator[str]:
    """Yields a question, again without what is mistyped, and without what leads to it: "I want to thank Ana, so when did I last see her?".

    The names of what is left out stay, since the rest may speak of them by pronouns.
    """
    yield question
    if (corrected := known.corrected(question, is_in_notes)) != question:
        yield from _versions(known.rephrased(corrected), known, lambda _: True)
        return
    before, asking = split_off_asking(question, known)
    if before:
        names = (" ".join(run) for run in capitalised_runs(before))
        yield ", ".join((asking.rstrip(" ?.!"), *names)) + "?"


def _plan(operation: Operation, language: str, undated: str, days: Days | None) -> Plan:
    known = phrases(language)
    words = words_of(undated)
    near = () if operation is Operation.SAID_IN_TIME else near_forms()
    wanted = wanted_words(undated, known, language, (*other_forms(), *near))
    content = {word for word, _ in wanted}
    return Plan(
        operation,
        known,
        language,
        wanted,
        names_in(undated, content, known),
        tuple(words),
        _kinds(words, known),
        known.has("own", words) or is_terse(words, known),
        undated,
        days,
        _options(undated, known) if operation in (Operation.SOONER, Operation.LATER) else (),
    )


def _kinds(words: Sequence[str], known: Phrases) -> tuple[str, ...]:
    """The nouns behind "which", "how many", "list all of" or "my" that may be plurals, then all words that end in "s".

    "Our house" is a single thing, even where a folder of notes has this name.
    """
    asking = (known.end_of(key, words) for key in ("count_items", "list"))
    ends = sorted(end for end in asking if end is not None)
    ends += [at + 1 for at, word in enumerate(words) if word in known.single("own")]
    before_kind = known.single("before_kind")
    places = (next((at for at in range(end, len(words)) if words[at] not in before_kind), None) for end in ends)
    behind = (words[at] for at in places if at is not None and _is_of_several(words, at, known))
    plurals = (word for word in words if word.endswith("s"))
    return tuple(dict.fromkeys(word for word in (*behind, *plurals) if not _is_possessive(word, known)))


def _is_possessive(word: str, known: Phrases) -> bool:
    """Whether a word says whose something is; "mums" is typed for "mum's", as nobody has several."""
    return word.endswith(POSSESSIVE) or (word.endswith("s") and word[:-1] in known.single("only_one"))


def _is_of_several(words: Sequence[str], at: int, known: Phrases) -> bool:
    """Whether a noun may be a plural; in German, whose plurals have many forms, the word before it tells."""
    if determiners := known.single("before_one"):
        return at == 0 or words[at - 1] not in determiners
    return words[at].endswith(("s", "x")) or words[at] in known.single("plurals")


def _options(question: str, known: Phrases) -> tuple[str, ...]:
    """Returns A and B of "Which did I finish first, A or B?"; nothing where the question is put otherwise."""
    for word in known.single("or"):
        left, found, right = question.rpartition(f" {word} ")
        if not found:
            continue
        asked = max(left.rfind(","), left.rfind(":"))
        option = left[asked + 1 :].strip() if asked >= 0 else ""
        other = right.strip().rstrip("?").strip(" ,")
        if option and other:
            return option, other
    return ()
