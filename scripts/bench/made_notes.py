#!/usr/bin/env python3
"""Makes a folder of notes and mail threads of any size from the sentences of a corpus, always the same for a seed.

    .venv/bin/python scripts/bench/made_notes.py FOLDER CORPUS --documents 40000 [--seed 1]

CORPUS is a text file of paragraphs. Four documents of five are Markdown notes of about 80 words, the fifth is a message of
a mail thread. A sentence is one of the corpus in which names and numbers are exchanged: how often a name comes follows
Zipf's law, so a few people are in thousands of notes and most are in a few. A document depends on its number and the seed
alone, so a larger folder begins with the documents of a smaller one. 40,000 documents take half a minute.
"""

from __future__ import annotations

import argparse
import itertools
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from email.message import EmailMessage
from email.utils import format_datetime
from pathlib import Path

from noderag_local.text.sentences import split_sentences

WORDS_IN_A_NOTE = 80
IN_A_FOLDER = 500
MESSAGES_IN_A_THREAD = 6
MAIL_SHARE = 5
"""Each fifth document is a mail."""
LINK_SHARE = 3
"""Each third note links to an earlier one."""
NAMES = 40_000
"""Names that documents draw from; with Zipf's law, 40,000 documents use about half of them."""
FIRST_DAY = datetime.fromisoformat("2019-01-07T09:00:00+00:00")

_NAME = re.compile(r"[A-Z][^\W\d_]+(?: [A-Z][^\W\d_]+)*")
_NUMBER = re.compile(r"\d+")
_CONSONANTS = ("b", "br", "d", "f", "g", "gr", "h", "k", "l", "m", "n", "p", "r", "s", "st", "t", "tr", "v", "w")
_VOWELS = ("a", "e", "i", "o", "u", "ei", "au")
_ENDS = ("", "n", "r", "l", "s", "ck", "nd", "rt", "sen", "man", "ski", "berg", "ton", "dal")


@dataclass(frozen=True)
class MadeDocument:
    """One file of the made folder."""

    path: str
    """Relative to the folder."""
    content: bytes


class Notes:
    """The documents of one seed, each made by its number."""

    def __init__(self, corpus: Path, seed: int = 1) -> None:
        """Reads the sentences of the corpus and draws the names."""
        self._sentences = bank_of(corpus)
        self._seed = seed
        drawn = random.Random(f"names {seed}")
        self._names = [_name(drawn) for _ in range(NAMES)]
        self._weights = list(itertools.accumulate(1 / rank for rank in range(1, NAMES + 1)))

    def document(self, number: int) -> MadeDocument:
        """Makes the document of a number."""
        drawn = random.Random(f"{self._seed} {number}")
        text = self._text(drawn)
        if number % MAIL_SHARE == MAIL_SHARE - 1:
            return self._mail(number // MAIL_SHARE, drawn, text)
        return self._note(number, drawn, text)

    def changed(self, number: int, year: int) -> MadeDocument:
        """Makes the document of a number with a sentence more."""
        made = self.document(number)
        return MadeDocument(made.path, made.content + f"\nIn {year} all of it was painted by Ada Quimby.\n".encode())

    def name(self, drawn: random.Random) -> str:
        """Draws a name by Zipf's law."""
        return drawn.choices(self._names, cum_weights=self._weights)[0]

    def _text(self, drawn: random.Random) -> str:
        said, words = list[str](), 0
        while words < WORDS_IN_A_NOTE:
            sentence = self._sentences[drawn.randrange(len(self._sentences))]
            said.append(self._renamed(sentence, drawn))
            words += sentence.count(" ") + 1
        return " ".join(said)

    def _renamed(self, sentence: str, drawn: random.Random) -> str:
        first, rest = sentence[:1], sentence[1:]
        rest = _NAME.sub(lambda _: self.name(drawn), rest)
        return first + _NUMBER.sub(lambda found: _number_like(found[0], drawn), rest)

    def _note(self, number: int, drawn: random.Random, text: str) -> MadeDocument:
        head = f"# {self._title(number)}\n\n{_day(number):%Y-%m-%d}\n\n"
        link = number and number % LINK_SHARE == 0
        # Early notes are linked to more often, as on the web.
        end = f"\n\nSee [[{self._title(int(number * drawn.random() ** 2))}]].\n" if link else "\n"
        return MadeDocument(f"notes/{number // IN_A_FOLDER:04}/{number:07}.md", (head + text + end).encode())

    def _title(self, number: int) -> str:
        return f"{self.name(random.Random(f'title {self._seed} {number}'))} {number}"

    def _mail(self, number: int, drawn: random.Random, text: str) -> MadeDocument:
        thread, place = divmod(number, MESSAGES_IN_A_THREAD)
        shared = random.Random(f"thread {self._seed} {thread}")
        people, subject = [self.name(shared) for _ in range(2)], f"{self.name(shared)} and {self.name(shared)}"
        sender, receiver = people[place % 2], people[1 - place % 2]
        message = EmailMessage()
        message["From"], message["To"] = (f"{name} <{_address(name)}>" for name in (sender, receiver))
        message["Subject"] = f"Re: {subject}" if place else subject
        message["Date"] = format_datetime(_day(number) + timedelta(hours=place))
        message["Message-ID"] = f"<{thread}.{place}@example.org>"
        if place:
            message["In-Reply-To"] = f"<{thread}.{place - 1}@example.org>"
        greeting = f"Dear {receiver.split()[0]},\n\n"
        message.set_content(f"{greeting}{text}\n\n{sender}\n")
        return MadeDocument(f"mail/{thread // IN_A_FOLDER:04}/{thread:06}-{place}.eml", message.as_bytes())


def bank_of(corpus: Path) -> list[str]:
    """Returns the distinct sentences of a corpus that a note may have, in order."""
    found: dict[str, None] = {}
    for line in corpus.read_text(encoding="utf-8").splitlines():
        for start, end in split_sentences(line):
            if 40 <= end - start <= 300 and line[start].isupper():
                found.setdefault(line[start:end].replace("\n", " "))
    return list(found)


def write_notes(folder: Path, notes: Notes, documents: int) -> None:
    """Writes the files of the first documents, in order, unless the last one is there."""
    if (folder / notes.document(documents - 1).path).exists():
        return
    for made in made_documents(notes, documents):
        path = folder / made.path
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            path.write_bytes(made.content)


def made_documents(notes: Notes, documents: int) -> Iterator[MadeDocument]:
    """Yields the first documents."""
    return map(notes.document, range(documents))


def _name(drawn: random.Random) -> str:
    return f"{_word(drawn, 2)} {_word(drawn, drawn.choice((2, 2, 3)))}"


def _word(drawn: random.Random, syllables: int) -> str:
    parts = [drawn.choice(_CONSONANTS) + drawn.choice(_VOWELS) for _ in range(syllables)]
    return ("".join(parts) + drawn.choice(_ENDS)).capitalize()


def _number_like(digits: str, drawn: random.Random) -> str:
    return (
        digits[:2] + str(drawn.randrange(10, 100)) if len(digits) == 4 else str(drawn.randrange(1, 10 ** len(digits)))
    )


def _day(number: int) -> datetime:
    return FIRST_DAY + timedelta(days=number % 2400)


def _address(name: str) -> str:
    return name.lower().replace(" ", ".") + "@example.org"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--documents", type=int, default=40_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    write_notes(arguments.folder, Notes(arguments.corpus, arguments.seed), arguments.documents)


if __name__ == "__main__":
    main()
