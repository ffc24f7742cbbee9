"""The whole benchmark: flow after flow, level after level.

    for each flow:  one box -> warm-up calls (thrown away) -> level 1 .. level N -> Material
    for each level: the flows' Materials together -> LevelFigures

A box holds one flow, so flows are measured one after another, and a level's figures are of all of
them. A ramp ends for all flows at the level at which those measured so far, together, broke the
limits; which one it was is told, since the level as a whole may keep them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from appliance.errors import ConfigError
from appliance.testing.dialogue_script import SCRIPTS, load_script
from appliance.testing.latency.figuring import Material, figure
from appliance.testing.latency.levels import LevelFigures
from appliance.testing.latency.observed import CallReport
from appliance.testing.latency.sitting import OnReport, join
from appliance.testing.latency.sla import Sla, judge

FOLDER = SCRIPTS / "latency"
FLOWS: dict[str, tuple[str, ...]] = {
    "collections": ("collections", "collections.short"),
    "status": ("status",),
    "booking": ("booking",),
    "campaign": ("campaign",),
    "renovation": ("renovation",),
}
"""The scripts that call each flow; they take turns."""
_NUMBERS_A_FLOW = 100_000


class Sits(Protocol):
    """What a round asks of a `Sitting`."""

    def warm_up(self, calls: int, on_report: OnReport) -> None:
        """Calls that do not count."""
        ...

    def measure(self, concurrency: int, calls: int, on_report: OnReport) -> Material:
        """One level."""
        ...


@dataclass(frozen=True)
class Round:
    """One box's share of a run; `sit` opens it, given the number of its first call."""

    name: str
    sit: Callable[[int], AbstractContextManager[Sits]]


@dataclass(frozen=True)
class Course:
    """What every round goes through. `stop_at_break`: a ramp."""

    levels: tuple[int, ...]
    calls: int
    warm_up: int
    stop_at_break: bool
    sla: Sla


@dataclass
class Progress:
    """Whom to tell: each call that is over, and which round and level begins."""

    on_call: Callable[[CallReport], None] = lambda _: None
    on_level: Callable[[str, int], None] = lambda _, __: None


@dataclass
class Found:
    """What a run came to. `ended`: why a ramp was not measured further, or ""."""

    levels: list[LevelFigures] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    ended: str = ""


def scripts_of(flow: str, language: str = "en") -> tuple[Path, ...]:
    """The scripts that ship for a flow.

    Raises:
        ConfigError: there are none.
    """
    names = FLOWS.get(flow, ()) if language == "en" else (f"{flow}.{language}",)
    paths = tuple(FOLDER / f"{name}.yaml" for name in names)
    if not paths or not all(path.exists() for path in paths):
        raise ConfigError(f"no script calls the flow {flow!r} in {language!r}")
    for path in paths:
        load_script(path)
    return paths


def ramp_levels(most: int) -> tuple[int, ...]:
    """1, 2, 3 and then a line process more each: 6, 9, 12 .. `most`."""
    return tuple(sorted({1, 2, *range(3, most + 1, 3), most} & set(range(1, most + 1))))


def calls_at(level: int, calls: int) -> int:
    """How many calls of a flow a level takes: as asked for, but each caller calls at least once."""
    return max(calls, level)


def run(rounds: Sequence[Round], course: Course, progress: Progress) -> Found:
    """Measure.

    Raises:
        ConfigError: a box or the callers did not start.
        StoreError: a log cannot be read.
    """
    by_level: dict[int, list[Material]] = {level: [] for level in course.levels}
    ended = ""
    for index, each in enumerate(rounds):
        with each.sit((index + 1) * _NUMBERS_A_FLOW) as sitting:
            sitting.warm_up(course.warm_up, progress.on_call)
            before = len(by_level)
            broken = _levels(each, sitting, course, by_level, progress)
        if broken and (not ended or len(by_level) < before):
            ended = broken
    whole = {level: ms for level, ms in by_level.items() if len(ms) == len(rounds)}
    materials = [join(ms) for ms in whole.values()]
    failures = [
        f"{level} at once, {report.script}, call {report.number}: {report.why}"
        for level, ms in whole.items()
        for material in ms
        for report in material.reports
        if report.outcome != "done"
    ]
    return Found([figure(material) for material in materials], failures, ended)


def _levels(
    each: Round,
    sitting: Sits,
    course: Course,
    by_level: dict[int, list[Material]],
    progress: Progress,
) -> str:
    """A round's levels, put to those of the rounds before it.

    A ramp ends where it breaks the limits together with them: higher levels go. Returns what broke.
    """
    for level in sorted(by_level):
        progress.on_level(each.name, level)
        calls = calls_at(level, course.calls)
        by_level[level].append(sitting.measure(level, calls, progress.on_call))
        if not course.stop_at_break:
            continue
        broken = [v for v in judge(course.sla, figure(join(by_level[level]))) if not v.kept]
        if broken:
            for higher in [other for other in by_level if other > level]:
                del by_level[higher]
            return f"{each.name} at {level} at once: {'; '.join(map(str, broken))}"
    return ""
