"""Asks a running agent how it is, over its socket or port: for `appliance health` and checks."""

from __future__ import annotations

import http.client
import json
import math
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from prometheus_client.parser import text_string_to_metric_families

from appliance.errors import ConfigError, PeerError
from appliance.sections import HealthConfig

_TIMEOUT_S = 5.0


@dataclass(frozen=True, slots=True)
class Answer:
    """What was answered; `body` is empty where it was no JSON."""

    status: int
    text: str

    @property
    def body(self) -> dict[str, Any]:
        """The JSON object that was answered."""
        try:
            told = json.loads(self.text)
        except ValueError:
            return {}
        return told if isinstance(told, dict) else {}


def ask(config: HealthConfig, path: str) -> Answer:
    """Ask the agent of this configuration: `/healthz`, `/readyz` or `/metrics`.

    Raises:
        ConfigError: it is not configured to be asked.
        PeerError: nobody answers there.
    """
    if config.socket is not None:
        connection: http.client.HTTPConnection = _UnixConnection(config.socket)
        where = str(config.socket)
    elif config.port is not None:
        connection = http.client.HTTPConnection("127.0.0.1", config.port, timeout=_TIMEOUT_S)
        where = f"127.0.0.1:{config.port}"
    else:
        raise ConfigError("health.socket: neither it nor health.port is set; set one of them")
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        return Answer(answer.status, answer.read().decode())
    except (OSError, http.client.HTTPException) as error:
        said = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise PeerError(f"health: {where}: {said}") from error
    finally:
        connection.close()


class _UnixConnection(http.client.HTTPConnection):
    """HTTP to a unix socket."""

    def __init__(self, path: Path) -> None:
        super().__init__("localhost", timeout=_TIMEOUT_S)
        self._path = path

    def connect(self) -> None:
        """See `HTTPConnection.connect`."""
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(_TIMEOUT_S)
        self.sock.connect(str(self._path))


def asked_figures(config: HealthConfig) -> dict[str, float]:
    """The gauges of the agent of this configuration.

    By "open_calls", "disk_free_bytes records" and so on: the name without `appliance_`, and the
    values of its labels. What is no number (not known, or none) is left out.

    Raises:
        ConfigError: it is not configured to be asked.
        PeerError: nobody answers there.
    """
    families = text_string_to_metric_families(ask(config, "/metrics").text)
    gauges = (sample for each in families if each.type == "gauge" for sample in each.samples)
    named = {
        " ".join([each.name.removeprefix("appliance_"), *each.labels.values()]): each.value
        for each in gauges
    }
    return {name: value for name, value in named.items() if math.isfinite(value)}
