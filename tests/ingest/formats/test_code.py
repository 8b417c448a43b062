"""Source code by its definitions."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ingest.formats.reading import document

from noderag_local.domain import passages

PYTHON = '''"""Doc."""
import x

# about A
@deco
class A(B):
    """{ doc"""
    y = 1

    def f(
        self,
    ):
        """Doc."""
        def inner(): pass
        return "}"

    # about g
    async def g(self): ...

x = 3
'''
JAVASCRIPT = """import x from 'y'
/** Doc {.
 */
export class Foo extends Bar {
  x = { a: 1 };
  // about method
  async method(a = {}) { if (a) { return 1 } }
}
const f = async (a) => { return a };
describe("x", () => { it() })
"""
GO = """package a
// T is
type T struct {
 x int
}
// M does
func (t *T) M(x int) error { if x { } ; return nil }
"""
RUST = """use x;
/// Doc
#[derive(Debug)]
pub struct P<T> { a: T }
impl<T> Display for P<T> {
    fn fmt(&self) -> Result { match x { _ => {} } }
}
"""
CPP = """#define FOO(x) { x }
static int
foo(int a, char *b)
{
  for (;;) { }
}
namespace n {
class C : public D {
 C() : x(1) {}
}; }
int n::C::z(int a) { return 1; }
int arr[] = { 1, 2 };
"""
SQL = """create table if not exists a (
 x int
);
create function c() returns int as $$
begin
 x;
end;
$$ language sql;
insert into a values (1);
"""
RUBY = """module A
  # about B
  class B
    def c(x)
      if x
      end
    end
  end
end
"""
SHELL = """#!/bin/sh

# about foo
foo() {
  echo "}"
}
foo
"""


def outline(source: str, name: str) -> list[tuple[str, int, int]]:
    """(qualified name, first line, last line) of each block."""
    blocks = document("code", source, name).blocks
    return [("".join(block.headings), block.first_line, block.last_line) for block in blocks]


@pytest.mark.parametrize(
    ("source", "name", "expected"),
    [
        (PYTHON, "a.py", [("", 1, 2), ("A", 4, 8), ("A.f", 10, 15), ("A.g", 17, 18), ("", 20, 20)]),
        (
            JAVASCRIPT,
            "a.js",
            [("", 1, 1), ("Foo", 2, 5), ("Foo.method", 6, 7), ("Foo", 8, 8), ("f", 9, 9), ("", 10, 10)],
        ),
        (GO, "a.go", [("", 1, 1), ("T", 2, 5), ("T.M", 6, 7)]),
        (RUST, "a.rs", [("", 1, 1), ("P", 2, 4), ("P", 5, 5), ("P.fmt", 6, 6), ("P", 7, 7)]),
        (
            CPP,
            "a.cpp",
            [
                ("", 1, 1),
                ("foo", 2, 6),
                ("n", 7, 7),
                ("n.C", 8, 8),
                ("n.C.C", 9, 9),
                ("n.C", 10, 10),
                ("n.C.z", 11, 11),
                ("", 12, 12),
            ],
        ),
        (SQL, "a.sql", [("a", 1, 3), ("c", 4, 8), ("", 9, 9)]),
        (RUBY, "a.rb", [("A", 1, 1), ("A.B", 2, 3), ("A.B.c", 4, 7), ("A.B", 8, 8), ("A", 9, 9)]),
        (SHELL, "a.sh", [("", 1, 1), ("foo", 3, 6), ("", 7, 7)]),
    ],
)
def test_definitions_are_blocks_under_their_qualified_names(
    source: str, name: str, expected: list[tuple[str, int, int]]
) -> None:
    assert outline(source, name) == expected


@given(
    st.lists(
        st.sampled_from(["def f():", "class A {", "  x", "}", "{", "", "# c", "'", "end", "create table a ("]),
        max_size=30,
    ),
    st.sampled_from(["a.py", "a.js", "a.c", "a.rs", "a.sql", "a.rb", "a.sh"]),
)
def test_every_line_is_in_exactly_one_block(lines: list[str], name: str) -> None:
    blocks = document("code", "\n".join(lines), name).blocks
    shown = [line for block in blocks for line in block.text.split("\n") if line.strip()]
    assert shown == [line for line in lines if line.strip()]


def test_a_real_module() -> None:
    path = Path(passages.__file__)
    found = {name for name, _, _ in outline(path.read_text(encoding="utf-8"), path.name)}
    assert {"Scope", "Scope.is_everything"} <= found


@pytest.mark.parametrize(
    ("unit", "name"),
    [("{", "a.js"), ("(", "a.py"), ("a(){", "a.js"), ("def f():\n", "a.py"), ("'", "a.py"), ("$(", "a.sh")],
)
def test_hostile_code_takes_no_time(unit: str, name: str) -> None:
    assert document("code", unit * 5_000, name).blocks
