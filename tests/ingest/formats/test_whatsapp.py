"""Chats of WhatsApp, from iPhones and from Android, in several languages."""

from __future__ import annotations

from pathlib import Path

import pytest
from ingest.formats.bombs import zipped
from ingest.formats.reading import document, documents, lines, texts

from noderag_local.aggregation.documents_of_others import written_by_others
from noderag_local.aggregation.entries import Entries
from noderag_local.config import Settings
from noderag_local.ingest.formats.exports.whatsapp import chat_title
from noderag_local.ingest.formats.extract import ExtractedDocument
from noderag_local.storage.database.store import Store
from noderag_local.storage.snapshots.snapshot import Snapshot
from noderag_local.vault.vault import Vault

MARK, NARROW = "\u200e", "\u202f"
IPHONE = (
    f"[03.04.24, 18:03:22] Familie Brandt: {MARK}Nachrichten und Anrufe sind Ende-zu-Ende-verschlüsselt.\n"
    "[03.04.24, 18:04:01] Mara Lind: Wann fahren wir?\n"
    "[03.04.24, 18:05:12] Jonas: Am 12. Mai.\nDas Hotel liegt am Hafen.\n\nEs ist klein.\n"
    f"{MARK}[03.04.24, 18:06:00] Mara Lind: {MARK}Bild weggelassen\n"
    f"{MARK}[03.04.24, 18:06:30] Mara Lind: {MARK}<angehängt: 00000007-Rechnung Hotel.pdf>\n"
    f"{MARK}[03.04.24, 18:06:40] Mara Lind: {MARK}<angehängt: 00000008-PHOTO-2024-04-03-18-06-40.jpg>\n"
    f"[13.04.24, 09:00:00] ~{NARROW}Oma 🌸: Vergesst nichts! {MARK}<Diese Nachricht wurde bearbeitet>\n"
    "[13.04.24, 09:01:00] \u202a+49 170 1234567\u202c: Wer ist das?\n"
    f"[13.04.24, 09:02:00] Jonas: {MARK}Diese Nachricht wurde gelöscht.\n"
)


def test_a_chat_of_an_iphone() -> None:
    read = document("whatsapp", IPHONE, "_chat.txt")
    assert texts(read) == [
        "[2024-04-03 18:04] Mara Lind: Wann fahren wir?",
        "[2024-04-03 18:05] Jonas: Am 12. Mai. Das Hotel liegt am Hafen. Es ist klein.",
        "[2024-04-03 18:06] Mara Lind: (Rechnung Hotel.pdf)",
        "[2024-04-13 09:00] Oma: Vergesst nichts!",
        "[2024-04-13 09:01] +49 170 1234567: Wer ist das?",
    ]
    assert lines(read)[:3] == [(2, 2), (3, 6), (8, 8)]
    assert read.title == "WhatsApp chat with Mara Lind, Jonas, Oma, +49 170 1234567, 2024-04"


def test_a_chat_of_android_with_the_clock_of_america() -> None:
    chat = (
        f"4/3/24, 6:03{NARROW}PM - Messages and calls are end-to-end encrypted. Only people in this chat can read them.\n"
        f'4/3/24, 6:03{NARROW}PM - Ann Wells created group "Garden: plots"\n'
        f"4/3/24, 6:04{NARROW}PM - Ann Wells: The tulips came up: 12 of them\nand one more.\n"
        f"4/3/24, 6:05{NARROW}PM - Bob: <Media omitted>\n"
        f"4/3/24, 6:05{NARROW}PM - Bob: IMG-20240403-WA0001.jpg (file attached)\nthis is the fence\n"
        f"4/14/24, 12:05{NARROW}AM - Bob: I sold it yesterday.\n"
        f"4/14/24, 12:06{NARROW}AM - Ann Wells: null\n"
    )
    read = document("whatsapp", chat, "WhatsApp Chat with Garden.txt")
    assert read.title == "WhatsApp chat with Garden, 2024-04"
    assert texts(read) == [
        '[2024-04-03 18:03] Ann Wells created group "Garden: plots"',
        "[2024-04-03 18:04] Ann Wells: The tulips came up: 12 of them and one more.",
        "[2024-04-03 18:05] Bob: this is the fence",
        "[2024-04-14 00:05] Bob: I sold it yesterday.",
    ]


