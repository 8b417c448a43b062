"""A question about a fact behind a fact: split into simple ones, which are asked of the same sources one after another.

A small model that reads "Who was the first president of the association which published the journal?" takes the name
beside the journal. Asked which association published it, and then who was the first president of that, it finds both.
The sources are read once; a simple question costs some twenty tokens more, and the splitting, whose instructions stay in
the model's cache, as many as the question and its parts.

Measured with Qwen2.5-Coder-1.5B on 16 questions of MuSiQue's training set, 1,000 tokens of context: F1 21 asked as a whole,
49 in steps, 34 asked as a whole after the steps, 36 asked as a whole with the last simple question behind it.

Source: least-to-most prompting (Zhou et al. 2023) and self-ask (Press et al. 2023), over one context.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from noderag_local.answer import abstention
from noderag_local.answer.compose import compose_step
from noderag_local.answer.evidence import claims, stem
from noderag_local.answer.language import language_of
from noderag_local.answer.markers import MARKER
from noderag_local.llm.engine import Engine, Finish, Message, Request, Role, never
from noderag_local.llm.prompt_files import turns
from noderag_local.plain_text import printable

LEAST_WORDS = 7
LEAST_LINKS = 2
"""A question with fewer words, or fewer words that hang one thing on another, asks for one fact."""
MANY_WORDS = 10
"""In a question of so many one such word is enough."""
MOST_STEPS = 4
SPLIT_TOKENS = 110
ANSWER_LETTERS = 80
"""An answer that is put into the next question is a name or a phrase; a longer one is no answer to a simple question."""

_LINKS = frozenset(
    """
    of by from in at near with for to whose who whom which that where when after during under
    des der dem den deren dessen von vom bei beim in im aus wo für mit zu zum zur nach unter
    de du des dont que qui où dans par pour avec à au aux chez
    del cuyo cuya donde en por para con al
    di della dello dei degli delle dove nel nella da dal dalla per
    do da dos das em no na onde van het waar bij met
    """.split()
)
_LINE = re.compile(r"^\s*\d+\.\s*(\S.*\?)\s*$")
_REFERENCE = re.compile(r"#(\d)")
_POSSESSIVE = re.compile(r"['’]s?$")
_WORD = re.compile(r"[^\W_]+(?:['’\-][^\W_]+)*")


@dataclass(frozen=True, slots=True)
class Step:
    """A simple question and what the sources answered."""

    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class Found:
    """What was found on the way to an answer."""

    steps: tuple[Step, ...]
    """None where the question is simple, or a simple question had no answer."""
    question: str
    """What is left to ask: the last simple question with what was found in it, or the whole one where there are no steps."""
    llm_tokens: int
    """That the model read and wrote for it."""


def unheard(_: str) -> None:
    """A `told` for callers whom the steps do not concern."""


def may_be_nested(question: str) -> bool:
    """Whether it is worth asking for the parts of a question: by a rule that costs nothing."""
    words = _WORD.findall(question.casefold())
    links = sum(word in _LINKS for word in words[1:]) + sum(bool(_POSSESSIVE.search(word)) for word in words)
    return len(words) >= LEAST_WORDS and links + (len(words) >= MANY_WORDS) >= LEAST_LINKS


def found_on_the_way(
    engine: Engine,
    context: str,
    question: str,
    short: bool,
    cancelled: Callable[[], bool] = never,
    told: Callable[[str], None] = unheard,
) -> Found:
    """The answers to the simple questions that a question is made of, but the last.

    Args:
        context: numbered sources.
        question: as the user asked it.
        short: whether `compose` asks the last one for a short answer; the conversation is then the same.
        cancelled: asked many times a second; there are then no steps.
        told: each simple question before it is asked.

    Raises:
        SettingsError: the context does not fit into the model.
        ModelError: the engine failed.
    """
    asked, language = " ".join(question.split()), language_of(question)
    splitting = Request((*turns("answer", "split"), Message(Role.USER, asked)), SPLIT_TOKENS)
    written, cost = _written(engine, splitting, cancelled)
    steps: list[Step] = []
    *simple, last = parsed(written, asked) or (asked,)
    for one in simple:
        whole = with_answers(one, steps)
        told(whole)
        request = compose_step(context, whole, language, short, [(step.question, step.answer) for step in steps])
        answer, tokens = _written(engine, request, cancelled)
        cost += tokens
        if not (answer := usable(answer)):
            return Found((), question, cost)
        steps.append(Step(whole, answer))
    return Found(tuple(steps), with_answers(last, steps) if steps else question, cost)


def parsed(written: str, question: str) -> tuple[str, ...]:
    """The simple questions in what a model wrote; none where they do not lead from one to the next, or name what was not asked about.

    Args:
        written: lines "1. Where was #1 born?".
        question: what was split.
    """
    found = [_LINE.match(line) for line in written.strip().splitlines() if line.strip()]
    questions = tuple(match[1] for match in found if match)
    if len(questions) < len(found) or not 2 <= len(questions) <= MOST_STEPS:
        return ()
    for place, asked in enumerate(questions):
        earlier = {int(number) for number in _REFERENCE.findall(asked)}
        if bool(earlier) != bool(place) or not all(1 <= number <= place for number in earlier):
            return ()
    return questions if _names_nothing_new(questions, question) else ()


def with_answers(question: str, steps: Sequence[Step]) -> str:
    """A simple question with the earlier answers in it."""
    return _REFERENCE.sub(lambda number: steps[int(number[1]) - 1].answer, question)


def usable(answer: str) -> str:
    """An answer as it can stand in the next question; "" where it is none."""
    plain = " ".join(MARKER.sub("", answer).split()).rstrip(".").strip()
    return "" if len(plain) > ANSWER_LETTERS or abstention.is_sign(plain) else plain


def _written(engine: Engine, request: Request, cancelled: Callable[[], bool]) -> tuple[str, int]:
    """What the model wrote, "" where it was stopped, and the tokens that it took."""
    stream = engine.stream(request, cancelled)
    text = printable("".join(stream))
    completion = stream.completion
    return "" if completion.finish is Finish.CANCELLED else text, completion.worked_tokens


def _names_nothing_new(questions: Sequence[str], question: str) -> bool:
    known = {stem(_POSSESSIVE.sub("", word)) for word in _WORD.findall(question)}
    numbers = claims(question).numbers
    for asked in questions:
        said = claims(_REFERENCE.sub(" ", asked))
        words = (word for name in said.names for word in _WORD.findall(name))
        if not said.numbers <= numbers or not all(stem(word) in known for word in words):
            return False
    return True
