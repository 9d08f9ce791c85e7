"""Chat templates of different make: expressions, blocks, macros, filters, tools, reasoning."""

from __future__ import annotations

TEMPLATES = {
    "chatml in one expression": (
        "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + "
        "'<|im_end|>' + '\n' }}{% endfor %}{% if add_generation_prompt %}"
        "{{ '<|im_start|>assistant\n' }}{% endif %}"
    ),
    "blocks and literal text": """{%- for message in messages %}
    <|{{ message.role }}|>
    {{- message.content | trim }}<|end|>
{%- endfor %}
{%- if add_generation_prompt %}<|assistant|>{% endif %}
""",
    "instructions": """{{ bos_token }}{% for m in messages %}{% if (m['role'] == 'user')
%}{{ '[INST] ' + m['content'] + ' [/INST]' }}{% elif m['role'] == 'assistant'
%}{{ ' ' ~ m['content'] | trim ~ ' ' ~ eos_token }}{% else
%}{{ '<<SYS>>\\n' + m['content'].strip() + '\\n<</SYS>>\\n\\n' }}{% endif %}{% endfor %}""",
    "a macro and a namespace": """{% macro turn(role, text) %}<start_of_turn>{{ role }}
{{ text }}<end_of_turn>
{% endmacro %}{% set ns = namespace(count=0, last='') %}{% for m in messages %}{{ turn(
'model' if m.role == 'assistant' else m.role, m.content | trim) }}{% set ns.count = ns.count + 1 %}
{% set ns.last = m.content %}{% endfor %}{{ ns.count }}:{{ ns.last[:4] }}{{ ns.last | length }}""",
    "tools as JSON": """{% if tools %}<tools>{% for tool in tools %}
{{ tool | tojson(indent=2) }}{% if not loop.last %},{% endif %}{% endfor %}</tools>
{% endif %}{% for m in messages %}<|{{ m.role }}|>{% if m.tool_calls %}{% for call in m.tool_calls %}
<tool_call>{{ {'name': call.function.name, 'arguments': call.function.arguments} | tojson }}</tool_call>
{% endfor %}{% else %}{{ m.content }}{% endif %}{% endfor %}""",
    "parts of content": """{% for m in messages %}<s>{{ m.role | upper }}: {% if m.content is string %}
{{ m.content }}{% else %}{% for part in m.content %}{% if part.type == 'text' %}{{ part.text
}}{% else %}<image>
{% endif %}{% endfor %}{% endif %}</s>{% endfor %}""",
    "a set block and a filter block": """{% for m in messages %}{% set text %}{{ m.content
}} ({{ m.role }}){% endset %}
<m>{{ text }}</m>{% filter trim %}  {{ text.split('(')[0] }} {% endfilter %}{% endfor %}""",
    "reasoning is taken off": """{% for m in messages %}{% set content = m.content
%}{% if '</think>' in content %}
{% set content = content.split('</think>')[-1].lstrip('\n') %}{% endif %}<|{{ m.role }}|>{{ content
}}<|end|>
{% endfor %}{% if enable_thinking is defined and not enable_thinking %}<think></think>{% endif %}""",
    "joins and replaces": """{% for m in messages %}{{ ['<a>', m.content, '</a>'] | join('|') }}
{{ m.content | replace('\n', '<br>') }}{{ m.content.replace('x', '') }}{{ (m.role ~ ':') * 2 }}
{{- m.name | default('nobody') }}{{ m.content.splitlines() | first | default('') }}{% endfor %}""",
    "loops, slices and numbers": """{% for m in messages[::-1] %}{% if loop.index0 > 3 %}{% break
%}{% endif %}
{{ loop.index }}. {{ m.content | lower }}{{ m.content[1:3] }}{{ m.content | title
}}{% for c in m.content[:3] %}
[{{ c }}]{% endfor %}{{ dict(role=m.role).role }}{{ 1.5 + loop.index }}{{ none }}{{ m.missing
}}{% endfor %}""",
    "generation blocks": """{% for m in messages %}{% if m.role == 'assistant' %}<|a|>{% generation
%}{{ m.content }}
<|end|>{% endgeneration %}{% else %}<|u|>{{ m.content }}{% endif %}{% endfor %}""",
    "keys and values": """{% for m in messages %}{% for key, value in m.items() %}<{{ key }}>{{ value
}}</{{ key }}>
{% endfor %}{{ m | dictsort | length }}{{ m.content.startswith('a') }}{{ m.content | int(7)
}}{% endfor %}""",
}
