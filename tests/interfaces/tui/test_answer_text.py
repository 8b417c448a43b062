"""Whatever a model writes, and however it is cut into pieces, is shown without an error."""

from __future__ import annotations

from random import Random

from interfaces.tui.waiting import run
from textual.app import App, ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Static

from noderag_local.interfaces.tui.chat.answers.answer_text import AnswerText

PIECES = [
    *(
        "# ",
        "## ",
        "- ",
        "1. ",
        "> ",
        "```",
        "```py\n",
        "~~~",
        "---\n",
        "    ",
        "| a | b |\n",
        "|---|---|\n",
        "***",
        "_",
    ),
    *("[1]", "[2][9]", "[/]", "[red]", "[@click=app.quit]", "[x](y)", "![](z)", "<b>", "&#8238;", "\\", "`", "]", "["),
    *("\n", "\n\n", " ", "word ", "中文", "e\u0301", "👩‍👩‍👧", "w" * 300),
]


class Shown(App[None]):
    def compose(self) -> ComposeResult:
        yield VerticalScroll()


def test_any_text_in_any_pieces_can_be_streamed_and_finished() -> None:
    async def steps() -> None:
        random = Random(0)
        async with Shown().run_test(size=(60, 20)) as pilot:
            for _ in range(40):
                pieces = random.choices(PIECES, k=random.randrange(1, 25))
                text = AnswerText()
                await pilot.app.query_one(VerticalScroll).mount(text)
                stream = text.begin({1, 2})
                for piece in pieces:
                    await stream.write(piece)
                await stream.stop()
                assert text.source == "".join(pieces)
                await text.finish("".join(pieces), {1, 2})
                await text.remove()

    run(steps)


def test_a_table_is_drawn_when_it_is_whole_and_its_cells_are_no_markup() -> None:
    async def steps() -> None:
        async with Shown().run_test(size=(60, 20)) as pilot:
            text = AnswerText()
            await pilot.app.query_one(VerticalScroll).mount(text)
            await text.finish("| a [/b] | c |\n|---|---|\n| [/] | [1] |", {1})
            await pilot.pause()
            cells = list(text.query("MarkdownTableCellContents").results(Static))
            assert [str(cell.render()) for cell in cells] == ["a [/b]", "c", "[/]", "[1]"]
            assert {cell.tooltip for cell in cells} == {None}

    run(steps)
