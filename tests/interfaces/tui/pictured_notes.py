"""A person's home folder for pictures: notes, their vault, a model and two conversations, the same on every machine."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

from helpers.browsable_notes import put_theme
from helpers.conversation_turns import TURN
from helpers.tiny_gguf import gguf

from noderag_local.config import load_settings
from noderag_local.domain.graph import NodeType
from noderag_local.domain.passages import Ranked, Retrieval
from noderag_local.storage.backup.backups import FOLDER_NAME
from noderag_local.storage.browsing.overview import Overview
from noderag_local.storage.conversations.conversations import Conversations, Turn
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.texts import TextRows
from noderag_local.storage.graph.graph_rows import GraphRows
from noderag_local.vault.vault import Vault

NOTES = {
    "people/marta.md": (
        "# Marta\n\n## How we met\n\nMarta Oliveira met Jonas Brandt in Ghent on 16 June 2014. They shared a desk at the "
        "school by the canal.\n\n## Where she lives\n\nMarta Oliveira moved to Porto in 2019. Her flat is in the Rua das "
        "Flores, on the third floor.\n\nShe works for the Instituto Hidrográfico. #friends\n"
    ),
    "trips/2026-04-11 Porto.md": (
        "# Porto\n\n## By the river\n\nMarta Oliveira recommended the Pensão Favorita near the Douro. We stayed from 11 to "
        "15 April 2026. The room cost 84 euros a night.\n\n## Food\n\nJonas Brandt ate a francesinha on 12 April 2026. "
        "#travel\n"
    ),
    "household/Mietvertrag.md": (
        "# Mietvertrag\n\nDer Vertrag ist bis zum 30. September 2026 befristet. Die Vermieterin heißt Ulrike Sommer.\n\n"
        "| Posten | Betrag |\n|---|---|\n| Miete | 940 € |\n| Heizung | 120 € |\n"
    ),
    "旅行/東京の家.md": "# 東京の家の契約と鍵について\n\n鍵は佐藤さんが2025年3月5日に持ってきた。Marta Oliveira visited Tokyo.\n",
    "moving 🏡.md": "# Umzug 🏡 in die Müllerstraße 👩‍👩‍👧‍👦\n\nThe boxes come on 3 March 2026. 📦 Cafe\u0301 Zoe\u0308 helps.\n",
    "a-very-long-name-of-a-note-that-nobody-would-ever-write-but-that-a-program-certainly-does.md": (
        "# Minutes of the meeting of the owners' association of the house in the Müllerstraße about the roof and the lift\n\n"
        "Ulrike Sommer spoke for the owners on 9 May 2025.\n"
    ),
    "journal.jsonl": '{"title": "First day", "text": "Jonas Brandt repaired the bicycle in Ghent."}\nnot json at all\n',
    "photo.bmp": "",
}
CHANGED = datetime(2024, 3, 5, 12, tzinfo=UTC)
TODAY = date(2026, 4, 10)
DAY_NOTES = {
    "trip.md": (
        "# Porto\n\nWe stay from 11 to 15 April 2026 at the Pensão Favorita.\n\n- [ ] book the train by 7 April 2026\n"
        "- [x] ask Marta\n- [ ] phone Ulrike Sommer by 13 April 2026\n"
    ),
    "家/買い物.md": "# 買い物\n\n- [ ] 米を買う\n- [ ] Cafe\u0301 und Frühstück 👩‍👩‍👧‍👦\n",
    "daily/2026-04-09.md": "# Thursday\n\nTomorrow the chimney sweep comes at 8:30.\n",
    "daily/2024-04-10.md": "# Wednesday\n\nWalked along the canal with Jonas Brandt, as far as the mill.\n\nSoup.\n",
    "people/marta.md": "# Marta\n\nMarta Oliveira was born on 12 April 1984.\n",
    "mine.ics": (
        "BEGIN:VCALENDAR\nX-WR-CALNAME:Mine\nBEGIN:VEVENT\nSUMMARY:Choir\nDTSTART:20260106T193000\nDTEND:20260106T213000\n"
        "RRULE:FREQ=WEEKLY;BYDAY=TU,FR\nLOCATION:Town hall\nEND:VEVENT\nEND:VCALENDAR\n"
    ),
}
"""Notes of the vault `day`, for the screen of the day."""
QUESTION = "Who recommended the hotel in Porto?"
ANSWER = (
    "Marta Oliveira recommended the **Pensão Favorita** near the Douro [5]. She moved to Porto in 2019 [3]:\n\n"
    "- she met Jonas Brandt in Ghent [2]\n- the moon is made of cheese\n"
)
FOLLOW_UP = "And where does she live?"


def furnish(home: Path) -> None:
    """Writes all of it; `home` is the home folder already."""
    for name, text in NOTES.items():
        path = home / "notes" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        os.utime(path, (CHANGED.timestamp(), CHANGED.timestamp()))
    (home / "models").mkdir()
    (home / "models" / "kitchen-model-0.6b.gguf").write_bytes(gguf())
    (home / "models" / "torn.gguf").write_bytes(gguf()[:200])
    with Vault(home / "vault", load_settings(models_dir=home / "models")) as vault:
        vault.index([home / "notes"])
    # Indexing on a slow machine makes a backup by itself, whose day the library tells.
    shutil.rmtree(home / "vault" / FOLDER_NAME, ignore_errors=True)
    _furnish_day(home)
    with Store.open(home / "vault", write=True) as store:
        _add_themes(store)
    _talk(home / "vault")


def _furnish_day(home: Path) -> None:
    lately = datetime(2026, 4, 9, 21, tzinfo=UTC).timestamp()
    for name, text in DAY_NOTES.items():
        path = home / "day notes" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        os.utime(path, (lately, lately) if name == "trip.md" else (CHANGED.timestamp(), CHANGED.timestamp()))
    with Vault(home / "day", load_settings(models_dir=home / "models")) as vault:
        vault.index([home / "day notes"])


def _add_themes(store: Store) -> None:
    """What the language model's tier would have made of the notes."""
    entities = GraphRows(store).find(NodeType.ENTITY, ["porto", "marta oliveira", "jonas brandt", "ghent"])
    friends = [entities["marta oliveira"], entities["jonas brandt"], entities["ghent"]]
    put_theme(store, "friends", friends, [("Friends from Ghent", "Marta and Jonas met at a school in Ghent.")])
    put_theme(store, "porto", [entities["porto"]], [("Life in Porto", "Marta moved there, and we visited her.")])


