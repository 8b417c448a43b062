"""The process of chat templates where a template has found its way out of Jinja's sandbox.

The "template" is a line for each attack, as `taken_over` reads it; the "rendered text" tells how each ended.
"""

from __future__ import annotations

import os
import time

from hostile.taken_over import ATTACKS

from noderag_local.models.llm import template_child

MODULE = __name__


def _taken_over(template: str, messages: object, bos: str, eos: str) -> str:
    if template == "variables":
        return "\n".join(sorted(os.environ))
    if template == "wait":
        # Its number, for whoever tries to look into it meanwhile.
        os.write(1, b"%d\n" % os.getpid())
        time.sleep(60)
    outcomes = []
    for line in template.splitlines():
        attack, parent, path = line.split("\t")
        outcomes.append(f"{attack}: {ATTACKS[attack](int(parent), os.fsencode(path))}")
    return "\n".join(outcomes)


def main(parent: int) -> None:
    template_child.render = _taken_over
    template_child.main(parent)
