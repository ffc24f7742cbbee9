"""The flows that calls run on: proven ones, replaced for new calls when their files change.

    files ── changed() ──> read and prove elsewhere ──> put(flows): calls from now on have it

A call keeps the `Flow` that it began with; nothing here changes one that is in use.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from appliance.dialogue import passages
from appliance.dialogue.campaign import Campaign
from appliance.dialogue.flow import Flow
from appliance.dialogue.schema import Terminal
from appliance.errors import ConfigError
from appliance.flows.registry import flow_folder, load_flow, read_flow, shipped_flows

_PATTERNS = ("flow.yaml", "prompts.*.yaml", "checks.py", passages.PATTERN)

Load = Callable[[Path], Flow]
LoadOver = Callable[[Path, Campaign | None], Flow]


@dataclass(frozen=True)
class FlowSet:
    """A flow, and every flow that a call may be handed over to from it: what one call runs on."""

    by_folder: Mapping[Path, Flow]
    folder: Path

    @property
    def first(self) -> Flow:
        """The flow that calls begin with."""
        return self.by_folder[self.folder]

    def all(self) -> tuple[Flow, ...]:
        """All of them."""
        return tuple(self.by_folder.values())

    def after(self, flow: Flow, name: str) -> Flow:
        """The flow that a call is handed over to from one of these."""
        return self.by_folder[_target(flow, name)]


class FlowShelf:
    """The flows for new calls; a call keeps the `FlowSet` that it began with."""

    def __init__(self, flow: str | Path, campaign: Campaign | None = None) -> None:
        """Load and prove them, the first one with a campaign laid over it.

        Raises:
            ConfigError: there is no such flow, or it is refused.
        """
        self._folder = flow_folder(flow).resolve()
        self.campaign = campaign
        self.current = self._gather(load_flow, campaign)
        self._seen = self._stamps()

    @property
    def folder(self) -> Path:
        """Where the first flow lies."""
        return self._folder

    def changed(self) -> bool:
        """Whether files were changed since this was asked last. Looks at the disk."""
        before, self._seen = self._seen, self._stamps()
        return before != self._seen

    def read(self, campaign: Campaign | None) -> FlowSet:
        """The flows as their files are now, with a campaign; not proven, and not taken.

        Raises:
            ConfigError: one of them cannot be loaded.
        """
        return self._gather(read_flow, campaign)

    def put(self, flows: FlowSet, campaign: Campaign | None = None) -> None:
        """Take these for all calls from now on; they must have been proven."""
        self.current, self.campaign = flows, campaign

    def _gather(self, load: LoadOver, campaign: Campaign | None) -> FlowSet:
        first = self._folder  # the flows that it leads to are not the campaign's
        return gather(first, lambda flow: load(flow, campaign if flow == first else None))

    def _stamps(self) -> dict[Path, tuple[int, int]]:
        files = (
            path
            for folder, flow in self.current.by_folder.items()
            for pattern in (*_PATTERNS, *(f"{name}.yaml" for name in flow.data))
            for path in folder.glob(pattern)
        )
        return {path: (stat.st_mtime_ns, stat.st_size) for path, stat in _stats(files)}


def gather(folder: Path, load: Load) -> FlowSet:
    """A flow with all that it leads to.

    Raises:
        ConfigError: one of them cannot be loaded or is not given what it requires, or a call could
            be handed round in a circle.
    """
    found: dict[Path, Flow] = {}

    def visit(here: Path, way: tuple[Path, ...]) -> None:
        if here in way:
            names = " -> ".join(found[each].name for each in (*way, here))
            raise ConfigError(f"{here}: calls would be handed round in a circle: {names}")
        if here not in found:
            found[here] = load(here)
        for name, _ in handovers(found[here]):
            visit(_target(found[here], name), (*way, here))

    visit(folder, ())
    for flow in found.values():
        for name, note in handovers(flow):
            _assert_given(flow, note, found[_target(flow, name)])
    return FlowSet(found, folder)


def handovers(flow: Flow) -> list[tuple[str, str | None]]:
    """The flows that a flow hands over to, each with the note that goes with it."""
    terminals = (state for state in flow.spec.states.values() if isinstance(state, Terminal))
    return [(each.handover.flow, each.handover.note) for each in terminals if each.handover]


def _assert_given(flow: Flow, note: str | None, target: Flow) -> None:
    """What the next flow requires at its start must be in the note, and of the same type."""
    facts = flow.spec.notes[note].facts if note else ()
    for name, need in target.spec.entry.items():
        told = f"flow {flow.name} hands over to {target.name}, which"
        if need == "required" and name not in facts:
            raise ConfigError(
                f"{told} requires {name} at its start: add it to the facts of the note"
            )
        if name in facts and flow.spec.facts[name] != target.spec.facts[name]:
            raise ConfigError(f"{told} takes {name} as a fact of another type")


def _target(flow: Flow, name: str) -> Path:
    if name in shipped_flows() or flow.folder is None:
        return flow_folder(name).resolve()
    return flow_folder(flow.folder / name).resolve()


def _stats(files: Iterator[Path]) -> Iterator[tuple[Path, os.stat_result]]:
    for path in files:
        try:
            yield path, path.stat()
        except OSError:  # gone between the listing and now: it has changed
            continue
