"""A key made of a passphrase, however slowly a file says that it was made."""

from __future__ import annotations

import pytest

from noderag_local.storage.encryption.passphrase_key import (
    LEAST_LOG2_N,
    LOG2_N,
    MOST_LOG2_N,
    SALT_BYTES,
    passphrase_key,
)

SALT = bytes(range(SALT_BYTES))


@pytest.mark.parametrize("log2_n", [LEAST_LOG2_N, LOG2_N, pytest.param(MOST_LOG2_N, marks=pytest.mark.slow)])
def test_every_number_that_a_file_may_hold_makes_a_key(log2_n: int) -> None:
    assert len(passphrase_key("open sesame", SALT, log2_n, 32)) == 32


def test_a_letter_may_be_spelled_in_either_way() -> None:
    keys = {passphrase_key(spelled, SALT, 4, 32) for spelled in ("S\u00e9same", "Se\u0301same", "Sesame")}
    assert len(keys) == 2


def test_another_passphrase_salt_or_slowness_makes_another_key() -> None:
    keys = {
        passphrase_key(passphrase, salt, log2_n, 32)
        for passphrase in ("open sesame", "Open sesame")
        for salt in (SALT, SALT[::-1])
        for log2_n in (4, 5)
    }
    assert len(keys) == 8
