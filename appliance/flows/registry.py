"""Finds a flow by the name of a shipped one or by the path of an operator's own.

A flow is a folder: flow.yaml, prompts.LANGUAGE.yaml and, where it has checks, a checks.py with
`CHECKS`. An operator's checks.py is code that runs in the appliance, as trusted as its config.
"""

from __future__ import annotations

import importlib
import importlib.util
from pathlib import Path
from types import ModuleType

from appliance.dialogue.checks import Check
from appliance.dialogue.flow import Flow
from appliance.dialogue.loader import load_flow as load_folder
from appliance.errors import ConfigError

_FOLDER = Path(__file__).parent


def shipped_flows() -> tuple[str, ...]:
    """The names of the flows in this package."""
    return tuple(sorted(path.parent.name for path in _FOLDER.glob("*/flow.yaml")))


def load_flow(flow: str | Path) -> Flow:
    """Load a shipped flow by name, or one by the path of its folder or flow.yaml.

    Raises:
        ConfigError: there is no such flow, or it is not in order; one line per problem.
    """
    if str(flow) in shipped_flows():
        module = importlib.import_module(f"appliance.flows.{flow}.checks")
        return load_folder(_FOLDER / str(flow), _checks(module))
    path = Path(flow)
    folder = path.parent if path.name == "flow.yaml" else path
    if not (folder / "flow.yaml").is_file():
        known = ", ".join(shipped_flows())
        raise ConfigError(f"{flow}: neither a shipped flow ({known}) nor a folder with flow.yaml")
    code = folder / "checks.py"
    return load_folder(folder, _checks(_import(code)) if code.is_file() else ())


def _import(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"flow_checks_{path.parent.name}", path)
    if spec is None or spec.loader is None:
        raise ConfigError(f"{path}: not a Python file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _checks(module: ModuleType) -> tuple[Check, ...]:
    checks = getattr(module, "CHECKS", None)
    if not isinstance(checks, tuple) or not all(isinstance(each, Check) for each in checks):
        raise ConfigError(f"{module.__file__}: needs CHECKS, a tuple of Check")
    return checks
