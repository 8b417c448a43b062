from pathlib import Path

from noderag_local.models.llm.gguf_files.hashes import sampled_digest


def test_it_notices_another_length_head_middle_and_end(tmp_path: Path) -> None:
    content = bytes(range(256)) * 40_000
    changed = [
        content[:-1],
        b"\x01" + content[1:],
        content[: 5 << 20] + bytes(1 << 19) + content[(5 << 20) + (1 << 19) :],
        content[:-1] + b"\x01",
        b"",
    ]
    digests = []
    for number, data in enumerate((content, *changed)):
        path = tmp_path / f"{number}.gguf"
        path.write_bytes(data)
        digests.append(sampled_digest(path))
    assert len(set(digests)) == len(digests)
    (tmp_path / "moved.gguf").write_bytes(content)
    assert sampled_digest(tmp_path / "moved.gguf") == digests[0]
