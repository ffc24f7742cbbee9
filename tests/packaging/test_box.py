"""A box from its first installation to its end, in a bare Debian without a network.

Needs root (it boots systems) and a bundle's worth of disk; a quarter of an hour on two cores.
"""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from appliance.testing.bare_box import BareBox, bare_root, booted
from tests.packaging.conftest import KEPT, ROOT, Bundles

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(3600),
    pytest.mark.skipif(os.geteuid() != 0, reason="boots systems: needs root"),
    pytest.mark.skipif(not shutil.which("systemd-nspawn"), reason="needs systemd-container"),
]
CALLS = ROOT / "tests" / "packaging" / "calls_in_a_row.py"
_KILLS = 6
_UPGRADE_S = 60.0


@pytest.fixture
def box(bundles: Bundles, tmp_path: Path) -> Iterator[BareBox]:
    with booted(tmp_path / "box", bare_root(KEPT / "bare.tar")) as box:
        for name, bundle in (("first", bundles.first), ("second", bundles.second)):
            shutil.copytree(bundle, box.root / "root" / name, copy_function=os.link)
        yield box


def install(box: BareBox, name: str, *options: str) -> str:
    return box.sh(f"cd /root/{name} && ./install.sh {' '.join(options)}")


def takes_calls(box: BareBox) -> None:
    """Set up without a PBX: callers on loopback, who book appointments."""
    box.sh(
        "cp $(find /opt/appliance/current/ -path '*booking/accounts.example.yaml') "
        "   /etc/appliance/accounts.yaml && "
        "sed -i -e 's/^flow = .*/flow = \"booking\"/' -e 's/^# accounts = /accounts = /' "
        "  /etc/appliance/appliance.toml && "
        "systemctl -q enable appliance.target appliance-line@0.service && "
        "systemctl start appliance.target"
    )


def outcomes(box: BareBox, meanwhile: Callable[[], object]) -> list[str]:
    """What became of calls, one after the other, while something happened."""
    calls = subprocess.Popen(
        [*box.enter, sys.executable, CALLS], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    try:
        meanwhile()
    finally:
        calls.send_signal(signal.SIGTERM)
        said, _ = calls.communicate(timeout=120)
    return said.splitlines()


def current(box: BareBox) -> str:
    return (box.root / "opt/appliance/current").readlink().name


def test_a_box_is_installed_upgraded_under_calls_rolled_back_and_removed(
    box: BareBox, bundles: Bundles
) -> None:
    first = (bundles.first / "VERSION").read_text().strip()
    install(box, "first", "--accept-key")
    assert current(box) == first
    assert box.sh("appliance version") == first
    assert box.sh("systemctl is-enabled kamailio.service || true") == "masked"
    assert not box.sh("ss -Hlun sport = :5060")
    assert "is there already" in install(box, "first")  # a second time does nothing
    takes_calls(box)

    became = outcomes(box, lambda: install(box, "second"))
    assert current(box) == "99"
    assert "whole" in became
    assert not [each for each in became if each.startswith("cut")]

    became = outcomes(box, lambda: box.sh("appliance rollback"))
    assert current(box) == first
    assert box.sh("appliance version --installed").splitlines() == [
        f"{first}  current",
        "99  previous",
    ]
    assert not [each for each in became if each.startswith("cut")]

    box.sh("sh /opt/appliance/current/share/uninstall.sh --yes")
    assert not (box.root / "opt/appliance").exists()
    assert not list((box.root / "usr/local/lib/systemd/system").glob("appliance*"))
    assert not box.sh("grep -al '[/]opt/appliance' /proc/[0-9]*/cmdline 2>/dev/null || true")
    assert (box.root / "var/lib/appliance/appliance.sqlite").exists()
    assert (box.root / "etc/appliance/appliance.toml").exists()

    install(box, "second")  # the key was kept with the configuration
    takes_calls(box)
    box.sh("sh /opt/appliance/current/share/uninstall.sh --yes --data --packages")
    for gone in ("opt/appliance", "etc/appliance", "var/lib/appliance", "usr/sbin/kamailio"):
        assert not (box.root / gone).exists(), gone
    assert not box.sh("getent passwd appliance appliance-line || true")


def test_an_upgrade_that_is_killed_leaves_the_version_before_and_is_completed(
    box: BareBox, bundles: Bundles
) -> None:
    chosen = random.Random(1)
    first = (bundles.first / "VERSION").read_text().strip()
    install(box, "first", "--accept-key")
    takes_calls(box)
    for _ in range(_KILLS):
        running = box.started("sh", "-c", "cd /root/second && exec ./install.sh")
        time.sleep(chosen.uniform(0, _UPGRADE_S))
        with_all_its_children = running.pid
        if running.poll() is None:
            os.killpg(with_all_its_children, signal.SIGKILL)
        running.communicate()
        assert current(box) in {first, "99"}
        assert (box.root / f"opt/appliance/versions/{current(box)}/.complete").exists()
        assert box.sh("appliance version --installed").count("current") == 1
        assert "whole" in outcomes(box, lambda: time.sleep(30))
    install(box, "second")
    assert current(box) == "99"
    assert "whole" in outcomes(box, lambda: time.sleep(30))
    assert not box.sh("dpkg --audit")
