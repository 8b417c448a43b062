"""Takes a question of several steps apart by its shape: "the sister of the person who lent me the drill".

Small language models answer each step well and the whole badly: every step adds passages that do not belong to the others.
What the shape does not show is not taken apart (Press et al. 2023, arXiv:2210.03350, let the model ask the steps itself;
models of 1.5 billion parameters ask the wrong ones).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from noderag_local.generation.question_language import language_of
from noderag_local.generation.relative_clauses import FOUND, has_grammar, relative_step, says_little
from noderag_local.text.stems import question_stems

_PLACES = re.compile(r"\{(\d)\}")
MOST_STEPS = 4

_PLACING = "where|(?:in|on|at|from|of|to|for|by) which"
_RELATIVE = rf"(?:who|whom|that|which|to whom|with whom|from whom|for whom|by whom|whose|{_PLACING})"
_PAIRS = (
    "(?:record label|political party|(?:television|tv) (?:show|series)|film studio|football (?:club|team)|high school)"
)
_DESCRIBED = re.compile(
    rf"\b(?:the|that) (?P<noun>[a-z]+ |(?:[a-z]+ ){{2,3}}(?={_PLACING})|{_PAIRS} )(?P<clause>{_RELATIVE} [^?]+)"
)
"""A noun with a relative clause: "the person who recommended the hotel", "the city where Ana lives"."""
_NO_THINGS = frozenset("way manner fashion extent degree reason fact".split())
"""Nouns whose relative clause describes nothing that a first search could find: "the manner in which it ends"."""
_BY_PLACE = ("where", "in which", "on which", "at which", "from which")
_BY_THING = ("that", "which", "of which", "to which", "for which", "by which", *_BY_PLACE)
_BEFORE_WHOM = "(?:to|with|from|for|by)"
_VERB = rf"(?!{_BEFORE_WHOM}\b)[a-z]+"
_PARTED = tuple(
    re.compile(rf"\b(?P<noun>the [a-z]+) (?P<verb>{verb}) (?P<clause>{relative} [^?]+)")
    for verb, relative in (
        (_VERB, f"{_BEFORE_WHOM} whom"),
        ("[a-z]+(?: [a-z]+)?", "who"),
        (f"{_VERB}(?: {_VERB})?", "whom"),
    )
)
"""A noun that its verb parts from the relative clause: "Where does the person work to whom I lent the book?"."""
_BEGINS_CLAUSE = re.compile(rf"{_RELATIVE}\b")
_KIN = (
    "sister|brother|mother|father|wife|husband|partner|son|daughter|aunt|uncle|cousin|niece|nephew|grandmother|grandfather|boss"
    "|colleague|neighbour|neighbor|landlord|landlady|girlfriend|boyfriend|fiancé|fiancée|teacher|doctor|dentist"
)
_NAME = r"(?:\{\d?\}|(?<![\w'’.-])[A-Z][\w'’.-]*(?: (?:[A-Z][\w'’.-]*|of|the|de|von|van)){0,5})"
_KIN_OF = re.compile(rf"\bthe (?P<kin>{_KIN}) (?:of|from) (?P<name>{_NAME})")
_KIN_BEHIND = re.compile(rf"(?P<name>{_NAME})['’]s? (?P<kin>{_KIN})\b")
_MAKER = (
    "author|writer|novelist|poet|performer|singer|band|artist|musician|director|composer|songwriter|lyricist|creator|maker"
    "|producer|screenwriter|founder|co-founder|inventor|designer|developer|architect|painter|sculptor|publisher|owner"
    "|manufacturer|builder|editor|translator|host|presenter|star|lead actor|coach|manager|captain|leader|head|chairman"
    "|chairwoman|president|ceo|mayor|king|queen|spouse|child"
)
_PLACE = (
    "birthplace|birth place|place of birth|hometown|home town|capital|nationality|employer|record label|headquarters"
)
_SMALL = "of|the|de|von|van|and|und|for|with|in|on|at|to|a|an|&"
_TITLE = rf"(?:\{{\d?\}}|\"[^\"]+\"|(?<![\w'’.-])[A-Z][\w'’.-]*,?(?: (?:(?:{_SMALL}) )*[A-Z][\w'’.-]*,?){{0,8}})(?<!,)"
"""A name that may be the title of a work: "The Jewel of the Nile"."""
_ROLE_OF = re.compile(
    rf"\bthe (?P<role>(?:[a-z]+ )?(?:{_MAKER}|{_PLACE})) (?:of|for) (?P<name>{_TITLE})(?!['’])(?P<behind>[^?]*)"
)
_NO_OWNER = r"(?!(?:What|Who|Where|When|How|Which|That|It|Here|There|Let|Why)['’]s\b)"
_ROLE_ENDS = (
    r"(?=\W*$|,|\s+(?:is|was|are|were|be|been|in|on|at|to|from|of|and|or|by|with|that|who|which|has|had|have|did|does|do|live"
    r"|lived|born|die|died|attend|win|won|play|played|make|made|write|wrote|direct|become|became|located|invade|rank|start)\b)"
)
_ROLE_BEHIND = re.compile(
    rf"{_NO_OWNER}(?:\bthe )?(?P<name>{_NAME})['’]s? (?P<role>(?:(?!the )[a-z]+ )?"
    rf"(?:{_MAKER}|{_PLACE}|country|alma mater|city of birth|team|club|university|city|state)){_ROLE_ENDS}(?P<behind>[^?]*)"
)
"""Whoever made something, or where somebody comes from: "the author of Kiln", "Kiln's author"."""
_ASKS_ON = re.compile(r", (?=(?:[a-z]+ ){0,3}(?:what|which|where|who|whom|whose|when|how)\b)")
"""Ends a clause before what is asked: "With regard to the friend who lent me the drill, at which firm does he work?"."""
_PLACED = re.compile(
    r"(?<=. )(?:(?:is|was|are|were)(?: a)? (?:located|born|found|held|formed|situated|buried|based|fought|built|citizen)"
    r"(?: in)?|died|lived|took place|takes place)\b"
)
"""Ends a clause of a place: "where Ana was born"."""
_PLACE_OR_GROUP = (
    "country|state|city|town|county|village|province|region|continent|district|municipality|area|place|island|river"
    "|company|organi[sz]ation|institution|agency|network|team|club|league|band|group|label|party|school|university|college"
    "|album|book|film|movie|series|show|song|person|language"
)
_JOINED = re.compile(
    rf"\bthe (?P<noun>(?:[a-z]+ )?(?:{_PLACE_OR_GROUP})) (?P<clause>{_TITLE} (?:is|was|are|were|belong|belongs|belonged|play|plays|played"
    r"|work|works|worked|live|lives|lived|died|come|comes|came)(?: (?!in\b|of\b|to\b|for\b|by\b)[a-z]+){0,2}"
    r" (?:from|in|of|to|for|by|on|at))\b(?P<behind>[^?]*)"
)
"""A noun with a clause that no relative pronoun begins: "the country Ana is from"."""
_UNSAID = (
    (re.compile(r"\b(the [a-z]+) containing (?=(?:the )?[A-Z{])"), r"\1 that contains "),
    (re.compile(r"\b(in|of|to|from|at) (?=birth ?place|place of birth)"), r"\1 the "),
)
"""Words that the shapes need, and that questions leave out."""
_THING_ENDS = re.compile(
    rf"(?:that|which|who) (?!(?:is|was|are|were|the|an?)\b)[a-z]+ {_TITLE}"
    r"(?= (?:[a-z]+ed|is|was|are|were|does|did|has|had|have|will|taken|become|became|begin|began|make|made|use|leave|left"
    r"|win|won|open|change|rank|located)\b)"
)
"""Ends a clause about a work before the question goes on: "(the country) that produced Kiln (taken by …)"."""
_AUXILIARY = re.compile(r"\b(?:(?P<does>do|does|did|can|will)|is|are|was|were|has|have)(?: the [a-z]+ of)*$")
_PREPOSITIONS = frozenset("for at in to with on from of about".split())
_ANYBODY = r"\b(?:somebody|someone|(?:an?|one|some) (?:friend|colleague|neighbou?r|relative|person|acquaintance))"
_SOMEBODY = re.compile(rf"{_ANYBODY}\b(?!['’]s)", re.IGNORECASE)
_SOMEBODYS = re.compile(rf"{_ANYBODY}['’]s\b", re.IGNORECASE)
_PERSON = r"(?:that|this|the|said) (?:person|somebody|someone|one|friend|colleague|neighbou?r|relative|acquaintance)"
_THEY = re.compile(
    rf"\b(?P<whose>their|{_PERSON}['’]s|his|her)\b|\b(?:they|them|{_PERSON}|he|she|him)\b(?!['’]s)", re.IGNORECASE
)
_WHOEVER = re.compile(r"\bwhoever\b", re.IGNORECASE)
_ENDS_SENTENCE = re.compile(
    r"(?<=[.;])\s+|:\s+|\s[-–—]\s+|,\s+(?=(?:in |at |for |from |against |to )?(?:what|where|who|whose|which|when|how)\b)"
)
_AND_ASKS = re.compile(r",? and (?=(?:(?:in|at|for|from|to) )?(?:what|where|who|whose|which|when|how)\b)")
_ASKS_WHO = re.compile(r"(?:and |so )?who\b", re.IGNORECASE)
_THIS_KIN = re.compile(rf"\b(?:that|this|the) (?:{_KIN})\b,?", re.IGNORECASE)
_HAS_KIN = re.compile(rf"(?P<who>.+) has an? (?P<kin>{_KIN})\W*")
_TOPIC = re.compile(r"(?P<who>the [a-z]+ .+?),?", re.IGNORECASE)
"""Somebody who is described before the question is asked of them: "The friend I lent it to, where do they live?"."""
_IDENTIFY = re.compile(
    r"(?:please )?(?:identify|find out|find|look up|tell me|say) (?P<asked>who .+?)\.?", re.IGNORECASE
)
_EMBEDDED = re.compile(
    r"\b(?:what|where|which|whom?)\b(?! (?:is|are|was|were|do|does|did|has|have|can|will)\b)", re.IGNORECASE
)
"""Opens a question inside another sentence, whose verb stands last: "Tell me where the friend who … lives"."""
_FINITE = frozenset("is are was were has have had does did works lives stays plays comes".split())


def steps_of(question: str) -> tuple[str, ...]:
    """Returns the questions to ask one after the other, with "{1}" where the answer to the first one goes, and so on.

    A question of one step gives nothing, and so does one with braces, which would be taken for places.
    """
    if "{" in question:
        return ()
    steps: list[str] = []
    language = language_of(question)
    rest = _WHOEVER.sub("the person who", " ".join(question.split())).rstrip(" .?") + "?"
    while len(steps) < MOST_STEPS:
        for left_out, said in _UNSAID:
            rest = left_out.sub(said, rest)
        found = relative_step(rest, language) if has_grammar(language) else _english_step(rest)
        if found is None or not _asks_something(found[1], language):
            break
        steps.append(found[0])
        rest = found[1].replace(FOUND, f"{{{len(steps)}}}")
    return (*steps, rest) if steps else ()


def places_in(step: str) -> set[int]:
    """Returns the numbers of the steps whose answers a step needs, from 1."""
    return {int(place) for place in _PLACES.findall(step)}


def filled_in(step: str, answers: Sequence[str]) -> str:
    """Returns a step with the answers of the steps before it in their places."""
    return _PLACES.sub(lambda place: answers[int(place[1]) - 1], step)


def _english_step(question: str) -> tuple[str, str] | None:
    """Returns the first step of an English question, and the rest of it; None where no shape shows one."""
    shapes = (_of_two_parts, _role, _joined, _described, _kin)
    return next(filter(None, (shape(question) for shape in shapes)), None)


def _of_two_parts(question: str) -> tuple[str, str] | None:
    """Takes apart "I lent the book to somebody. Where do they work?" and the like."""
    first, *others = _ENDS_SENTENCE.split(question, maxsplit=1)
    if not others:
        return _of_two_questions(question)
    if kin := _HAS_KIN.fullmatch(first):
        return _of_kin(kin["who"], kin["kin"], others[0])
    if not _THEY.search(others[0]):
        return None
    rest = _with_found(others[0])
    if identify := _IDENTIFY.fullmatch(first):
        return f"{_capital(identify['asked'])}?", rest
    if _SOMEBODY.search(first) or _SOMEBODYS.search(first):
        whose = _SOMEBODYS.sub("Whose" if _SOMEBODYS.match(first) else "whose", first, count=1)
        asked = _SOMEBODY.sub("Who" if _SOMEBODY.match(first) else "whom", whose, count=1).rstrip(".:;, ")
        return f"{asked}?", rest
    topic = _TOPIC.fullmatch(first)
    return (f"Who is {_small(topic['who'])}?", rest) if topic else None


def _of_two_questions(question: str) -> tuple[str, str] | None:
    """Takes apart "Who is Ana's sister, and where does she live?"."""
    first, *others = _AND_ASKS.split(question, maxsplit=1)
    if not others or not _ASKS_WHO.match(first) or not _THEY.search(others[0]):
        return None
    return f"{first}?", _with_found(_capital(others[0]))


def _of_kin(who: str, kin: str, asked: str) -> tuple[str, str] | None:
    """Takes apart "The friend who gave me the key has a sister. What is her job?"."""
    named = _THIS_KIN.sub("she", asked)
    if not _THEY.search(named):
        return None
    if not who.lower().startswith("the "):
        return f"Who is {who}'s {kin}?", _with_found(named)
    return f"Who is {_small(who)}?", _with_found(named).replace(FOUND, f"{FOUND}'s {kin}", 1)


def _with_found(question: str) -> str:
    """Returns a question with the place of an answer in place of the first pronoun."""
    return _THEY.sub(lambda match: f"{FOUND}'s" if match["whose"] else FOUND, question, count=1)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _small(text: str) -> str:
    return text[:1].lower() + text[1:]


def _joined(question: str) -> tuple[str, str] | None:
    """Takes apart "the country Ana is from", the last one of several."""
    match = next(iter(reversed(list(_JOINED.finditer(question)))), None)
    if match is None:
        return None
    step = f"Which is the {match['noun']} {match['clause']}?"
    return step, f"{question[: match.start()]}{FOUND}{match['behind']}?"


def _described(question: str) -> tuple[str, str] | None:
    """Takes apart a noun with a relative clause, the last one of several."""
    parted = next(filter(None, (shape.search(question) for shape in _PARTED)), None)
    if parted and not _BEGINS_CLAUSE.match(parted["verb"]):
        step = f"Who is {parted['noun']} {parted['clause'].strip()}?"
        return step, f"{question[: parted.start()]}{FOUND} {parted['verb']}?"
    described = [found for found in _DESCRIBED.finditer(question) if found["noun"].strip() not in _NO_THINGS]
    if not described:
        return None
    last = described[-1]
    while inner := _DESCRIBED.search(question, last.start("clause")):
        last = inner
    before, clause = question[: last.start()].rstrip(), last["clause"].strip()
    placed = _PLACED.search(clause) if clause.startswith(_BY_PLACE) else _THING_ENDS.match(clause)
    asked = _ASKS_ON.search(clause)
    if asked:
        clause, tail = clause[: asked.start()], clause[asked.end() :]
    elif placed:
        clause, tail = clause[: placed.end()], clause[placed.end() :].lstrip(", ")
    else:
        words = clause.split()
        behind = _behind(before, words)
        clause, tail = " ".join(words[: len(words) - behind]), " ".join(words[len(words) - behind :])
    asks = "Which" if clause.startswith(_BY_THING) else "Who"
    found = f"{FOUND}," if asked else FOUND
    rest = " ".join(part for part in (before, found, tail) if part)
    return f"{asks} is the {last['noun'].strip()} {clause}?", f"{rest}?"


def _behind(before: str, words: list[str]) -> int:
    """The number of last words of a clause that belong to the question around it: "live" in "does the one who … live?"."""
    auxiliary = _AUXILIARY.search(before)
    if not auxiliary and _EMBEDDED.search(before, 1):
        last = max((at for at, word in enumerate(words) if word in _FINITE), default=0)
        return len(words) - last if last > 2 else 0
    if not auxiliary or len(words) < 4:
        return 0
    if words[-1].lower() in _PREPOSITIONS:
        return 0 if words[-2].lower() in _FINITE else 2
    return 1 if auxiliary["does"] else 0


def _role(question: str) -> tuple[str, str] | None:
    """Takes apart "the author of Kiln" and "Kiln's author", the last one of several."""
    for shape in (_ROLE_BEHIND, _ROLE_OF):
        match = next(iter(reversed(list(shape.finditer(question)))), None)
        if match:
            maker = re.search(rf"\b(?:{_MAKER})$", match["role"])
            step = f"{'Who' if maker else 'What'} is the {match['role']} of {match['name']}?"
            return step, f"{question[: match.start()]}{FOUND}{match['behind']}?"
    return None


def _kin(question: str) -> tuple[str, str] | None:
    """Takes apart "Ana's sister" and "the sister of Ana"."""
    for shape in (_KIN_BEHIND, _KIN_OF):
        match = shape.search(question)
        if match:
            # "Occupation of Ana Lee's sister": what stands before the last "of" belongs to the question.
            name = match["name"].rpartition(" of ")[2] if match.start() == 0 else match["name"]
            start = match.start() + len(match["name"]) - len(name) if shape is _KIN_BEHIND else match.start()
            step = f"Who is {name}'s {match['kin']}?"
            return step, f"{question[:start]}{FOUND}{question[match.end() :]}"
    return None


def _asks_something(question: str, language: str) -> bool:
    """Whether a question asks more than who or what the answer before is."""
    words = set(question_stems(_PLACES.sub("", question.replace(FOUND, ""))))
    return not (says_little(words, language) if has_grammar(language) else words <= {"person", "name"})
