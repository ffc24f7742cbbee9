"""A call in Spanish from its first word to its last: recognizer, understanding and voice."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from appliance.config import Config
from appliance.testing.caller import ScriptedCaller
from appliance.testing.dialogue_script import SCRIPTS, load_script, run_script
from appliance.testing.served import ROOT, Served, Trial, write_flow_trial
from appliance.testing.speech import VOICES, CallerVoice

from .records import record_of, said

VOICE = ROOT / Config().speaking.models.es
pytestmark = [
    pytest.mark.anyio,
    pytest.mark.slow,
    pytest.mark.timeout(400),
    pytest.mark.skipif(not VOICE.is_file(), reason=f"{VOICE} is not there"),
]
SCRIPT = load_script(SCRIPTS / "collections.es.yaml")


@pytest.fixture(scope="module")
def trial(tmp_path_factory: pytest.TempPathFactory) -> Trial:
    call = {"language": SCRIPT.language}
    return write_flow_trial(tmp_path_factory.mktemp("spanish"), SCRIPT.flow, {"call": call})


@pytest.fixture(scope="module")
def served(trial: Trial) -> Iterator[Served]:
    with Served(trial.config) as running:
        yield running


async def test_a_promise_in_spanish(trial: Trial, served: Served, tmp_path: Path) -> None:
    async with ScriptedCaller(trial.target, number=SCRIPT.caller) as caller:
        await caller.call()
        await run_script(caller, SCRIPT, CallerVoice(tmp_path, VOICES["es"]))
        record = await record_of(trial, caller.call_id)
    assert record["outcome"] == SCRIPT.expect
    assert said(record)[:4] == ["greeting", "ask_zip", "verified", "mini_miranda"]
    assert record["facts"]["right_party_verified"] is True
