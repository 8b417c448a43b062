import os

from noderag_local.models.llm.machine import available_memory_bytes, physical_cores


def test_there_is_a_core_and_no_more_than_the_system_counts() -> None:
    assert 1 <= physical_cores() <= (os.cpu_count() or 1)


def test_free_memory_is_plausible_where_it_is_known() -> None:
    free = available_memory_bytes()
    assert free is None or 1 << 20 < free < 1 << 50
