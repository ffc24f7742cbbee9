"""Finds a flow by the name of a shipped one or by the path of an operator's own.

A flow is a folder: flow.yaml, prompts.LANGUAGE.yaml and, where it has checks, a checks.py with
`CHECKS`. An operator's checks.py is code that runs in the appliance, as trusted as its config.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import yaml

from appliance.dialogue.checks import Check
from appliance.dialogue.flow import Flow
from appliance.dialogue.loader import load_flow as load_folder
from appliance.errors import ConfigError

_FOLDER = Path(__file__).parent
DEFAULT_ACCOUNT = "default"


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


def load_accounts(path: Path) -> Mapping[str, Mapping[str, Any]]:
    """Read account contexts by caller number; the entry `default` serves all others.

    Raises:
        ConfigError: unreadable, or not a mapping of mappings. The message holds no account data.
    """
    try:
        accounts = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else "?"
        raise ConfigError(f"{path}:{line}: not YAML: {error.problem}") from error
    if not isinstance(accounts, dict) or not all(isinstance(v, dict) for v in accounts.values()):
        raise ConfigError(f"{path}: must map caller numbers (quoted) to accounts")
    return {str(number): account for number, account in accounts.items()}


def find_account(
    accounts: Mapping[str, Mapping[str, Any]], caller: str
) -> Mapping[str, Any] | None:
    """The account of a caller's number, else the default one, else None: nobody to talk to."""
    return accounts.get(caller, accounts.get(DEFAULT_ACCOUNT))
