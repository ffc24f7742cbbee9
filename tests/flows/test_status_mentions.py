"""The status flow: which application, job or thing a short question is about."""

import json

import pytest

from appliance.flows.status.mentions import is_only_a_job, job_in, jobs_meant
from tests.flows.status_calls import MARIA, Run
from tests.flows.test_status import GUIDES, SYSTEMS

TITLES = ["Delivery Driver", "Office Assistant", "Packing Assistant"]


def _listed() -> Run:
    run = Run(SYSTEMS, GUIDES, MARIA).begin()
    run.says("what is the status of my application")
    run.types("90210")
    return run


@pytest.mark.parametrize(
    ("words", "job"),
    [
        ("no the night shift supervisor one", "night shift supervisor"),
        ("what is the status of my forklift application", "forklift"),
        ("is the truck driver job still open", "truck driver"),
        ("what about warehouse associate", "warehouse associate"),
        ("did i get the job", ""),
        ("where is my payment", ""),
    ],
)
def test_the_job_that_words_name(words: str, job: str) -> None:
    assert job_in(words) == job


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("the driver one", (0,)),
        ("the assistant one", (1, 2)),
        ("what about the packing assistant", (2,)),
        ("the cook one", ()),
        ("the driver with a car one", ()),
    ],
)
def test_the_titles_that_are_meant(words: str, meant: tuple[int, ...]) -> None:
    assert jobs_meant(TITLES, words, job_in(words)) == meant


@pytest.mark.parametrize(
    ("words", "only"),
    [
        ("no the delivery driver application", True),
        ("how do i fill in the best application", False),
    ],
)
def test_a_job_and_nothing_else(words: str, only: bool) -> None:
    assert is_only_a_job(words) == only


@pytest.mark.parametrize(
    "said", ["the forklift one", "no the forklift operator one", "the forklift application"]
)
def test_an_application_is_found_by_its_job(said: str) -> None:
    assert "Your application for Forklift Operator" in _cased(_listed().says(said))


def _cased(said: str) -> str:
    return said.replace("For your application", "Your application")


def test_it_is_found_after_another_thing_was_asked_about() -> None:
    run = _listed()
    run.says("where is my payment")
    assert "Your application for Cook has been received." in run.says("what about the cook")


def test_a_job_that_he_did_not_apply_for_is_a_question_about_his_applications() -> None:
    run = Run(SYSTEMS, GUIDES, MARIA).begin()
    run.says("where is my payment")
    run.types("90210")
    assert "You have seven applications." in run.says("and the astronaut application")


def test_the_interview_is_that_of_the_application_that_has_one() -> None:
    run = _listed()
    run.says("the first one")
    said = run.says("when is my interview")
    assert "For your application for Forklift Operator, an interview is scheduled." in said
    assert "Your application for Driver was not successful." in run.says(
        "what about the driver one"
    )


def test_in_writing_what_was_asked_counts_and_not_what_was_answered() -> None:
    history = [
        {"role": "user", "content": "And my application?"},
        {
            "role": "assistant",
            "content": "They are Warehouse Associate, rejected; Cook, withdrawn.",
        },
    ]
    run = Run(SYSTEMS, GUIDES, MARIA, history=history).begin("text")
    run.says("The second one")
    assert "For your application for Forklift Operator" in run.delivered
    assert "withdraw" not in run.delivered


def test_what_it_pays_is_about_the_job_that_was_told_of() -> None:
    run = Run(SYSTEMS, GUIDES, MARIA).begin()
    assert "I did not understand" in run.says("what does it pay")
    assert "The job Truck Driver is open" in run.says("is the truck driver job still open")
    assert "The job Truck Driver is open" in run.says("what does it pay")
    run = _listed()
    run.says("the second one")
    assert "The job Forklift Operator is open" in run.says("what does it pay")
    said = run.says("can I withdraw it")
    assert "For your application for Forklift Operator" in said


def test_how_long_it_takes_is_searched_for_with_what_was_spoken_of() -> None:
    run = Run(SYSTEMS, GUIDES, MARIA).begin()
    run.says("what does under review mean")
    run.says("how long does it take")
    (query,) = json.loads(run.of("gather")[-1]["plan"])["docs"]
    assert "under review" in query
    question = [args["question"] for args in run.of("deliver_reply")][-1]
    assert question == "how long does it take"
