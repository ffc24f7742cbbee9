"""What hears, understands and speaks: there, whole, loadable; and what is ready before a call."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from appliance.checksums import verify_checksums
from appliance.checkup.finding import Finding, fail, ok, warn
from appliance.config import Config
from appliance.errors import ApplianceError, ConfigError
from appliance.nlu.loading import open_understander
from appliance.session.prompts import PromptBook, open_voices, read_flows
from appliance.session.readiness import check_intents
from appliance.stt import inspection as hearing
from appliance.tts import inspection as speaking
from appliance.tts.casting import cast_voice

HEARING, SPEAKING, MEANING, CACHES = "recognizer", "voice", "understanding", "caches"
_FEW = 0.5


def check_engines(config: Config) -> Iterator[Finding]:
    """Load each model that calls need, and let it do a piece of its work; takes seconds."""
    language = config.call.language
    folder = config.hearing.models.folder(language)
    yield _judged(HEARING, folder, hearing.inspect(folder).faults, "appliance models check")
    for file in _voices(config):
        yield _judged(
            SPEAKING, file, speaking.inspect(file, config.speaking).faults, "appliance voices check"
        )
    yield _understanding(config)
    yield _turns(config)


def check_caches(config: Config) -> Iterator[Finding]:
    """What is compiled or rendered before calls: where it is kept, and how much is there."""
    for name, folder in _folders(config):
        if folder.is_dir() and not os.access(folder, os.R_OK | os.X_OK):
            yield warn(CACHES, f"{name}: {folder} cannot be read", "run this as root")
    try:
        flows = read_flows(config)
        voices = open_voices(config.speaking, config.call.language)
        states = PromptBook(config.speaking, voices, flows, config.call.language).states()
    except ApplianceError as error:
        yield fail(CACHES, str(error), "appliance config check")
        return
    there = sum(each.seconds is not None for each in states)
    seen = f"{there} of {len(states)} prompts are rendered ({config.speaking.cache})"
    if states and there < len(states) * _FEW:
        yield warn(
            CACHES, seen, "the next start takes minutes; do it now: appliance prompts render"
        )
    else:
        yield ok(CACHES, seen)


def _judged(check: str, place: Path, faults: tuple[str, ...], remedy: str) -> Finding:
    if faults:
        return fail(check, f"{place}: {'; '.join(faults)}", f"copy it again, then {remedy}")
    return ok(check, f"{place}: whole, and works")


def _voices(config: Config) -> list[Path]:
    """The files that speak in the language of the calls, once each."""
    names = (None, *config.speaking.voices)
    casts = (cast_voice(config.speaking, config.call.language, name) for name in names)
    return list(dict.fromkeys(each.file for each in casts))


def _understanding(config: Config) -> Finding:
    place = config.understanding.model
    try:
        understander = open_understander(config.understanding)
        check_intents(read_flows(config), understander.intents)
    except ApplianceError as error:
        return fail(MEANING, str(error), "appliance intents list; or copy the folder again")
    if config.understanding.backend == "rules":
        return ok(MEANING, "rules only, as configured")
    if changed := verify_checksums(place).changed:
        return fail(MEANING, f"{place}: not the files they were: {', '.join(changed)}",
                    "copy the folder again")  # fmt: skip
    return ok(MEANING, f"{place}: whole, and knows the flow's intents")


def _turns(config: Config) -> Finding:
    place = config.hearing.turns
    try:
        sums = verify_checksums(place)
    except ConfigError as error:
        return fail(HEARING, str(error), "copy the folder again")
    if not place.is_dir() or sums.changed or sums.missing:
        what = ", ".join((*sums.changed, *sums.missing)) or "there is no such folder"
        return fail(HEARING, f"hearing.turns: {place}: {what}", "copy the folder again")
    return ok(HEARING, f"{place}: judges of turn-taking are whole")


def _folders(config: Config) -> list[tuple[str, Path]]:
    found = [
        ("speaking.cache", config.speaking.cache),
        ("speaking.measured", config.speaking.measured),
    ]
    if compiled := os.environ.get("NUMBA_CACHE_DIR"):
        found.append(("NUMBA_CACHE_DIR", Path(compiled)))
    return found
