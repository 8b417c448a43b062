"""Counts the trees of an orchard."""

from dataclasses import dataclass


@dataclass
class Tree:
    """One tree."""

    kind: str  # apple, pear …
    age_years: int = 0

    def bears(self) -> bool:
        """Whether it is old enough to bear fruit."""
        return self.age_years >= 4


def count(trees: list[Tree], *, bearing: bool = False) -> int:
    """How many there are.

    Args:
        bearing: only those that bear fruit.
    """
    return sum(1 for tree in trees if tree.bears() or not bearing)


async def water(trees, litres=f"{3 + 4} litres, {'é'}"):
    for tree in trees:
        yield tree, litres
