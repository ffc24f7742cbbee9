"""What the test call shows: it was answered by this box, both sides heard each other, and in time.

place_call ──> Heard ──┬─ the greeting, read by the recognizer <─> the prompts in the event log
                       ├─ the phrase, as the agent understood it, in the event log
                       └─ the gap on the wire, the agent's own time <─> limits
"""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from pathlib import Path

from appliance.checkup.box import Box
from appliance.checkup.call_log import Events, is_test, log_of_test, logs_in, of_kind
from appliance.checkup.finding import Finding, fail, ok, skipped, warn
from appliance.checkup.testcall import PHRASES, Dialled, Heard, dialled, place_call
from appliance.config import Config
from appliance.errors import ApplianceError, EngineError, PeerError, StoreError
from appliance.session.testcall import announced
from appliance.stt.loading import open_recognizer
from appliance.testing.caller import CallRefused
from appliance.testing.g711 import Samples
from appliance.testing.latency.sla import Sla, load_sla
from appliance.tts.loading import open_voice
from appliance.types import LINE_RATE_HZ

CALL, TO_CALLER, TO_BOX, LATENCY = "test call", "audio to the caller", "audio to the box", "latency"
GAP_MS = 1000.0
"""Without an SLA: an answer that comes later is later than people take to each other."""

_QUIET_DBM0 = -35.0  # prompts are at -20; a PBX's attenuation or comfort noise is neither
_LONGEST_S = 28  # what the recognizer takes at once
_SHARE_OF_WORDS = 0.5
_MEANT = "repeat_request"


@dataclass(frozen=True, slots=True)
class Limits:
    """Of one answer, in ms: on the wire; of the agent alone; and where they were written."""

    gap_ms: float
    decision_ms: float
    source: str


async def check_call(box: Box) -> list[Finding]:
    """Call the own extension and judge what came of it.

    Raises:
        ConfigError: the voice, the recognizer or the SLA cannot be used.
    """
    config, language = box.config, box.config.call.language
    limits = limits_of(config)
    voice = await asyncio.to_thread(open_voice, config.speaking, language)
    phrase = await asyncio.to_thread(voice.synthesize, PHRASES[language])
    try:
        known = set(logs_in(config.record.folder))
        call = dialled(box)
    except ApplianceError as error:
        return [skipped(CALL, str(error))]
    try:
        with announced(config):
            heard = await place_call(call, phrase)
    except StoreError as error:
        return [skipped(CALL, str(error))]
    except CallRefused as refusal:
        return [_refused(call, refusal)]
    except PeerError as error:
        return [fail(
            CALL, f"{call.target}: {error}",
            "can a phone call this extension? If it can, the PBX may let none call itself: give "
            "another extension in [checkup]",
        )]  # fmt: skip
    events = await log_of_test(config.record.folder, known)
    if not events:
        return [_answered_by_another(call, config.record.folder)]
    return [
        _answered(call, heard),
        *_shown_as_expected(events, config.record.folder),
        await asyncio.to_thread(_to_caller, config, heard, events),
        _to_box(heard, events),
        _latency(heard, events, limits),
    ]


def limits_of(config: Config) -> Limits:
    """From `checkup.sla` where it has them, else the project's.

    Raises:
        ConfigError: the file cannot be used.
    """
    path = config.checkup.sla
    sla = load_sla(path) if path else Sla()
    gaps, decisions = sla.response_gap_ms, sla.decision_ms
    return Limits(
        max((each for each in (gaps.p50, gaps.p95, gaps.p99) if each), default=GAP_MS),
        max((e for e in (decisions.p50, decisions.p95, decisions.p99) if e),
            default=float(config.hearing.sla_ms)),
        str(path) if path else "hearing.sla_ms",
    )  # fmt: skip


def _answered(call: Dialled, heard: Heard) -> Finding:
    seen = f"{call.target} from {call.number}: answered after {heard.answered_ms:.0f} ms"
    if heard.problem:
        return warn(CALL, f"{seen}; then {heard.problem}", "look at the agent's log for this call")
    return ok(CALL, seen)


def _refused(call: Dialled, refusal: CallRefused) -> Finding:
    """What a status means here, and what helps."""
    remedy = {
        403: "the PBX, or line.peers of the box, lets no call from there; a PBX may let no "
        "extension call itself: give another one in [checkup]",
        404: "the PBX does not know the extension, or the box is not registered",
        407: "the PBX refuses the password of the calling extension",
        480: "the box is not registered, or its flow has no account for callers: appliance doctor "
        "--only configuration",
        486: "all lines are busy, the box is too slow for one more call, or the PBX takes the "
        "extension for engaged while it calls itself: give another one in [checkup]",
        503: "the box is draining or has no line process: systemctl status appliance.target",
    }.get(refusal.code, "look at the PBX's log")
    return fail(CALL, f"{call.target} from {call.number}: {refusal}", remedy)


