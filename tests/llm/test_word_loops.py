from collections.abc import Iterable

from noderag_local.models.llm.word_loops import WordLoops


def noticed(pieces: Iterable[str]) -> bool:
    loops = WordLoops()
    return any(loops.feed(piece) for piece in pieces)


def test_circles_are_noticed_however_the_text_is_cut() -> None:
    for circle in ("the same words ", "a", "哈", "\n", "- Item one\n- Item two\n", "Москва — столица. "):
        text = "It began well. " + circle * 800
        for length in (1, 3, 7):
            assert noticed(text[at : at + length] for at in range(0, len(text), length)), circle


def test_texts_that_go_on_are_none() -> None:
    count = [f"{n}. The village counted {n * 3} houses.\n" for n in range(300)]
    assert not noticed(count)
    assert not noticed(["| --- | --- | --- | --- |\n", "-" * 80, "\n", "no no no no no", "\n- a\n- a\n- a\n"])
    assert not noticed([])
