"""Two hosts on one wire, in network namespaces, and what is seen of it: capture and counters.

    ┌ PBX ─────────┐   veth    ┌ box ─────────┐
    │ 192.0.2.1    │  lan ⇄ lan│ 192.0.2.2    │ default routes, IPv4 and IPv6: the PBX
    └──────────────┘     │     └──────────────┘
                 dumpcap, nft counters (in the box's namespace)

The box has a way to everywhere, and it leads over the wire: whatever it sends is seen. Nothing here
has a way to this machine's networks. The addresses are nobody's (RFC 5737, RFC 4193, RFC 3849).
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path

from appliance.errors import ConfigError
from appliance.testing.airgap.packets import KERNEL_ICMPV6

CONNECTIONS = ("198.51.100.7", "2001:db8::7")
"""Where connections are tried on purpose; nobody is there."""

FILTERED = "198.51.100.8"
"""The same, for a unit whose address filter forbids it."""

_STARTS_S = 10.0
_SETTLES_S = 1.0
_POLL_S = 0.1
_HEADERS = 128  # bytes of a frame that are kept: never what was said


@dataclass(frozen=True, slots=True)
class Host:
    """One end of the wire."""

    namespace: str
    address: IPv4Address
    address6: IPv6Address

    @property
    def enter(self) -> list[str]:
        """In front of a command, to have this host's network."""
        return ["ip", "netns", "exec", self.namespace]

    @property
    def path(self) -> Path:
        """Its namespace as a file."""
        return Path("/run/netns", self.namespace)


@dataclass(frozen=True, slots=True)
class Wire:
    """Both ends; `capture` and `counters` say what went by."""

    box: Host
    pbx: Host

    @contextlib.contextmanager
    def capture(self, file: Path) -> Iterator[None]:
        """Write the headers of every frame into a file, until the block ends.

        Raises:
            ConfigError: the capture does not start.
        """
        file.unlink(missing_ok=True)
        dumping = subprocess.Popen(
            [*self.box.enter, "dumpcap", "-q", "-s", str(_HEADERS), "-i", "lan", "-w", str(file)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            until = time.monotonic() + _STARTS_S
            while not (file.exists() and file.stat().st_size):
                if dumping.poll() is not None or time.monotonic() > until:
                    raise ConfigError(f"{file}: dumpcap does not start: try `dumpcap -D` as root")
                time.sleep(_POLL_S)
            yield
            time.sleep(_SETTLES_S)
        finally:
            dumping.send_signal(signal.SIGINT)
            dumping.wait()

    def counters(self) -> str:
        """The box's packet counters, as JSON of `nft`."""
        asked = [*self.box.enter, "nft", "-j", "list", "counters", "table", "inet", "proof"]
        return _run(*asked)


@contextlib.contextmanager
def laid() -> Iterator[Wire]:
    """Make the two hosts; they are removed at the end. Needs root."""
    number = os.getpid()
    wire = Wire(
        Host(f"agbox{number}", IPv4Address("192.0.2.2"), IPv6Address("fd5e:a17:9a9::2")),
        Host(f"agpbx{number}", IPv4Address("192.0.2.1"), IPv6Address("fd5e:a17:9a9::1")),
    )
    with contextlib.ExitStack() as stack:
        for host in (wire.pbx, wire.box):
            _run("ip", "netns", "add", host.namespace)
            stack.callback(_run, "ip", "netns", "del", host.namespace)
        _run("ip", "link", "add", "lan", "netns", wire.pbx.namespace, "type", "veth",
             "peer", "name", "lan", "netns", wire.box.namespace)  # fmt: skip
        _run(*wire.box.enter, "nft", "-f", "-", given=_counting(wire))
        for host in (wire.pbx, wire.box):
            inside = ("ip", "-n", host.namespace)
            _run(*inside, "link", "set", "lo", "up")
            _run(*inside, "addr", "add", f"{host.address}/24", "dev", "lan")
            _run(*inside, "addr", "add", f"{host.address6}/64", "dev", "lan", "nodad")
            _run(*inside, "link", "set", "lan", "up")
        _run("ip", "-n", wire.box.namespace, "route", "add", "default",
             "via", str(wire.pbx.address))  # fmt: skip
        _run("ip", "-n", wire.box.namespace, "-6", "route", "add", "default",
             "via", str(wire.pbx.address6), "dev", "lan")  # fmt: skip
        yield wire


def _counting(wire: Wire) -> str:
    """Rules that let everything through and count it.

    They come before the address filters of systemd's units (those act where a packet leaves the
    box): what a filter stopped is counted too.
    """
    types = ", ".join(str(kind) for kind in KERNEL_ICMPV6)
    return f"""
table inet proof {{
  counter to_pbx {{}}
  counter kernel_ipv6 {{}}
  counter elsewhere {{}}
  counter look_ups {{}}
  counter filtered {{}}
  chain out {{
    type filter hook output priority 0;
    oifname "lo" accept
    meta l4proto {{ udp, tcp }} th dport {{ 53, 137, 853, 5353, 5355 }} counter name look_ups
    ip daddr {wire.pbx.address} counter name to_pbx accept
    icmpv6 type {{ {types} }} counter name kernel_ipv6 accept
    ip daddr {FILTERED} counter name filtered
    counter name elsewhere
  }}
}}
"""


def read_counters(text: str) -> dict[str, int]:
    """Packets by counter, from `Wire.counters`."""
    counters = [each["counter"] for each in json.loads(text)["nftables"] if "counter" in each]
    return {each["name"]: each["packets"] for each in counters}


def _run(*command: str, given: str = "") -> str:
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ConfigError(f"{' '.join(command)}: {done.stderr.strip()}")
    return done.stdout