def _answered_by_another(call: Dialled, folder: Path) -> Finding:
    return fail(
        CALL,
        f"{call.target} was answered, but no call came to this box (nothing new in {folder})",
        "something else answers the extension: a voice mail, another phone, another box; look at "
        "the extension's settings in the PBX",
    )


def _shown_as_expected(events: Events, folder: Path) -> list[Finding]:
    """The number itself is not told: if it is not the test's, it is a customer's."""
    if is_test(events):
        return []
    return [warn(
        CALL,
        "the PBX shows another number than the test calls from: it was taken for a customer's call",
        f"write the `number` of the newest record in {folder} into [checkup], if it is the PBX's",
    )]  # fmt: skip


def _to_caller(config: Config, heard: Heard, events: Events) -> Finding:
    """Is what came over the wire what the box says it said?"""
    if heard.greeting_dbm0 < _QUIET_DBM0:
        return fail(
            TO_CALLER,
            "the caller heard nothing" if heard.greeting.size else "no packet came to the caller",
            "RTP is lost on its way: a firewall on UDP, line.public_address, or the PBX's direct "
            "media between two networks",
        )  # fmt: skip
    said = " ".join(str(each.get("words", "")) for each in of_kind(events, "said")[:2])
    try:
        words = _recognized(config, heard.greeting)
    except EngineError as error:
        return fail(TO_CALLER, str(error), "appliance models check")
    share = share_of_words(said, words)
    seen = f"{heard.greeting_dbm0:.0f} dBm0; {share:.0%} of the greeting's words were recognised"
    if share < _SHARE_OF_WORDS:
        return fail(
            TO_CALLER, seen, "listen to the extension from a phone: is it distorted, or is it "
            "another language's voice?",
        )  # fmt: skip
    return ok(TO_CALLER, seen)


def _to_box(heard: Heard, events: Events) -> Finding:
    """Was the phrase understood as what it means?"""
    turns = of_kind(events, "heard")
    if any(each.get("intent") == _MEANT for each in turns):
        return ok(TO_BOX, "the box understood the caller's phrase")
    if turns or of_kind(events, "noise") or of_kind(events, "ignored"):
        intents = ", ".join(str(each.get("intent")) for each in turns) or "no words"
        return warn(
            TO_BOX, f"the box heard the caller, but took the phrase for something else: {intents}",
            "the line distorts, or the recognizer is another language's: appliance models check",
        )  # fmt: skip
    if heard.problem:
        return skipped(TO_BOX, "the call ended before the caller had spoken")
    return fail(
        TO_BOX, "the box heard nothing of the caller",
        "RTP is lost on its way to the box: a firewall on UDP "
        "(line.rtp_port and the ports after it), or the PBX's media settings",
    )  # fmt: skip


def _latency(heard: Heard, events: Events, limits: Limits) -> Finding:
    answered = [each for each in of_kind(events, "turn") if "first_audio_ms" in each]
    if heard.gap_ms is None or not answered:
        return skipped(LATENCY, "there was no answer to measure")
    decision_ms = max(float(each["decision_ms"]) for each in answered)
    seen = (
        f"answered {heard.gap_ms:.0f} ms after the last word (limit {limits.gap_ms:.0f}), of which "
        f"the box thought {decision_ms:.0f} (limit {limits.decision_ms:.0f}, {limits.source})"
    )
    if heard.gap_ms > limits.gap_ms or decision_ms > limits.decision_ms:
        return warn(
            LATENCY, seen, "repeat it while no call is up; if it stays so, what else runs on this "
            "box? Many calls are measured as docs/benchmark.md says",
        )  # fmt: skip
    return ok(LATENCY, seen)


def share_of_words(said: str, heard: str) -> float:
    """The share of the words to be said that were heard, 0 to 1; values in [...] do not count."""
    wanted = _words(re.sub(r"\[[^\]]*\]", " ", said))
    there = _words(heard)
    found = 0
    for word in wanted:
        if word in there:
            there.remove(word)
            found += 1
    return found / len(wanted) if wanted else 0.0


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W\d_]+", text.lower().replace("'", ""))


def _recognized(config: Config, samples: Samples) -> str:
    """The words of a sound of any length.

    Raises:
        ConfigError, EngineError: the recognizer cannot be loaded, or failed.
    """
    recognizer = open_recognizer(config.hearing, config.call.language)
    longest = _LONGEST_S * LINE_RATE_HZ
    parts = [samples[at : at + longest] for at in range(0, samples.size, longest)]
    return " ".join(recognizer.recognize(each.astype("<i2").tobytes()).text for each in parts)
