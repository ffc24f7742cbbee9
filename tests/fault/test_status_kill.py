"""kill -9 at every tool of a text message's run: after the restart all is there, and only once.

tests/session/test_textmessage.py kills at every write of the desk, with a small flow; here it is
the status flow with its sources, killed before and after each tool.
"""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from appliance.config import Config
from tests.fault.company import People
from tests.fault.status_box import StatusBox, is_snoozed

Start = Callable[..., StatusBox]

ROOT = Path(__file__).resolve().parents[2]
BOTH = "What is the status of my application and where is my payment?"
HUMAN = "I want to talk to a human"
REFUSED = "What is the status of my application?"

DIES = """
import os, signal, sys
from pathlib import Path
from appliance.config import Config
from tests.fault.status_box import StatusBox

box = StatusBox(Path(sys.argv[1]), Config.model_validate_json(Path(sys.argv[2]).read_text()))
count, at = 0, int(sys.argv[3])

def strike(when, tool):
    global count
    count += 1
    if count == at:
        os.kill(os.getpid(), signal.SIGKILL)

box.host.moment = strike
box.answers()
box.close()
print(count)
"""


def dies(box: StatusBox, at: int, folder: Path) -> bool:
    """Run a box in a process that kills itself at the n-th moment; whether it came to that."""
    (folder / "config.json").write_text(box.config.model_dump_json())
    done = subprocess.run(
        [sys.executable, "-c", DIES, str(box.database.path), str(folder / "config.json"), str(at)],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode in (0, -9), done.stderr
    return done.returncode != 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("who", "text", "status", "said", "notes"),
    [
        ("james", BOTH, "success", 1, 1),
        ("james", HUMAN, "ROUTE_TO_TEAM", 0, 1),
        ("robert", REFUSED, "VALIDATION_FAILED", 0, 2),
    ],
    ids=["answered", "a person", "refused by the policy"],
)
def test_killed_before_and_after_every_tool(
    who: str, text: str, status: str, said: int, notes: int, start: Start, people: People,
    config: Config, tmp_path: Path,
) -> None:  # fmt: skip
    mcp = {"people": people.config(deadline_s=3.0)}
    box = start(config.model_copy(update={
        "sources": config.sources.model_copy(update={"mcp": mcp})
    }))  # fmt: skip
    deaths = 0
    while True:
        conversation = box.writes(who, text, f"k{deaths}")
        if not dies(box, deaths + 1, tmp_path):
            break
        deaths += 1
        late = {"late": 0.6}  # longer than wait_s, so the run takes more steps than before
        people.plays(list_payments=late, list_applications=late)
        assert box.answers() == 1, deaths
        people.plays()
        outcome = box.outcome(conversation)
        assert outcome.status == status, (deaths, outcome)
        assert len(outcome.said) == said, (deaths, outcome)
        assert len(outcome.notes) == notes, (deaths, outcome)
        assert is_snoozed(outcome, box)
        assert box.messages.waiting() == []
    assert deaths >= 6
    assert len(box.papers.latest(99)) == deaths + 1
    for _, _, paper in box.papers.latest(99):
        assert paper["status"] == status


@pytest.mark.slow
def test_killed_after_the_reply_the_answer_is_not_made_anew(
    start: Start, people: People, tmp_path: Path, config: Config
) -> None:
    """The sources are down at the restart: the reply that was sent is the one there is."""
    box = start()
    conversation = box.writes("james", BOTH)
    at = 1 + 2 * ["open_inquiry", "gather", "gather", "validate_reply", "deliver_reply"].index(
        "deliver_reply"
    )
    assert dies(box, at + 1, tmp_path)
    people.plays(list_payments="error", find_person="error")
    box.answers()
    outcome = box.outcome(conversation)
    assert (outcome.status, len(outcome.said), outcome.escalations) == ("success", 1, [])
    assert json.loads(outcome.validations[0])["overall_passed"]
