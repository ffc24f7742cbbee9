"""What the running SIP edge says of its lines and calls, asked through its own socket.

kamailio answers JSON-RPC over a datagram socket that only root and its own user reach. Nothing
here changes anything: it asks, and reads.
"""

from __future__ import annotations

import json
import socket
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from appliance.errors import ConfigError

SOCKET = Path("/run/appliance-edge/rpc.sock")
_ANSWER_BYTES = 60_000
_LIMIT_S = 3.0


@dataclass(frozen=True, slots=True)
class EdgeStatus:
    """How the edge is.

    Attributes:
        lines: whether each line answers, by its SIP port.
        calls: how many are up.
    """

    lines: dict[int, bool]
    calls: int


def read_status(path: Path = SOCKET) -> EdgeStatus:
    """Ask the edge whose socket that is.

    Raises:
        ConfigError: it does not run, or does not answer.
    """
    sets = _ask(path, "dispatcher.list")["RECORDS"]
    lines = {
        int(each["DEST"]["URI"].rpartition(":")[2]): each["DEST"]["FLAGS"].startswith("A")
        for record in sets
        for each in record["SET"]["TARGETS"]
    }
    return EdgeStatus(lines, int(_ask(path, "dlg.stats_active")["ongoing"]))


def _ask(path: Path, method: str) -> Any:
    request = json.dumps({"jsonrpc": "2.0", "method": method, "id": 1}).encode()
    try:
        # kamailio answers to a socket beside its own, where it can reach it.
        with (
            tempfile.TemporaryDirectory(prefix=".ask-", dir=path.parent) as folder,
            socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as asking,
        ):
            own = Path(folder) / "s"
            asking.bind(str(own))
            own.chmod(0o666)
            Path(folder).chmod(0o755)
            asking.settimeout(_LIMIT_S)
            asking.sendto(request, str(path))
            answer = json.loads(asking.recv(_ANSWER_BYTES))
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path}: the edge does not answer: {error}") from error
    if "result" not in answer:
        raise ConfigError(f"{path}: the edge does not know {method}")
    return answer["result"]
