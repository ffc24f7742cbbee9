"""The picture of a flow in the languages that draw: Mermaid for web pages, Graphviz for paper.

    Flow ── draft ──> Diagram ──┬── mermaid ──> Mermaid
                                └── dot ──> DOT ── render_svg ──> SVG

What there is to draw is told by dialogue/diagram.py. This module words it, once for both, and
knows how each language writes it. The shape of a node tells its kind and a secret is printed in
reverse: nothing hangs on colours. Only `render_svg` does more than make text: it runs Graphviz.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterable, Iterator
from html import escape
from textwrap import shorten, wrap
from typing import Literal

from appliance.dialogue.diagram import EdgeKind, Group, Node, NodeKind, draft, nth
from appliance.dialogue.flow import Flow
from appliance.dialogue.schema import ActionState, AnyState, Decision, Terminal
from appliance.errors import ConfigError

Tone = Literal["title", "plain", "quote", "do", "secret", "outcome", "heard"]
Row = tuple[Tone, str]

_WIDTH = 40  # letters in a line
_QUOTED = 110  # letters of a text that is said; the tooltip has all of it
_TIMEOUT_S = 60.0

_FILL: dict[NodeKind, str] = {
    "start": "#ffffff",
    "any": "#ffffff",
    "decision": "#dcebf7",
    "action": "#f7d9a8",
    "terminal": "#c4c8cc",
    "note": "#ffffff",
}
"""Light blue, orange, grey: apart for the colour-blind, and lighter to darker in print."""

_DOT_SHAPE: dict[NodeKind, str] = {
    "start": "shape=oval",
    "any": 'shape=hexagon, style="filled,dashed"',
    "decision": 'shape=box, style="filled,rounded"',
    "action": "shape=box, peripheries=2",
    "terminal": "shape=octagon",
    "note": "shape=plain",
}
_DOT_EDGE: dict[EdgeKind, str] = {
    "plain": "",
    "opens": "penwidth=4",
    "past": "style=dashed",
}
_DOT_CELL: dict[Tone, str] = {
    "title": '<TD><FONT POINT-SIZE="15"><B>{}</B></FONT></TD>',
    "plain": '<TD><FONT POINT-SIZE="10">{}</FONT></TD>',
    "quote": "<TD><I>{}</I></TD>",
    "do": "<TD><B>{}</B></TD>",
    "secret": '<TD BGCOLOR="black"><FONT COLOR="white"><B>{}</B></FONT></TD>',
    "outcome": "<TD><B>{}</B></TD>",
    "heard": "<TD><U>{}</U></TD>",
}
_MERMAID_SHAPE: dict[NodeKind, tuple[str, str]] = {
    "start": ("([", "])"),
    "any": ("{{", "}}"),
    "decision": ("(", ")"),
    "action": ("[[", "]]"),
    "terminal": ("[/", "\\]"),
    "note": ("[", "]"),
}
_MERMAID_ARROW: dict[EdgeKind, str] = {"plain": "-->", "opens": "==>", "past": "-.->"}
_BOLD = frozenset({"title", "do", "secret", "outcome", "heard"})


def mermaid(flow: Flow) -> str:
    """A Mermaid flowchart, for version 10 and later."""
    diagram = draft(flow)
    lines = ["---", f"title: {json.dumps(_title(flow))}", "---", "flowchart LR"]
    lines += [
        f"  classDef {kind} fill:{fill},stroke:#333,color:#000" for kind, fill in _FILL.items()
    ]
    for group in (*diagram.groups, _legend(flow)):
        nodes = [f"    {_mermaid_node(flow, node)}" for node in group.nodes]
        frame = (
            [f"  subgraph {group.id}[{_mermaid_text(_plain([group.title]))}]"]
            if group.title
            else []
        )
        lines += [*frame, *nodes, *(["  end"] if frame else [])]
    for edge in diagram.edges:
        label = f"|{_mermaid_text(_plain(edge.label))}|" if edge.label else ""
        lines.append(f"  {edge.source} {_MERMAID_ARROW[edge.kind]}{label} {edge.target}")
    return "\n".join(lines) + "\n"


def dot(flow: Flow) -> str:
    """A Graphviz graph, laid out for a sheet of A3."""
    diagram = draft(flow)
    title = f'<<FONT POINT-SIZE="20"><B>{escape(_title(flow))}</B></FONT>>'
    lines = [
        "digraph flow {",
        f'  graph [label={title}, labelloc=t, rankdir=LR, size="16.1,11.3", ratio=compress]',
        '  graph [fontname=Helvetica, nodesep=0.25, ranksep=0.6, tooltip=" "]',
        "  node [fontname=Helvetica, fontsize=11, style=filled]",
        "  edge [fontname=Helvetica, fontsize=10]",
    ]
    for group in (*diagram.groups, _legend(flow)):
        nodes = [f"    {_dot_node(flow, node)}" for node in group.nodes]
        frame = f"  subgraph cluster_{group.id} {{" if group.title else "  {"
        label = f'    label=<<B>{escape(group.title)}</B>> style=rounded color="#777777"'
        lines += [frame, *([label] if group.title else []), *nodes, "  }"]
    for edge in diagram.edges:
        label = _dot_label(_plain(edge.label)) if edge.label else '""'
        hint = _dot_string(_hint(flow, edge.prompts) or " ".join(edge.label))
        lines.append(
            f"  {edge.source} -> {edge.target} [label={label}, edgetooltip={hint},"
            f" labeltooltip={hint}, {_DOT_EDGE[edge.kind]}]"
        )
    return "\n".join([*lines, "}"]) + "\n"


def render_svg(dot_text: str) -> str:
    """Draw a DOT graph.

    Raises:
        ConfigError: Graphviz is not installed, does not take the graph, or takes too long.
    """
    instead = "or draw the flow with Mermaid, which needs no program"
    try:
        done = subprocess.run(
            ["dot", "-Tsvg"],
            input=dot_text.encode(),
            capture_output=True,
            timeout=_TIMEOUT_S,
            check=True,
        )
    except FileNotFoundError as error:
        cause = "the program `dot` of Graphviz is not installed"
        raise ConfigError(f"{cause}: apt install graphviz, {instead}") from error
    except subprocess.TimeoutExpired as error:
        cause = f"Graphviz did not lay out the flow within {_TIMEOUT_S:.0f} s"
        raise ConfigError(f"{cause}: split it into several flows, {instead}") from error
    except subprocess.CalledProcessError as error:
        said = error.stderr.decode(errors="replace").strip()
        raise ConfigError(f"Graphviz refused the graph: {said}; update it, {instead}") from error
    return done.stdout.decode()


def _title(flow: Flow) -> str:
    languages = ", ".join(flow.languages)
    return f"{flow.name} · version {flow.spec.version} · {languages} · {flow.hash}"


def _rows(flow: Flow, node: Node) -> Iterator[Row]:
    """What a node says, line by line."""
    yield "title", node.title
    yield from (("plain", each) for each in node.about)
    if node.state:
        yield from _state_rows(flow, node.title, node.state)
    if node.outcome:
        yield "outcome", f"outcome: {node.outcome}"
    if node.secrets:
        yield "secret", f"secret: {', '.join(node.secrets)}"
    if node.must_hear:
        yield "heard", f"must be heard: {', '.join(node.must_hear)}"
    yield from (("plain", f"↻ {each}") for each in node.stays)


def _state_rows(flow: Flow, name: str, state: AnyState) -> Iterator[Row]:
    if voice := flow.voice_of(name):
        yield "plain", f"voice {voice}"
    texts = next(iter(flow.templates.values()))
    asked: list[str | None] = []
    if isinstance(state, Decision):
        asked = [state.ask, *(each.ask for each in state.asks)]
    for prompt in (*state.say, *filter(None, asked)):
        yield "quote", f"“{shorten(texts[prompt].shown[0], _QUOTED, placeholder=' …')}”"
    if isinstance(state, Decision):
        slot, check, keypad = state.listen.slot, state.listen.check, state.listen.keypad
        parts = (
            slot or "",
            f"by {check}" if check else "",
            f"or {keypad.max} keys" if keypad else "",
        )
        if any(parts):
            yield "plain", " ".join(("hears", *filter(None, parts)))
        return
    for call in state.do:
        args = ", ".join(f"{key}: {value}" for key, value in call.args.items())
        when = " and ".join(f"{fact} is {value}" for fact, value in call.when.items())
        yield "do", f"do: {call.tool}({args})" + (f" if {when}" if when else "")
    if isinstance(state, ActionState) and state.hears is not None:
        yield "plain", f"meanwhile hears only {', '.join(state.hears) or 'its tools'}"
    if isinstance(state, Terminal) and state.handover:
        note = f" with note {state.handover.note}" if state.handover.note else ""
        yield "do", f"hands over to flow {state.handover.flow}{note}"


def _legend(flow: Flow) -> Group:
    """What the shapes and marks mean, and the limits that hold."""
    spec = flow.spec
    secrets = (f"{name}: only once {', '.join(each.after)}" for name, each in spec.secrets.items())
    counters = (
        f"{nth(each.limit, name)}"
        + ("" if each.reset == "never" else f", from 0 when {each.reset}")
        for name, each in spec.counters.items()
    )
    reading = (
        "bold arrow: opens a condition; dashed: a limit is reached",
        ".outcome: of the check or tool named in the state",
        "+1 name: counts; ↻: stays in the state",
        "Universal routes are tried before a state's own,",
        "fallbacks (unclear, silence, …) after them.",
    )
    limits = (
        f"at most {spec.max_turns} turns",
        f"a question at most {spec.repeat_limit} times in a row",
    )
    nodes = (
        Node("legend_decision", "decision", "question", about=("asks; the reply leads on",)),
        Node("legend_action", "action", "action", about=("does what it lists, then goes on",)),
        Node("legend_terminal", "terminal", "ending", about=("ends the call",)),
        Node("legend_any", "any", "from several states", about=("drawn once",)),
        Node("legend_marks", "note", "Marks", about=reading),
        Node("legend_secrets", "note", "Secrets", about=tuple(secrets)),
        Node("legend_limits", "note", "Limits", about=(*limits, *counters)),
    )
    return Group("legend", "How to read this", nodes)


def _hint(flow: Flow, prompts: Iterable[str]) -> str:
    """All texts of some prompts, in every language."""
    return "\n".join(
        f"{prompt} ({language}): {shown}"
        for prompt in dict.fromkeys(prompts)
        for language, texts in flow.templates.items()
        for shown in texts[prompt].shown
    )


def _plain(lines: Iterable[str]) -> list[Row]:
    return [("plain", line) for line in lines]


def _wrapped(rows: Iterable[Row]) -> Iterator[Row]:
    for tone, text in rows:
        for line in wrap(text, _WIDTH, break_long_words=False, break_on_hyphens=False):
            yield tone, line


def _mermaid_node(flow: Flow, node: Node) -> str:
    before, after = _MERMAID_SHAPE[node.kind]
    return f"{node.id}{before}{_mermaid_text(_rows(flow, node))}{after}:::{node.kind}"


def _mermaid_text(rows: Iterable[Row]) -> str:
    """A label. All but letters and a few plain signs is written as its number."""
    lines = []
    for tone, text in _wrapped(rows):
        line = re.sub(r"[^\w .,:()+…]", lambda sign: f"#{ord(sign[0])};", text)
        lines.append(f"<b>{line}</b>" if tone in _BOLD else line)
    return f'"{"<br/>".join(lines)}"'


def _dot_node(flow: Flow, node: Node) -> str:
    hint = _dot_string(_hint(flow, node.prompts) or node.title)
    style = f'{_DOT_SHAPE[node.kind]}, fillcolor="{_FILL[node.kind]}"'
    return f"{node.id} [label={_dot_label(_rows(flow, node))}, tooltip={hint}, {style}]"


def _dot_label(rows: Iterable[Row]) -> str:
    """A label as a table of one column, which alone can have a line in reverse."""
    cells = [f"<TR>{_DOT_CELL[tone].format(escape(line))}</TR>" for tone, line in _wrapped(rows)]
    return f'<<TABLE BORDER="0" CELLSPACING="0" CELLPADDING="1">{"".join(cells)}</TABLE>>'


def _dot_string(text: str) -> str:
    return '"' + escape(text).replace("\\", "\\\\").replace("\n", "\\n") + '"'
