"""Passages that can be understood: who speaks, what a list is of, what a column is called, which day it was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noderag_local.config import load_settings
from noderag_local.domain.passages import Source
from noderag_local.retrieval.packing.lead_ins import UNKNOWN, LeadIn, SentenceShape, SentenceShapes
from noderag_local.retrieval.packing.packing_budget import BEST, Packed, Piece, pack
from noderag_local.storage.database.store import Store
from noderag_local.storage.documents.texts import TextRows
from noderag_local.storage.snapshots.snapshot import Snapshot
from noderag_local.vault.vault import Vault

CHAT = """# Garden

Ada: Hello again! The pears are ripe at last. Will you come on Sunday?

Bruno: I would love to. I bring the ladder.

Ada: Good! It is the tall one that we need.

Bruno: The tall one it is. See you there!

They met at noon. It rained all day.
"""
RECIPE = """Ingredients: two leeks, four potatoes. Use waxy ones.

Note: it keeps for days. It freezes badly.

Method: boil everything. Season at the end.

Serve it hot. Bread goes well with it.
"""
LISTS = """# Weekend

Things to pack:

- the small tent
- warm socks
- For the stove:
  - gas cartridge
  - lighter

It was cold last year and we froze in the night because nobody had looked at the forecast.

- ring the hut keeper

Shopping list

1. oats
2. raisins
"""
NAMES = ["Ada", "Bruno", "Clara", "Dora", "Emil", "Fay", "Gus", "Hanna"]
JOTTED = """LENT OUT
stand mixer to Trish since easter
tent to Gus in summer, and he still has it with him up north
big cooler to Farida

from May on:
kettle four times a day
lamp twice

Oct 12
slept badly again and thought about the winter
"""
TABLE = """# Harvest

| Bed | Crop | Kilos |
|-----|:----:|------:|
| 1   | kale | 4     |
| 2   | beets | 9    |
"""
DIARY = """# Diary

## 3 May

Planted beans. The soil is warm.

## 4 May

Saw an otter.

### Evening

