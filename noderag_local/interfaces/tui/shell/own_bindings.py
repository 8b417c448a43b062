"""Which keys this program gives a meaning to, and what is said about them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from textual.binding import Binding

if TYPE_CHECKING:
    from textual.dom import DOMNode


def own_bindings(node_class: type[DOMNode]) -> Iterator[Binding]:
    """What a class of this program and those that it is made from bind, the most general first."""
    yield from _bound(node_class, by_library=False)


def is_ours(binding: Binding, node: DOMNode) -> bool:
    """Whether a key was given its meaning by this program, and not by a widget's library.

    What the library binds and a class of ours binds again is ours where it is shown at the foot; else it was copied.
    """
    librarys = {theirs.action for theirs in _bound(type(node), by_library=True)}
    return any(
        ours.action == binding.action and (ours.show or ours.action not in librarys)
        for ours in own_bindings(type(node))
    )


def _bound(node_class: type[DOMNode], *, by_library: bool) -> Iterator[Binding]:
    for cls in reversed(node_class.__mro__):
        if cls.__module__.startswith("textual.") is by_library:
            yield from Binding.make_bindings(vars(cls).get("BINDINGS", ()))


def in_full(binding: Binding) -> str:
    """What a key does, where there is room to say it: the line at the foot of a screen has a word for it."""
    return binding.tooltip or binding.description
