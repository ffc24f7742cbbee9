"""Does the appliance stop when it is spoken to, and only then? Trials on real calls.

    undisturbed call ─> where its greeting sounds
    trial: call ─> at a moment when it sounds: words | "mhm" | a cough | a key | only our echo
         ─> where the greeting broke off, if it did

`stop_ms`: from the first packet sent that holds speech to the last packet received that holds the
prompt, its fade of 20 ms included: what happened on the wire. Comfort noise is no prompt. What
must not stop it has a `stop_ms` only if it did.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from appliance.errors import PeerError
from appliance.testing.caller import ScriptedCaller
from appliance.testing.echoes import EchoPath, LineEcho
from appliance.testing.figures import summarize
from appliance.testing.media import CallEnded
from appliance.testing.turntaking.interjections import KINDS, Interjection
from appliance.testing.turntaking.prompt_trace import Sounding, broke_off, moments, trace
from appliance.types import FRAME_MS

AFTER_MS = 800
"""Nobody interrupts a prompt of which he has heard less."""
MUST_STOP = ("speech", "speech over echo")
DELAYS_MS = (20, 400)
_ANSWER_S = 20.0
_OVER_MS = 900  # a prompt is over after so much silence
_QUIET_MS = 600  # listened to after the last sound of a trial
_FRAME_NS = FRAME_MS * 1_000_000


@dataclass(frozen=True, slots=True)
class Trial:
    """One call. `kind` names its group in the figures; `key`: one to press; `share`: when, 0..1."""

    kind: str
    share: float
    interjection: Interjection | None = None
    key: str = ""
    echo: EchoPath | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a trial came to.

    `stop_ms` is None where the prompt was not interrupted. `failure`: there is no result.
    """

    trial: Trial
    stop_ms: float | None = None
    failure: str = ""

    @property
    def faulty(self) -> bool:
        """Whether the appliance did what it should not, or there is no result."""
        return bool(self.failure) or (self.stop_ms is not None) != (self.trial.kind in MUST_STOP)


async def undisturbed(target: str, number: str) -> Sounding:
    """The greeting of a flow as a caller hears it who says nothing.

    Raises:
        PeerError: no call, or nothing was heard.
    """
    async with ScriptedCaller(target, number=number) as caller:
        await caller.call()
        greeting = await caller.wait_reply(timeout_s=_ANSWER_S, quiet_ms=_OVER_MS)
        return trace(caller.packets_received, until_ns=greeting.last_ns).sounding


async def run_trial(target: str, number: str, greeting: Sounding, trial: Trial) -> Outcome:
    """Place one call; a call that fails is an outcome too."""
    async with ScriptedCaller(target, number=number) as caller:
        if trial.echo is not None:
            caller.media.echo = LineEcho(trial.echo)
        try:
            await caller.call()
            began_ns = await _first_sound(caller)
            places = moments(greeting, AFTER_MS)
            place = int(places[int(trial.share * (len(places) - 1))])
            await _until(caller, began_ns + place * _FRAME_NS)
            since_ns = await _interject(caller, trial)
            with suppress(CallEnded):  # it may answer by hanging up
                if trial.kind not in MUST_STOP:
                    await _until(caller, began_ns + len(greeting) * _FRAME_NS)
                await caller.pause(_QUIET_MS)
        except PeerError as error:
            return Outcome(trial, failure=str(error))
        received = trace(caller.packets_received)
    since = max(0, round((since_ns - began_ns) / _FRAME_NS) - 1) if since_ns else 0
    last = broke_off(greeting, received, since)
    if last is None:
        return Outcome(trial)
    return Outcome(trial, (int(received.at_ns[last]) - (since_ns or began_ns)) / 1e6)


async def run_trials(
    target: str,
    number: str,
    trials: Sequence[Trial],
    at_once: int = 1,
    done: Callable[[Outcome], None] = lambda _: None,
) -> list[Outcome]:
    """All trials, in the order given, some of them at once.

    Raises:
        PeerError: the undisturbed call failed.
    """
    greeting = await undisturbed(target, number)
    if not len(moments(greeting, AFTER_MS)):
        raise PeerError("the greeting is too short to be interrupted")
    free = asyncio.Semaphore(at_once)

    async def one(trial: Trial) -> Outcome:
        async with free:
            outcome = await run_trial(target, number, greeting, trial)
            done(outcome)
            return outcome

    async with asyncio.TaskGroup() as tasks:
        running = [tasks.create_task(one(trial)) for trial in trials]
    return [task.result() for task in running]


