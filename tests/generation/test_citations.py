from noderag_local.domain.passages import Citation, Source
from noderag_local.generation.citing.citations import Evidence, annotate


def source(number: int, text: str) -> Source:
    return Source(number, f"/notes/{number}.md", 0, "", (), 1, 1, 0, len(text), text)


SOURCES = [
    source(1, "The Marlin was built in Hull in 1931. It was sold to Ms Okafor in 1950."),
    source(2, "The shop in Bern closes at six. It sells Assam and Keemun."),
    source(3, "Anna wanted Postgres, but SQLite needs no server. The vectors lie in usearch."),
]


def test_each_sentence_knows_its_sources() -> None:
    assert annotate("The Marlin was built in Hull [1]. The shop sells Assam. [2]", SOURCES) == (
        Citation("The Marlin was built in Hull.", (1,), True, after=" "),
        Citation("The shop sells Assam.", (2,), True),
    )


def test_a_sentence_that_its_source_does_not_hold_is_marked() -> None:
    assert annotate("The Marlin was built in Leith [1].", SOURCES) == (
        Citation("The Marlin was built in Leith.", (1,), False),
    )


def test_a_sentence_that_needs_two_sources_may_cite_both() -> None:
    (citation,) = annotate("The Marlin was built in Hull and the shop sells Keemun [1, 2].", SOURCES)
    assert citation.numbers == (1, 2)
    assert citation.supported


def test_a_forgotten_citation_is_added_where_one_source_holds_the_sentence() -> None:
    (citation,) = annotate("The shop in Bern sells Assam and Keemun.", SOURCES)
    assert (citation.numbers, citation.supported, citation.added) == ((2,), True, True)


def test_of_two_sources_that_hold_the_sentence_the_first_is_cited() -> None:
    twice = [*SOURCES, source(4, "In Bern the shop closes at six.")]
    (citation,) = annotate("The shop in Bern closes at six.", twice)
    assert (citation.numbers, citation.supported, citation.added) == ((2,), True, True)


def test_no_citation_is_added_to_what_no_source_holds() -> None:
    (citation,) = annotate("The moon is made of cheese.", SOURCES)
    assert (citation.numbers, citation.supported, citation.added) == ((), False, False)


def test_numbers_that_do_not_exist_are_left_out() -> None:
    (citation,) = annotate("The shop closes at six [2, 8].", SOURCES)
    assert citation.numbers == (2,)


def test_a_wrong_number_gives_way_to_the_source_most_like_the_sentence() -> None:
    evidence = Evidence(SOURCES)
    assert evidence.corrected("Yes. The shop in Bern sells Keemun", (3,)) == (2,)
    assert evidence.corrected("The shop in Bern sells Keemun", (2,)) == (2,)
    assert evidence.corrected("The moon is made of cheese", (3,)) == (3,)
    assert evidence.corrected("They sold it for little money in 1950", (2,)) == (1,)
    assert evidence.corrected("", (3,)) == (3,)


def test_the_citations_hold_the_whole_answer_and_its_lines() -> None:
    citations = annotate("Two things:\n- The Marlin was sold in 1950 [1]\n- The shop closes at six [2]\n", SOURCES)
    assert [(part.text, part.numbers, part.after) for part in citations] == [
        ("Two things:", (), "\n"),
        ("- The Marlin was sold in 1950", (1,), "\n"),
        ("- The shop closes at six", (2,), "\n"),
    ]


def test_an_empty_answer_has_no_citations() -> None:
    assert annotate("", SOURCES) == ()
    assert annotate("Something.", []) == (Citation("Something.", (), False),)


def test_degrees_are_the_same_with_and_without_their_scale() -> None:
    note = [source(1, "Wash gear at 60° with soda first.")]
    assert [one.supported for one in annotate("Wash the gear at 60 °C with soda first.", note)] == [True]
    assert [one.supported for one in annotate("Wash the gear at 60 °F with soda first.", note)] == [False]