@pytest.mark.parametrize(
    ("stamp", "told"),
    [
        ("24/12/2023, 18:03 - ", "2023-12-24 18:03"),
        ("24/12/2023 à 18:03 - ", "2023-12-24 18:03"),
        ("24/12/2023, 6:03 p. m. - ", "2023-12-24 18:03"),
        ("24.12.23, 18:03 - ", "2023-12-24 18:03"),
        ("[2023-12-24, 18:03:59] ", "2023-12-24 18:03"),
        ("2023/12/24 18:03 - ", "2023-12-24 18:03"),
        ("[12/24/23, 6:03:59 PM] ", "2023-12-24 18:03"),
        ("[24/12/2023, 18:03:59] ", "2023-12-24 18:03"),
        ("24-12-2023 18:03 - ", "2023-12-24 18:03"),
        ("[2023/12/24 下午6:03:59] ", "2023-12-24 18:03"),
        ("2023/12/24 上午6:03 - ", "2023-12-24 06:03"),
    ],
)
def test_stamps_of_other_languages(stamp: str, told: str) -> None:
    read = document("whatsapp", f"{stamp}Ana: Hola\n", "_chat.txt")
    assert texts(read) == [f"[{told}] Ana: Hola"]


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("WhatsApp Chat with Ana Díaz.txt", "WhatsApp chat with Ana Díaz"),
        ("WhatsApp Chat - Ana Díaz.txt", "WhatsApp chat with Ana Díaz"),
        ("WhatsApp-Chat mit Ana Díaz(1).txt", "WhatsApp chat with Ana Díaz"),
        ("Chat de WhatsApp con Ana Díaz.txt", "WhatsApp chat with Ana Díaz"),
        ("Discussion WhatsApp avec Ana Díaz.txt", "WhatsApp chat with Ana Díaz"),
        ("Conversa do WhatsApp com Ana Díaz.txt", "WhatsApp chat with Ana Díaz"),
        ("_chat.txt", "WhatsApp chat with Eve, Ben"),
        ("my whatsapp with Ana.txt", "my whatsapp with Ana"),
    ],
)
def test_names_of_chats(name: str, title: str) -> None:
    assert chat_title(name, ["Eve", "Ben"]) == title


def chat_of(*dates: str, time: str = "18:03") -> list[str]:
    chat = "".join(f"{date}, {time} - Ana: {number}\n" for number, date in enumerate(dates))
    return [text[1:11] for text in texts(document("whatsapp", chat, "_chat.txt")) if text.startswith("[")]


def test_one_line_tells_the_order_of_all_dates() -> None:
    assert chat_of("3/4/24", "4/13/24") == ["2024-03-04", "2024-04-13"]
    assert chat_of("3/4/24", "13/4/24") == ["2024-04-03", "2024-04-13"]


def test_messages_follow_one_another_in_time() -> None:
    """No line has a day beyond the twelfth: April the 3rd, May the 1st; or March the 4th, then January the 5th."""
    assert chat_of("3/4/24", "1/5/24") == ["2024-04-03", "2024-05-01"]
    assert chat_of("3/4/24", "4/1/24") == ["2024-03-04", "2024-04-01"]


def test_what_nothing_tells_is_read_as_its_clock_suggests() -> None:
    assert chat_of("3/4/24", time="6:03 PM") == ["2024-03-04"]
    assert chat_of("3/4/24") == ["2024-04-03"]
    assert chat_of("05/01/2024", "06/01/2024", time="9:41 am") == ["2024-01-05", "2024-01-06"]
    assert chat_of("05/01/24", "10/11/24", time="9:41 am") == ["2024-01-05", "2024-11-10"]


