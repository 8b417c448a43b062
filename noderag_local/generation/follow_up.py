"""Rewrites questions that depend on the conversation before them, and converts answers to stored turns.

A question that refers to earlier turns is rewritten so that it can be searched for on its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from noderag_local.domain.passages import Scope
from noderag_local.generation import abstention
from noderag_local.generation.answer_prompt import examples, filled, prompt
from noderag_local.generation.answering import Answer
from noderag_local.generation.citing.evidence import Passages, claims
from noderag_local.generation.citing.markers import MARKER, sentences
from noderag_local.generation.question_language import NAMES, language_of
from noderag_local.models.llm.engine import Engine, Finish, Message, Request, Role, never
from noderag_local.storage.conversations.conversations import Cost, Turn
from noderag_local.system.printing.plain_text import printable
from noderag_local.text.capitals import capitalised_runs
from noderag_local.text.interrogatives import ends_as_question

REWRITE_TOKENS = 60
EXCHANGES = 3
"""Number of the latest questions and answers that are read."""
ANSWER_LETTERS = 400
"""Maximum characters of each earlier answer that are read."""
NAMES_ADDED = 3
FEW_WORDS = 2
"""Maximum number of words of a question that always needs the conversation: "Why?", "And when?"."""

_WORD = re.compile(r"[^\W\d_]+(?:['’\-][^\W\d_]+)*")
_POINTING = frozenset(
    """
    he she it they him her his hers its them their theirs this these those then former latter
    er sie es ihn ihm ihr ihre ihren ihrem ihrer sein seine seinen seinem seiner dieser diese dieses diesem diesen
    il elle ils elles lui leur leurs ça cela
    él ella ellos ellas eso esto su sus
    lei loro esso essa questo quello suo sua suoi
    hij zij ze hem haar hun
    ele ela eles elas isso isto ali seu sua
    """.split()
)
"""Words that refer to something said before. "that" and "there" have other uses and are checked with their neighbours below."""
_POLITE = frozenset("Sie Ihr Ihre Ihren Ihrem Ihrer".split())
"""Capitalised German words that address the reader."""
_POINTING_PHRASE = re.compile(
    r"\bthat(?=\s*[?.!,]|\s*$|\s+(?:one|day|place|person|time|year|month|week|trip|meeting|book)\b)"
    r"|\b(?:there|das)(?=\s*[?.!,]|\s*$)|\btell me more\b|\bmore about\b"
    r"|\b(?:dort|damals|davon|dazu|darüber|daran|daraus|allí|ahí|daar|là-bas)\b"
    r"|[他她它]|[这那][里个儿裡個兒]|彼女?[はがのを]|それ|そこ",
    re.IGNORECASE,
)
_EMPTY_SUBJECT = re.compile(r"\b(?:gibt es|es gibt|il y a|y a-t-il|is it (?:possible|true))\b", re.IGNORECASE)
_GOES_ON = re.compile(
    r"\s*(?:and|but|or|so|also|what about|how about|und|aber|oder|et|mais|y|pero|e|ma|maar|mas)\b", re.IGNORECASE
)
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\u0e00-\u0eff]")


@dataclass(frozen=True, slots=True)
class Exchange:
    """An earlier question and answer of a conversation."""

    question: str
    """The question that was searched for, rewritten if necessary."""
    answer: str


def leans(question: str) -> bool:
    """Returns, by a rule without a model, whether a question seems to depend on earlier turns.

    The rule looks for pronouns without a name before them, beginnings such as "and" or "what about", and very short
    questions. A question that it misses is searched for as it is.
    """
    plain = _EMPTY_SUBJECT.sub(" ", question)
    words = _WORD.findall(plain)
    if not _UNSPACED.search(plain) and len(words) <= FEW_WORDS:
        return True
    return bool(_GOES_ON.match(plain) or _POINTING_PHRASE.search(plain)) or _points(words)


def stand_alone(engine: Engine, question: str, said: Sequence[Exchange], cancelled: Callable[[], bool] = never) -> str:
    """Returns the question in a form that can be understood without the conversation.

    If the model's version cannot be trusted or changes nothing, the names last talked about are added in brackets: "What else
    did she write? (Inês Valadares)".

    Args:
        engine: engine that rewrites.
        question: as the user asked it.
        said: earlier exchanges, oldest first; not empty.
        cancelled: called many times a second; when it returns True, the question is returned unchanged.

    Returns:
        The question itself if the last exchange named nothing.

    Raises:
        ModelError: the engine failed.
    """
    read = said[-EXCHANGES:]
    stream = engine.stream(_request(question, read), cancelled)
    written = _recased(" ".join(MARKER.sub("", printable("".join(stream))).split()), [question, *_texts(read)])
    finish = stream.result.finish
    if finish is Finish.STOP and written.casefold() != question.casefold() and _is_faithful(written, question, read):
        return written
    return question if finish is Finish.CANCELLED else _with_names(question, read[-1])


def _request(question: str, said: Sequence[Exchange]) -> Request:
    """Returns the request to rewrite a question; except for its last message, it begins like the request for an answer.

    A model that caches one conversation then has to read the instructions only once, for this request and for the answer that
    follows.
    """
    fields = {
        "conversation": "\n".join(f"Question: {one.question}\nAnswer: {one.answer[:ANSWER_LETTERS]}" for one in said),
        "question": " ".join(question.split()),
        "language": NAMES[language_of(question)],
    }
    messages = (
        Message(Role.SYSTEM, prompt("chat_system")),
        *examples(),
        Message(Role.USER, filled(prompt("follow_up_user"), fields)),
    )
    return Request(messages, REWRITE_TOKENS, stop=("\n",))


def _is_faithful(written: str, question: str, said: Sequence[Exchange]) -> bool:
    """Returns whether a rewritten question is still a question and adds no new name or number and few other new words."""
    if not written or abstention.is_sign(written) or (ends_as_question(question) and not ends_as_question(written)):
        return False
    return Passages([question, *_texts(said)]).hold(claims(written))


def _texts(said: Sequence[Exchange]) -> list[str]:
    return [text for one in said for text in (one.question, one.answer)]


def _recased(written: str, known: Sequence[str]) -> str:
    """Returns a rewritten question that is all in capitals with the words in their earlier spelling."""
    if not written.isupper():
        return written
    said = {word.casefold(): word for text in known for word in _WORD.findall(text)}
    calm = _WORD.sub(lambda word: said.get(word[0].casefold(), word[0].lower()), written)
    return calm[:1].upper() + calm[1:]


def _with_names(question: str, last: Exchange) -> str:
    """Adds the names of the last exchange that the question lacks, those of the answer first, since it is about them."""
    names = [name for text in (last.answer, last.question) for name in _names(MARKER.sub("", text))]
    asked = question.casefold()
    missing = [name for name in dict.fromkeys(names) if name.casefold() not in asked][:NAMES_ADDED]
    return f"{' '.join(question.split())} ({', '.join(missing)})" if missing else question


def _names(text: str) -> list[str]:
    return [" ".join(run).rstrip(".") for sentence in sentences(text) for run in capitalised_runs(sentence)]


def _points(words: Sequence[str]) -> bool:
    """Returns whether a pronoun comes before any name that it could refer to."""
    for position, word in enumerate(words):
        if not _POINTING.isdisjoint(word.lower().split("-")) and not (position and word in _POLITE):
            return True
        if position and len(word) > 1 and word[0].isupper():
            return False
    return False


def turn_of(question: str, answer: Answer, scope: Scope) -> Turn:
    """Returns the turn of a conversation that stores an answer.

    Args:
        question: question as the user wrote it.
        answer: the answer to store.
        scope: limits of the search that the answer is based on.
    """
    return Turn(
        question=question,
        asked_as=answer.asked_as,
        answer=answer.text,
        found=answer.retrieval,
        scope=scope,
        model=answer.model,
        cost=_cost(answer),
        abstained=answer.abstained,
        stopped=answer.finish is Finish.CANCELLED,
        note=answer.note,
    )


def exchanges(turns: Sequence[Turn]) -> list[Exchange]:
    """Returns the questions and answers that the next question may refer to, oldest first."""
    return [Exchange(turn.asked_as or turn.question, turn.answer) for turn in turns]


def _cost(answer: Answer) -> Cost | None:
    completion = answer.completion
    if completion is None:
        return None
    return Cost(
        first_word_seconds=answer.first_piece_seconds or answer.elapsed_seconds,
        seconds=answer.elapsed_seconds,
        read_tokens=completion.prompt_tokens - completion.reused_tokens,
        written_tokens=completion.generated_tokens,
    )
