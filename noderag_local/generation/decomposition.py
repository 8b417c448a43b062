"""Takes a question of several steps apart by its shape: "the sister of the person who lent me the drill".

Small language models answer each step well and the whole badly: every step adds passages that do not belong to the others.
What the shape does not show is not taken apart (Press et al. 2023, arXiv:2210.03350, let the model ask the steps itself;
models of 1.5 billion parameters ask the wrong ones).
"""

from __future__ import annotations

import re

from noderag_local.text.stems import question_stems

FOUND = "{}"
"""Place in a step for the answer of the step before."""
MOST_STEPS = 4

_RELATIVE = r"(?:who|whom|that|which|to whom|with whom|from whom|for whom|by whom|whose)"
_DESCRIBED = re.compile(rf"\b(?:the|that) (?P<noun>[a-z]+) (?P<clause>{_RELATIVE} [^?]+)")
"""A noun with a relative clause: "the person who recommended the hotel"."""
_PARTED = tuple(
    re.compile(rf"\b(?P<noun>the [a-z]+) (?P<verb>{verb}) (?P<clause>{relative} [^?]+)")
    for verb, relative in (("[a-z]+", "(?:to|with|from|for|by) whom"), ("[a-z]+(?: [a-z]+)?", "(?:who|whom)"))
)
"""A noun that its verb parts from the relative clause: "Where does the person work to whom I lent the book?"."""
_BEGINS_CLAUSE = re.compile(rf"{_RELATIVE}\b")
_KIN = (
    "sister|brother|mother|father|wife|husband|partner|son|daughter|aunt|uncle|cousin|niece|nephew|grandmother|grandfather|boss"
    "|colleague|neighbour|neighbor|landlord|landlady|girlfriend|boyfriend|fiancé|fiancée|teacher|doctor|dentist"
)
_NAME = r"(?:\{\}|(?<![\w'’.-])[A-Z][\w'’.-]*(?: (?:[A-Z][\w'’.-]*|of|the|de|von|van)){0,5})"
_KIN_OF = re.compile(rf"\bthe (?P<kin>{_KIN}) of (?P<name>{_NAME})")
_KIN_BEHIND = re.compile(rf"(?P<name>{_NAME})['’]s? (?P<kin>{_KIN})\b")
_AUXILIARY = re.compile(r"\b(?:(?P<does>do|does|did|can|will)|is|are|was|were|has|have)(?: the [a-z]+ of)*$")
_PREPOSITIONS = frozenset("for at in to with on from of about".split())
_SOMEBODY = re.compile(r"\b(?:somebody|someone|a (?:friend|colleague|neighbour|neighbor|relative))\b", re.IGNORECASE)
_THEY = re.compile(
    r"\b(?P<whose>their|that person['’]s|his|her)\b|\b(?:they|them|that person|he|she|him)\b", re.IGNORECASE
)
_SENTENCE = re.compile(r"(?<=[.:;])\s+")


def steps_of(question: str) -> tuple[str, ...]:
    """Returns the questions to ask one after the other; each but the first has `FOUND` where the answer before it goes.

    A question of one step gives nothing.
    """
    steps: list[str] = []
    rest = " ".join(question.split())
    while len(steps) < MOST_STEPS:
        found = _of_two_sentences(rest) or _described(rest) or _kin(rest)
        if found is None or not _asks_something(found[1]):
            break
        steps.append(found[0])
        rest = found[1]
    return (*steps, rest) if steps else ()


def _of_two_sentences(question: str) -> tuple[str, str] | None:
    """Takes apart "I lent the book to somebody. Where do they work?"."""
    first, *others = _SENTENCE.split(question, maxsplit=1)
    if not others or not _SOMEBODY.search(first) or not _THEY.search(others[0]):
        return None
    is_subject = bool(_SOMEBODY.match(first))
    asked = _SOMEBODY.sub("Who" if is_subject else "whom", first, count=1).rstrip(".:; ")
    rest = _THEY.sub(lambda match: f"{FOUND}'s" if match["whose"] else FOUND, others[0], count=1)
    return f"{asked}?", rest


def _described(question: str) -> tuple[str, str] | None:
    """Takes apart a noun with a relative clause, the last one of several."""
    parted = next(filter(None, (shape.search(question) for shape in _PARTED)), None)
    if parted and not _BEGINS_CLAUSE.match(parted["verb"]):
        step = f"Who is {parted['noun']} {parted['clause'].strip()}?"
        return step, f"{question[: parted.start()]}{FOUND} {parted['verb']}?"
    described = list(_DESCRIBED.finditer(question))
    if not described:
        return None
    last = described[-1]
    before, clause = question[: last.start()].rstrip(), last["clause"].strip()
    words = clause.split()
    behind = _behind(before, words)
    clause = " ".join(words[: len(words) - behind])
    tail = " ".join(words[len(words) - behind :])
    asks = "Which" if clause.startswith(("that", "which")) else "Who"
    rest = " ".join(part for part in (before, FOUND, tail) if part)
    return f"{asks} is the {last['noun']} {clause}?", f"{rest}?"


def _behind(before: str, words: list[str]) -> int:
    """The number of last words of a clause that belong to the question around it: "live" in "does the one who … live?"."""
    auxiliary = _AUXILIARY.search(before)
    if not auxiliary or len(words) < 4:
        return 0
    if words[-1].lower() in _PREPOSITIONS:
        return 2
    return 1 if auxiliary["does"] else 0


def _kin(question: str) -> tuple[str, str] | None:
    """Takes apart "Ana's sister" and "the sister of Ana"."""
    for shape in (_KIN_BEHIND, _KIN_OF):
        match = shape.search(question)
        if match:
            step = f"Who is {match['name']}'s {match['kin']}?"
            return step, f"{question[: match.start()]}{FOUND}{question[match.end() :]}"
    return None


def _asks_something(question: str) -> bool:
    """Whether a question asks more than who or what the answer before is."""
    return bool(set(question_stems(question.replace(FOUND, ""))) - {"person", "name"})
