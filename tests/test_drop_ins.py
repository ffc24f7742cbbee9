"""The packet filters of the units let through what the configuration names, and nothing else."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from appliance.config import parse_config
from appliance.drop_ins import drop_ins
from appliance.errors import ConfigError

DRAIN = Path("appliance-agent.service.d/drain.conf")
DATA, CACHE = Path("/var/lib/appliance"), Path("/var/cache/appliance")
PBX = "192.0.2.10"
BEHIND = {"port": 5070}


def nobody(host: str) -> Iterable[str]:
    raise AssertionError(f"{host} was looked up")


def peers(data: dict[str, Any], **asked: Any) -> dict[str, list[str]]:
    """What each unit may talk to beside the box itself."""
    found = drop_ins(
        parse_config(data, Path("/etc/appliance/x.toml")), **({"resolve": nobody} | asked)
    )
    return {
        path.parent.name: text.partition("IPAddressAllow=")[2].split()
        for path, text in found.items()
        if path.name == "peers.conf"
    }


def folders(**changed: str) -> dict[Path, str]:
    """The drop-ins about folders of a box as it is installed, but for some."""
    named = {
        "calls": f"{DATA}/calls",
        "store": f"{DATA}/appliance.sqlite",
        "backups": f"{DATA}/backups",
    } | changed
    data = {
        "record": {"folder": named["calls"], "store": named["store"]},
        "documents": {"store": f"{DATA}/documents.sqlite"},
        "backup": {"folder": named["backups"]},
        "speaking": {"cache": f"{CACHE}/prompts"},
        "understanding": {"cache": f"{CACHE}/intents"},
    }
    found = drop_ins(parse_config(data, Path("/etc/appliance/x.toml")))
    return {path: text for path, text in found.items() if path.name == "folders.conf"}


def registrar(server: str) -> dict[str, Any]:
    return {"server": server, "user": "200", "password_file": "/etc/appliance/secrets/line/p"}


def test_a_box_alone_talks_to_itself() -> None:
    assert peers({}) == {}


def test_behind_the_edge_the_lines_talk_to_the_edge_only() -> None:
    edge = {"enabled": True, "peers": [f"{PBX}/32"], "media_peers": ["198.51.100.0/24"]}
    assert peers(
        {"edge": edge, "line": BEHIND | {"registrar": registrar("sip:203.0.113.1:5070")}}
    ) == {
        "appliance-edge.service.d": [f"{PBX}/32", "203.0.113.1"],
        "appliance-media.service.d": [f"{PBX}/32", "198.51.100.0/24"],
    }


def test_a_box_that_calls_itself_for_a_test_hears_itself() -> None:
    edge = {"enabled": True, "peers": [f"{PBX}/32"], "address": "192.0.2.20"}
    assert peers({"edge": edge, "line": BEHIND}) == {
        "appliance-edge.service.d": [f"{PBX}/32", "192.0.2.20"],
        "appliance-media.service.d": [f"{PBX}/32", "192.0.2.20"],
    }
    line = {"peers": [f"{PBX}/32"], "address": "192.0.2.20"}
    assert peers({"line": line}) == {"appliance-line@.service.d": [f"{PBX}/32", "192.0.2.20"]}
    everywhere = {"peers": [f"{PBX}/32"], "address": "0.0.0.0"}
    assert peers({"line": everywhere}) == {"appliance-line@.service.d": [f"{PBX}/32"]}


@pytest.mark.parametrize("server", [f"sip:{PBX}", f"sips:{PBX}:5061;lr", f"{PBX}:5060", PBX])
def test_without_the_edge_the_lines_talk_to_the_pbx(server: str) -> None:
    line = {"peers": ["198.51.100.7/32"], "registrar": registrar(server)}
    assert peers({"line": line}) == {"appliance-line@.service.d": ["198.51.100.7/32", PBX]}


def test_the_pbx_by_name_is_looked_up_now_and_not_by_the_service() -> None:
    edge = {"enabled": True, "peers": [f"{PBX}/32"], "pbx": "pbx.example:5060"}
    asked = peers(
        {"edge": edge, "line": BEHIND}, resolve=lambda host: {"pbx.example": ["192.0.2.11"]}[host]
    )
    assert asked["appliance-edge.service.d"] == [f"{PBX}/32", "192.0.2.11"]


def test_the_agent_talks_to_the_systems_that_it_was_given() -> None:
    data = {
        "validation": {"url": "http://127.0.0.1:8080/v"},
        "sources": {"mcp": {"shop": {"url": "http://192.0.2.20:9000/mcp"}}},
        "desk": {
            "kind": "request_tracker",
            "request_tracker": {"url": "https://192.0.2.21/rt", "queue": "x", "token_file": "t"},
        },
        "notify": {
            "webhook": {"url": "https://192.0.2.22/hook", "secret_file": "s"},
            "email": {"host": "192.0.2.23", "sender": "a@b.example", "to": ["c@b.example"]},
        },
    }
    agent = peers(data)["appliance-agent.service.d"]
    assert set(agent) == {"192.0.2.20", "192.0.2.21", "192.0.2.22", "192.0.2.23"}


def test_name_servers_only_where_a_system_has_a_name(tmp_path: Path) -> None:
    resolver = tmp_path / "resolv.conf"
    resolver.write_text("# ours\nsearch example\nnameserver 192.0.2.53\n")
    data = {"notify": {"webhook": {"url": "https://hooks.example/x", "secret_file": "s"}}}
    allowed = peers(data, resolve=lambda _: ["192.0.2.22", "2001:db8::1"], resolver=resolver)
    assert allowed == {"appliance-agent.service.d": ["192.0.2.22", "2001:db8::1", "192.0.2.53"]}


def test_a_name_without_an_address_names_its_key() -> None:
    def resolve(host: str) -> Iterable[str]:
        raise OSError(f"{host}: unknown")

    data = {"notify": {"webhook": {"url": "https://hooks.example/x", "secret_file": "s"}}}
    with pytest.raises(ConfigError, match=r"^notify\.webhook\.url: hooks\.example has no address"):
        peers(data, resolve=resolve)


def test_a_box_as_it_is_installed_writes_in_its_own_folders_only() -> None:
    assert folders() == {}


@pytest.mark.parametrize("kind", ["calls", "backups"])
def test_a_folder_elsewhere_is_let_through_to_those_that_write_there(kind: str) -> None:
    """The agent too: it writes a backup before it migrates, and would not start without."""
    found = folders(**{kind: "/mnt/other disk/appliance"})
    assert {path.parent.name for path in found} == {
        "appliance-agent.service.d",
        "appliance-backup.service.d",
        "appliance-retention.service.d",
    }
    assert all(text.endswith('\nReadWritePaths="-/mnt/other disk/appliance"\n')
               for text in found.values())  # fmt: skip


def test_systemd_waits_longer_than_calls_may_drain() -> None:
    config = parse_config({"line": {"drain_s": 400}}, Path("/etc/appliance/x.toml"))
    assert drop_ins(config)[DRAIN].endswith("[Service]\nTimeoutStopSec=430\n")