def _talk(folder: Path) -> None:
    """Two conversations, of days that are over."""
    conversations = Conversations(folder)
    older = conversations.add(None, replace(_turn(folder, FOLLOW_UP, "She lives in Porto [1]."), asked_as=""))
    newer = conversations.add(None, _turn(folder, QUESTION, ANSWER))
    with closing(sqlite3.connect(conversations.path)) as connection, connection:
        for number, days_later in ((older.id, 0), (newer.id, 2)):
            changed_ms = int(CHANGED.timestamp() + days_later * 86_400) * 1000
            connection.execute("UPDATE conversations SET changed_ms = ? WHERE id = ?", (changed_ms, number))


def _turn(folder: Path, question: str, answer: str) -> Turn:
    """A turn over the sentences that name Marta and Porto, as a search that began there would find them."""
    with Store.open(folder, write=False) as store:
        entities = GraphRows(store).find(NodeType.ENTITY, ["porto", "marta oliveira"])
        ids = sorted({node for entity in entities.values() for node in Overview(store).sentences_naming([entity])})
        found = TextRows(store).passages(ids)
    numbered = tuple(replace(source, number=number) for number, source in enumerate(found, 1))
    ranked = tuple(
        Ranked(node, NodeType.SENTENCE, number, 1 / number, (("walk", 0.5 / number), ("words", 0.25)))
        for number, node in enumerate(ids, 1)
    )
    seeds = (("Porto", 0.5), ("Marta Oliveira", 0.25))
    retrieval = Retrieval("noderag", question, 1000, "", 240, numbered, ranked, seeds, 12.0)
    return replace(TURN, question=question, answer=answer, found=retrieval, model="kitchen-model-0.6b")
