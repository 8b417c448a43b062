import time

import pytest

from noderag_local.domain.errors import ModelError
from noderag_local.models.llm.chat_template import ChatTemplate, chatml_frame, split_at
from noderag_local.models.llm.engine import Role

TURNS = (Role.SYSTEM, Role.USER)

LLAMA3 = (
    "{{ bos_token }}{% for m in messages %}<|start_header_id|>{{ m['role'] }}<|end_header_id|>\n\n"
    "{{ m['content'] | trim }}<|eot_id|>{% endfor %}"
    "{% if add_generation_prompt %}<|start_header_id|>assistant<|end_header_id|>\n\n{% endif %}"
)
GEMMA2 = (
    "{{ bos_token }}{% if messages[0]['role'] == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}"
    "{% for m in messages %}<start_of_turn>{{ 'model' if m.role == 'assistant' else m.role }}\n{{ m.content }}"
    "<end_of_turn>\n{% endfor %}{{ '<start_of_turn>model\n' }}"
)
DROPS_SYSTEM = "{% for m in messages if m.role == 'user' %}[INST] {{ m.content }} [/INST]{% endfor %}"

HOSTILE = [
    "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "{{ cycler.__init__.__globals__.os.system('touch /tmp/owned') }}",
    "{{ self._TemplateReference__context.environment.globals }}{{ lipsum.__globals__['os'].popen('id').read() }}",
    "{{ namespace.__init__.__globals__ }}",
    "{% include '/etc/passwd' %}",
    "{% import 'os' as os %}",
    "{% for i in range(99999) %}{% for j in range(99999) %}{% for k in range(99999) %}{% endfor %}{% endfor %}{% endfor %}",
    "{{ 'a' * 10 ** 10 }}",
    "{{ 2 ** 10 ** 9 }}",
    "{% set s = namespace(t='a') %}{% for i in range(60) %}{% set s.t = s.t ~ s.t %}{% endfor %}",
    "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
    "{{ '%10000000000d' | format(1) }}",
    "{{ 'x' | center(10 ** 10) }}",
    "{{ messages.append(1) }}",
    "{{ messages[0].update({'content': 'other'}) }}",
    "{{ raise_exception('no') }}",
    "{% if %}",
    "{{ unknown.attribute.of.nothing }}",
    "{{ messages[1].content }}{{ messages[0].content }}",
    "{{ messages[0].content }}{{ messages[1].content }}{{ messages[1].content }}",
    "{{ messages[0].content }}" + "x" * 50_000 + "{{ messages[1].content }}",
    "x" * 300_000,
    "",
]


def test_the_frame_is_what_the_template_writes_around_the_messages() -> None:
    assert ChatTemplate(LLAMA3, "<|begin_of_text|>", "<|eot_id|>").frame(TURNS) == (
        "<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\n",
        "<|eot_id|><|start_header_id|>user<|end_header_id|>\n\n",
        "<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n",
    )


@pytest.mark.parametrize(
    ("template", "frame"),
    [
        (GEMMA2, ("<bos><start_of_turn>user\n", "\n\n", "<end_of_turn>\n<start_of_turn>model\n")),
        (DROPS_SYSTEM, ("[INST] ", "\n\n", " [/INST]")),
    ],
)
def test_a_template_without_a_system_role_gets_it_at_the_head_of_the_question(
    template: str, frame: tuple[str, ...]
) -> None:
    assert ChatTemplate(template, "<bos>").frame(TURNS) == frame


def test_a_conversation_has_a_frame_too() -> None:
    roles = (Role.SYSTEM, Role.USER, Role.ASSISTANT, Role.USER)
    frame = ChatTemplate(LLAMA3).frame(roles)
    assert len(frame) == 5
    assert frame[3] == "<|eot_id|><|start_header_id|>user<|end_header_id|>\n\n"


def test_thinking_is_switched_off_where_the_template_knows_how() -> None:
    template = (
        "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}"
        "{% if enable_thinking is defined and not enable_thinking %}<think></think>{% endif %}"
    )
    assert ChatTemplate(template).frame(TURNS)[-1] == "<think></think>"


@pytest.mark.parametrize("template", HOSTILE)
def test_what_cannot_be_used_gives_chatml_in_bounded_time(template: str) -> None:
    started = time.perf_counter()
    assert ChatTemplate(template).frame(TURNS) == chatml_frame(TURNS)
    assert time.perf_counter() - started < 300


@pytest.mark.parametrize("template", [None, ""])
def test_a_model_without_a_template_is_refused_by_name(template: str | None) -> None:
    with pytest.raises(ModelError, match="base-7b has no chat template"):
        ChatTemplate.of_model("base-7b", template, "", "")


def test_chatml() -> None:
    assert chatml_frame(TURNS) == (
        "<|im_start|>system\n",
        "<|im_end|>\n<|im_start|>user\n",
        "<|im_end|>\n<|im_start|>assistant\n",
    )


def test_marks_must_stand_once_and_in_order() -> None:
    assert split_at("a1b2c", ["1", "2"]) == ("a", "b", "c")
    assert split_at("a2b1c", ["1", "2"]) is None
    assert split_at("a1b1c2", ["1", "2"]) is None
    assert split_at("ab", ["1"]) is None
