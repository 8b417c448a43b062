"""Renders a model's chat template in a process of its own, with limits; run by chat_template.py as a script.

A chat template is a program that came with a file from somewhere. Jinja's immutable sandbox keeps it from the
machine, but not from endless loops or from filling the memory; a process that can be killed does. It gets
placeholders for the messages, so no text of the user ever meets the template.

Reads {"template", "messages", "bos", "eos"} as JSON from its input, writes the rendered text as JSON.
"""

import json
import sys

MEMORY_BYTES = 512 * 1024 * 1024
CPU_SECONDS = 2


def limit_resources() -> None:
    """Bound memory, processor time and files, where the system can."""
    try:
        import resource
    except ImportError:
        return
    for kind, most in (
        (resource.RLIMIT_AS, MEMORY_BYTES),
        (resource.RLIMIT_CPU, CPU_SECONDS),
        (resource.RLIMIT_FSIZE, 0),
    ):
        try:
            resource.setrlimit(kind, (most, most))
        except (OSError, ValueError):
            continue


def render(template: str, messages: list[dict[str, str]], bos: str, eos: str) -> str:
    """The prompt as the template writes it, ready for the assistant to speak."""
    import jinja2.ext
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    class GenerationTag(jinja2.ext.Extension):
        """`{% generation %}`, which training tools put around the assistant's words."""

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
    # Templates that print the date get a fixed one: a prompt that changes every day would never be cached.
    return environment.from_string(template).render(
        messages=messages,
        bos_token=bos,
        eos_token=eos,
        add_generation_prompt=True,
        enable_thinking=False,
        raise_exception=refuse,
        strftime_now=lambda form: "01 Jan 2025",
    )


if __name__ == "__main__":
    limit_resources()
    json.dump(render(**json.load(sys.stdin)), sys.stdout)
