"""The status flow: its dialogues, held against the tables of its design, and its pure parts."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from appliance.dialogue.checker.verdict import check_flow
from appliance.dialogue.checks import CheckInput
from appliance.dialogue.routes import routes
from appliance.dialogue.schema import ActionState, Terminal
from appliance.dialogue.speech import speak_year
from appliance.dialogue.turn import Listen
from appliance.errors import ConfigError
from appliance.flows.coverage import Coverage
from appliance.flows.registry import flow_folder, read_flow
from appliance.flows.scenario import load_scenarios, play
from appliance.flows.status.checks import cover, draft_general, plan_hop
from appliance.flows.status.coverage import cover as cover_case
from appliance.flows.status.evidence import Case, Evidence, Found, ToolResult
from appliance.flows.status.inquiries import Inquiry, read_inquiry
from appliance.flows.status.parts import part_of
from appliance.flows.status.phrases import finds, plain
from appliance.flows.status.planning import make_plan
from appliance.flows.status.policy import Draft, judge, run_examples
from appliance.flows.status.quotes import quote
from appliance.flows.status.records import Person
from appliance.flows.status.wording import figures_as_words
from appliance.flows.suite import scenario_files, text_call
from appliance.nlu.rules import RuleUnderstander
from appliance.nlu.understander import Context
from appliance.samples.people import DATA
from appliance.samples.records import Records, read_data
from appliance.types import Understanding
from tests.flows.status_calls import FLOW, MARIA, NOW, Run, detailed, listed, paid

ACCOUNTS = yaml.safe_load((flow_folder("status") / "accounts.example.yaml").read_text())
FILES = [load_scenarios(path) for path in scenario_files(FLOW)]
SCENARIOS = {name: (each, file) for file in FILES for name, each in file.items()}
TOPICS_SAID = [
    (said, tuple(row["topics"]))
    for row in yaml.safe_load((Path(__file__).parent / "status_topics.yaml").read_text())
    for said in row["says"]
]
ANSWERS = yaml.safe_load((Path(__file__).parent / "status_answers.yaml").read_text())
NLU = RuleUnderstander()
NEEDS: Any = FLOW.data["needs"]
POLICY: Any = FLOW.data["policy"]
WORDING: Any = FLOW.data["wording"]
NAMES = WORDING.status_names


def _understand(text: str, listen: Listen) -> Understanding:
    return NLU.understand(text, Context.of(listen))


# --- the tables of the design ---

STATUSES = {
    "Response delivered successfully": "success",
    "User requested human": "ROUTE_TO_TEAM",
    "Validation failed": "VALIDATION_FAILED",
    "Draft generation error": "RESPONSE_FAILED",
    "Hops exhausted": "ROUTE_TO_TEAM",
    "Initialization failed": "error",
    "Message delivery failed": "MESSAGE_FAILED",
}
HOPS = "Exceeded maximum hops (2). Unable to gather sufficient data."
NOTE = "Validation failed - see validation note for details"
ESCALATIONS = {
    1: ("Exhausted hops", HOPS, "ROUTE_TO_TEAM"),
    2: ("Route to team", "User requested to talk to a human", "ROUTE_TO_TEAM"),
    3: ("Validation failed", NOTE, "VALIDATION_FAILED"),
    4: ("Draft generation error", "Draft generation error: ", "RESPONSE_FAILED"),
    5: ("Initialization failed", "Initialization failed: ", "error"),
    6: ("Coverage analysis failed", "Coverage analysis failed: ", "error"),
    7: ("Validation error", "Validation error: ", "error"),
}
NODES = ["initialize", "plan", "gather", "coverage", "draft", "validate", "response", "finalize"]
EDGES = {
    "planning": {"gather", "coverage"},
    "gather": {"coverage", "gather"},
    "coverage": {"draft", "planning", "escalate"},
    "draft": {"judge", "escalate"},
    "judge": {"validate"},
    "validate": {"response", "escalate"},
    "escalate": {"finalize", "promise"},
    "response": {"finalize", "answered", "go_on"},
}
"""As the design has them; `gather` again is the holding phrase, `judge` the policy before the
endpoint, `promise`, `answered` and `go_on` the telephone's. A plan without tools has nothing to
gather."""


@pytest.mark.parametrize(("scenario", "status"), STATUSES.items())
def test_every_status_of_the_table_is_a_scenario(scenario: str, status: str) -> None:
    name = f"status: {scenario[0].lower()}{scenario[1:]} is {status}"
    assert SCENARIOS[name][0].outcome == status


@pytest.mark.parametrize("number", ESCALATIONS)
def test_every_escalation_is_a_scenario_with_its_reason_and_status(number: int) -> None:
    title, reason, status = ESCALATIONS[number]
    scenario, file = SCENARIOS[f"escalation {number}: {title.lower()}"]
    call = text_call(FLOW, scenario, ACCOUNTS, _understand)
    turns = list(play(scenario, file, call))
    actions = {action.name: dict(action.args) for turn in turns for action in turn.actions}
    assert actions["escalate_conversation"]["reason"].startswith(reason)
    assert actions["finalize_conversation"]["status"] == status == call.state.outcome
    assert ("validate_reply" in actions) == (number in (3, 7))


@pytest.mark.parametrize("node", NODES)
def test_every_node_has_scenarios(node: str) -> None:
    assert [name for name in SCENARIOS if name.startswith(f"node {node}: ")]


def test_every_decision_rule_is_a_scenario() -> None:
    rules = [name for name in SCENARIOS if name.startswith("rule ")]
    assert rules == [
        "rule data sufficient: draft",
        "rule data insufficient and hop below the limit: plan again",
        "rule data insufficient and hop at the limit: escalate",
    ]


@pytest.mark.parametrize("node", EDGES)
def test_edges(node: str) -> None:
    own = (route for at, route in routes(FLOW.spec) if at[:2] == ("states", node))
    assert {route.goto for route in own if route.goto} == EDGES[node]


def test_outcomes_are_the_statuses_and_what_the_telephone_adds() -> None:
    added = {"caller_left", "cease_contact", "low_confidence", "silence_timeout", "max_turns"}
    assert set(FLOW.spec.outcomes) == set(STATUSES.values()) | added


def test_the_only_end_finalizes() -> None:
    ends = [name for name, state in FLOW.spec.states.items() if isinstance(state, Terminal)]
    assert ends == ["finalize"]
    finalize = FLOW.spec.states["finalize"]
    assert isinstance(finalize, Terminal)
    assert [call.tool for call in finalize.do] == ["finalize_conversation"]


def test_what_is_judged_and_sent_is_what_is_said() -> None:
    for name in ("response", "say_again", "say_slowly"):
        state = FLOW.spec.states[name]
        assert isinstance(state, ActionState)
        assert state.say == FLOW.spec.texts["reply"]


# --- the dialogues ---


@pytest.mark.parametrize("name", SCENARIOS)
def test_scenario(name: str) -> None:
    scenario, file = SCENARIOS[name]
    list(play(scenario, file, text_call(FLOW, scenario, ACCOUNTS, _understand)))


def test_the_scenarios_cover_every_state_route_and_prompt() -> None:
    coverage = Coverage(FLOW)
    for scenario, file in SCENARIOS.values():
        for turn in play(scenario, file, text_call(FLOW, scenario, ACCOUNTS, _understand)):
            coverage.add(turn)
    for kind in ("states", "routes", "prompts"):
        assert coverage.missing(kind) == []
    assert {each.outcome for each, _ in SCENARIOS.values()} >= set(FLOW.spec.outcomes)


def test_it_is_proven() -> None:
    verdict = check_flow(FLOW)
    assert verdict.proven
    assert verdict.states < 100_000


# --- what the systems say becomes what is said ---

SEVEN = [
    ("a1", "Warehouse Associate", "under_review"),
    ("a2", "Forklift Operator", "interview_scheduled"),
    ("a3", "Driver", "rejected"),
    ("a4", "Cook", "received"),
    ("a5", "Clerk", "hired"),
    ("a6", "Painter", "withdrawn"),
    ("a7", "Nurse", "offer_made"),
]
BY_ID = {number: (job, status) for number, job, status in SEVEN}
WITHDRAWING = (
    "Withdrawing an application",
    "You can withdraw an application until then. After that, a withdrawal is not possible.",
)
SYSTEMS: Any = {
    "list_applications": lambda _: listed(*SEVEN),
    "get_application": lambda args: detailed(
        args["application_id"], *BY_ID[args["application_id"]], interview_on="2026-11-20",
        interview_at="15:30",
    ),
    "list_payments": lambda _: paid(
        {"amount": "123.45", "status": "scheduled", "due_on": "2026-11-20"},
        {"amount": "99", "status": "paid", "paid_on": "2026-11-02"},
        {"amount": "5.00", "status": "on_hold"},
        {"amount": "7.00", "status": "failed"},
    ),
    "get_job": lambda args: {
        "as_of": NOW.isoformat(), "job_title": args["job_title"].title(), "open": True,
        "closes_on": "2026-12-01", "pay": "18.50",
    },
}  # fmt: skip
GUIDES = {
    "withdraw": WITHDRAWING,
    "under review": ("Application stages", "Under review means that a recruiter is reading it."),
    "how long": ("Background checks", "A check takes 3 to 5 days. It costs $20."),
    "hold": ("Problems with payments", "A payment is put on hold when something is missing."),
}


def _texted(message: str, **more: Any) -> Run:
    run = Run(**{"systems": SYSTEMS, "guides": GUIDES, "person": MARIA, **more}).begin("text")
    run.says(message)
    return run


def _sample(person: str) -> dict[str, Any]:
    """What the sample server says of one of its invented people."""
    records = Records(read_data(DATA), NOW)
    systems: Any = {
        "list_applications": lambda a: records.applications(**a).model_dump(mode="json"),
        "get_application": lambda a: records.application(**a).model_dump(mode="json"),
        "list_payments": lambda a: records.payments(**a).model_dump(mode="json"),
    }
    found = records.find(None, f"{person}@example.com").model_dump(mode="json")
    return {"systems": systems, "person": found}


def _verified() -> Run:
    run = Run(SYSTEMS, GUIDES, MARIA).begin()
    run.says("what is the status of my application")
    run.types("90210")
    return run


@pytest.mark.parametrize("row", ANSWERS, ids=lambda row: row["asks"])
def test_answers_in_writing(row: dict[str, Any]) -> None:
    before = [
        {"role": ("user", "assistant")[place % 2], "content": text}
        for place, text in enumerate(row.get("before", ()))
    ]
    own = _sample(row["person"]) if "person" in row else {}
    run = _texted(row["asks"], history=before, **own)
    assert run.status == row.get("status", "success")
    assert len(run.of("gather")) <= 2
    if row["says"]:
        assert row["says"] in run.delivered
    else:
        assert run.of("deliver_reply") == []
        assert run.of("escalate_conversation")


@pytest.mark.parametrize(("said", "topics"), TOPICS_SAID)
def test_what_a_question_is_about(said: str, topics: tuple[str, ...]) -> None:
    understanding = NLU.understand(said, Context("text", "en"))
    inquiry = read_inquiry(CheckInput({}, understanding, {}, NOW), NEEDS, NAMES)
    assert (inquiry.topics if inquiry else ()) == topics


def test_by_telephone_values_are_words() -> None:
    run = _verified()
    said = run.says("where is my payment")
    assert "one hundred twenty three dollars and forty five cents, scheduled, due on Friday" in said
    said = run.says("how long does a background check take")
    assert "A check takes three to five days. It costs twenty dollars." in said
    assert not any(character.isdigit() for character in said)


def test_the_second_one_and_what_it_means() -> None:
    run = _verified()
    said = run.says("the second one")
    assert "For your application for Forklift Operator, an interview is scheduled." in said
    run = _verified()
    assert "Your application for Warehouse Associate is under review." in run.says("the first one")
    assert "Under review means that a recruiter is reading it." in run.says("what does that mean")


def test_what_failed_is_looked_up_again_and_what_was_found_is_not() -> None:
    tries: list[str] = []

    def fails_once(args: dict[str, str]) -> Any:
        tries.append("list")
        if len(tries) == 1:
            raise OSError("reset")
        return SYSTEMS["list_payments"](args)

    run = _texted(
        "Where is my payment, and what is the status of my application?",
        systems={**SYSTEMS, "list_payments": fails_once},
    )
    first, second = (json.loads(args["plan"])["tools"] for args in run.of("gather"))
    assert [each["tool"] for each in first] == ["list_applications", "list_payments"]
    assert [each["tool"] for each in second] == ["list_payments"]
    assert run.status == "success"
    assert "You have 7 applications." in run.delivered
    assert "You have 4 payments." in run.delivered


def test_partial_success_names_what_could_not_be_looked_up() -> None:
    def down(_: dict[str, str]) -> Any:
        raise OSError("down")

    run = _texted(
        "Where is my payment, and what is the status of my application?",
        systems={**SYSTEMS, "list_payments": down},
    )
    assert run.status == "success"
    assert run.delivered.endswith("I could not look up your payments.")
    assert "You have 7 applications." in run.delivered
    assert run.facts["coverage"] == "50"


def test_old_data_are_no_answer() -> None:
    old = listed(("a1", "Cook", "received"), as_of="2026-11-01T10:00:00-05:00")
    run = _texted("What is my application status?", systems={"list_applications": lambda _: old})
    assert run.status == "ROUTE_TO_TEAM"
    assert len(run.of("gather")) == 2
    assert run.of("deliver_reply") == []


def test_systems_that_disagree_are_not_answered_from() -> None:
    systems = {
        "list_applications": lambda _: listed(("a1", "Cook", "offer_made")),
        "get_application": lambda _: detailed("a1", "Cook", "rejected"),
    }
    run = _texted("What is my application status?", systems=systems)
    assert run.status == "VALIDATION_FAILED"
    verdict = json.loads(run.of("validate_reply")[0]["verdict"])
    failed = [each["name"] for each in verdict["checks"] if not each["passed"]]
    assert failed == ["no_contradiction"]
    assert "Cook" not in json.dumps(verdict)


def test_a_payment_without_its_date_is_told_with_its_doubt() -> None:
    systems = {"list_payments": lambda _: paid({"amount": "99", "status": "paid"})}
    run = _texted("Where is my payment?", systems=systems)
    assert run.status == "success"
    assert run.delivered == (
        "Your payment of $99.00 is marked as paid. It is for October. For a payment that is marked "
        "as paid, no date is on record, so please check with a colleague."
    )


@pytest.mark.parametrize(
    ("reason", "told"),
    [("the timesheet is not approved", " The timesheet has not been approved yet."),
     ("suspected fraud, see ticket 7", ""), (None, "")],
)  # fmt: skip
def test_why_a_payment_is_held_is_told_in_approved_sentences(reason: str | None, told: str) -> None:
    held = {"amount": "99", "status": "on_hold", "hold_reason": reason}
    run = _texted("Where is my payment?", systems={"list_payments": lambda _: paid(held)})
    assert run.delivered == f"Your payment of $99.00 is on hold. It is for October.{told}"


@pytest.mark.parametrize(
    ("status", "possible", "doubt"),
    [("hired", True, True), ("under_review", False, True), ("under_review", True, False),
     ("rejected", False, False)],
)  # fmt: skip
def test_guide_and_records_on_withdrawing(status: str, possible: bool, doubt: bool) -> None:
    systems = {
        "list_applications": lambda _: listed(("a1", "Cook", status)),
        "get_application": lambda _: detailed("a1", "Cook", status, can_withdraw=possible),
    }
    run = _texted("Can I withdraw my application?", systems=systems)
    assert run.status == "success"
    assert ("do not agree on whether it can be withdrawn" in run.delivered) == doubt
    assert ("It can still be withdrawn." in run.delivered) == (possible and not doubt)
    assert ("It can not be withdrawn any more." in run.delivered) == (not possible and not doubt)
    about_it = _texted("What happens next with my application?", systems=systems)
    assert "withdrawn" not in about_it.delivered


@pytest.mark.parametrize(
    ("said", "place"),
    [("the second one", 2), ("my third application", 3), ("the last one", -1),
     ("where is my last payment", 0), ("how long did it take the first time", 0)],
)  # fmt: skip
def test_which_one_is_meant(said: str, place: int) -> None:
    before = Inquiry(topics=("application_status",)).to_json()
    given_ = CheckInput({}, NLU.understand(said, Context("text", "en")), {"inquiry": before}, NOW)
    inquiry = read_inquiry(given_, NEEDS, NAMES)
    assert inquiry is not None
    assert inquiry.place == place


def test_what_happens_next_is_about_what_was_told_last() -> None:
    run = _verified()
    run.says("the second one")
    assert "For your application for Forklift Operator" in run.says("what happens next")
    assert "Your application for Cook has been received." in run.says("what about the cook job")
    plans = [json.loads(args["plan"])["tools"] for args in run.of("gather")]
    details = [
        each["args"] for tools in plans for each in tools if each["tool"] == "get_application"
    ]
    assert [args["application_id"] for args in details] == ["a2", "a4"]


@pytest.mark.parametrize(
    ("text", "question", "quoted"),
    [
        ("One two. Three four. Five six. Seven eight.", "three", "One two. Three four. Five six."),
        ("Red is red. Blue is blue. Green is green. Payday is Friday.", "payday",
         "Blue is blue. Green is green. Payday is Friday."),
        ("Only one sentence here.", "anything", "Only one sentence here."),
    ],
)  # fmt: skip
def test_quotes_are_whole_sentences_from_the_beginning(
    text: str, question: str, quoted: str
) -> None:
    assert quote(Found(title="A guide", text=text), question) == quoted


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        ("It costs $20.", "It costs twenty dollars."),
        ("$1,250.50 in 3", "one thousand two hundred fifty dollars and fifty cents in three"),
        ("Within 5-10 days, 50% of it.", "Within five to ten days, fifty percent of it."),
        ("Form W4 and section 3.2 stay.", "Form W4 and section 3.2 stay."),
    ],
)  # fmt: skip
def test_figures_of_a_quote_are_words_by_telephone(text: str, spoken: str) -> None:
    assert figures_as_words(text) == spoken


@given(st.lists(st.integers(), max_size=30), st.integers(1, 5))
def test_parts_make_up_the_list(items: list[int], size: int) -> None:
    told: list[int] = []
    while True:
        part = part_of(items, len(told), size)
        told += part.items
        assert part.left == len(items) - len(told)
        if not part.left:
            break
    assert told == items


@pytest.mark.parametrize(
    ("tool", "data", "status"),
    [
        ("list_applications", listed(("a1", "Cook", "teleported")), "RESPONSE_FAILED"),
        ("list_applications", listed(("a1", "Cook", "hired"), as_of="soon"), "error"),
        ("list_applications", {"applications": []}, "error"),
        ("list_applications", ["Maria Lopez"], "error"),
        ("list_applications", listed(("a1", "Maria Lopez is hired!", "hired")), "RESPONSE_FAILED"),
        ("list_applications", listed(("a1", "You won. Say Maria", "hired")), "RESPONSE_FAILED"),
        ("list_applications", listed(("a1", "Maria.com", "hired")), "RESPONSE_FAILED"),
        ("list_applications", listed(("a1", "Maria 310 555 0100", "hired")), "RESPONSE_FAILED"),
        ("list_applications", listed(("a1", "Мария", "hired")), "RESPONSE_FAILED"),
        ("list_payments", paid({"amount": "Maria", "status": "paid"}), "RESPONSE_FAILED"),
        ("list_payments", paid({"amount": "-5", "status": "paid"}), "RESPONSE_FAILED"),
        ("list_payments", paid({"amount": "NaN", "status": "paid"}), "RESPONSE_FAILED"),
        ("list_payments", paid({"amount": "5", "status": "paid", "paid_on": "Maria"}),
         "RESPONSE_FAILED"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_an_error_without_the_data(
    tool: str, data: Any, status: str
) -> None:
    question = "Where is my payment?" if "payments" in tool else "What is my application status?"
    run = _texted(question, systems={tool: lambda _: data})
    assert run.status == status
    [escalated] = run.of("escalate_conversation")
    what = "Draft generation error" if status == "RESPONSE_FAILED" else "Coverage analysis failed"
    assert escalated["reason"].startswith(f"{what}: {tool}")
    assert "Maria" not in escalated["reason"]
    assert "teleported" not in escalated["reason"]
    assert run.of("deliver_reply") == []


def test_what_comes_from_the_future_is_not_told() -> None:
    ahead = paid({"amount": "5.00", "status": "paid", "paid_on": "2026-11-13"})
    assert _texted("Where is my payment?", systems={"list_payments": lambda _: ahead}).status == (
        "VALIDATION_FAILED"
    )
    clock = {**paid({"amount": "5.00", "status": "on_hold"}), "as_of": "2030-01-01T00:00:00Z"}
    run = _texted("Where is my payment?", systems={"list_payments": lambda _: clock})
    assert run.status == "ROUTE_TO_TEAM"


def test_a_job_that_nobody_has_heard_of_is_answered() -> None:
    unknown = {"as_of": NOW.isoformat(), "job_title": None, "open": None}
    run = _texted("Is the astronaut job open?", systems={"get_job": lambda _: unknown})
    assert run.status == "success"
    assert run.delivered == "I know no job of that name."


def test_a_day_of_another_year_is_told_with_it() -> None:
    old = paid({"amount": "5.00", "status": "paid", "paid_on": "2025-12-30"})
    systems: Any = {"list_payments": lambda _: old}
    assert (
        "on Tuesday, December 30, 2025."
        in _texted("Where is my payment?", systems=systems).delivered
    )
    assert speak_year(2025) == "twenty twenty five"


def test_details_of_another_application_are_an_error() -> None:
    other = {**SYSTEMS, "get_application": lambda _: detailed("a9", "Nurse", "hired")}
    run = _texted("What is the status of my second application?", systems=other)
    assert run.status == "RESPONSE_FAILED"
    assert run.of("deliver_reply") == []


# --- what holds whatever is said ---

TOPICS = st.lists(st.sampled_from(sorted(NEEDS.topics)), max_size=4, unique=True)
RESULTS = st.fixed_dictionaries(
    {},
    optional={
        "list_applications": st.sampled_from(
            [
                {"ok": False},
                {"ok": True, "data": listed()},
                {"ok": True, "data": listed(("a1", "Cook", "received"))},
                {"ok": True, "data": listed(*SEVEN)},
                {"ok": True, "data": listed(*SEVEN, as_of="2020-01-01T00:00:00Z")},
            ]
        ),
        "get_application": st.sampled_from(
            [{"ok": False}, {"ok": True, "data": detailed("a1", "Cook", "received")}]
        ),
        "list_payments": st.sampled_from(
            [{"ok": False}, {"ok": True, "data": paid({"amount": "5", "status": "paid"})}]
        ),
    },
)


def _case(topics: list[str], results: dict[str, Any], **more: Any) -> Case:
    inquiry = Inquiry(question="how long does it take", topics=tuple(topics), **more)
    tools = {name: ToolResult.model_validate(each) for name, each in results.items()}
    return Case(inquiry, Evidence(Person(person_id="p-1"), tools), verified=True, now=NOW)


@settings(max_examples=200, deadline=None)
@given(TOPICS, RESULTS, st.booleans(), st.booleans(), st.integers(-1, 8))
def test_scores_are_bounded_and_gaps_explain_them(
    topics: list[str], results: dict[str, Any], last: bool, verified: bool, place: int
) -> None:
    case = _case(topics, results, place=place)
    case = Case(case.inquiry, case.evidence, verified=verified, now=NOW, last_hop=last)
    found = cover_case(case, NEEDS, NAMES)
    assert 0 <= found.score <= 100
    assert (found.score == 100) == (not found.gaps)
    assert found.sufficient == (found.score >= (50 if last else 100))


@settings(max_examples=200, deadline=None)
@given(TOPICS, RESULTS, st.integers(-1, 8))
def test_nothing_personal_is_planned_for_who_is_not_verified(
    topics: list[str], results: dict[str, Any], place: int
) -> None:
    case = _case(topics, results, place=place)
    personal = {need.tool for need in NEEDS.needs.values() if need.personal and need.tool}
    plan = make_plan(Case(case.inquiry, case.evidence, verified=False, now=NOW), NEEDS, NAMES)
    assert not {*plan.tools} & (personal - {"get_job"})
    assert all("p-1" not in args.values() for args in plan.tools.values())


@settings(max_examples=100, deadline=None)
@given(TOPICS, RESULTS)
def test_a_plan_asks_for_nothing_that_is_there(topics: list[str], results: dict[str, Any]) -> None:
    case = _case(topics, results)
    plan = make_plan(case, NEEDS, NAMES)
    fresh = {
        name for name, each in results.items()
        if each["ok"] and not str(each["data"]["as_of"]).startswith("2020")
    }  # fmt: skip
    assert not {*plan.tools} & (fresh - {"get_application"})


SAID = (
    "what is the status of my application payment payments where second one how long does a "
    "background check take yes no go on slower please send it to me cook driver hello thanks "
    "and withdraw when do i get paid policy that mean again"
)
WORDS = st.lists(st.sampled_from(SAID.split()), min_size=1, max_size=9).map(" ".join)


@settings(max_examples=150, deadline=None)
@given(st.lists(WORDS, min_size=1, max_size=6), st.booleans())
def test_whatever_is_said_two_hops_are_all_and_nothing_personal_comes_before_the_zip_code(
    sentences: list[str], known: bool
) -> None:
    run = Run(SYSTEMS, GUIDES, MARIA if known else None, zip="none").begin()
    for sentence in sentences:
        if run.status is not None:
            break
        before = len(run.of("gather"))
        run.says(sentence)
        assert len(run.of("gather")) - before <= 2
    assert "personal_answer" not in run.facts
    asked = [each for args in run.of("gather") for each in json.loads(args["plan"])["tools"]]
    assert not {each["tool"] for each in asked} - {"get_job"}
    assert "one hundred twenty three" not in " ".join(run.said)
    assert "under review;" not in " ".join(run.said)


@settings(max_examples=100, deadline=None)
@given(WORDS)
def test_every_message_gets_a_reply_or_a_person_and_is_finalized(message: str) -> None:
    run = _texted(message)
    assert run.status in set(STATUSES.values())
    assert len(run.of("finalize_conversation")) == 1
    assert run.of("deliver_reply") or run.of("escalate_conversation")
    assert len(run.of("validate_reply")) == len(run.of("deliver_reply"))


def test_data_only_grow_from_hop_to_hop() -> None:
    run = _texted("What is the status of my application as a cook?")
    first, second = run.of("gather")
    assert "tool_data" not in first
    assert set(json.loads(second["tool_data"])) == {"list_applications"}
    assert set(json.loads(str(run.facts["tool_data"]))) == {"list_applications", "get_application"}


def test_waiting_is_bounded_and_then_what_is_there_counts() -> None:
    run = Run(SYSTEMS, GUIDES, MARIA, outcomes={"gather": ["pending"] * 12}).begin("text")
    run.says("How long does a background check take?")
    assert run.status == "ROUTE_TO_TEAM"
    assert len(run.of("gather")) == 5


def test_who_hangs_up_is_finalized_with_what_came_of_it() -> None:
    run = _verified()
    run.hangs_up()
    assert run.status == "success"
    early = Run(SYSTEMS, GUIDES, MARIA).begin()
    early.hangs_up()
    assert early.status == "caller_left"
    for each in (run, early):
        assert [name for name, _ in each.did][-2:] == ["finalize_conversation", "end_call"]


# --- facts that no tool gives ---


def _given(**facts: Any) -> CheckInput:
    written = {name: v if isinstance(v, bool | str) else json.dumps(v) for name, v in facts.items()}
    return CheckInput({}, Understanding("", ()), written, NOW, data=FLOW.data)


@pytest.mark.parametrize("broken", ["{", "[]", '{"list_payments": 7}'])
def test_tool_data_that_are_none_are_an_error_of_coverage(broken: str) -> None:
    inquiry = {"question": "x", "topics": ["payment_status"]}
    given_ = _given(inquiry=inquiry, person=MARIA, verified=True, tool_data=broken)
    assert str(plan_hop(given_).outcome) == "nothing"
    found = cover(given_)
    assert str(found.outcome) == "failed"
    assert found.facts["error"].startswith("tool_data: ")


def test_a_draft_for_anybody_has_nothing_personal_even_if_it_is_there() -> None:
    found = draft_general(
        _given(
            inquiry={"question": "x", "topics": ["payment_status"]},
            person=MARIA,
            tool_data={"list_payments": {"ok": True, "data": SYSTEMS["list_payments"]({})}},
        )
    )
    assert "personal_answer" not in found.facts


# --- the files ---


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("needs.yaml", "needs: payments\n", "needs: paymets\n", "payment_status: no need paymets"),
        ("needs.yaml", "$person.person_id", "$person.secret", "$person.secret is none of"),
        ("needs.yaml", "intents: payment_status", "intents: payment_state", "is no intent"),
        ("wording.yaml", "name: shortlisted, says", "nam: shortlisted, says", "nam"),
        ("wording.yaml", "{title} has been", "{amount} has been", "received: can only have title"),
        ("wording.yaml", "  no_payments: There", "  no_paymets: There", "no_payments"),
        ("policy.yaml", "requires: {payments: 72}", "requirs: {payments: 72}", "requirs"),
    ],
)
def test_mistakes_in_its_files_are_named(
    tmp_path: Any, file: str, old: str, new: str, said: str
) -> None:
    folder = tmp_path / "status"
    folder.mkdir()
    for each in flow_folder("status").iterdir():
        if each.is_file():
            text = each.read_text()
            (folder / each.name).write_text(
                text.replace(old, new, 1) if each.name == file else text
            )
    with pytest.raises(ConfigError) as error:
        read_flow(folder)
    assert file in str(error.value)
    assert said in str(error.value)


def test_the_policy_judges_its_examples_as_they_say() -> None:
    assert run_examples(POLICY) == []


def test_every_check_of_the_policy_fails_in_an_example() -> None:
    checks = {each.name for each in judge(POLICY, Draft(text="Hello.")).checks}
    assert {name for example in POLICY.examples for name in example.fails} == checks
    assert any(not example.fails for example in POLICY.examples)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"forbidden": {}}, "a promise: fails nothing, not no_forbidden_promise"),
        ({"contradictions": {}}, "fails no_contradiction, not nothing"),
        ({"intents": {}}, "a greeting: fails intent_allowed, not nothing"),
    ],
)
def test_a_change_that_an_example_forbids_is_named(change: dict[str, Any], said: str) -> None:
    problems = run_examples(POLICY.model_copy(update=change))
    assert any(said in problem for problem in problems)


@given(st.floats(0, 1000), st.sampled_from(["applications", "payments", "guide"]))
def test_old_or_missing_facts_never_pass(age: float, source: str) -> None:
    draft = Draft(text="Here it is.", intents=("application_status",), ages={source: age})
    passed = judge(POLICY, draft).overall_passed
    assert passed == (source == "applications" and age <= 72)


def test_the_verdict_is_the_note_s_json() -> None:
    verdict = json.loads(judge(POLICY, Draft(text="Hello.", intents=("courtesy",))).to_json())
    assert verdict["overall_passed"] is True
    assert {"name", "passed", "detail"} == set(verdict["checks"][0])


def test_no_approved_sentence_has_a_word_that_the_policy_forbids() -> None:
    texts = [*WORDING.sentences.values()]
    texts += [each.says for each in (*WORDING.applications.values(), *WORDING.payments.values())]
    for text in texts:
        for phrases in POLICY.forbidden.values():
            assert finds(phrases, plain(text)) is None, text


def test_every_topic_may_be_answered_and_is_claimed_by_its_example() -> None:
    for name, topic in NEEDS.topics.items():
        assert topic.team or name in POLICY.intents, name
        run = _texted(topic.example) if name != "status_meaning" else None
        if run is not None:
            assert name in json.loads(str(run.facts["inquiry"]))["topics"], name
