"""Compiles llama.cpp and fetches the default language model in the background, while notes are indexed and searched.

    set_up_answers.py STAMP MODELS_DIR [LOCK]

It starts itself again as a separate process, which outlives the terminal, passes the lock of the set-up to it, and returns. That
process runs at low priority. It writes its log to .venv/set-up.log and its progress to .venv/set-up.json, which the interface
reads. If it is stopped or fails, the next `scripts/run` starts it again, and it resumes. If another set-up is running, this one
leaves the work to it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import set_up_environment as set_up
from set_up_llama import add_llama

LOG = set_up.VENV / "set-up.log"
PROGRESS = set_up.VENV / "set-up.json"
BEAT_SECONDS = 1.0
"""Seconds between two writings of the progress; an older file tells the interface that the process died."""
NICENESS = 10
COMPILING, FETCHING = "compiling llama.cpp", "fetching the language model"


def main() -> int:
    stamp, models_dir, *inherited = sys.argv[1:]
    if inherited:
        work(stamp, Path(models_dir), int(inherited[0]))
        return 0
    with set_up.the_lock() as lock:
        if set_up.is_taken(lock):
            start_in_background(lock)
        set_up.say(f"llama.cpp and the language model are set up in the background{how_far()}; the log is {LOG}")
    return 0


def how_far() -> str:
    """Returns the percentage of each part, for the shell; the interface shows the same in its last line."""
    try:
        parts = json.loads(PROGRESS.read_text(encoding="utf-8"))["parts"]
    except (OSError, ValueError, KeyError):
        return ""
    shares = [f"{what} {100 * done // total} %" if total else what for what, (done, total) in parts.items()]
    return f" ({', '.join(shares)})" if shares else ""


def start_in_background(lock: int) -> None:
    descriptor = os.open(LOG, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    # Written before the interface opens, which checks the file again only if it shows a running set-up.
    write_progress({}, [], is_over=False)
    subprocess.Popen(
        [sys.executable, *sys.argv, str(lock)],
        stdin=subprocess.DEVNULL,
        stdout=descriptor,
        stderr=descriptor,
        start_new_session=True,
        pass_fds=[lock],
    )
    os.close(descriptor)


def work(stamp: str, models_dir: Path, lock: int) -> None:
    lower_priority()
    with Progress() as progress:
        fetching = threading.Thread(target=fetch_model, args=(models_dir, progress))
        fetching.start()
        try:
            compile_llama(stamp, lock, progress)
        finally:
            fetching.join()


class Progress:
    """Writes the progress of the set-up to a file every second until the work has ended.

    A part that has neither ended nor failed by then broke off for an unknown reason, and is reported as a problem, too.
    """

    def __init__(self) -> None:
        self._parts: dict[str, list[int]] = {}
        self._problems: list[str] = []
        self._ended = threading.Event()

    def __enter__(self) -> Progress:
        self._beating = threading.Thread(target=self._beat)
        self._beating.start()
        return self

    def __exit__(self, *_: object) -> None:
        for part in list(self._parts):
            self.failed(
                part,
                f"{part[0].upper()}{part[1:]} broke off. {LOG} says why. The next start by scripts/run tries again.",
            )
        self._ended.set()
        self._beating.join()

    def told(self, part: str, done: int, total: int) -> None:
        self._parts[part] = [done, total]

    def ended(self, part: str) -> None:
        self._parts.pop(part, None)

    def failed(self, part: str, problem: str) -> None:
        self.ended(part)
        self._problems.append(problem)

    def _beat(self) -> None:
        while not self._ended.wait(BEAT_SECONDS):
            write_progress(dict(self._parts), self._problems, is_over=False)
        write_progress({}, self._problems, is_over=True)


def write_progress(parts: dict[str, list[int]], problems: list[str], is_over: bool) -> None:
    fresh = PROGRESS.with_suffix(".new")
    fresh.write_text(json.dumps({"is_over": is_over, "parts": parts, "problems": problems}), encoding="utf-8")
    fresh.replace(PROGRESS)


def compile_llama(stamp: str, lock: int, progress: Progress) -> None:
    if set_up.is_stamped("run", stamp):
        return
    progress.told(COMPILING, 0, 0)
    started = time.monotonic()
    try:
        add_llama(lock, lambda done, total: progress.told(COMPILING, done, total))
        set_up.write_stamps("run", stamp)
    except set_up.SetUpError as error:
        set_up.say(str(error))
        why = f"The reason is in {LOG}." if isinstance(error, set_up.PipFailed) else str(error)
        progress.failed(
            COMPILING, f"llama.cpp could not be set up. {why.rstrip('.')}. The next scripts/run tries again."
        )
    else:
        set_up.say(f"llama.cpp is set up, {time.monotonic() - started:.0f} s")
        progress.ended(COMPILING)


def fetch_model(models_dir: Path, progress: Progress) -> None:
    """Fetches the default language model, unless there is a model or fetching has failed before."""
    if set_up.MODEL_NOT_FETCHED.exists() or list(models_dir.glob("*.gguf")):
        return
    # Imported only here: compiling must not depend on the package.
    from noderag_local.domain.errors import NoderagError
    from noderag_local.models.llm.gguf_files import catalog, download

    class Reporter:
        def progress(self, stage: str, done_bytes: int, total_bytes: int) -> None:
            progress.told(FETCHING, done_bytes, total_bytes)

        def say(self, text: str) -> None:
            set_up.say(text)

    try:
        download.fetch_model(catalog.default_entry(), models_dir, Reporter())
    except NoderagError as error:
        set_up.say(str(error))
        set_up.MODEL_NOT_FETCHED.touch()
        progress.failed(
            FETCHING, f"The language model could not be fetched. The reason is in {LOG}. Press f5 to fetch a model."
        )
    else:
        progress.ended(FETCHING)


def lower_priority() -> None:
    """Lowers the priority of this process and its session, because Linux desktops divide the processor among sessions first."""
    os.nice(NICENESS)
    with suppress(OSError):
        Path("/proc/self/autogroup").write_text(str(NICENESS), encoding="ascii")


if __name__ == "__main__":
    sys.exit(main())
