"""The picture of a flow: everything that must be visible is, in every language of pictures."""

import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest

from appliance.dialogue.diagram import draft, nth
from appliance.dialogue.flow import Flow
from appliance.errors import ConfigError
from appliance.flows import drawing
from appliance.flows.drawing import dot, mermaid, render_svg
from appliance.flows.registry import flow_folder, read_flow

ODD = """\
flow: odd
version: 1
start: "say \\"hi\\" <b>|</b>"
automation: machine
outcomes: [left]
universal: {robot_question: {say: machine}}
fallbacks:
  unclear: {}
  silence: {}
  engine_failed: {}
  repeated: {goto: end}
  hung_up: {goto: end}
out_of_turns: {goto: end}
states:
  "say \\"hi\\" <b>|</b>":
    kind: decision
    phase: 'a "phase" & more'
    ask: machine
    on: {negation: {goto: end}}
  end: {kind: terminal, outcome: left}
"""


@pytest.fixture(scope="module")
def flow() -> Flow:
    return read_flow("collections")


@pytest.fixture
def odd(tmp_path: Path) -> Flow:
    (tmp_path / "flow.yaml").write_text(ODD, encoding="utf-8")
    text = 'language: en\nprompts: {machine: "I am a \\"machine\\" &lt;i&gt;."}\n'
    (tmp_path / "prompts.en.yaml").write_text(text, encoding="utf-8")
    return read_flow(tmp_path)


@pytest.mark.parametrize("write", [mermaid, dot])
def test_everything_that_matters_is_in_the_picture(flow: Flow, write) -> None:  # type: ignore[no-untyped-def]
    text = write(flow)
    spec = flow.spec
    for name in (*spec.states, *spec.tools, *spec.outcomes, *spec.secrets, *spec.counters):
        assert name in text, name
    for name in (*spec.universal, "right_party_verified", "pre_verification", "verify_zip"):
        assert name in text, name


def test_no_picture_holds_a_value(flow: Flow) -> None:
    account = (flow_folder("collections") / "accounts.example.yaml").read_text(encoding="utf-8")
    values = [line.split('"')[1] for line in account.splitlines() if '"' in line]
    for write in (mermaid, dot):
        assert not [value for value in values if value in write(flow)]


def test_states_that_say_a_secret_are_marked(flow: Flow) -> None:
    nodes = {node.title: node for group in draft(flow).groups for node in group.nodes}
    assert nodes["disclosure"].secrets == ("balance", "creditor")
    assert nodes["make_promise"].secrets == ("balance",)  # its tool is given a share of it
    assert nodes["verification"].secrets == ()


def test_states_that_say_what_must_be_heard_are_marked(flow: Flow) -> None:
    nodes = {node.title: node for group in draft(flow).groups for node in group.nodes}
    assert nodes["confirm_promise"].must_hear == ("confirm_promise", "confirm_promise_again")
    assert nodes["disclosure"].must_hear == ("mini_miranda",)
    assert nodes["partial"].must_hear == ()
    assert "must be heard: confirm_promise" in mermaid(flow)
    assert "negation (even if not all was heard)" in mermaid(flow)
    assert nodes["promised"].outcome == "ptp_set"


def test_the_way_that_opens_a_condition_is_told_apart(flow: Flow) -> None:
    diagram = draft(flow)
    names = {node.id: node.title for group in diagram.groups for node in group.nodes}
    opening = [(names[e.source], names[e.target]) for e in diagram.edges if e.kind == "opens"]
    assert opening == [("verification", "disclosure")]


def test_every_edge_joins_nodes_that_there_are(flow: Flow) -> None:
    diagram = draft(flow)
    ids = {node.id for group in diagram.groups for node in group.nodes}
    assert {edge.source for edge in diagram.edges} | {edge.target for edge in diagram.edges} <= ids


def test_svg_is_well_formed_and_whole(flow: Flow, odd: Flow) -> None:
    root = ElementTree.fromstring(render_svg(dot(flow)))
    text = " ".join(root.itertext())
    assert [name for name in flow.spec.states if name not in text] == []
    odd_text = " ".join(ElementTree.fromstring(render_svg(dot(odd))).itertext())
    assert 'say "hi" <b>|</b>' in odd_text


def test_odd_names_do_not_break_mermaid(odd: Flow) -> None:
    text = mermaid(odd)
    assert "#60;b#62;#124;" in text
    assert "hi <b>|" not in text
    assert text.count('"') % 2 == 0


def test_without_graphviz_the_remedy_is_named(
    flow: Flow, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ConfigError, match=r"apt.* install graphviz"):
        render_svg(dot(flow))


def test_a_drawing_that_fails_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shutil.which("dot")
    with pytest.raises(ConfigError, match="Graphviz refused"):
        render_svg("digraph {")

    def hang(*_: object, **__: object) -> None:
        raise subprocess.TimeoutExpired("dot", 1)

    monkeypatch.setattr(drawing.subprocess, "run", hang)
    with pytest.raises(ConfigError):
        render_svg("digraph {}")


@pytest.mark.parametrize(
    ("count", "said"), [(1, "1st x"), (2, "2nd x"), (3, "3rd x"), (11, "11th x"), (25, "25th x")]
)
def test_ordinals(count: int, said: str) -> None:
    assert nth(count, "x") == said
