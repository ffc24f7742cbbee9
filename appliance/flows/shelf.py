"""The flows that calls run on: proven ones, replaced for new calls when their files change.

    files ── changed() ──> read and prove elsewhere ──> put(flows): calls from now on have it

A call keeps the `Flow` that it began with; nothing here changes one that is in use.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from appliance.dialogue.flow import Flow
from appliance.dialogue.schema import Terminal
from appliance.errors import ConfigError
from appliance.flows.registry import flow_folder, load_flow, shipped_flows

_PATTERNS = ("flow.yaml", "prompts.*.yaml", "checks.py")

Load = Callable[[str | Path], Flow]


class FlowShelf:
    """A flow, and every flow that a call may be handed over to from it."""

    def __init__(self, flow: str | Path) -> None:
        """Load and prove them.

        Raises:
            ConfigError: there is no such flow, or it is refused.
        """
        self._folder = flow_folder(flow).resolve()
        self._flows = gather(self._folder, load_flow)
        self._seen = self._stamps()

    @property
    def first(self) -> Flow:
        """The flow that calls begin with."""
        return self._flows[self._folder]

    def all(self) -> tuple[Flow, ...]:
        """All of them."""
        return tuple(self._flows.values())

    def after(self, flow: Flow, name: str) -> Flow:
        """The flow that a call is handed over to.

        `flow` may be an older version than the one here; the call goes on in the newest.
        """
        return self._flows[_target(flow, name)]

    def changed(self) -> bool:
        """Whether files were changed since this was asked last. Looks at the disk."""
        before, self._seen = self._seen, self._stamps()
        return before != self._seen

    @property
    def folders(self) -> tuple[Path, ...]:
        """Where they lie; the first one's folder first."""
        return (self._folder, *(each for each in self._flows if each != self._folder))

    def put(self, flows: Mapping[Path, Flow]) -> None:
        """Take these for all calls from now on; they must have been proven."""
        self._flows = dict(flows)

    def _stamps(self) -> dict[Path, tuple[int, int]]:
        files = (
            path for folder in self._flows for pattern in _PATTERNS for path in folder.glob(pattern)
        )
        return {path: (stat.st_mtime_ns, stat.st_size) for path, stat in _stats(files)}


def gather(folder: Path, load: Load) -> dict[Path, Flow]:
    """A flow with all that it leads to, by folder.

    Raises:
        ConfigError: one of them cannot be loaded, or is not given what it requires.
    """
    found: dict[Path, Flow] = {}
    pending = [folder]
    while pending:
        here = pending.pop()
        if here in found:
            continue
        flow = found[here] = load(here)
        pending += [_target(flow, name) for name in handovers(flow)]
    for flow in found.values():
        for name, note in handovers(flow).items():
            _assert_given(flow, note, found[_target(flow, name)])
    return found


def handovers(flow: Flow) -> dict[str, str | None]:
    """The flows that a flow hands over to, with the note that goes with it."""
    terminals = (state for state in flow.spec.states.values() if isinstance(state, Terminal))
    return {each.handover.flow: each.handover.note for each in terminals if each.handover}


def _assert_given(flow: Flow, note: str | None, target: Flow) -> None:
    """What the next flow requires at its start must be in the note."""
    facts = flow.spec.notes[note].facts if note else ()
    for name, need in target.spec.entry.items():
        if need == "required" and name not in facts:
            raise ConfigError(
                f"flow {flow.name} hands over to {target.name}, which requires {name} at its"
                f" start: add it to the facts of the note"
            )


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
