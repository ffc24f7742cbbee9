"""Real calls with a known person: what `appliance serve` and the commands beside it say of him.

The hundreds of calls are in tests/health/test_privacy.py; here all that writes is the real one.
"""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest

from appliance.config import load_config
from appliance.health.client import ask
from appliance.testing.caller import ScriptedCaller
from appliance.testing.served import Served, Trial, write_flow_trial
from appliance.testing.speech import CallerVoice
from tests.health.people import MONTHS, Person, amount_words, person
from tests.health.traces import CALL_FILES, texts_of, traces

from .records import record_of

pytestmark = [pytest.mark.anyio, pytest.mark.slow, pytest.mark.timeout(400)]
WHO = person(Random(3))


def script(flow: str) -> Sequence[str]:
    """What he says: his own, where it is asked and where it is not; digits alone are typed."""
    year, month, day = WHO.birth
    mine = f"my card number is {' '.join(WHO.card)}"
    born = f"i was born on {MONTHS[month - 1]} {day} {year}"
    match flow:
        case "collections":
            return (f"yes this is {WHO.name}", f"{born} {mine}", WHO.zip, amount_words(WHO.balance))
        case "booking":
            return (
                "my water heater is leaking", "no", " ".join(WHO.zip),
                f"{WHO.house} {WHO.street} avenue", f"my name is {WHO.name}", mine, born,
            )  # fmt: skip
    return ("what is the status of my application", WHO.zip, f"i am {WHO.name}", mine, born)


def command(*arguments: str | Path) -> str:
    """What a command prints, whatever its exit code."""
    done = subprocess.run([sys.executable, "-m", "appliance", *arguments], check=False, text=True,
                          capture_output=True)  # fmt: skip
    return done.stdout + done.stderr


async def call(trial: Trial, voice: CallerVoice, words: Sequence[str]) -> None:
    async with ScriptedCaller(trial.target, number=f"+1{WHO.phone}") as caller:
        await caller.call()
        await caller.wait_reply(timeout_s=40)
        for text in words:
            if caller.remote_hung_up:
                break
            if text.isdigit():
                await caller.digits(text)
            else:
                await caller.say(voice.speak(text))
            await caller.wait_reply(timeout_s=40)
        if not caller.remote_hung_up:
            await caller.hang_up()
        await record_of(trial, caller.call_id)


@pytest.mark.parametrize("flow", ["collections", "booking", "status"])
async def test_nothing_of_a_caller_is_left(flow: str, tmp_path: Path, voice: CallerVoice) -> None:
    socket = tmp_path / "health.sock"
    extra = {"health": {"socket": str(socket)}}
    if flow != "status":  # it has its people from the sample systems
        accounts = tmp_path / "accounts.yaml"
        accounts.write_text(json.dumps({"default": _account(WHO, flow)}))
        extra["call"] = {"accounts": str(accounts)}
    trial = write_flow_trial(tmp_path / "box", flow, extra)
    with Served(trial.config) as served:
        health = load_config(trial.config).health
        assert ask(health, "/readyz").status == 200
        await call(trial, voice, script(flow))
        said = "\n".join(ask(health, path).text for path in ("/metrics", "/readyz", "/healthz"))
        said += command("health", "--json", "--config", trial.config)
        said += command("doctor", "--json", "--no-call", "--config", trial.config)
    assert f'appliance_calls_ended_total{{flow="{flow}"' in said
    assert '"findings"' in said
    log = texts_of("\n".join(json.dumps(entry) for entry in served.log))
    assert traces(WHO, log) == []
    assert _personal(said) == []
    files = [path for path in trial.calls.glob("*/*") if path.is_file()]
    assert len(files) == 2
    for path in files:
        found = traces(WHO, texts_of(path.read_text("utf-8"), CALL_FILES))
        assert found == [], path


def _account(who: Person, flow: str) -> dict[str, str]:
    account = who.data(flow)
    if flow == "booking":  # he lives where the company works
        account["service_zips"] = f"90210 {who.zip}"
    return account


def _personal(said: str) -> list[str]:
    """What is left of him in words; the numbers there are measures."""
    numbers = ("zip", "card", "account", "phone", "house", "balance", "year", "birth")
    whole = [kind for kind, number in WHO.numbers.items() if len(number) > 4 and number in said]
    return whole + [each for each in traces(WHO, said) if each.partition(":")[0] not in numbers]
