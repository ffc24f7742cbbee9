"""A bare Debian 12, booted with its own systemd and a network of its own, to install in."""

import contextlib
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / "var" / "package"
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_BOOT_S = 60.0


class BareBox:
    """A booted root; `sh` runs in it as its root, and `enter` says how to start in its network."""

    def __init__(self, root: Path, nspawn: subprocess.Popen[bytes]) -> None:
        self.root = root
        self._nspawn = nspawn
        self._leader = self._await_leader()

    def started(self, *command: str) -> subprocess.Popen[str]:
        """A command in the box, in a process group of its own; output and errors together."""
        return subprocess.Popen(
            ["nsenter", "-t", self._leader, "-m", "-u", "-i", "-n", "-p", "--", "env", "-i",
             f"PATH={_PATH}", "HOME=/root", "LANG=C.UTF-8", *command],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, start_new_session=True,
        )  # fmt: skip

    def sh(self, script: str, timeout_s: float = 900) -> str:
        """What a command in the box says; fails with it where it fails."""
        running = self.started("sh", "-c", script)
        said, _ = running.communicate(timeout=timeout_s)
        assert running.returncode == 0, f"{script}\n{said}"
        return said.strip()

    @property
    def enter(self) -> list[str]:
        """In front of a command of this machine, to have the box's network and no more."""
        return ["nsenter", "-t", self._leader, "-n", "--"]

    def _await_leader(self) -> str:
        until = time.monotonic() + _BOOT_S
        children = Path(f"/proc/{self._nspawn.pid}/task/{self._nspawn.pid}/children")
        while time.monotonic() < until:
            self._leader = children.read_text().strip()
            if self._leader:
                asked = self.started("systemctl", "is-system-running")
                if asked.communicate()[0].strip() in {"running", "degraded"}:
                    return self._leader
            time.sleep(0.2)
        raise AssertionError("the root does not boot")


@contextlib.contextmanager
def booted(folder: Path, name: str) -> Iterator[BareBox]:
    """Boot a fresh bare root; it is shut down and removed at the end. Needs root and nspawn."""
    root = folder / name
    root.mkdir()
    subprocess.run(["tar", "-C", root, "-xf", bare_root()], check=True)
    (root / "etc/apt/sources.list").write_text("")
    (root / "etc/machine-id").write_text(f"{os.getpid():032x}\n")  # else a first boot enables all
    nspawn = subprocess.Popen(
        ["systemd-nspawn", "-q", "-D", root, "--boot", "--register=no", "--keep-unit",
         "--private-network", "--timezone=off", f"--machine={name}"],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        preexec_fn=lambda: _enter_groups(root.parent.name),  # noqa: PLW1509 (no threads)
    )  # fmt: skip
    try:
        box = BareBox(root, nspawn)
        yield box
        with contextlib.suppress(AssertionError):
            box.sh("systemctl poweroff", timeout_s=60)
        nspawn.wait(timeout=120)
    finally:
        nspawn.kill()
        nspawn.wait()
        shutil.rmtree(root)
        _remove_groups(root.parent.name)


def bare_root() -> Path:
    """An archive of what debootstrap makes; kept, since a bare root is the same tomorrow."""
    kept = KEPT / "bare.tar"
    if kept.exists():
        return kept
    listed = subprocess.run(
        ["apt-get", "indextargets", "--format", "$(REPO_URI) $(CODENAME)", "Created-By: Packages"],
        check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    mirror = next(line.split()[0] for line in listed.splitlines() if line.endswith(" bookworm"))
    making = KEPT / "bare"
    shutil.rmtree(making, ignore_errors=True)
    KEPT.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        ["debootstrap", "--variant=minbase", "--include=systemd,systemd-sysv,dbus,iproute2",
         "bookworm", making, mirror],
        check=True, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    subprocess.run(
        ["tar", "-C", making, "--one-file-system", "-cf", f"{kept}.part", "."], check=True
    )
    Path(f"{kept}.part").rename(kept)
    shutil.rmtree(making)
    return kept


_TREES = [
    tree
    for tree in ("/sys/fs/cgroup/systemd", "/sys/fs/cgroup/unified", "/sys/fs/cgroup")
    if Path(tree, "cgroup.procs").is_file()
]


def _enter_groups(name: str) -> None:
    """Control groups of its own: boxes side by side would share those of units of one name."""
    for tree in _TREES:
        group = Path(tree, name)
        group.mkdir(exist_ok=True)
        (group / "cgroup.procs").write_text(str(os.getpid()))


def _remove_groups(name: str) -> None:
    for tree in _TREES:
        for folder, _, _ in os.walk(Path(tree, name), topdown=False):
            with contextlib.suppress(OSError):
                Path(folder).rmdir()
