"""What is sealed comes out as it went in, or not at all."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noderag_local.domain.errors import SourceError
from noderag_local.storage.encryption.sealed_pieces import PIECE_BYTES
from noderag_local.vault.export.sealed import is_sealed, sealing, unsealed

QUICK = 4
"""log2 of scrypt's n."""
NAME = Path("a.sealed")


def sealed(content: bytes, passphrase: str = "open sesame") -> bytes:
    target = io.BytesIO()
    with sealing(target, passphrase, QUICK) as file:
        file.write(content)
    return target.getvalue()


def opened(content: bytes, passphrase: str = "open sesame") -> bytes:
    return unsealed(NAME, io.BytesIO(content), passphrase).read()


@settings(deadline=None)
@given(st.binary(max_size=100), st.text())
def test_it_comes_out_as_it_went_in(content: bytes, passphrase: str) -> None:
    assert opened(sealed(content, passphrase), passphrase) == content


@pytest.mark.parametrize("size", [PIECE_BYTES - 1, PIECE_BYTES, PIECE_BYTES + 1, 3 * PIECE_BYTES])
def test_any_number_of_pieces(size: int) -> None:
    content = bytes(range(256)) * (size // 256) + b"x" * (size % 256)
    assert opened(sealed(content)) == content


@settings(deadline=None)
@given(st.data())
def test_a_changed_bit_or_a_cut_is_noticed(data: st.DataObject) -> None:
    whole = sealed(b"The lease ends in March.")
    at = data.draw(st.integers(8, len(whole) - 1))
    # The byte that says how slow scrypt is may only be taken from another good file.
    changed = whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :] if at != 8 else whole[:8] + b"\xff" + whole[9:]
    for damaged in (changed, whole[:at]):
        with pytest.raises(SourceError):
            opened(damaged)


@pytest.mark.parametrize("log2_n", [0, 21, 255])
def test_what_no_passphrase_is_made_into_a_key_by_is_called_damaged(log2_n: int) -> None:
    whole = sealed(b"The lease ends in March.")
    with pytest.raises(SourceError, match="cut or changed"):
        opened(whole[:8] + bytes([log2_n]) + whole[9:])


def test_a_piece_cannot_be_left_out_or_moved() -> None:
    whole = sealed(b"a" * PIECE_BYTES + b"b" * PIECE_BYTES + b"c")
    head = len(whole) - 3 * 16 - 2 * PIECE_BYTES - 1
    piece = PIECE_BYTES + 16
    first, second, last = whole[head : head + piece], whole[head + piece : head + 2 * piece], whole[head + 2 * piece :]
    for damaged in (first + last, second + first + last, first + second, first + second + second + last):
        with pytest.raises(SourceError, match="cut or changed"):
            opened(whole[:head] + damaged)


def test_a_wrong_passphrase_is_told_from_damage() -> None:
    with pytest.raises(SourceError, match="passphrase does not open"):
        opened(sealed(b"x"), "open  sesame")


def test_two_seals_of_the_same_content_have_nothing_in_common() -> None:
    one, other = sealed(b"x" * 64), sealed(b"x" * 64)
    assert one[9:25] != other[9:25]
    assert one[-80:] != other[-80:]


def test_a_sealed_file_is_known_by_its_beginning(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(sealed(b"x"))
    (tmp_path / "b").write_bytes(b"{}")
    assert is_sealed(tmp_path / "a")
    assert not is_sealed(tmp_path / "b")
