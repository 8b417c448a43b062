"""Short random walks of keys over hostile notes; scripts/bench/walks.py takes hundreds of long ones, and shortens what breaks."""

from __future__ import annotations

import pytest
from interfaces.tui.random_steps import random_walk, read_walk, shorter
from interfaces.tui.random_walk import take_walk
from interfaces.tui.walk_grounds import WalkGround

WALKS = 25
LONGEST = 6


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> WalkGround:
    return WalkGround(tmp_path_factory.mktemp("walks") / "ground", big=False)


@pytest.mark.parametrize("number", range(WALKS))
def test_a_walk_breaks_nothing(ground: WalkGround, number: int) -> None:
    walk = random_walk(number, LONGEST)
    print(walk)
    with ground.surroundings():
        take_walk(ground, walk)


def test_a_walk_is_written_so_that_it_can_be_taken_again() -> None:
    walk = random_walk(7, 30)
    assert read_walk(str(walk)) == walk == random_walk(7, 30)
    assert walk != random_walk(8, 30)


def test_a_shorter_walk_has_the_same_steps_in_the_same_order() -> None:
    walk = read_walk("hostile 80x24 model : f1 f2 f3 f4")
    found = [one.steps for one in shorter(walk)]
    assert found[:2] == [("f3", "f4"), ("f1", "f2")]
    assert ("f1", "f3", "f4") in found
