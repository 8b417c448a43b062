"""Reading the head of a GGUF file: what it says, and that no damaged or hostile one does more than raise ModelDamaged."""

import struct
import time
from pathlib import Path

import pytest
from helpers.tiny_gguf import Q4_K, Raw, Tensor, array, gguf, text
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from noderag_local.config import default_models_dir
from noderag_local.domain.errors import ModelDamaged, ModelMissing
from noderag_local.models.llm.gguf_files.catalog import default_entry
from noderag_local.models.llm.gguf_files.gguf import MAX_NAME_CHARACTERS, one_line, read_header

HUGE = 1 << 62


def written(folder: Path, data: bytes) -> Path:
    path = folder / "model.gguf"
    path.write_bytes(data)
    return path


def test_a_head_tells_what_the_model_is(tmp_path: Path) -> None:
    data = gguf(tensors=[Tensor("a", (256, 2), Q4_K, 0), Tensor("b", (3,), offset=288)], data_bytes=300)
    header = read_header(written(tmp_path, data))
    assert (header.version, header.architecture, header.name) == (3, "tiny", "Tiny Model")
    assert header.context_tokens == 4096
    assert header.has_chat_template
    assert (header.tensor_count, header.parameters) == (2, 515)
    assert header.needed_bytes == len(data)


def test_a_model_without_template_name_and_context_is_still_a_model(tmp_path: Path) -> None:
    fields = {"general.name": "", "tokenizer.chat_template": "", "tiny.context_length": "long"}
    header = read_header(written(tmp_path, gguf(fields)))
    assert (header.name, header.has_chat_template, header.context_tokens) == ("", False, 0)


def test_alignment_is_the_files_own(tmp_path: Path) -> None:
    data = gguf({"general.alignment": 64})
    needed = read_header(written(tmp_path, data + bytes(64))).needed_bytes
    assert needed % 64 == 0
    assert needed >= len(data)


def test_a_type_newer_than_this_program_is_taken_on_trust(tmp_path: Path) -> None:
    assert read_header(written(tmp_path, gguf(tensors=[Tensor(kind=4000)]))).tensor_count == 1


@pytest.mark.parametrize(
    "name",
    [
        "\x1b]0;owned\x07Model",
        "\x1b[31mred",
        "\x9b31m",
        "Model\u202egnp.exe",
        "a\u2066b\u2069",
        "tab\tbell\x07",
        "\u2028x",
    ],
)
def test_a_name_shows_no_control_characters(tmp_path: Path, name: str) -> None:
    shown = read_header(written(tmp_path, gguf({"general.name": name}))).name
    assert shown.isprintable()
    assert shown


def test_a_name_is_not_shown_at_any_length(tmp_path: Path) -> None:
    assert len(read_header(written(tmp_path, gguf({"general.name": "n" * 100_000}))).name) == MAX_NAME_CHARACTERS


HOSTILE = {
    "empty": b"",
    "another format": b"PK\x03\x04" + bytes(1000),
    "a page of HTML": b"<!doctype html><title>Log in</title>" * 20,
    "magic alone": b"GGUF",
    "version 1": gguf(version=1),
    "version 4": gguf(version=4),
    "big-endian": gguf(version=3 << 24),
    "lower-case magic": gguf(magic=b"gguf"),
    "fields without end": gguf(field_count=HUGE),
    "fields more than there are": gguf(field_count=60_000),
    "tensors without end": gguf(tensor_count=HUGE),
    "tensors more than there are": gguf(tensor_count=100_000),
    "key of an exabyte": b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, HUGE) + b"k",
    "key of 2**64 - 1": b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, (1 << 64) - 1) + b"k",
    "text of an exabyte": gguf({"x": Raw(8, struct.pack("<Q", HUGE) + b"v")}),
    "array of an exabyte": gguf({"x": array(0, HUGE, b"v")}),
    "array of four million texts": gguf({"x": array(8, 1 << 22, b"")}),
    "array of texts of an exabyte": gguf({"x": array(8, 2, struct.pack("<Q", HUGE))}),
    "array of arrays": gguf({"x": array(9, 1, b"")}),
    "array of an unknown type": gguf({"x": array(77, 1, b"")}),
    "field of an unknown type": gguf({"x": Raw(77, b"")}),
    "a field twice": gguf({"x": Raw(8, text("v") + text("x") + struct.pack("<I", 8) + text("again"))}, field_count=8),
    "tensor of five dimensions": gguf(tensors=[Tensor(dimensions=(1, 1, 1, 1, 1))]),
    "tensor of four billion dimensions": gguf(tensors=[])[:24].replace(struct.pack("<Q", 0), struct.pack("<Q", 1), 1),
    "tensor without elements": gguf(tensors=[Tensor(dimensions=(0, 4))]),
    "tensor larger than the world": gguf(tensors=[Tensor(dimensions=(HUGE, HUGE, HUGE, HUGE))]),
    "tensor beyond the end": gguf(tensors=[Tensor(offset=HUGE)]),
    "tensor of half a block": gguf(tensors=[Tensor(dimensions=(100,), kind=Q4_K)]),
    "alignment of nothing": gguf({"general.alignment": 0}),
    "alignment of 4 GB": gguf({"general.alignment": 0xFFFFFFFF}),
    "one part of three": gguf({"split.count": 3}),
    "one byte short": gguf()[:-1],
    "without its tensors": gguf(data_bytes=0),
}


@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_damaged_or_hostile_file_is_refused_by_name_and_quickly(tmp_path: Path, data: bytes) -> None:
    path = written(tmp_path, data)
    started = time.process_time()
    with pytest.raises(ModelDamaged, match=r"model\.gguf .*noderag models"):
        read_header(path)
    assert time.process_time() - started < 120


def test_every_truncation_is_refused(tmp_path: Path) -> None:
    whole = gguf()
    for length in range(len(whole)):
        with pytest.raises(ModelDamaged):
            read_header(written(tmp_path, whole[:length]))


@settings(max_examples=300, deadline=2000, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(changes=st.lists(st.tuples(st.integers(0, 400), st.integers(0, 255)), min_size=1, max_size=8))
def test_changed_bytes_give_a_header_or_model_damaged(tmp_path: Path, changes: list[tuple[int, int]]) -> None:
    data = bytearray(gguf())
    for position, value in changes:
        data[position % len(data)] = value
    try:
        header = read_header(written(tmp_path, bytes(data)))
    except ModelDamaged:
        return
    assert header.needed_bytes <= len(data)
    assert header.name == one_line(header.name)


def test_a_sparse_giant_does_not_take_memory(tmp_path: Path) -> None:
    path = written(tmp_path, b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + text("x") + struct.pack("<IQ", 8, 1 << 34))
    with open(path, "r+b") as file:
        file.truncate(1 << 35)
    with pytest.raises(ModelDamaged, match="head of more than"):
        read_header(path)


def test_a_missing_file_and_a_folder_are_named(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match="nothing-here"):
        read_header(tmp_path / "nothing-here.gguf")
    with pytest.raises(ModelMissing, match="cannot be read"):
        read_header(tmp_path)


@pytest.mark.real
def test_a_real_model_is_read_to_the_byte() -> None:
    path = default_models_dir() / default_entry().file_name
    if not path.exists():
        pytest.skip(f"{path.name} is not installed")
    header = read_header(path)
    assert (header.architecture, header.context_tokens, header.has_chat_template) == ("qwen2", 32768, True)
    assert header.needed_bytes == default_entry().size_bytes
