"""Finds a flow by the name of a shipped one or by the path of an operator's own, and proves it.

A flow is a folder: flow.yaml, prompts.LANGUAGE.yaml and, where it has checks, a checks.py with
`CHECKS`, and with `DATA` where they read files of their own. Checks that several flows share come
from an installed package by the entry point that the flow names under `checks` (group
`appliance.checks`). Both are code that runs in the appliance, as trusted as its config.
"""

from __future__ import annotations

import hashlib
import importlib.util
import inspect
import sys
from collections.abc import Iterable, Mapping
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType

from appliance.dialogue.campaign import Campaign
from appliance.dialogue.checker.script import dialogue
from appliance.dialogue.checker.verdict import Verdict, check_flow
from appliance.dialogue.checks import Check
from appliance.dialogue.declarations import FlowPart
from appliance.dialogue.flow import Flow
from appliance.dialogue.loader import load_flow as load_folder
from appliance.dialogue.overlay import keys_behind
from appliance.dialogue.schema import FlowSpec
from appliance.dialogue.yamlfile import read_document
from appliance.errors import ConfigError

ENTRY_POINTS = "appliance.checks"

_FOLDER = Path(__file__).parent
_proven: dict[str, Verdict] = {}
_sources: dict[str, bytes] = {}


def shipped_flows() -> tuple[str, ...]:
    """The names of the flows in this package."""
    return tuple(sorted(path.parent.name for path in _FOLDER.glob("*/flow.yaml")))


def flow_folder(flow: str | Path) -> Path:
    """The folder of a shipped flow by name, or of one by the path of its folder or flow.yaml.

    Raises:
        ConfigError: there is no such flow.
    """
    if str(flow) in shipped_flows():
        return _FOLDER / str(flow)
    path = Path(flow)
    folder = path.parent if path.name == "flow.yaml" else path
    if not (folder / "flow.yaml").is_file():
        known = ", ".join(shipped_flows())
        raise ConfigError(f"{flow}: neither a shipped flow ({known}) nor a folder with flow.yaml")
    return folder


def read_flow(flow: str | Path, campaign: Campaign | None = None) -> Flow:
    """Load a flow as `flow_folder` finds it, with a campaign laid over it, without proving it.

    Raises:
        ConfigError: there is no such flow, or its parts or the campaign do not fit; one line per
            problem.
    """
    folder = flow_folder(flow)
    checks: list[Check] = []
    code = folder / "checks.py"
    source = b""
    data: Mapping[str, type[FlowPart]] = {}
    if code.is_file():
        module = _import(code)
        checks += _checks(module, code)
        data = getattr(module, "DATA", {})
        source = b"".join(path.read_bytes() for path in sorted(folder.glob("*.py")))
    for name in read_document(folder / "flow.yaml", FlowSpec).content.checks:
        found, where = _installed(name)
        checks += found
        source += where
    return load_folder(folder, checks, source, campaign, data)


def load_flow(flow: str | Path, campaign: Campaign | None = None) -> Flow:
    """Load a flow that keeps its promises; see `read_flow` and `prove`.

    Raises:
        ConfigError: it does not load, or a property of it does not hold; with the dialogue.
    """
    loaded = read_flow(flow, campaign)
    prove(loaded, campaign)
    return loaded


def prove(flow: Flow, campaign: Campaign | None = None) -> Verdict:
    """Explore a flow; a version that was proven before in this process is not explored again.

    `campaign`: what was laid over it, to be named where it is to blame.

    Raises:
        ConfigError: a property does not hold.
    """
    verdict = _proven.get(flow.hash)
    if verdict is None:
        verdict = check_flow(flow)
        if not verdict.proven:
            raise ConfigError(report_failures(flow, verdict, campaign))
        _proven[flow.hash] = verdict
    return verdict


def report_failures(flow: Flow, verdict: Verdict, campaign: Campaign | None = None) -> str:
    """Each failure with the key of the campaign behind it and the shortest dialogue to it."""
    with_campaign = f" with campaign {campaign.name}" if campaign else ""
    parts = [f"flow {flow.name} is refused{with_campaign}: {len(verdict.failures)} failures"]
    for failure in verdict.failures:
        parts += [f"{place}:" for place in keys_behind(flow, campaign, failure.detail)]
        parts.append(f"{failure.title}: {failure.detail}")
        parts += [f"    {line}" for line in dialogue(flow, failure)]
    return "\n".join(parts)


def _import(path: Path) -> ModuleType:
    """Load checks.py as it is now, so that a changed one takes effect."""
    name = f"flow_checks_{hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:12]}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ConfigError(f"{path}: not a Python file")
    module = sys.modules[name] = importlib.util.module_from_spec(spec)  # dataclasses look there
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # whatever an operator's code does wrong
        raise ConfigError(f"{path}: {type(error).__name__}: {error}") from error
    return module


def _checks(module: ModuleType, path: Path) -> tuple[Check, ...]:
    checks = getattr(module, "CHECKS", None)
    if not isinstance(checks, tuple) or not all(isinstance(each, Check) for each in checks):
        raise ConfigError(f"{path}: needs CHECKS, a tuple of Check")
    return checks


def _installed(name: str) -> tuple[Iterable[Check], bytes]:
    """The checks of an entry point, with the source of the module they are in."""
    for entry in entry_points(group=ENTRY_POINTS, name=name):
        module = importlib.import_module(entry.module)
        if name not in _sources:  # a file that changes later is not the code that runs
            _sources[name] = inspect.getsource(module).encode()
        return _checks(module, Path(entry.module)), _sources[name]
    known = sorted(entry.name for entry in entry_points(group=ENTRY_POINTS))
    raise ConfigError(
        f"checks: no entry point {name} in the group {ENTRY_POINTS};"
        f" installed are: {', '.join(known) or 'none'}"
    )
