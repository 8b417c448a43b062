"""A chat template that has found its way out of Jinja's sandbox reads nothing, reaches nobody, and learns no secret."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from hostile.taken_over import CHANGES, CONNECTIONS, PROCESSES, READINGS, THE_KERNEL
from hostile.taken_over_template import MODULE
from hostile.taking_away import NAMESPACES, run_without

from noderag_local.models.llm.chat_template import ChatTemplate
from noderag_local.models.llm.engine import Role
from noderag_local.system.offline import TOLD_OFFLINE
from noderag_local.system.walls import launch

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has these walls")

RENDERING = """
import sys
sys.path.append(sys.argv[1])
from noderag_local.system.walls import launch
print(launch.finished(sys.argv[2], sys.stdin.read(), 30))
"""


@pytest.fixture
def diary(tmp_path: Path) -> Path:
    path = tmp_path / "diary.md"
    path.write_text("Dear diary", encoding="utf-8")
    return path


def rendered(template: str, missing: Sequence[str] = ()) -> str:
    """What a taken-over process writes for a template, on a machine without some calls."""
    asked = json.dumps({"template": template, "messages": [], "bos": "", "eos": ""})
    command = [sys.executable, "-c", RENDERING, Path(__file__).parents[1], MODULE]
    done = run_without(missing, command, input=asked, env=os.environ | {"NODERAG_SERVER_KEY": "secret"})
    assert done.returncode == 0, done.stderr
    text = json.loads(done.stdout)
    assert isinstance(text, str)
    return text


def outcomes(attacks: Sequence[str], path: Path, missing: Sequence[str] = ()) -> dict[str, str]:
    lines = rendered("\n".join(f"{attack}\t{os.getpid()}\t{path}" for attack in attacks), missing).splitlines()
    return dict(line.split(": ") for line in lines)


@pytest.mark.parametrize("missing", [(), (NAMESPACES,)], ids=["all walls", "no namespaces"])
def test_it_reaches_nobody_and_changes_nothing(diary: Path, missing: tuple[str, ...]) -> None:
    attacks = [*CONNECTIONS, *PROCESSES, *THE_KERNEL, *CHANGES]
    assert outcomes(attacks, diary, missing) == dict.fromkeys(attacks, "ENOSYS")
    assert [path.name for path in diary.parent.iterdir()] == ["diary.md"]


def test_it_reads_no_file(diary: Path) -> None:
    assert outcomes([*READINGS], diary) == dict.fromkeys(READINGS, "EACCES")


def test_it_gets_no_variable_of_the_person() -> None:
    told = set(rendered("variables").split())
    needed = {"LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "TZ"}
    assert told <= needed | TOLD_OFFLINE.keys()


def test_a_template_that_keeps_to_its_trade_is_rendered_without_any_wall() -> None:
    # What a machine lacks must not cost the frames: the sandbox of Jinja and the limits stand everywhere.
    template = "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}"
    assert ChatTemplate(template).frame((Role.USER,)) == ("<user>", "")
    assert launch.finished("noderag_local.models.llm.template_child", "no JSON", 30) is None
