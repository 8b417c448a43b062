"""Tells what kind of answer a question asks for: a name, a number, a day, one thing of several."""

from __future__ import annotations

import re

from noderag_local.generation.asked_nouns import asked_noun
from noderag_local.generation.question_language import language_of
from noderag_local.storage.documents.bigrams import without_unspaced
from noderag_local.text.interrogatives import interrogatives

_WORD = re.compile(r"\w+")
_ASKS_CHOICE = re.compile(r"\b(?:or|oder|ou|o)\b", re.IGNORECASE)
_ASKS_REASON = re.compile(
    r"\b(?:why|how come|how (?:did|do|does|was|were|is|are|can|could|should|has|have|to)|warum|wieso|weshalb|pourquoi|por qué"
    r"|perché|waarom|почему|зачем|(?:what|which) reasons?|(?:is|was) the reason|what (?:made|makes|caused|prompted|persuaded|convinced)"
    r"|what changed (?:[\w'’]+ ){1,3}mind|aus welchem grund|(?:ist|war) der grund|was hat \w+ (?:\w+ ){0,2}(?:dazu|bewogen)"
    r"|quelle raison|(?:est|était) la raison|(?:qué|cuál) (?:razón|motivo)|(?:es|era|fue) (?:la razón|el motivo))\b",
    re.IGNORECASE,
)
_ASKS_NAME = re.compile(
    r"\b(?:who|whom|whose|where|wer|wen|wem|wessen|wo|wohin|woher|qui|où|quién|quiénes|dónde|adónde)\b", re.IGNORECASE
)
_ASKS_NUMBER = re.compile(
    r"\b(?:how (?:much|many)|what (?:sum|amount|price|number)|wie ?viele?|combien|cuánt[oa]s?|quant[oiae]|hoeveel)\b"
    r"|\bwhat (?:was|is|did|does|do|has|have)\b.*\b(?:cost|charged|charge)\b",
    re.IGNORECASE,
)
_ASKS_DAY = re.compile(
    r"\b(?:when (?:did|was|were|had)|(?:what|which) (?:day|date)\b(?! of the (?:week|month))|date of|wann (?:hat|hatte|habe|hatten|haben|war|waren|wurde|bin|sind|ist)"
    r"|an welchem (?:tag|datum)|(?:quel jour|quelle date|date d|le jour où|c['’]était quand|c['’]est quand)"
    r"|quand (?:a|ai|as|avons|avez|ont|est|sont|s['’]est|était)|qué (?:día|fecha)|fecha de|cuándo \w+(?:ó|é|í|aron|ieron|fue))\b",
    re.IGNORECASE,
)
_ASKS_WHEN = re.compile(
    r"^\W*(?:(?:and|so|but|since|until|till|by|from|et|jusqu['’]à|depuis|en|tot|vanaf|sinds) )?(?:when|quand|wanneer)\b(?!.*, )"
    r"|\b(?:when|quand|wanneer)(?: (?:is|was) (?:it|that|this))?\W*$"
    r"|\b(?:when['’]s|wann|cuándo|(?:what|which) (?:day|date|time(?! zone)|year|month)|date (?:of|for)|(?:welche[mns]?|welcher) (?:tag|datum|jahr|monat)"
    r"|uhrzeit|welke (?:dag|datum)|quel(?:le)? (?:jour|date|heure|année|mois)|qué (?:día|fecha|hora|año|mes))\b",
    re.IGNORECASE,
)
"""In English, French and Dutch, "when" also begins clauses: "the number when a wire sticks out", "When it drips, who comes?"."""
_ASKS_WHAT_HOLDS = re.compile(
    r"\b(?:now|nowadays|these days|currently|current|at the moment|latest|newest|still|any ?more|as of|since"
    r"|jetzt|derzeit|zurzeit|aktuell(?:e[rsnm]?)?|momentan|inzwischen|mittlerweile|noch|heute|neueste[rsnm]?|seit"
    r"|maintenant|actuellement|désormais|actuel(?:le)?|encore|aujourd['’]hui|depuis"
    r"|ahora|actualmente|actual|todavía|hoy|desde)\b",
    re.IGNORECASE,
)
_ASKS_SEVERAL = re.compile(
    r"\b(?:(?:which|what) (?!was\b|is\b|does\b|has\b)\w+[^s\W]s|who (?:are|were|all|have)|what (?:are|were|all)|everybody|all the|list"
    r"|wer (?:sind|waren)|was (?:sind|waren)|welche \w+en|alle[rsn]?"
    r"|quels|quelles|qui (?:sont|étaient|ont|avaient)|tous|toutes|cuáles|quiénes|qué \w+s|todos|todas)\b",
    re.IGNORECASE,
)
_ASKS_CLAUSE = re.compile(
    r"\b(?:decid\w+|agree\w*|happen\w*|say|said|tell|told|think|thought|mean|meant|advise\w*|complain\w*|promis\w+"
    r"|entschieden|beschlossen|vereinbart|abgemacht|passiert|gesagt|meint\w*|denk\w*|versprochen"
    r"|décid\w+|convenu\w*|passé\w*|dit|promis\w*|pens\w+|decidi\w+|acord\w+|pas[óo]|dij\w+|prometi\w+)\b"
    r"|\b(?:what|was|que|qué|quoi) (?:do|does|did|has|have|habe|hat|haben) \w+ (?:\w+ )?(?:do|done|gemacht|getan)\b",
    re.IGNORECASE,
)


def asks_for_span(question: str) -> bool:
    """Returns whether a question asks who, where, what, when, which or how much, and not why or how something is done.

    Scripts without spaces between words have no spans.
    """
    if without_unspaced(question) != question or _ASKS_REASON.search(question):
        return False
    words = _WORD.findall(question.casefold())
    return any(word in interrogatives(language) for language in (language_of(question), "en") for word in words)


def asks_for_fact(question: str) -> bool:
    """Returns whether a question asks for one name, place, day or number; in English, German, French and Spanish.

    It may do so by a noun alone: "dad's neurologist name". Not a fact is what holds now, since notes of several days tell it together,
    nor what was said or decided, which is a clause.
    """
    others = (_ASKS_WHAT_HOLDS, _ASKS_SEVERAL, _ASKS_CLAUSE)
    noun = asked_noun(question)
    asks = (noun is not None and noun.is_terse) or asks_for_span(question)
    return asks and not any(shape.search(question) for shape in others)


def asks_who_or_where(question: str) -> bool:
    """Returns whether a question asks who or where, in English, German, French or Spanish."""
    return asks_for_span(question) and _ASKS_NAME.search(question) is not None


def asks_for_number(question: str) -> bool:
    """Returns whether a question asks how much or how many."""
    return _ASKS_NUMBER.search(question) is not None


def asks_for_day(question: str) -> bool:
    """Returns whether a question asks when something happened, and not at what time it usually does."""
    return _ASKS_DAY.search(question) is not None


def asks_when(question: str) -> bool:
    """Returns whether a question asks for any day or time, past or to come; in English, German, French, Spanish or Dutch."""
    return _ASKS_WHEN.search(question) is not None


def asks_for_choice(question: str) -> bool:
    """Returns whether a question offers what it asks for: "A or B?"."""
    return _ASKS_CHOICE.search(question) is not None