def plan(
    sounds: Iterable[Interjection], counts: dict[str, int], losses_db: Sequence[float], seed: int
) -> list[Trial]:
    """Trials, mixed.

    Args:
        sounds: what may be uttered.
        counts: how many trials of `speech`, `acknowledgement`, `noise`, `key`, `echo` (for each
            loss) and `speech over echo`.
        losses_db: of the echoes.
        seed: fixes the draw.
    """
    rng = np.random.default_rng(seed)
    all_sounds = list(sounds)
    by_kind = {kind: _shuffled(rng, all_sounds, kind) for kind in KINDS}
    trials = [
        Trial(kind, rng.random(), _drawn(by_kind[kind], index))
        for kind in KINDS
        for index in range(counts.get(kind, 0))
    ]
    trials += [Trial("key", rng.random(), key="5") for _ in range(counts.get("key", 0))]
    for loss_db in losses_db:
        name = f"echo -{loss_db:g} dB"
        paths = (_path(rng, loss_db) for _ in range(counts.get("echo", 0)))
        trials += [Trial(name, rng.random(), echo=path) for path in paths]
    over = range(counts.get("speech over echo", 0))
    trials += [
        Trial("speech over echo", rng.random(), _drawn(by_kind["speech"], index),
              echo=_path(rng, losses_db[index % len(losses_db)]))
        for index in over
    ]  # fmt: skip
    return [trials[index] for index in rng.permutation(len(trials))]


def figures(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """By kind: how many, how many stopped, failed, and how fast those stopped that should."""
    found: dict[str, Any] = {}
    for kind in sorted({outcome.trial.kind for outcome in outcomes}):
        of_kind = [outcome for outcome in outcomes if outcome.trial.kind == kind]
        stops = [outcome.stop_ms for outcome in of_kind if outcome.stop_ms is not None]
        found[kind] = {
            "trials": len(of_kind),
            "stopped": len(stops),
            "failed": sum(bool(outcome.failure) for outcome in of_kind),
        }
        if kind in MUST_STOP:
            found[kind]["stop_ms"] = summarize(stops)
    return found


def _shuffled(
    rng: np.random.Generator, sounds: Sequence[Interjection], kind: str
) -> list[Interjection]:
    """Those of a kind, in a random order."""
    of_kind = [each for each in sounds if each.kind == kind]
    return [of_kind[index] for index in rng.permutation(len(of_kind))]


def _drawn(sounds: Sequence[Interjection], index: int) -> Interjection:
    """Each in turn: as many trials as there are sounds have all of them."""
    return sounds[index % len(sounds)]


def _path(rng: np.random.Generator, loss_db: float) -> EchoPath:
    return EchoPath(int(rng.integers(*DELAYS_MS)), loss_db, int(rng.integers(1000)))


async def _first_sound(caller: ScriptedCaller) -> int:
    """When the greeting's first packet came."""
    waited_ms = 0
    while not caller.received:
        await caller.pause(FRAME_MS)
        waited_ms += FRAME_MS
        if waited_ms > _ANSWER_S * 1000:
            raise PeerError("nothing was heard")
    return caller.received[0].first_ns


async def _until(caller: ScriptedCaller, at_ns: int) -> None:
    """Say nothing until then, by the packets' clock."""
    left_ms = (at_ns - _latest(caller)) // 1_000_000
    if left_ms > 0:
        await caller.pause(int(left_ms))


def _latest(caller: ScriptedCaller) -> int:
    packets = caller.packets_received
    return packets[-1].at_ns if packets else 0


async def _interject(caller: ScriptedCaller, trial: Trial) -> int:
    """Do what the trial is about; when it was first heard on the wire, 0 for an echo alone."""
    if trial.key:
        since_ns = _latest(caller)
        await caller.digits(trial.key)
        return since_ns
    if trial.interjection is None:
        return 0
    return (await caller.say(trial.interjection.samples)).first_ns