Wrote to Clara.
"""


ELSEWHERE = Source(0, "/elsewhere.md", 0, "", (), 1, 1, 0, 15, "Something else.")


def pieces_of(folder: Path, name: str, text: str) -> list[Piece]:
    """Indexes a note and returns its sentences in reading order, each with the shape that its vault finds."""
    (folder / "notes").mkdir(exist_ok=True)
    (folder / "notes" / name).write_bytes(text.encode())
    settings = load_settings(models_dir=folder / "no-models")
    with Vault(folder / "vault", settings) as vault:
        vault.index([folder / "notes"])
    with Store.open(folder / "vault", write=False) as store:
        texts = TextRows(store)
        table = texts.sentence_table()
        places = texts.passages(table.ids)
        numbers = zip(
            table.ids.tolist(), table.chunk_ids.tolist(), table.positions.tolist(), table.tokens.tolist(), strict=True
        )
        return [Piece.of_sentence(*row, place) for row, place in zip(numbers, places, strict=True)]


def packed(folder: Path, pieces: Sequence[Piece], *beginnings: str) -> Packed:
    """Packs the sentences that begin so."""
    with Store.open(folder / "vault", write=False) as store:
        shapes = SentenceShapes(store, Snapshot.open(store).words)
        chosen = [next(piece for piece in pieces if piece.text.startswith(words)) for words in beginnings]
        return pack(chosen, 1000, None, lambda piece: shapes.of(piece.node, piece.passage, piece.place))


def test_a_sentence_in_a_turn_says_who_speaks(tmp_path: Path) -> None:
    pieces = pieces_of(tmp_path, "chat.md", CHAT)
    found = packed(tmp_path, pieces, "I bring", "The pears", "Will you", "Ada: Good")
    assert found.context == (
        "[1] (Garden) Ada: The pears are ripe at last. Will you come on Sunday? …\n"
        "Bruno: I bring the ladder.\nAda: Good!"
    )


def test_a_source_knows_who_says_each_sentence(tmp_path: Path) -> None:
    pieces = pieces_of(tmp_path, "chat.md", CHAT)
    (found,) = packed(tmp_path, pieces, "I bring", "The pears", "Ada: Good", "It rained").sources
    said = [(name, found.text[start:].split("\n")[0]) for start, name in found.turns]
    assert [(name, text[:9]) for name, text in said] == [
        ("Ada", "The pears"),
        ("Bruno", "I bring t"),
        ("Ada", "Ada: Good"),
    ]


def test_nothing_is_put_in_the_mouth_of_the_last_speaker(tmp_path: Path) -> None:
    pieces = pieces_of(tmp_path, "chat.md", CHAT)
    assert packed(tmp_path, pieces, "It rained").context == "[1] (Garden) It rained all day."


def test_a_chat_with_times_and_a_line_a_turn_has_speakers(tmp_path: Path) -> None:
    turns = ["Ada: Hi! All well?", "Bruno: Yes. The cat is back!", "Ada: Good. I was worried.", "Bruno: So was I. Bye."]
    text = "\n".join(f"[12.03.24, 10:0{at}] {turn}" for at, turn in enumerate(turns))
    pieces = pieces_of(tmp_path, "chat.md", text + "\n")
    assert "Bruno: The cat is back!" in packed(tmp_path, pieces, "The cat").context


def test_labels_of_a_recipe_are_no_speakers(tmp_path: Path) -> None:
    pieces = pieces_of(tmp_path, "soup.md", RECIPE)
    found = packed(tmp_path, pieces, "Use waxy", "It freezes", "Season")
    assert found.context == "[1] (soup) Use waxy ones. …\nIt freezes badly. …\nSeason at the end."


def test_items_have_the_head_of_their_list_once(tmp_path: Path) -> None:
    pieces = pieces_of(tmp_path, "weekend.md", LISTS)
    found = packed(tmp_path, pieces, "the small", "warm", "lighter", "raisins")
    assert found.context == (
        "[1] (Weekend) Things to pack: the small tent\nwarm socks …\nFor the stove: lighter …\nShopping list: raisins"
    )


def test_a_head_that_was_chosen_itself_stands_there_once(tmp_path: Path) -> None:
    pieces = pieces_of(tmp_path, "weekend.md", LISTS)
    assert packed(tmp_path, pieces, "warm", "Things").context == "[1] (Weekend) Things to pack: warm socks"
    assert packed(tmp_path, pieces, "Things", "warm").context == "[1] (Weekend) Things to pack: …\nwarm socks"


def test_an_item_that_two_lists_have_stands_in_both(tmp_path: Path) -> None:
    text = "# Party\n\nAnna brings:\n- bread\n- salad\n\nBen brings:\n- bread\n\n## To buy\n\nwine\n\n## To borrow\n\nwine\n"
    pieces = pieces_of(tmp_path, "party.md", text)
    things = [piece for piece in pieces if piece.text in ("bread", "wine")]
    with Store.open(tmp_path / "vault", write=False) as store:
        shapes = SentenceShapes(store, Snapshot.open(store).words)
        found = pack(things, 1000, None, lambda piece: shapes.of(piece.node, piece.passage, piece.place))
    assert found.context == ("[1] (Party) Anna brings: bread …\nBen brings: bread …\n(To buy) wine …\n(To borrow) wine")


def test_a_sentence_over_a_list_is_no_head(tmp_path: Path) -> None:
    pieces = pieces_of(tmp_path, "weekend.md", LISTS)
    assert packed(tmp_path, pieces, "ring").context == "[1] (Weekend) ring the hut keeper"


@pytest.mark.parametrize("rule", ["---", "***", "* * *", "____", "- - -"])
def test_a_rule_is_no_head(tmp_path: Path, rule: str) -> None:
    pieces = pieces_of(tmp_path, "shop.md", f"We buy milk.\n\n{rule}\n\n  - eggs\n\n{rule}\nThe key is with Otto.\n")
    assert packed(tmp_path, pieces, "eggs", "The key").context == "[1] (shop) eggs\nThe key is with Otto."


def test_jotted_lines_have_the_title_of_their_paragraph_or_the_line_with_a_colon_once(tmp_path: Path) -> None:
    pieces = pieces_of(tmp_path, "lent.txt", JOTTED)
    found = packed(tmp_path, pieces, "tent", "big", "lamp", "slept")
    assert found.context == (
        "[1] (lent) LENT OUT: tent to Gus in summer, and he still has it with him up north\nbig cooler to Farida …\n"
        "from May on: lamp twice …\nslept badly again and thought about the winter"
    )


def test_a_chunk_in_the_middle_of_a_paragraph_has_no_title(tmp_path: Path) -> None:
    things = ("", " with pears", " with two boxes of plums", " late")
    lines = "\n".join(f"{name} came back{thing}" for name in NAMES * 12 for thing in things)
    pieces = pieces_of(tmp_path, "trip.txt", f"MARKET\n{lines}\n")
    later = [piece for piece in pieces if piece.passage != pieces[0].passage]
    assert later
    assert not any(":" in packed(tmp_path, [piece], piece.text).context for piece in later[:12])


def test_rows_of_a_table_have_its_columns(tmp_path: Path) -> None:
    pieces = pieces_of(tmp_path, "harvest.md", TABLE)
    assert "(Bed | Crop | Kilos) 2 " in packed(tmp_path, pieces, "2 ").context
    assert packed(tmp_path, pieces, "Bed", "1 ").context.count("Kilos") == 1


def test_a_day_is_told_by_the_heading_over_the_sentence(tmp_path: Path) -> None:
    pieces = pieces_of(tmp_path, "diary.md", DIARY)
    found = packed(tmp_path, pieces, "Wrote", "Saw")
    assert found.context == "[1] (Diary > 4 May) Saw an otter. …\n(Evening) Wrote to Clara."


@pytest.mark.parametrize(
    ("name", "heading", "label"),
    [
        ("2024-05-07 Weekly.md", "Weekly", "2024-05-07 Weekly"),
        ("2024-05-07.md", "Tuesday, 7 May 2024", "Tuesday, 7 May 2024"),
        ("2024-05-07.md", "Tuesday", "2024-05-07 Tuesday"),
        ("2024-05-07.md", "Tue 7 May", "2024-05-07 Tue 7 May"),
    ],
)
def test_the_label_has_the_day_that_the_name_of_the_file_tells(
    tmp_path: Path, name: str, heading: str, label: str
) -> None:
    pieces = pieces_of(tmp_path, name, f"# {heading}\n\nThe pump is repaired.\n")
    assert packed(tmp_path, pieces, "The pump").context == f"[1] ({label}) The pump is repaired."


@pytest.mark.parametrize("text", [CHAT, CHAT.replace("\n", "\r\n"), LISTS, DIARY])
def test_sources_keep_the_words_and_bytes_of_the_file(tmp_path: Path, text: str) -> None:
    pieces = pieces_of(tmp_path, "note.md", text)
    with Store.open(tmp_path / "vault", write=False) as store:
        shapes = SentenceShapes(store, Snapshot.open(store).words)
        for piece in pieces:
            found = pack([piece], 1000, None, lambda one: shapes.of(one.node, one.passage, one.place))
            for source in found.sources:
                assert source.text == piece.text
                assert (source.start_byte, source.end_byte) == (piece.place.start_byte, piece.place.end_byte)


def test_speakers_are_found_where_bytes_are_not_those_of_the_text(tmp_path: Path) -> None:
    pieces = pieces_of(tmp_path, "chat.md", CHAT.replace("\n", "\r\n"))
    assert packed(tmp_path, pieces, "I bring").context == "[1] (Garden) Bruno: I bring the ladder."


def words_in(text: str) -> int:
    return -(-len(text.encode()) // 4)


shaped = st.lists(
    st.tuples(
        st.integers(0, 2), st.text("abc ", min_size=1, max_size=40), st.integers(0, 9), st.text("XY:", max_size=9)
    ),
    max_size=25,
)


@given(shaped, st.integers(0, 200), st.booleans())
def test_lead_ins_never_take_a_context_over_its_budget(
    made: list[tuple[int, str, int, str]], budget: int, exact: bool
) -> None:
    shapes = {
        at: SentenceShape(at + 10, (LeadIn(line, lead),) if lead else ()) for at, (_, _, line, lead) in enumerate(made)
    }
    pieces = [
        Piece.of_sentence(at, passage, at, words_in(text), Source(0, "/a.md", 0, "", (), 1, 1, at, at + 1, text))
        for at, (passage, text, _, _) in enumerate(made)
    ]
    found = pack(pieces, budget, words_in if exact else None, lambda piece: shapes[piece.node])
    assert found.tokens <= budget
    if exact:
        assert found.tokens == (words_in(found.context) if found.context else 0)
    for source in found.sources:
        assert source.text.replace(" … ", " ").split() == [
            word
            for piece in sorted(
                (one for one, number in found.chosen if number == source.number), key=lambda one: one.position
            )
            for word in piece.text.split()
        ]


def about_two_people() -> str:
    walks = "".join(
        f"On day {day} she walked to the mill and back and told nobody what she saw there.\n\n" for day in range(25)
    )
    return f"# Ward\n\n## Night shift\n\n### Megan\n\n{walks}### Odessa\n\nWorks at the mill.\n\n## Visitors\n\nKarl came late.\n"


def test_a_heading_of_the_chunk_is_told_as_long_as_it_holds(tmp_path: Path) -> None:
    pieces = pieces_of(tmp_path, "ward.md", about_two_people())
    assert len({piece.passage for piece in pieces}) == 2
    found = packed(tmp_path, pieces, "Works at")
    assert found.context == "[1] (Ward > Night shift > Odessa) Works at the mill."
    assert found.sources[0].headings == ("Night shift", "Odessa")
    assert packed(tmp_path, pieces, "Karl came").context == "[1] (Ward > Visitors) Karl came late."
    assert packed(tmp_path, pieces, "Works at", "On day 24", "Karl came").context == (
        "[1] (Ward) (Night shift) (Megan) On day 24 she walked to the mill and back and told nobody what she saw there. …\n"
        "(Odessa) Works at the mill. …\n(Visitors) Karl came late."
    )


def test_a_heading_that_was_chosen_itself_stands_there_once(tmp_path: Path) -> None:
    pieces = pieces_of(tmp_path, "ward.md", about_two_people())
    found = packed(tmp_path, pieces, "Odessa", "Works at")
    assert found.context == "[1] (Ward > Night shift) (Odessa)\nWorks at the mill."
    assert (
        packed(tmp_path, pieces, "Works at", "Odessa").context == "[1] (Ward > Night shift > Odessa) Works at the mill."
    )


def test_headings_and_list_heads_behind_the_best_pieces_wait_for_what_stands_under_them(tmp_path: Path) -> None:
    best = [f"{name} wrote a letter." for name in NAMES[:BEST]]
    text = f"# House\n\n{' '.join(best)}\n\n## Roof\n\nLeaks.\n\n## Cellar\n\nDamp.\n\nAnna brings:\n- bread\n"
    pieces = pieces_of(tmp_path, "house.md", text)
    found = packed(tmp_path, pieces, *best, "Roof", "Cellar", "Anna", "Damp", "bread")
    assert [piece.text for piece, _ in found.chosen] == [*best, "Damp.", "bread", "Roof"]
    assert found.context.endswith("(Roof) …\n(Cellar) Damp. …\nAnna brings: bread")


@pytest.mark.parametrize(
    ("text", "is_over"),
    [
        ("Plans.\n\n2026\n\nPlanted beans.\n", True),
        ("Plans.\n\n2026-03-05\nPlanted beans.\n", True),
        ("Plans.\n\n4471\n\nFor the garage.\n", False),
        ("Plans.\n\n## Garage code\n\n2026\n\n## Cellar\n", False),
        ("Garage code:\n2026\nFor the cellar: none.\n", False),
        ("Plans.\n\n2025\n\n2026\n", False),
        ("Plans.\n\n- 2026\n- in Rome\n", False),
    ],
)
def test_a_year_or_day_alone_stands_over_what_follows(tmp_path: Path, text: str, is_over: bool) -> None:
    pieces = pieces_of(tmp_path, "journal.md", text)
    with Store.open(tmp_path / "vault", write=False) as store:
        shapes = SentenceShapes(store, Snapshot.open(store).words)
        number = next(piece for piece in pieces if piece.text[0].isdigit())
        assert shapes.of(number.node, number.passage, number.place).is_over is is_over


def test_a_title_that_ends_with_a_bracket_stands_there_once(tmp_path: Path) -> None:
    pieces = pieces_of(tmp_path, "neighbours.md", "# Filip and An (number 16)\n\nThey have the spare key.\n")
    assert packed(tmp_path, pieces, "They have").context == "[1] (Filip and An (number 16)) They have the spare key."


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Dentist 12 May.md", "# Dentist 12 May\n"),
        ("Passport X123.txt", "Passport X123\n"),
        ("notes.md", "## Wifi password: abc\n\n---\n"),
    ],
)
def test_a_note_that_is_only_a_title_takes_its_place_among_the_others(tmp_path: Path, name: str, text: str) -> None:
    (only,) = [piece for piece in pieces_of(tmp_path, name, text) if piece.text[0].isalnum()]
    other = replace(only, node=only.node + 1, passage=only.passage + 1, text="Something else.", place=ELSEWHERE)
    with Store.open(tmp_path / "vault", write=False) as store:
        shapes = SentenceShapes(store, Snapshot.open(store).words)
        shape_of = {only.node: shapes.of(only.node, only.passage, only.place), other.node: UNKNOWN}
        found = pack([only, other], 1000, None, lambda piece: shape_of[piece.node])
    assert list(found.chosen) == [(only, 1), (other, 2)]


def test_a_title_that_a_label_says_is_no_source_of_its_own(tmp_path: Path) -> None:
    pieces = pieces_of(tmp_path, "diary.md", DIARY)
    assert packed(tmp_path, pieces, "Diary", "Saw").context == "[1] (Diary > 4 May) Saw an otter."
