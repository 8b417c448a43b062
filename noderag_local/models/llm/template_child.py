"""Renders a model's chat template in a separate, confined process; started by chat_template.py.

A chat template is a program from an unknown source. Jinja's immutable sandbox limits what it can do, unless someone finds a way
out of it, but does not stop endless loops or memory exhaustion. A process without access to files, network and other
processes, which can be killed, does both. It gets placeholders for the messages and no environment variables, so no text of
the user ever reaches the template.

It reads {"template", "messages", "bos", "eos"} as JSON from its input and writes the rendered text as JSON.
"""

from __future__ import annotations

import json
import sys

import jinja2.ext
from jinja2.sandbox import ImmutableSandboxedEnvironment

from noderag_local.system.walls.enclosure import shut_in
from noderag_local.system.walls.limits import limit_cpu, limit_memory
from noderag_local.system.walls.network import leave_network
from noderag_local.system.walls.parent import die_with

MEMORY_BYTES = 512 * 1024 * 1024
CPU_SECONDS = 2


def main(parent: int) -> None:
    """Renders one template.

    Args:
        parent: id of the process that started it; this process ends with it.
    """
    has_left_network = leave_network()
    die_with(parent)
    asked = json.load(sys.stdin)
    shut_in(has_left_network)
    limit_memory(MEMORY_BYTES)
    limit_cpu(CPU_SECONDS)
    json.dump(render(**asked), sys.stdout)


def render(template: str, messages: list[dict[str, str]], bos: str, eos: str) -> str:
    """Returns the rendered prompt, which ends where the assistant begins to speak."""

    class GenerationTag(jinja2.ext.Extension):
        """The tag `{% generation %}`, which training tools put around the assistant's words."""

        tags = {"generation"}

        def parse(self, parser):  # type: ignore[no-untyped-def]
            next(parser.stream)
            return parser.parse_statements(("name:endgeneration",), drop_needle=True)

    def refuse(message: str) -> None:
        raise ValueError(message)

    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[jinja2.ext.loopcontrols, GenerationTag]
    )
    environment.filters["tojson"] = lambda value, **options: json.dumps(value, ensure_ascii=False, **options)
    # Templates that print the date get a fixed one, since a prompt that changes every day could not be cached.
    return environment.from_string(template).render(
        messages=messages,
        bos_token=bos,
        eos_token=eos,
        add_generation_prompt=True,
        enable_thinking=False,
        raise_exception=refuse,
        strftime_now=lambda form: "01 Jan 2025",
    )
