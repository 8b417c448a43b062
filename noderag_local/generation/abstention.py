"""Defines the sentences and the marker by which an answer says that the notes do not contain it."""

from __future__ import annotations

import re

from noderag_local.generation.question_language import ENGLISH

SIGN = "NOT IN NOTES"
"""Marker that the prompt asks the model to write when the notes do not contain the answer; the same in every language."""

SENTENCES = {
    "ar": "ملاحظاتك لا تذكر ذلك.",
    "cs": "Vaše poznámky to neříkají.",
    "da": "Dine noter siger det ikke.",
    "de": "Ihre Notizen sagen dazu nichts.",
    "el": "Οι σημειώσεις σας δεν το λένε.",
    "en": "Your notes do not tell.",
    "es": "Sus notas no lo dicen.",
    "fi": "Muistiinpanosi eivät kerro sitä.",
    "fr": "Vos notes ne le disent pas.",
    "he": "ההערות שלך אינן אומרות זאת.",
    "hi": "आपके नोट्स यह नहीं बताते।",
    "hu": "A jegyzeteid ezt nem mondják meg.",
    "it": "I suoi appunti non lo dicono.",
    "ja": "あなたのメモには書かれていません。",
    "ko": "메모에 나와 있지 않습니다.",
    "nl": "Uw notities zeggen dat niet.",
    "no": "Notatene dine sier det ikke.",
    "pl": "Twoje notatki tego nie mówią.",
    "pt": "As suas notas não o dizem.",
    "ro": "Notițele dumneavoastră nu spun asta.",
    "ru": "В ваших заметках об этом не сказано.",
    "sv": "Dina anteckningar säger det inte.",
    "tr": "Notlarınızda bu yazmıyor.",
    "uk": "У ваших нотатках про це не сказано.",
    "vi": "Ghi chú của bạn không cho biết điều đó.",
    "zh": "您的笔记中没有提到。",
}


def sentence(language: str) -> str:
    """Returns the sentence "Your notes do not tell." in a language; in English if there is no translation."""
    return SENTENCES.get(language, SENTENCES[ENGLISH])


def may_become_sign(text: str) -> bool:
    """Returns whether a stream that began with `text` may still become the marker."""
    return SIGN.startswith(_folded(text)[: len(SIGN)])


def is_sign(text: str) -> bool:
    """Returns whether an answer, or its beginning, is the marker."""
    return _folded(text).startswith(SIGN)


_DENIAL = re.compile(
    r"\b(?:sources?|notes?|passages?|text|context|information|quellen?|notizen|informationen|fuentes?|notas?|información)\b"
    r"[^.!?\n]{0,80}?(?:\bnot\b|n['’]t\b|\bno\b|\bnicht\b|\bkeine?n?\b|\bpas\b|\baucune?\b)"
    r"|\b(?:there is|there's|i (?:could|can) find) no (?:information|mention|note|record)\b"
    r"|\b(?:is|are|was|were) not (?:mentioned|specified|stated|provided|given|told|recorded|included|contained)\b"
    r"|\bes gibt keine (?:informationen|angaben|hinweise)\b|\bno hay información\b|\bil n['’]y a pas d['’]information",
    re.IGNORECASE,
)
LONGEST_DENIAL = 240


def is_denial(text: str) -> bool:
    """Returns whether a short answer says in the model's own words that the notes do not contain what was asked."""
    return len(text) <= LONGEST_DENIAL and bool(_DENIAL.search(text))


def _folded(text: str) -> str:
    return " ".join(text.lstrip(" \n\"'*_[(").upper().split())
