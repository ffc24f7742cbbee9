"""The units: nothing for systemd's own checks to find, as closed as we say, stopped in order."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from appliance.config import parse_config
from appliance.drop_ins import drop_ins

SHIPPED = Path(__file__).parents[2] / "systemd"
SYSTEMS_OWN = Path("/usr/lib/systemd/system")
SERVICES = sorted(path.name for path in SHIPPED.glob("*.service"))
STARTED = sorted(path.name.replace("@.", "@0.") for path in SHIPPED.glob("appliance*.*"))
EXPOSURE = 20
"""In tenths, of 100: what `systemd-analyze security` may say at most."""

pytestmark = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="systemd is not installed"
)


@pytest.fixture
def box(tmp_path: Path) -> Path:
    """The root of a box with our units, systemd's own, and the programs that ours start."""
    shutil.copytree(SYSTEMS_OWN, tmp_path / SYSTEMS_OWN.relative_to("/"), symlinks=True)
    units = tmp_path / "etc/systemd/system"
    shutil.copytree(SHIPPED, units, ignore=shutil.ignore_patterns("*.d"))
    for program in {program for name in SERVICES for program in programs(name)}:
        place = tmp_path / program.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy("/bin/true", place)
    return tmp_path


def programs(name: str) -> list[str]:
    return [
        command.split()[0] for key in ("ExecStartPre", "ExecStart") for command in said(name, key)
    ]


def said(name: str, key: str) -> list[str]:
    """All that a unit says for a key, in order."""
    return re.findall(rf"^{key}=(.*)$", (SHIPPED / name).read_text(), re.MULTILINE)


def verify(box: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["systemd-analyze", "verify", f"--root={box}", "--man=no", *STARTED],
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_systemd_finds_nothing_to_say(box: Path) -> None:
    done = verify(box)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("name", "line", "complaint"),
    [
        ("appliance-agent.service", "[Service]\nRestartSteps=5\n", "RestartSteps"),
        ("appliance-line@.service", "[Service]\nExecStartPre=/opt/none\n", "not executable"),
    ],
)
def test_it_would_find_a_mistake(box: Path, name: str, line: str, complaint: str) -> None:
    with (box / "etc/systemd/system" / name).open("a") as unit:
        unit.write(line)
    done = verify(box)
    assert complaint in done.stderr


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_is_closed(name: str) -> None:
    done = subprocess.run(
        ["systemd-analyze", "security", "--offline=yes", f"--threshold={EXPOSURE}", "--no-pager",
         str(SHIPPED / name)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Overall exposure level" in done.stdout


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_reaches_nobody_whom_the_configuration_does_not_name(name: str) -> None:
    assert said(name, "IPAddressDeny") == ["any"]
    assert said(name, "IPAddressAllow") in (["localhost"], [])


def test_calls_drain_before_the_lines_end_and_the_lines_before_the_edge() -> None:
    """systemd stops in the opposite order of starting."""
    assert "appliance-agent.service" in said("appliance-line@.service", "Before")[0].split()
    assert "appliance-edge.service" in said("appliance-line@.service", "After")[0].split()
    assert "appliance-media.service" in said("appliance-edge.service", "After")[0].split()


@pytest.mark.parametrize("name", sorted(path.name for path in SHIPPED.glob("appliance-*.*")))
def test_all_that_runs_stops_with_the_target(name: str) -> None:
    of_a_timer = (SHIPPED / name).with_suffix(".timer").is_file() and name.endswith("service")
    assert said(name, "PartOf") == ([] if of_a_timer else ["appliance.target"])
    assert said(name, "WantedBy") == ([] if of_a_timer else ["appliance.target"])


def test_drop_ins_are_for_units_that_ship() -> None:
    config = {
        "edge": {"enabled": True, "peers": ["192.0.2.10/32"]},
        "line": {"port": 5070},
        "notify": {"webhook": {"url": "https://192.0.2.22/hook", "secret_file": "s"}},
    }
    paths = set(drop_ins(parse_config(config, Path("/etc/appliance/x.toml"))))
    alone = {"line": {"peers": ["192.0.2.10/32"]}}
    paths |= set(drop_ins(parse_config(alone, Path("/etc/appliance/x.toml"))))
    assert {path.parent.name.removesuffix(".d") for path in paths} == {
        "appliance-agent.service",
        "appliance-backup.service",  # this configuration keeps its data beside itself
        "appliance-edge.service",
        "appliance-line@.service",
        "appliance-media.service",
        "appliance-retention.service",
    }
    assert {path.parent.name.removesuffix(".d") for path in paths} <= set(SERVICES)


def test_users_and_folders_can_be_made(tmp_path: Path) -> None:
    """By the programs that do it on a box, into an empty root."""
    (tmp_path / "etc").mkdir()
    subprocess.run(
        ["systemd-sysusers", f"--root={tmp_path}", str(SHIPPED / "sysusers.d/appliance.conf")],
        check=True, capture_output=True,
    )  # fmt: skip
    accounts = dict(
        line.split(":", 1) for line in (tmp_path / "etc/passwd").read_text().splitlines()
    )
    groups = {name: account.split(":")[2] for name, account in accounts.items()}
    assert groups["appliance-line"] == groups["appliance"]
    users = {user for name in SERVICES for user in said(name, "User")}
    assert users - {"kamailio", "rtpengine"} == set(accounts)
    subprocess.run(
        ["systemd-tmpfiles", f"--root={tmp_path}", "--create",
         str(SHIPPED / "tmpfiles.d/appliance.conf")],
        check=True, capture_output=True,
    )  # fmt: skip
    secrets = tmp_path / "etc/appliance/secrets"
    loaded = {
        given.rpartition(":")[2] for name in SERVICES for given in said(name, "LoadCredential")
    }
    assert loaded == {f"/etc/appliance/secrets/{path.name}" for path in secrets.iterdir()}
    assert {path.stat().st_mode & 0o777 for path in (secrets, *secrets.iterdir())} == {0o700}
