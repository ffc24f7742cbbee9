"""A flow that is not in order does not load, and the message says where and what to do."""

from pathlib import Path

import pytest

from appliance.dialogue.loader import load_flow
from appliance.errors import ConfigError

FAULTS = [
    # flow.yaml: schema
    ("version: 1", "version: 1\ncolour: red", "flow.yaml:3: colour: unknown key"),
    ("    phase: before", "    phase: before\n    do: []", "states.gate.do: unknown key"),
    ("kind: action", "kind: decision", "states.telling.do: unknown key"),
    ("kind: action", "kind: chat", "kind must be decision, action or terminal"),
    ("max_turns: 6", "max_turns: 0", "flow.yaml:19: max_turns: Input should be greater"),
    ("start: gate\n", "", "start: is missing"),
    ("flow: tiny", "flow: tiny\nflow: tiny", "line 2: flow is there twice"),
    ("flow: tiny", "flow: [tiny", "not YAML"),
    # names
    ("start: gate", "start: gates", "start: gates is not a decision or action state"),
    ("start: gate", "start: told", "start: told is not a decision or action state"),
    ("negation: {reason", "negatoin: {reason", "on.negatoin: is no intent"),
    ("  stop_request:", "  stop_requests:", "universal.stop_requests: is not an intent"),
    ("goto: told}", "goto: tolled}", "goto: no state tolled"),
    ("count: tries", "count: trials", "trials is not declared under counters"),
    ("limit: 2, past: {reason: refused, goto: over}", "limit: 2", "says nowhere what happens"),
    ("check: code", "check: cod", "no check cod; there are: code"),
    ("      code.wrong: {count: tries, ask: wrong}\n", "", "outcome code.wrong has no route"),
    ("      note.failed: {say: sorry, goto: told}\n", "", "outcome note.failed has no route"),
    ("note.failed", "notes.failed", "notes.failed: is no intent"),
    ("tool: note", "tool: write", "write is not declared under tools"),
    ("why: asked", "reason: asked", "reason: asked is no argument"),
    ("day: $day", "day: $date", "day: $date is no argument or fact"),
    ("set: known", "set: knwon", "knwon is not a flag"),
    ("set: known", "set: day", "day is not a flag"),
    ("after: known", "after: day", "day is not a flag"),
    ("outcome: told", "outcome: toled", "toled is not declared under outcomes"),
    ("{reason: refused, goto: over}\n      greeting", "{reason: no, goto: over}\n      greeting",
     "no is not declared under outcomes"),
    ("  word: {after: known}", "  ward: {after: known}", "ward: is not declared under variables"),
    ("facts: {known: flag, day: date}", "facts: {known: flag}", "not declared under facts"),
    ("      - tool: note\n        args: {day: $day, why: asked}\n",
     "      - tool: note\n      - tool: note\n", "calls a tool twice"),
    ("greeting: {}", "greeting: {on: {code.right: {}}}", "belongs to a `check`"),
    ("  day: {type: date, source: fact}", "  day: {type: date, source: fact, share_of: sum}",
     "share_of: sum is no variable of money"),
    # what may be said where
    ("    ask: who\n", "    ask: whom\n", "no prompt whom in prompts.en.yaml"),
    # what the language of today adds
    ("automation: a_machine\n", "", "automation: is missing"),
    ("automation: a_machine\n", "automation: a_machine\nholding: nobody\n",
     "no prompt nobody in prompts.en.yaml"),
    ("automation: a_machine\n", "automation: a_machine\nholding: who\n",
     "holding: who is said at any time: no variables"),
    ("automation: a_machine\n", "automation: a_machine\nholding: secret\n",
     "holding: secret is said at any time: no variables"),
    ("  robot_question: {say: a_machine}\n", "", "robot_question is missing: who asks must be"),
    ("outcomes: [done, failed]", "outcomes: [done]", "need `failed`: any tool can fail"),
    ("  note: {args", "  end_call: {}\n  note: {args", "end_call: is what terminal states do"),
    ("  repeat_request: {}", "  repeat_request: {language: es}", "no prompts.es.yaml"),
    ("  repeat_request: {}", "  repeat_request: {otherwise: {}}", "belong together"),
    ("  repeat_request: {}", "  repeat_request: {branch: known, on: {known.yes: {}}}",
     "the outcome known.no has no route"),
    ("  repeat_request: {}", "  repeat_request: {branch: knwon}", "knwon is not declared"),
    ("  repeat_request: {}", "  repeat_request: {note: n}", "n is not declared under notes"),
    ("  repeat_request: {}", "  repeat_request: {past: {}}", "belongs to a `count`"),
    ("max_turns: 6", "max_turns: 6\nobserve: {greeting: {known: true}}", "is not a choice"),
    ("max_turns: 6", "max_turns: 6\nentry: {caller: optional}", "is not declared under facts"),
    ("    say: secret\n", "    say: secret\n    hears: [greeting]\n", "is not under universal"),
    ("    phase: after", "    phase: after\n    voice: bob", "bob is not declared under voices"),
    ("max_turns: 6", "max_turns: 6\nproperties: [{never: {say: nothing}}]", "no prompt nothing"),
    ("max_turns: 6", "max_turns: 6\nproperties: [{never: {tool: fly}}]", "fly is no tool"),
    ("max_turns: 6", "max_turns: 6\nproperties: [{never: {}}]", "say what must never be"),
    ("max_turns: 6", "max_turns: 6\nproperties: [{}]", "give one of never"),
    ("max_turns: 6", "max_turns: 6\nmax_sentences: 1", "has 2 sentences; max_sentences is 1"),
]  # fmt: skip


