"""`appliance demo`: one real call on loopback, shown live, with everything kept afterwards.

scripted caller (its own SIP and RTP, a foreign voice) ⇄ appliance serve (shipped models)
             └ recording.wav, timeline.html      └ event log ─> live transcript
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import shutil
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer
from rich.console import Console

from appliance.cli.live import Transcript, follow_call, watch_words
from appliance.errors import ConfigError, PeerError
from appliance.flows.registry import read_flow, shipped_flows
from appliance.store.records import record_path
from appliance.testing.call_picture import picture_call
from appliance.testing.caller import ScriptedCaller
from appliance.testing.dialogue_script import SCRIPTS, Script, load_script, run_script
from appliance.testing.gaps import response_gaps_ms
from appliance.testing.served import Sections, Served, Trial, write_flow_trial
from appliance.testing.speech import VOICES, CallerVoice
from appliance.testing.timeline import write_timeline

_RECORD_TIMEOUT_S = 10.0


def demo_call(
    flow: Annotated[str, typer.Argument(help="A shipped flow")] = "collections",
    out: Annotated[Path, typer.Option(help="Folder for recording, record and picture")] = Path(
        "var/demo"
    ),
    script: Annotated[
        Path | None,
        typer.Option(help="What the caller does (YAML); default: the flow's own script"),
    ] = None,
    language: Annotated[str, typer.Option(help="Of the call, without a --script: en or es")] = "en",
) -> None:
    """Place one real call on loopback to the appliance and show it live."""
    raise typer.Exit(demo(flow, out, script, language))


def demo(flow: str, out: Path, script_path: Path | None, language: str = "en") -> int:
    """Run it; returns the exit code: 0 if the call came to the outcome that the script expects.

    Args:
        flow: a shipped flow, whose script in the language is used if no other is given.
        out: where recording, record and picture go.
        script_path: what the caller does; it names its flow and its language itself.
        language: of the call.

    Raises:
        ApplianceError: there is no such script, or the appliance or the caller cannot be started.
    """
    console = Console(highlight=False, soft_wrap=True)
    script = load_script(script_path or _script_of(flow, language))
    box = out.resolve() / "box"  # our own: --out may name a folder with other things in it
    shutil.rmtree(box, ignore_errors=True)
    status = console.status("starting the appliance")
    with contextlib.ExitStack() as stack:
        # In a folder of its own: a socket's path is limited to a hundred characters or so.
        words = Path(stack.enter_context(TemporaryDirectory())) / "live.sock"
        sections: Sections = {
            "hearing": {"live_view": str(words)},
            "call": {"language": script.language},
        }
        trial = write_flow_trial(box, script.flow, sections)
        with status:
            stack.enter_context(
                Served(trial.config, lambda what: status.update(f"loading: {what}"))
            )
        console.print(f"The appliance answers at {trial.target}. A caller dials:\n", style="bold")
        return asyncio.run(_call(console, trial, script, words))


def _script_of(flow: str, language: str) -> Path:
    suffix = ".yaml" if language == "en" else f".{language}.yaml"
    path = SCRIPTS / f"{flow}{suffix}"
    if not path.exists():
        shipped = ", ".join(n for n in shipped_flows() if (SCRIPTS / f"{n}{suffix}").exists())
        raise ConfigError(
            f"no demonstration of {flow} in {language}; there are: {shipped or 'none'}. "
            "Or give a --script"
        )
    return path


async def _call(console: Console, trial: Trial, script: Script, words: Path) -> int:
    out = trial.config.parent.parent
    live = asyncio.create_task(_watch(console, trial.calls, script, words))
    voice = CallerVoice(out / "caller-voice", VOICES[script.language])
    problem = ""
    async with ScriptedCaller(trial.target, number=script.caller) as caller:
        await caller.call()
        try:
            await run_script(caller, script, voice)
        except PeerError as error:
            problem = str(error)
    caller.save_recording(out / "recording.wav")
    events = await asyncio.wait_for(live, _RECORD_TIMEOUT_S)
    record = await _record(trial.calls)
    outcome = json.loads(record.read_text(encoding="utf-8"))["outcome"]
    if problem:
        console.print(f"\nThe caller's script did not fit: {problem}", style="red")
    console.print()
    console.print(f"record     {record}")
    console.print(f"recording  {out / 'recording.wav'}  (left: caller, right: appliance)")
    picture = picture_call(caller, events, "A call on loopback", (("outcome", outcome),))
    write_timeline(out / "timeline.html", picture)
    console.print(f"picture    {out / 'timeline.html'}")
    console.print(_summary(outcome, events, response_gaps_ms(caller.sent, caller.received)))
    if script.expect not in (None, outcome):
        console.print(f"The script expected the outcome {script.expect}.", style="red")
        return 1
    return 1 if problem else 0


async def _watch(
    console: Console, calls: Path, script: Script, words: Path
) -> list[dict[str, Any]]:
    events = []
    with Transcript(console, _prompt_texts(script)) as transcript:
        async with watch_words(words, transcript.say):
            async for event in follow_call(calls):
                transcript.show(event)
                events.append(event)
    return events


async def _record(calls: Path) -> Path:
    """The call's record, which is written a moment after the call."""
    log = next(calls.glob("*/*.events.jsonl"))
    async with asyncio.timeout(_RECORD_TIMEOUT_S):
        while not record_path(log).exists():
            await asyncio.sleep(0.05)
    return record_path(log)


def _prompt_texts(script: Script) -> dict[str, str]:
    """Each prompt with its variables by name: what the log may show."""
    templates = read_flow(script.flow).templates[script.language]  # the appliance proves it
    return {name: template.shown[0] for name, template in templates.items()}


def _summary(outcome: str, events: list[dict[str, Any]], gaps: list[float]) -> str:
    decisions = sorted(event["decision_ms"] for event in events if "first_audio_ms" in event)
    p95 = decisions[min(len(decisions) - 1, int(0.95 * len(decisions)))] if decisions else 0.0
    turns = sum(event["t"] == "turn" for event in events)
    gap = f"{median(gaps):.0f} ms" if gaps else "-"
    return f"outcome {outcome} · {turns} turns · decision p95 {p95:.0f} ms · response gap p50 {gap}"