def test_a_long_chat_is_cut_at_months_and_what_is_added_leaves_the_rest_alone() -> None:
    def chat(months: int) -> list[ExtractedDocument]:
        days = [f"{day:02}.{month:02}.23" for month in range(1, months + 1) for day in range(1, 29)]
        text = "".join(f"{day}, 18:0{number} - Ana: Hola {number}\n" for day in days for number in range(5))
        return documents("whatsapp", text, "WhatsApp Chat with Ana.txt")

    eight, nine = chat(8), chat(9)
    assert [one.title for one in eight] == [
        "WhatsApp chat with Ana, 2023-01 to 2023-03",
        "WhatsApp chat with Ana, 2023-04 to 2023-06",
        "WhatsApp chat with Ana, 2023-07 to 2023-08",
    ]
    assert nine[:2] == eight[:2]
    assert nine[2].blocks[: len(eight[2].blocks)] == eight[2].blocks


def test_a_date_that_is_none_costs_its_date_alone() -> None:
    chat = "24/12/23, 18:03 - Ana: Hola\n99/99/23, 18:04 - Ana: Adiós\n"
    assert texts(document("whatsapp", chat, "_chat.txt")) == ["[2023-12-24 18:03] Ana: Hola", "Ana: Adiós"]


def test_what_people_say_of_encryption_is_kept() -> None:
    chat = "24/12/23, 18:03 - Messages are end-to-end encrypted.\n24/12/23, 18:04 - Ana: Is it end-to-end encrypted?\n"
    assert texts(document("whatsapp", chat, "_chat.txt")) == ["[2023-12-24 18:04] Ana: Is it end-to-end encrypted?"]


def test_a_note_that_is_only_called_so_is_read_as_text() -> None:
    read = document("whatsapp", "Why I left WhatsApp\n\n- too loud\n- too many groups\n", "Leaving WhatsApp.txt")
    assert texts(read) == ["Why I left WhatsApp", "too loud", "too many groups"]
    assert lines(read) == [(1, 1), (3, 3), (4, 4)]
    assert read.title == ""


@pytest.mark.parametrize("is_packed", [False, True], ids=["text", "archive"])
def test_a_chat_is_a_conversation_of_the_vault(is_packed: bool, tmp_path: Path, settings: Settings) -> None:
    chat = (
        "[24.12.23, 18:03:22] Ann Maria von Wells: Did you sell the mower?\n"
        "[24.12.23, 18:04:22] Bob: I sold it yesterday. The buyer was from Porto.\n"
        "[25.12.23, 09:04:22] Ann Maria von Wells: I would have kept it.\n"
        "[25.12.23, 09:05:22] Bob: It was old.\n"
    )
    path = tmp_path / ("WhatsApp Chat - Bob.zip" if is_packed else "_chat.txt")
    path.write_bytes(zipped({"_chat.txt": chat.encode()}) if is_packed else chat.encode())
    with Vault(tmp_path / "vault", settings) as vault:
        vault.index([path])
        (source,) = vault.search("Who sold the mower yesterday?", method="bm25").sources
    assert source.text.split("\n")[:2] == [
        "[2023-12-24 18:03] Ann Maria von Wells: Did you sell the mower?",
        "[2023-12-24 18:04] Bob: I sold it yesterday. The buyer was from Porto.",
    ]
    assert [name for _, name in source.turns] == ["Ann Maria von Wells", "Bob", "Bob", "Ann Maria von Wells", "Bob"]
    assert [said for _, said in source.days] == ["2023-12-23"]


def test_who_speaks_in_a_chat_is_somebody_else_than_who_keeps_the_notes(tmp_path: Path, settings: Settings) -> None:
    path = tmp_path / "_chat.txt"
    path.write_text(IPHONE, encoding="utf-8")
    with Vault(tmp_path / "vault", settings) as vault:
        vault.index([path])
    with Store.open(tmp_path / "vault", write=False) as store:
        entries = Entries(store, Snapshot.open(store).words)
        assert len(written_by_others(entries.of_documents(one.id for one in entries.documents))) == 1
