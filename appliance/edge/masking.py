"""The key by which the edge masks the addresses of its lines (topoh).

It must be the same at every start, so that calls outlive a restart of the edge, and be known to
nobody else: who knows it can read the masked addresses, and can make others that the edge takes for
its own. So it is random, and lies among the secrets. Before the first `appliance apply` there is
none: then the machine's id serves, which every user of the box can read.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from pathlib import Path

from appliance.errors import ConfigError
from appliance.secret_files import secret_path
from appliance.whole_files import write_whole

PLACE = Path("/etc/appliance/secrets/edge/mask-key")
_MACHINE_ID = Path("/etc/machine-id")
_KEY = re.compile(r"[0-9a-f]{32}")
_BYTES = 16


def mask_key(place: Path = PLACE) -> tuple[str, bool]:
    """The key, and whether it is secret; else it is made of the machine's id.

    Args:
        place: where it lies; a service reads its own copy.

    Raises:
        ConfigError: there is one, and it is none.
    """
    try:
        key = secret_path(place).read_text(encoding="utf-8").strip()
    except OSError:  # none yet, or not for this user to read
        return _known_key(), False
    except UnicodeDecodeError as error:
        raise _no_key(place) from error
    if not _KEY.fullmatch(key):
        raise _no_key(place)
    return key, True


def make_mask_key(place: Path = PLACE) -> None:
    """Make a random key, unless there is one.

    Raises:
        ConfigError: it cannot be written.
    """
    try:
        if not place.exists():
            place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_whole(place, f"{secrets.token_hex(_BYTES)}\n", 0o600)
    except OSError as error:
        raise ConfigError(
            f"{place}: cannot be written: {error.strerror}; run this as root"
        ) from error


def _known_key() -> str:
    try:
        machine = _MACHINE_ID.read_bytes()
    except OSError:
        machine = b""
    return hashlib.sha256(b"edge" + machine).hexdigest()[:32]


def _no_key(place: Path) -> ConfigError:
    return ConfigError(f"{place}: is no key of 32 hexadecimal digits: remove it, then `appliance "
                       "apply` makes another")  # fmt: skip
