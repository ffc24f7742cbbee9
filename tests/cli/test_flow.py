"""`appliance flow …`: what somebody types who writes a flow."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator
from pydantic import BaseModel
from typer.testing import CliRunner, Result

from appliance import flows
from appliance.cli.flow_schema import KINDS, json_schema
from appliance.cli.main import app
from appliance.dialogue.checker.script import NOON
from appliance.dialogue.checker.watch import BUILT_IN
from appliance.dialogue.checks import CheckInput
from appliance.dialogue.declarations import Note, Tool, ToolCall, Variable
from appliance.dialogue.intents import INTENTS
from appliance.dialogue.properties import AtMost, Never, Past, Property, Whenever
from appliance.dialogue.schema import (
    ActionState,
    Counter,
    Decision,
    Expectation,
    Fallbacks,
    FlowSpec,
    Handover,
    Keypad,
    PromptSpec,
    Route,
    Terminal,
)
from appliance.dialogue.yamlfile import _Loader
from appliance.errors import ApplianceError, ConfigError
from appliance.flows.registry import read_flow, shipped_flows
from appliance.flows.scenario import Expected, Scenario, Step
from appliance.types import Understanding

SHIPPED = Path(flows.__file__).parent
FOLDERS = [SHIPPED / name for name in shipped_flows()] + [SHIPPED / "template" / "new_flow"]


def appliance(*args: object, said: str = "") -> Result:
    """Run a command; an `ApplianceError`, which `main` reports, is raised."""
    command = [str(each) for each in args]
    done = CliRunner(env={"COLUMNS": "200"}).invoke(app, command, input=said)
    if isinstance(done.exception, ApplianceError):
        raise done.exception
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done


@pytest.fixture
def collections(tmp_path: Path) -> Path:
    """A copy of the collections flow, to be broken."""
    return Path(shutil.copytree(SHIPPED / "collections", tmp_path / "collections"))


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert text.count(old) == 1, f"{old!r} is in {path.name} {text.count(old)} times"
    path.write_text(text.replace(old, new))


@pytest.mark.parametrize("command", ["check", "test", "show", "schema", "new", "chat"])
def test_help_has_an_example(command: str) -> None:
    done = appliance("flow", command, "--help")
    assert done.exit_code == 0
    assert f"Example: appliance flow {command}" in done.stdout


# --- check ---


def test_check_says_what_is_proven() -> None:
    done = appliance("flow", "check", "collections")
    assert done.exit_code == 0
    assert f"collections {read_flow('collections').hash}  proven" in done.stdout
    assert "✓ nothing is said or given to a tool before its conditions hold" in done.stdout
    assert "✗" not in done.stdout


def test_check_gives_figures_as_json() -> None:
    done = appliance("flow", "check", "collections", "campaign", "--json")
    assert done.exit_code == 0
    reports = json.loads(done.stdout)
    assert [each["flow"] for each in reports] == ["collections", "campaign"]
    report = reports[0]
    assert report["hash"] == read_flow("collections").hash
    assert report["states"] > 1000
    assert report["transitions"] > report["states"]
    assert 0 < report["seconds"] < 60
    assert report["failures"] == []
    assert {"title": "always_ends_within 25", "holds": True} in report["properties"]
    assert all(each["holds"] for each in report["properties"])


@pytest.mark.slow
def test_check_proves_every_shipped_flow() -> None:
    done = appliance("flow", "check", "--json")
    assert done.exit_code == 0
    assert [each["flow"] for each in json.loads(done.stdout)] == list(shipped_flows())


def test_a_leak_is_shown_and_written_as_scenarios(collections: Path, tmp_path: Path) -> None:
    change(collections / "flow.yaml", "greeting: {goto: greeting, ask: ask_for_person}",
           "greeting: {goto: disclosure}")  # fmt: skip
    written = tmp_path / "failures.yaml"
    done = appliance("flow", "check", collections, "--scenarios", written)
    assert done.exit_code == 1
    assert "✗ nothing is said or given to a tool before its conditions hold" in done.stdout
    assert "prompt balance before right_party_verified" in done.stdout
    assert done.stdout.count("(the call begins)") < done.stdout.count(
        " before right_party_verified"
    )
    assert "caller:    (the call begins)" in done.stdout
    assert "refused:" in done.stdout
    assert f"scenarios written to {written}" in done.stdout

    again = appliance("flow", "test", collections, "--scenarios", written)
    assert again.exit_code == 0, again.stdout  # it goes wrong just as written
    count = len(yaml.safe_load(written.read_text()))
    assert f"{count} of {count} scenarios pass" in again.stdout

    mended = appliance("flow", "test", "collections", "--scenarios", written)
    assert mended.exit_code == 1  # and no longer once the flow is mended
    assert "✗ failure 1: " in mended.stdout


def test_a_broken_flow_as_json(collections: Path) -> None:
    change(collections / "flow.yaml", "- always_ends_within: 25", "- always_ends_within: 3")
    done = appliance("flow", "check", collections, "--json")
    assert done.exit_code == 1
    [report] = json.loads(done.stdout)
    [failure] = report["failures"]
    assert failure["title"] == "always_ends_within 3"
    assert failure["detail"] == "after 3 turns the call can still go on"
    assert failure["dialogue"][1] == "caller:    (the call begins)"
    assert failure["scenario"]["steps"][0]["starts"] is True


def test_a_failure_without_a_dialogue(collections: Path) -> None:
    change(collections / "prompts.en.yaml", "  goodbye: ", "  spare: Never said.\n  goodbye: ")
    change(collections / "prompts.es.yaml", "  goodbye: ", "  spare: Nunca.\n  goodbye: ")
    [report] = json.loads(appliance("flow", "check", collections, "--json").stdout)
    assert [each["detail"] for each in report["failures"]] == ["prompts.spare is never said"]
    assert report["failures"][0]["scenario"] is None


def test_own_scenarios_are_not_overwritten(collections: Path) -> None:
    change(collections / "flow.yaml", "- always_ends_within: 25", "- always_ends_within: 3")
    with pytest.raises(ConfigError, match="is there already"):
        appliance("flow", "check", collections, "--scenarios", collections / "scenarios.yaml")


def test_a_flow_that_does_not_load_names_file_and_line(collections: Path) -> None:
    change(collections / "flow.yaml", "start: greeting", "start: greetings")
    with pytest.raises(ConfigError, match=r"flow.yaml:\d+: start: greetings is not a decision"):
        appliance("flow", "check", collections)


# --- test ---


def test_scenarios_pass_and_cover() -> None:
    done = appliance("flow", "test", "collections", "--json")
    assert done.exit_code == 0
    [report] = json.loads(done.stdout)
    assert len(report["scenarios"]) > 50
    assert not any(each["wrong"] for each in report["scenarios"])
    states = report["coverage"]["states"]
    assert states["covered"] + len(states["missing"]) == states["total"]
    assert states["covered"] >= 0.9 * states["total"]


def test_a_failed_scenario_names_its_step(collections: Path) -> None:
    change(collections / "prompts.en.yaml", "Take your time.", "Do not hurry.")
    for each in collections.glob("scenarios*.yaml"):
        each.unlink()
    scenarios = collections / "scenarios.yaml"
    scenarios.write_text(
        "- name: waits\n  steps:\n    - starts: true\n    - says: one moment\n"
        "      expect: {say: [take_your_time], never: [hurry]}\n"
    )
    done = appliance("flow", "test", collections)
    assert done.exit_code == 1
    assert "✗ waits, step 2: says 'hurry'" in done.stdout
    assert "0 of 1 scenarios pass" in done.stdout
    assert "- states.greeting.on.negation" in done.stdout  # among the routes not covered


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("- name: a", "scenario 1, steps: is missing"),
        ("name: a", "must be a list: begin each entry with `- `"),
        ("- a", "scenario 1: must have keys: `name: value`"),
        ("- {name: a, steps: [{starts: true}, {say: hi}]}", "scenario 1, step 2, say: unknown key"),
        ("- {name: a, steps: [{tool: x}]}", r"step 1, tool: must be a list: \[one, another\]"),
        ("- {name: a, steps: []}\n- {name: a, steps: []}", "a: is there twice"),
        ("- {name: a, after: b, steps: []}", "a: after: no scenario b"),
        ("- {name: a, steps: [{means: hi}]}", "a, step 1: means: hi is no intent"),
        ("- {name: a, steps: [{means: nothing, checks: {zip: x}}]}", "checks: no check zip; there"),
        (
            "- {name: a, steps: [{means: nothing, checks: {verify_zip: hit}}]}",
            "checks: verify_zip has no outcome hit; there are: match, mismatch, incomplete, none",
        ),
        ("- {name: a, steps: [{means: nothing, facts: {x: 1}}]}", "facts: x is not declared"),
        ("- {name: a, steps: [{tool: [call, done]}]}", "tool: call is not declared under tools"),
        (
            "- {name: a, steps: [{tool: [escalate_to_human, ok]}]}",
            "tool: escalate_to_human has no outcome ok; there are: done, failed",
        ),
        ("- {name: a, entry: {x: 1}, steps: []}", "a: entry: x is not declared under entry"),
        ("- {name: a, number: '1', steps: []}", "scenario a: no account 1"),
    ],
)
def test_mistakes_in_scenarios_are_named(tmp_path: Path, written: str, message: str) -> None:
    appliance("flow", "new", "desk", "--folder", tmp_path)
    (tmp_path / "scenarios.yaml").write_text(written)
    with pytest.raises(ConfigError, match=message):
        appliance("flow", "test", tmp_path)


def test_an_account_that_does_not_fit_is_named(tmp_path: Path) -> None:
    appliance("flow", "new", "desk", "--folder", tmp_path)
    change(tmp_path / "accounts.example.yaml", '"0815"', "0815")  # to YAML a number, and octal
    change(tmp_path / "accounts.example.yaml", '"60614"', "60614")
    with pytest.raises(
        ConfigError, match=r"accounts.example.yaml: 15550101: account for flow desk"
    ):
        appliance("flow", "test", tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("keypad: {min: 5, max: 5}", "keypad: 5", r"keypad: must have keys: \{key: value\}"),
        ("start: verification", "start: 1", "start: must be text; put it in quotes"),
        ("hears: []", "heard: []", "states.connect.heard: unknown key here$"),
        (
            "ask: ask_repeat\n",
            "do: [a]\n    ask: ask_repeat\n",
            "states.tell.do: unknown key here; a",
        ),
    ],
)
def test_mistakes_in_a_flow_are_named(tmp_path: Path, old: str, new: str, message: str) -> None:
    appliance("flow", "new", "desk", "--folder", tmp_path)
    change(tmp_path / "flow.yaml", old, new)
    with pytest.raises(ConfigError, match=message):
        appliance("flow", "check", tmp_path)


def test_simulated_calls_are_the_same_for_a_seed() -> None:
    command = ("flow", "test", "collections", "--random", 200, "--seed", 7, "--json")
    first, again = (json.loads(appliance(*command).stdout)[0]["random"] for _ in range(2))
    assert first["calls"] == sum(first["outcomes"].values()) == 200
    assert first["outcomes"] == again["outcomes"]
    assert first["turns"] == again["turns"]


def test_simulated_calls_are_shown() -> None:
    done = appliance("flow", "test", "collections", "--random", 100)
    assert done.exit_code == 0
    assert "100 simulated calls in " in done.stdout
    assert "a second" in done.stdout
    assert "user_ended" in done.stdout


def test_a_simulated_call_that_is_refused(collections: Path) -> None:
    change(collections / "flow.yaml", "affirmation: {goto: verification}",
           "affirmation: {goto: disclosure}")  # fmt: skip
    done = appliance("flow", "test", collections, "--random", 100)
    assert done.exit_code == 1
    assert "✗ a simulated call: LockedError: prompt mini_miranda" in done.stdout


# --- show ---


def test_show_draws_in_each_language(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "flowchart" in appliance("flow", "show", "collections", "--format", "mermaid").stdout
    assert "digraph" in appliance("flow", "show", "collections", "--format", "dot").stdout
    out = tmp_path / "picture.mmd"
    done = appliance("flow", "show", "collections", "--format", "mermaid", "--out", out)
    assert "picture.mmd: collections as mermaid" in done.stdout
    assert "flowchart" in out.read_text()


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
def test_show_draws_an_svg(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert appliance("flow", "show", "collections").exit_code == 0
    assert "<svg" in (tmp_path / "collections.svg").read_text()


# --- schema ---


@pytest.mark.parametrize("kind", KINDS)
def test_schema_is_one(kind: str) -> None:
    schema = json.loads(appliance("flow", "schema", kind).stdout)
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"


def _faults(kind: Any, data: object) -> list[str]:
    found = Draft202012Validator(json_schema(kind)).iter_errors(data)
    return [f"{error.json_path}: {error.message}" for error in found]


def _read(path: Path) -> Any:
    """As an editor reads it: YAML 1.2, where `on` and `no` are words."""
    return json.loads(json.dumps(yaml.load(path.read_text(), Loader=_Loader), default=str))


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_shipped_files_fit_the_schema(folder: Path) -> None:
    assert _faults("flow", _read(folder / "flow.yaml")) == []
    for path in folder.glob("prompts.*.yaml"):
        assert _faults("prompts", _read(path)) == []
    for path in folder.glob("scenarios*.yaml"):
        assert _faults("scenarios", _read(path)) == []


def test_schema_takes_the_short_forms() -> None:
    flow = _read(SHIPPED / "collections" / "flow.yaml")
    flow["universal"]["thanks"] = {"set": ["right_party_verified"], "say": ["goodbye"]}
    flow["observe"]["busy"] = {"sentiment": "upset"}
    flow["properties"].append({"never": {"words": ["debt"], "before": "right_party_verified"}})
    flow["properties"].append({"never": {"words": "owe", "in": "greeting"}})
    assert _faults("flow", flow) == []
    prompts = {
        "language": "en",
        "prompts": {"a": "One.", "b": ["One.", "Two."], "c": {"text": "x"}},
    }
    assert _faults("prompts", prompts) == []


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("flow", {"flow": "x"}),
        ("prompts", {"language": "fr", "prompts": {}}),
        ("prompts", {"language": "en", "prompts": {"a": {"txt": "One."}}}),
        ("scenarios", [{"name": "a", "steps": [{"say": "yes"}]}]),
        ("scenarios", {"name": "a"}),
    ],
)
def test_schema_refuses(kind: str, data: object) -> None:
    assert _faults(kind, data)


def test_schema_refuses_an_unknown_key() -> None:
    flow = _read(SHIPPED / "collections" / "flow.yaml")
    flow["states"]["greeting"]["does"] = []
    assert _faults("flow", flow)


# --- new ---


def test_a_new_flow_passes_at_once(tmp_path: Path) -> None:
    folder = tmp_path / "desk"
    made = appliance("flow", "new", "parcel_desk", "--folder", folder)
    assert made.exit_code == 0
    assert f"appliance flow check {folder}" in made.stdout
    assert "new_flow" not in "".join(path.read_text() for path in folder.iterdir())

    checked = appliance("flow", "check", folder)
    assert checked.exit_code == 0, checked.stdout
    assert "parcel_desk" in checked.stdout
    tested = appliance("flow", "test", folder, "--random", 50)
    assert tested.exit_code == 0, tested.stdout
    assert "8 of 8 scenarios pass" in tested.stdout
    chatted = appliance("flow", "chat", folder, said="90210\nno\n")
    assert "The pin for your parcel is four seven one one." in chatted.stdout
    assert "ended: told" in chatted.stdout


def test_a_new_flow_refuses_to_overwrite(tmp_path: Path) -> None:
    (tmp_path / "checks.py").write_text("# mine\n")
    with pytest.raises(ConfigError, match="is there already"):
        appliance("flow", "new", "mine", "--folder", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["checks.py"]


@pytest.mark.parametrize("name", ["Parcel", "parcel-desk", "../x", "class", ""])
def test_a_new_flow_needs_a_name(name: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="a flow's name"):
        appliance("flow", "new", name, "--folder", tmp_path)


def test_the_template_is_not_a_shipped_flow() -> None:
    assert "new_flow" not in shipped_flows()
    assert "template" not in shipped_flows()


def test_the_template_guards_its_secret(tmp_path: Path) -> None:
    appliance("flow", "new", "leaky", "--folder", tmp_path)
    change(tmp_path / "flow.yaml", "does_not_know: {goto: refuse}", "does_not_know: {goto: tell}")
    done = appliance("flow", "check", tmp_path)
    assert done.exit_code == 1
    assert "prompt tell_pin before caller_verified" in done.stdout


# --- chat ---


def test_chat_in_english_shows_what_happens() -> None:
    done = appliance(
        "flow", "chat", "collections", "--show-route",
        said="yes\nabracadabra\n90210\nyes I can\nyes\n",
    )  # fmt: skip
    assert done.exit_code == 0
    assert "pre_verification/greeting  turn 0 of 25" in done.stdout
    assert "counts clarification_attempts 1 of 2" in done.stdout
    assert "knows right_party_verified=True" in done.stdout
    assert done.stdout.count("right_party_verified=True") == 1  # each is shown when it is new
    assert "does create_promise_to_pay(date=" in done.stdout
    assert "ended: ptp_set" in done.stdout
    assert "states.verification.on.verify_zip.match > states.disclosure" in done.stdout


def test_chat_on_a_narrow_screen_tells_below_what_stands_beside_on_a_wide_one() -> None:
    command = ["flow", "chat", "collections"]
    wide, narrow = (
        CliRunner(env={"COLUMNS": width}).invoke(app, command, input="yes\n").stdout.splitlines()
        for width in ("160", "80")
    )
    assert any("appliance: Thank you, Maria" in line and "turn 1 of 25" in line for line in wide)
    assert "  verification/verification  turn 1 of 25" in narrow


def test_chat_in_spanish() -> None:
    done = appliance(
        "flow", "chat", "collections", "--language", "es", said="sí\n90210\nno me llamen más\n"
    )
    assert done.exit_code == 0
    assert "does mark_do_not_contact()" in done.stdout
    assert "ended: cease_contact" in done.stdout
    assert "Lakeside Furniture tiene un saldo de" in done.stdout


def test_chat_changes_its_language() -> None:
    done = appliance("flow", "chat", "collections", said="en español por favor\n")
    assert "Hablo con Maria Lopez" in done.stdout


def test_chat_with_a_tool_that_fails() -> None:
    done = appliance(
        "flow", "chat", "collections", "--fail", "escalate_to_human", said="a human please\n"
    )
    assert "does schedule_callback(reason=user_requested_human)" in done.stdout
    assert "nobody is free right now. A colleague will call you back" in done.stdout


def test_chat_with_a_tool_that_is_none() -> None:
    with pytest.raises(ConfigError, match="--fail: no tool nonsense; there are: create_promise"):
        appliance("flow", "chat", "collections", "--fail", "nonsense")


def test_chat_does_not_begin_with_a_flow_that_is_refused(collections: Path) -> None:
    change(collections / "flow.yaml", "- always_ends_within: 25", "- always_ends_within: 3")
    with pytest.raises(ConfigError, match="flow collections is refused"):
        appliance("flow", "chat", collections)


def test_chat_begins_with_what_the_host_knows(tmp_path: Path) -> None:
    appliance("flow", "new", "desk", "--folder", tmp_path)
    entry = "entry: {caller_number: required, mood: required}\n"
    facts = "facts:\n  caller_number: phone\n  mood: [calm, upset]\n"
    change(tmp_path / "flow.yaml", "facts:\n", entry + facts)
    with pytest.raises(ConfigError, match="mood: is required"):
        appliance("flow", "chat", tmp_path)
    with pytest.raises(ConfigError, match="--entry: mod: not declared under entry"):
        appliance("flow", "chat", tmp_path, "--entry", "mod=upset")
    done = appliance("flow", "chat", tmp_path, "--entry", "mood=upset", "--number", "15550101")
    assert "knows caller_number=15550101, mood=upset" in done.stdout


def test_chat_goes_on_in_the_next_flow(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    appliance("flow", "new", "first", "--folder", first)
    appliance("flow", "new", "second", "--folder", second)
    change(first / "flow.yaml", "counters:", "notes:\n  who: {to: second, facts: "
           "caller_verified, recommendations: goodbye}\n\ncounters:")  # fmt: skip
    change(first / "flow.yaml", "outcome: told, say: goodbye}",
           "outcome: told, handover: {flow: ../second, note: who}}")  # fmt: skip
    change(second / "flow.yaml", "facts:\n", "entry: {caller_verified: optional}\n\nfacts:\n")
    done = appliance("flow", "chat", first, said="90210\nno\n90210\nno\n")
    assert done.exit_code == 0, done.stdout
    assert "goes on in second" in done.stdout
    assert "note to second" in done.stdout
    assert done.stdout.count("tell me your five digit zip code") == 2
    assert done.stdout.count("ended: told") == 2


# --- docs/flows.md ---

DOCS = (SHIPPED.parents[1] / "docs" / "flows.md").read_text()
PARTS = (FlowSpec, Route, Decision, ActionState, Terminal, Handover, Expectation, Keypad, Counter,
         Fallbacks, PromptSpec, Variable, Tool, ToolCall, Note, Property, Never, Whenever, AtMost,
         Past, Scenario, Step, Expected)  # fmt: skip


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.__name__)
def test_docs_name_every_key(part: type[BaseModel]) -> None:
    names = {field.alias or name for name, field in part.model_fields.items()}
    assert [name for name in names if not re.search(rf"`[^`]*\b{name}\b[^`]*`", DOCS)] == []


def test_docs_list_the_intents_as_they_are() -> None:
    for name, example in INTENTS.items():
        assert f"| `{name}` | {example} |" in DOCS


def test_docs_name_what_is_proven_of_every_flow() -> None:
    said = " ".join(DOCS.split())
    assert "a tool before its conditions hold" in said
    for title in BUILT_IN[1:4]:
        assert title in said


def test_the_properties_in_the_docs_are_ones() -> None:
    section = DOCS[DOCS.index("## Properties") : DOCS.index("## Scenarios")]
    examples = re.findall(r"^\| `(\w+: .*?)` \|", section, re.MULTILINE)
    kinds = {example.partition(":")[0] for example in examples}
    assert kinds == set(Property.model_fields)
    for example in examples:
        Property.model_validate(yaml.load(example, Loader=_Loader))


def test_the_check_in_the_docs_runs() -> None:
    [code] = re.findall(r"```python\n(.*?)```", DOCS, re.DOTALL)
    names: dict[str, Any] = {}
    exec(f"from enum import StrEnum\nfrom appliance.dialogue.checks import *\n{code}", names)
    [check] = names["CHECKS"]
    for said, outcome in (("", "none"), ("17", "minor"), ("18", "adult")):
        given = CheckInput({}, Understanding(""), {}, NOON, typed=said)
        found = check.run(given)
        assert found.outcome == outcome
        assert check.undeclared(found.outcome, found.facts) == (set(), set())


@pytest.mark.parametrize("command", ["check", "test", "show", "schema", "new", "chat"])
def test_docs_name_every_option(command: str) -> None:
    found = appliance("flow", command, "--help").stdout
    options = set(re.findall(r"--[a-z][a-z-]+", found)) - {"--help"}
    assert options <= set(re.findall(r"--[a-z][a-z-]+", DOCS))


def test_the_first_flow_of_the_docs(tmp_path: Path) -> None:
    """Step 3 and 4 of "Your first flow in ten minutes", as they are written."""
    appliance("flow", "new", "locker", "--folder", tmp_path)
    change(tmp_path / "accounts.example.yaml", 'zip: "90210"', 'member: "40271"')
    change(tmp_path / "accounts.example.yaml", 'zip: "60614"', 'member: "60614"')
    change(tmp_path / "flow.yaml", 'zip: "[0-9]{5}"', 'member: "[0-9]{5}"')
    change(tmp_path / "checks.py", 'given.account["zip"]', 'given.account["member"]')
    change(tmp_path / "flow.yaml", "  pin: {type", "  opening_code: {type")
    change(tmp_path / "flow.yaml", "  pin: {after", "  opening_code: {after")
    change(tmp_path / "flow.yaml", "{say: pin, ", "{say: opening_code, ")
    for name in ("prompts.en.yaml", "accounts.example.yaml"):
        path = tmp_path / name
        path.write_text(re.sub(r"\bpin(?=[:}])", "opening_code", path.read_text()))
    assert appliance("flow", "check", tmp_path).exit_code == 0
    assert appliance("flow", "test", tmp_path).exit_code == 1  # the scenarios say the old ZIP
    said = appliance("flow", "chat", tmp_path, said="four oh two seven one\nno\n").stdout
    assert "is four seven one one." in said
    assert "ended: told" in said