def test_the_small_flow_loads(load) -> None:
    flow = load()
    assert flow.name == "tiny"


@pytest.mark.parametrize(("old", "new", "said"), FAULTS)
def test_a_fault_in_the_flow_is_found(load, old: str, new: str, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load((old, new))
    assert said in str(caught.value)
    assert ".yaml" in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("{word}", "{ward}", "prompts.secret: {ward} is not under variables"),
        ("Yes, I am a machine.", "I am not a robot.", "prompts.a_machine: denies being automated"),
        ("Yes, I am a machine.", "I'm a real person.", "denies being automated; it never may"),
        ("{word}", "{word", "prompts.secret: unexpected '{'"),
        ("{word}", "{word!r}", "is not a variable's name"),
        ("{word}", "{}", "is not a variable's name"),
        ("  bye: Goodbye.\n", "", "no prompt bye"),
        ("language: en", "language: fr", "language: Input should be 'en' or 'es'"),
        ("uninterruptible: true", "unstoppable: true", "prompts.wrong.unstoppable: unknown key"),
    ],
)
def test_a_fault_in_the_prompts_is_found(load, old: str, new: str, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(prompts=((old, new),))
    assert said in str(caught.value)


def test_the_hash_names_the_version(load) -> None:
    first = load().hash
    assert load().hash == first
    assert load(("limit: 3", "limit: 2")).hash != first
    assert load(prompts=(("Goodbye.", "So long."),)).hash != first


def test_missing_files_are_named(tmp_path: Path, load) -> None:
    with pytest.raises(ConfigError, match=r"flow\.yaml: cannot be read"):
        load_flow(tmp_path, ())
    load()
    (tmp_path / "prompts.en.yaml").rename(tmp_path / "prompts.es.yaml")
    with pytest.raises(ConfigError, match="says language en: rename it"):
        load_flow(tmp_path, ())
    (tmp_path / "prompts.es.yaml").unlink()
    with pytest.raises(ConfigError, match=r"no prompts\.LANGUAGE\.yaml"):
        load_flow(tmp_path, ())


@pytest.mark.parametrize(
    ("account", "said"),
    [({"name": "Ann"}, "word: not a text"), ({"name": "", "word": "x"}, "name: not a text")],
)
def test_an_account_must_fill_the_variables(load, account: dict[str, str], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        load().bind("call", account)


def test_an_unknown_language_is_refused(load) -> None:
    with pytest.raises(ConfigError, match=r"no prompts\.es\.yaml"):
        load().bind("call", {"name": "Ann", "word": "x"}, "es")


OWN = "max_turns: 6\nintents: {kennel_question: is there room for my dog}"
ROUTED = (
    "      negation: {reason",
    "      kennel_question: {goto: telling}\n      negation: {reason",
)


def test_a_flow_may_have_intents_of_its_own(load) -> None:
    flow = load(("max_turns: 6", OWN), ROUTED)
    assert flow.spec.intents == {"kennel_question": "is there room for my dog"}
    universal = ("  repeat_request: {}", "  repeat_request: {}\n  kennel_question: {say: what}")
    assert "kennel_question" in load(("max_turns: 6", OWN), universal).spec.universal


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ((ROUTED,), "on.kennel_question: is no intent"),
        (
            (("max_turns: 6", OWN.replace("kennel_q", "kenel_q")), ROUTED),
            "on.kennel_question: is no intent",
        ),
        (
            (("max_turns: 6", OWN.replace("kennel_question", "dispute")),),
            "intents.dispute: is an intent of all flows already; take it out here",
        ),
        (
            (("max_turns: 6", OWN.replace("kennel_question", "hung_up")),),
            "intents.hung_up: has another meaning in a flow; choose another name",
        ),
        ((("max_turns: 6", "max_turns: 6\nintents: [kennel]"),), "intents: must have keys"),
        ((("max_turns: 6", "max_turns: 6\nintents: {kennel: 5}"),), "intents.kennel: must be text"),
    ],
)
def test_an_intent_that_cannot_be_a_flows_own(load, changes, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(*changes)
    assert said in str(caught.value)
