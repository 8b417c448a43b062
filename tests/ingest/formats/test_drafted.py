"""What was read out of a file becomes sentences that know where they stand."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from noderag_local.domain.documents import BlockKind, Sentence, WikiLink
from noderag_local.ingest.chunks.drafts import drafted
from noderag_local.ingest.chunks.packing import ChunkSize, chunk_documents
from noderag_local.ingest.chunks.parsed_document import Draft
from noderag_local.ingest.formats.extract import ExtractedBlock, ExtractedDocument

PATH = "/notes/plan.pdf"
PARAGRAPH, HEADING, ROW, CODE = BlockKind.PARAGRAPH, BlockKind.HEADING, BlockKind.TABLE_ROW, BlockKind.CODE


def draft_of(*blocks: ExtractedBlock, title: str = "") -> Draft:
    draft = drafted(PATH, 0, ExtractedDocument(title, blocks))
    assert draft is not None
    return draft


def sentences_of(*blocks: ExtractedBlock) -> list[Sentence]:
    return [one.sentence for one in draft_of(*blocks).sentences]


def test_each_sentence_has_the_place_and_the_headings_of_its_block() -> None:
    draft = draft_of(
        ExtractedBlock(HEADING, "3. Harbour", place="page 2"),
        ExtractedBlock(PARAGRAPH, "The boat is blue. It leaks.", ("3. Harbour",), "page 2"),
        ExtractedBlock(PARAGRAPH, "The crane is red.", ("3. Harbour",), "page 3"),
    )
    found = [(one.sentence.text, one.sentence.passage.place, one.headings) for one in draft.sentences]
    assert found == [
        ("3. Harbour", "page 2", ()),
        ("The boat is blue.", "page 2", ("3. Harbour",)),
        ("It leaks.", "page 2", ("3. Harbour",)),
        ("The crane is red.", "page 3", ("3. Harbour",)),
    ]
    assert {one.sentence.passage.first_line for one in draft.sentences} == {0}
    assert draft.encoding == ""


def test_a_chunk_over_two_pages_says_so() -> None:
    draft = draft_of(*(ExtractedBlock(PARAGRAPH, f"It is {page}.", place=f"page {page}") for page in (3, 4, 5)))
    (document,) = chunk_documents([draft], lambda texts: [1 for _ in texts], ChunkSize(10, 20))
    assert [chunk.passage.place for chunk in document.chunks] == ["page 3 – page 5"]


def test_a_row_and_a_heading_are_one_sentence_whatever_points_they_have() -> None:
    texts = [
        one.text
        for one in sentences_of(
            ExtractedBlock(HEADING, "Mr. B. Is here. Now."), ExtractedBlock(ROW, "A: x. Y; B: 2. Z")
        )
    ]
    assert texts == ["Mr. B. Is here. Now.", "A: x. Y; B: 2. Z"]


def test_lines_are_counted_inside_a_block_that_has_as_many_as_the_file() -> None:
    found = sentences_of(
        ExtractedBlock(PARAGRAPH, "One is here.\nTwo goes\non. Three.", first_line=10, last_line=12),
        ExtractedBlock(PARAGRAPH, "All of it. Was folded.", first_line=20, last_line=24),
    )
    assert [(one.passage.first_line, one.passage.last_line) for one in found] == [
        (10, 10),
        (11, 12),
        (12, 12),
        (20, 24),
        (20, 24),
    ]


def test_a_link_and_a_tag_belong_to_the_sentence_that_shows_them() -> None:
    link = WikiLink("porto.org", "our trip")
    first, second = sentences_of(
        ExtractedBlock(PARAGRAPH, "Nothing here. See our trip to #sea.", links=(link,), tags=("sea",))
    )
    assert (first.links, first.tags, second.links, second.tags) == ((), (), (link,), ("sea",))


def test_control_characters_do_not_come_in() -> None:
    draft = draft_of(ExtractedBlock(PARAGRAPH, "Do not\x1b]0;owned\x07 obey.\x00"), title="A\x1b[2J\nB")
    assert (draft.sentences[0].sentence.text, draft.title) == ("Do not ]0;owned obey.", "A [2J B")


def test_without_a_title_it_is_the_name_of_the_file_and_without_text_there_is_no_document() -> None:
    assert draft_of(ExtractedBlock(PARAGRAPH, "One.")).title == "plan"
    assert drafted(PATH, 0, ExtractedDocument("Title", (ExtractedBlock(PARAGRAPH, " \x00 "),))) is None


def test_its_hash_is_of_all_that_is_kept_and_of_nothing_else() -> None:
    block = ExtractedBlock(PARAGRAPH, "One.", place="page 1")
    document = ExtractedDocument("", (block,))
    others = [
        document,
        ExtractedDocument("", (replace(block, place="page 2"),)),
        ExtractedDocument("", (replace(block, text="Two."),)),
        ExtractedDocument("T", (block,)),
        replace(document, notices=("page 2 is a picture",)),
    ]
    hashes = [draft.content_hash for one in others if (draft := drafted(PATH, 0, one))]
    assert hashes[0] == hashes[4] and len(set(hashes)) == 4


blocks = st.builds(
    ExtractedBlock,
    st.sampled_from(list(BlockKind)),
    st.text("aB. \n\té日\x00😀#", max_size=40),
    place=st.sampled_from(["", "page 1", "page 2"]),
)


@given(st.lists(blocks, max_size=8))
def test_every_sentence_is_found_in_the_text_by_characters_and_bytes(given_blocks: list[ExtractedBlock]) -> None:
    draft = drafted(PATH, 0, ExtractedDocument("", tuple(given_blocks)))
    at = 0
    for one in draft.sentences if draft else ():
        assert draft is not None
        passage = one.sentence.passage
        assert at <= passage.start < passage.end
        at = passage.end
        own = draft.text[passage.start : passage.end]
        assert own.split() == one.sentence.text.split()
        assert draft.text.encode()[passage.start_byte : passage.end_byte].decode() == own
