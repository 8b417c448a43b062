"""Shows a chunk to the model as numbered sentences, and knows where in them a name may begin and end."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from noderag_local.system.printing.plain_text import printable
from noderag_local.text.stopwords import stop_words_for

LONG_SENTENCE_WORDS = 24
"""A line a sentence, and one more for each so many words, up to MOST_LINES."""
MOST_LINES = 3

PRONOUNS = frozenset(
    b"he she it they him her hers his its them their theirs we us our ours i me my you your this that these those who whom "
    b"whose which what there here".split()
)
_NEVER_IN_NAMES = frozenset(b"is are was were be been has had have will would which who whom that".split())
"""Words that end a name, since a small model may copy on and on: "Betrayed is a silent drama film directed"."""
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff]")
_WORD = re.compile(rb"[\w\x80-\xff]+")


@dataclass(frozen=True)
class NumberedText:
    """Title and sentences of a chunk. Offsets count the bytes of `source`."""

    title: str
    """Title of the document and headings; "" if there are none."""
    sentences: tuple[str, ...]

    @classmethod
    def of(cls, title: str, sentences: Sequence[str]) -> NumberedText:
        """Numbers the sentences of a chunk; bars and line breaks, which cannot stand in the model's lines, become blanks."""
        return cls(_flat(title), tuple(_flat(sentence) for sentence in sentences))

    def __str__(self) -> str:
        lines = [f"{number}. {sentence}" for number, sentence in enumerate(self.sentences, 1)]
        return "\n".join([f"Title: {self.title}"] * bool(self.title) + lines + ["Facts:"])

    @cached_property
    def lines(self) -> tuple[int, ...]:
        """Most lines that each sentence may have."""
        words = (len(sentence.split()) for sentence in self.sentences)
        return tuple(min(MOST_LINES, 1 + count // LONG_SENTENCE_WORDS) for count in words)

    @cached_property
    def source(self) -> bytes:
        """Title and sentences, one a line, in UTF-8."""
        return "\n".join((self.title, *self.sentences)).encode()

    @cached_property
    def folded(self) -> bytes:
        """`source` with ASCII letters in lower case, for comparing."""
        return self.source.lower()

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """Offsets where a name may begin: at words other than pronouns and the like."""
        return tuple(start for start in self._word_starts if not self._is_stop_word(start))

    @cached_property
    def ends(self) -> frozenset[int]:
        """Offsets where a name may end: after a word that is no lower-case stop word, or after a closing sign."""
        stopped = {start + len(word) for start, word in self._stop_words_in_lower_case}
        return frozenset(
            end for end, before, _ in self._boundaries if before and _may_close(before) and end not in stopped
        )

    @cached_property
    def word_ends(self) -> frozenset[int]:
        """Offsets that are not inside a word."""
        return frozenset(end for end, _, _ in self._boundaries)

    @cached_property
    def barred(self) -> frozenset[int]:
        """Words that a name does not extend over."""
        return frozenset(start for start in self._word_starts if self._word_at(start) in _NEVER_IN_NAMES)

    @cached_property
    def stop_words(self) -> frozenset[bytes]:
        """Stop words of the text's language, in lower case."""
        words = self.folded.decode().split()
        return frozenset(word.encode() for word in stop_words_for(words))

    @cached_property
    def _word_starts(self) -> tuple[int, ...]:
        return tuple(start for start, _, after in self._boundaries if after and (_is_word(after) or after in "$€£"))

    @cached_property
    def _boundaries(self) -> tuple[tuple[int, str, str], ...]:
        """(offset, character before, character after) wherever no word goes on; "" at the ends of the source."""
        text = self.source.decode()
        offsets = accumulate((len(character.encode()) for character in text), initial=0)
        places = zip(offsets, ("", *text), (*text, ""), strict=True)
        return tuple((offset, before, after) for offset, before, after in places if not _goes_on(before, after))

    @property
    def _stop_words_in_lower_case(self) -> list[tuple[int, bytes]]:
        words = ((start, self._word_at(start)) for start in self._word_starts)
        return [
            (start, word) for start, word in words if word in self.stop_words and self.source.startswith(word, start)
        ]

    def _is_stop_word(self, start: int) -> bool:
        """Tells whether a word is a pronoun, or a stop word that is no part of a name ("the gift", but "The Gift")."""
        word = self._word_at(start)
        if word in PRONOUNS:
            return True
        opens_sentence = start > len(self.title.encode()) and self.source[start - 1 : start] == b"\n"
        return word in self.stop_words and (opens_sentence or self.source[start] == self.folded[start])

    def _word_at(self, start: int) -> bytes:
        match = _WORD.match(self.folded, start)
        return match[0] if match else b""


def _goes_on(before: str, after: str) -> bool:
    """Tells whether two characters stand within one word; in scripts without blanks each character is a word."""
    within = bool(before and after) and _is_word(before) and _is_word(after)
    return (within and not (_UNSPACED.match(after) or _UNSPACED.match(before))) or unicodedata.category(
        after or " "
    ) == "Mn"


def _may_close(character: str) -> bool:
    return _is_word(character) or unicodedata.category(character) in ("Pe", "Pf", "So") or character in "\"'%.!?+#"


def _is_word(character: str) -> bool:
    return character.isalnum() or unicodedata.category(character)[0] == "M"


def _flat(text: str) -> str:
    # As `models.llm.engine.Message` has it, since the model's lines are held against this text letter by letter.
    return " ".join(printable(text).replace("|", " ").split())
