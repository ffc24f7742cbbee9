"""Account contexts by caller number, from a YAML file that the operator keeps.

```yaml
"+13105550100": {name: Maria Lopez, expected_zip: "90210", ...}
default: {...}           # optional: for callers that no entry matches
```
Values are secret: they reach the dialogue's checks and prompts, never a log or a record.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from appliance.errors import ConfigError

Account = Mapping[str, Any]
DEFAULT = "default"


class AccountBook:
    """Looks up whose call this is."""

    def __init__(self, accounts: Mapping[str, Account]) -> None:
        self._accounts = {_normal(number): account for number, account in accounts.items()}

    def find(self, number: str) -> Account:
        """The account of a caller's number; the default's, or an empty one, if unknown."""
        digits = _normal(number)
        known = self._accounts.get(digits) if digits else None  # "anonymous" is nobody
        return known or self._accounts.get(DEFAULT, {})

    def all(self) -> Mapping[str, Account]:
        """Every account by number, the default's among them."""
        return self._accounts


def load_accounts(path: Path) -> AccountBook:
    """Read the file.

    Raises:
        ConfigError: it cannot be read, or is not a mapping of numbers to mappings.
    """
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError, UnicodeDecodeError) as error:
        raise ConfigError(f"call.accounts: {path}: {error}") from error
    if not isinstance(data, dict) or not all(isinstance(entry, dict) for entry in data.values()):
        raise ConfigError(f"call.accounts: {path}: must map each caller number to a mapping")
    wrong = [key for key in data if key != DEFAULT and not _normal(str(key))]
    if wrong:
        raise ConfigError(f"call.accounts: {path}: {wrong[0]!r} is no telephone number")
    return AccountBook({str(number): account for number, account in data.items()})


def _normal(number: str) -> str:
    return number if number == DEFAULT else "".join(char for char in number if char.isdigit())
