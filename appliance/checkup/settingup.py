"""From answers to a box that takes calls: write, apply, and try it by a call.

Draft ─> appliance.toml, secret, time zone ─> apply ─> check-up ─> findings
                 └────────── put back <── nobody wants it so ──┘
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from appliance.checkup.applying import Say, apply
from appliance.checkup.draft import Draft
from appliance.checkup.finding import Finding, Status, worst
from appliance.checkup.pbx import REGISTERED
from appliance.checkup.rounds import check_up
from appliance.checkup.toml_text import set_values
from appliance.checkup.units import has_systemd
from appliance.checkup.writing import set_zone, write_config, write_secret, write_whole, zone_of
from appliance.clock import Clock
from appliance.config import Config, load_config, parse_text
from appliance.edge.certificate import make_certificate
from appliance.errors import ConfigError

AFTERWARDS = (
    "configuration", "secrets", "ports", "services", "health", "certificate", "pbx",
    REGISTERED, "call",
)  # fmt: skip
"""What is checked of a box that was just set up; the rest is `appliance doctor`'s."""
_REGISTERS_S = 20.0


@dataclass(frozen=True, slots=True)
class Before:
    """What was there, to be put back."""

    path: Path
    config: str
    secret_file: Path
    secret: str | None
    zone: str

    def put_back(self, *, own_machine: bool) -> None:
        """Write it as it was.

        Raises:
            ConfigError: it cannot be written.
        """
        write_whole(self.path, self.config)
        if self.secret is None:
            self.secret_file.unlink(missing_ok=True)
        else:
            write_secret(self.secret_file, self.secret)
        if own_machine:
            set_zone(self.zone)


def template_of(path: Path, shipped: Path) -> str:
    """The configuration that is changed: the one that is there, else the shipped one.

    Raises:
        ConfigError: there is neither.
    """
    for each in (path, shipped):
        if each.is_file():
            return each.read_text(encoding="utf-8")
    raise ConfigError(f"{path}: there is none; copy appliance.example.toml there")


def write(draft: Draft, text: str, *, own_machine: bool) -> tuple[Config, Before]:
    """Write what was answered, after it was checked as a whole.

    Args:
        draft: all answers.
        text: the configuration as it is.
        own_machine: the configuration is this machine's, so its time zone is set too.

    Raises:
        ConfigError: the answers do not go together, or something cannot be written. Where only the
            last of it could not be written, running it again completes it.
    """
    changed = set_values(text, draft.changes())
    parse_text(changed, draft.path)
    secret_file = draft.password_file
    before = Before(draft.path, text, secret_file, draft.kept_password or None, zone_of())
    write_secret(secret_file, draft.get("password"))
    if own_machine and draft.get("time_zone"):
        set_zone(draft.get("time_zone"))
        time.tzset()
    write_config(draft.path, changed)
    config = load_config(draft.path)
    tls = config.edge.tls
    if config.edge.enabled and draft.transport == "tls" and not tls.certificate.exists():
        make_certificate(config.edge)
    return config, before


def start(config: Config, say: Say) -> bool:
    """Have the units follow; whether there are any.

    Raises:
        ConfigError: one does not start.
    """
    if not has_systemd():
        return False
    apply(config, say)
    return True


def try_out(path: Path, clock: Clock) -> Iterator[Finding]:
    """The check-up of a box that was started a moment ago: it may need some seconds to register."""
    until = clock.monotonic_ns() + int(_REGISTERS_S * 1e9)
    while clock.monotonic_ns() < until:
        if worst(check_up(path, clock, (REGISTERED,))) is not Status.FAIL:
            break
        time.sleep(1)
    yield from check_up(path, clock, AFTERWARDS)
