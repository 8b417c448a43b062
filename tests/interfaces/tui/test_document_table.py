"""Ten thousand documents in a table that draws what is seen."""

from __future__ import annotations

from collections.abc import Sequence

from interfaces.tui.waiting import run
from rich.cells import cell_len
from textual.app import App, ComposeResult

from noderag_local.domain.library import DocumentState, LibraryDocument
from noderag_local.interfaces.tui.library.document_row import row_of
from noderag_local.interfaces.tui.library.document_table import DocumentTable


def document(path: str, title: str = "", state: DocumentState = DocumentState.INDEXED, **more: int) -> LibraryDocument:
    counts = {"record": 0, "of_records": 1, "chunks": 4, "read_chunks": 0, "failed_chunks": 0, "node": 1} | more
    return LibraryDocument(
        path=path, title=title, state=state, reason="", file_size_bytes=1234, modified_ns=10**18, **counts
    )


class Showing(App[None]):
    """A table and nothing else."""

    def __init__(self, documents: Sequence[LibraryDocument]) -> None:
        super().__init__()
        self.documents = documents
        self.highlighted: list[str] = []

    def compose(self) -> ComposeResult:
        yield DocumentTable()

    def on_mount(self) -> None:
        self.table.show([row_of(one) for one in self.documents], "There is nothing.")
        self.table.focus()

    def on_document_table_highlighted(self, event: DocumentTable.Highlighted) -> None:
        self.highlighted.append(event.document.path if event.document else "")

    @property
    def table(self) -> DocumentTable:
        return self.query_one(DocumentTable)

    def lines(self) -> list[str]:
        return [self.table.render_line(y).text for y in range(self.table.size.height)]


MANY = [document(f"/notes/folder {number % 97}/note {number}.md", f"Title {number}") for number in range(10_000)]


def test_a_row_tells_the_format_in_words_where_the_ending_does_not() -> None:
    named = [
        row_of(document(f"/notes/{name}", "Frost")).name for name in ("a.md", "a.pdf", "zotero.sqlite", "Bookmarks")
    ]
    assert named == ["Frost", "Frost (pdf)", "Frost (Zotero)", "Frost (bookmarks)"]


def test_it_scrolls_to_the_last_of_ten_thousand() -> None:
    async def test() -> None:
        app = Showing(MANY)
        async with app.run_test(size=(80, 24)) as pilot:
            assert "Title 0 " in app.lines()[1]
            await pilot.press("end")
            assert app.table.highlighted == MANY[-1]
            assert "Title 9999" in app.lines()[-1]
            assert "State" in app.lines()[0]
            await pilot.press("pageup", "up")
            assert app.table.cursor == 9999 - 22 - 1
            await pilot.press("home")
            assert "Title 0 " in app.lines()[1]

    run(test)


def test_a_filter_keeps_what_holds_all_its_words() -> None:
    async def test() -> None:
        app = Showing(MANY)
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.press("end")
            app.table.keep("FOLDER title 96")
            expected = [one for one in MANY if "96" in one.title or "folder 96" in one.path or "note 96" in one.path]
            assert app.table.kept == len(expected)
            app.table.keep("no such note")
            assert (app.table.kept, app.table.highlighted) == (0, None)
            assert "Nothing fits the filter." in app.lines()[1]
            app.table.keep("")
            assert app.table.kept == len(MANY)

    run(test)


def test_the_cursor_stays_on_its_document_when_others_come() -> None:
    async def test() -> None:
        app = Showing(MANY[10:20])
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.press("down", "down")
            app.table.show([row_of(one) for one in MANY], "")
            assert app.table.highlighted == MANY[12]

    run(test)


def test_a_state_is_told_in_words() -> None:
    async def test() -> None:
        documents = [
            document("/a.md", state=DocumentState.FAILED),
            document("/b.md", state=DocumentState.PARTLY_READ, read_chunks=3, failed_chunks=1),
            document("/c.md", state=DocumentState.READ),
            document("/d.jsonl", record=4, of_records=9),
        ]
        app = Showing(documents)
        async with app.run_test(size=(80, 24)):
            told = [line.split()[:2] for line in app.lines()[1:5]]
            assert told == [["failed", "a.md"], ["read", "2/4"], ["read", "c.md"], ["indexed", "d.jsonl"]]
            assert "#5" in app.lines()[4]

    run(test)


def test_every_line_is_as_wide_as_the_table_whatever_the_names() -> None:
    async def test() -> None:
        names = [
            "饺子" * 60,
            "e\u0301" * 90,
            "[bold]x[/",
            "\x1b]52;c;eA==\x07",
            "\u202etxt",
            "x" * 10_000,
            "\u200b" * 50,
        ]
        app = Showing([document(f"/notes/{number}.md", name) for number, name in enumerate(names)])
        for width in (50, 80, 200):
            async with app.run_test(size=(width, 24)) as pilot:
                await pilot.pause()
                assert {cell_len(line) for line in app.lines()} == {width}
                assert "\x1b" not in "".join(app.lines())
                assert "[bold]x[/" in "".join(app.lines())
            app = Showing(app.documents)

    run(test)


def test_nothing_says_so() -> None:
    async def test() -> None:
        app = Showing([])
        async with app.run_test(size=(80, 24)):
            assert "There is nothing." in app.lines()[1]
            assert set(app.highlighted) == {""}

    run(test)


def test_where_a_document_has_gone_the_cursor_stays_at_its_place() -> None:
    async def test() -> None:
        app = Showing(MANY[:5])
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.press("down", "down")
            app.table.show([row_of(one) for one in (*MANY[:2], *MANY[3:5])], "There is nothing.")
            assert app.table.highlighted == MANY[3]
            app.table.show([row_of(one) for one in MANY[:2]], "There is nothing.")
            assert app.table.highlighted == MANY[1]
            app.table.show([], "There is nothing.")
            assert app.table.highlighted is None

    run(test)
