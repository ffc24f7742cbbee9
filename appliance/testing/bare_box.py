"""A bare Debian 12, booted with its own systemd, to install an appliance in as an operator does.

    debootstrap, once ── archive ──> a fresh root ── systemd-nspawn ──> BareBox ( sh, enter )

The tests of the bundle and the air-gap proof use the same. It boots with a network of its own: with
none, or with one that the caller made. It must never have this machine's. Needs root.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import IO

_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_BOOT_S = 60.0
_SHUT_DOWN_S = 120.0
_POLL_S = 0.2
_RELEASE = "bookworm"
_PACKAGES = "systemd,systemd-sysv,dbus,iproute2"
_GROUP_TREES = [
    tree
    for tree in ("/sys/fs/cgroup/systemd", "/sys/fs/cgroup/unified", "/sys/fs/cgroup")
    if Path(tree, "cgroup.procs").is_file()
]


class BoxError(RuntimeError):
    """A box did not boot, or a command in it failed; the text is what it said."""


class BareBox:
    """A booted root; `sh` runs in it as its root, and `enter` says how to start in its network."""

    def __init__(self, root: Path, nspawn: subprocess.Popen[bytes]) -> None:
        self.root = root
        self._nspawn = nspawn
        self._leader = self._await_leader()

    def started(self, *command: str) -> subprocess.Popen[str]:
        """A command in the box, in a process group of its own; output and errors together."""
        return _started(self._leader, *command)

    def sh(self, script: str, timeout_s: float = 900) -> str:
        """What a command of the shell in the box says, without white space around it.

        Raises:
            BoxError: its exit code is not 0.
            subprocess.TimeoutExpired: it takes longer; it is killed.
        """
        running = self.started("sh", "-c", script)
        try:
            said, _ = running.communicate(timeout=timeout_s)
        finally:
            running.kill()
        if running.returncode:
            raise BoxError(f"{script}\n{said}")
        return said.strip()

    @property
    def enter(self) -> list[str]:
        """In front of a command of this machine, to have the box's network and no more."""
        return ["nsenter", "-t", self._leader, "-n", "--"]

    def _await_leader(self) -> str:
        until = time.monotonic() + _BOOT_S
        while time.monotonic() < until and self._nspawn.poll() is None:
            if leader := _children(self._nspawn).strip():
                asked = _started(leader, "systemctl", "is-system-running")
                if asked.communicate()[0].strip() in {"running", "degraded"}:
                    return leader
            time.sleep(_POLL_S)
        raise BoxError("the root does not boot")


def _started(leader: str, *command: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        ["nsenter", "-t", leader, "-m", "-u", "-i", "-n", "-p", "--", "env", "-i",
         f"PATH={_PATH}", "HOME=/root", "LANG=C.UTF-8", *command],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, start_new_session=True,
    )  # fmt: skip


@contextlib.contextmanager
def booted(
    root: Path,
    archive: Path,
    *,
    namespace: Path | None = None,
    name_server: str = "",
    console: Path = Path(os.devnull),
) -> Iterator[BareBox]:
    """Boot a fresh root; it is shut down and removed at the end.

    Args:
        root: where it will be; must not be there. The folder's name is the machine's.
        archive: of a bare root; see `bare_root`.
        namespace: network namespace that it gets; without one, only a loopback of its own.
        name_server: address that its software is to ask for names.
        console: file for what it says while it boots.

    Raises:
        BoxError: it does not boot.
    """
    root.mkdir()
    name = f"{root.name}-{os.getpid()}"
    network = f"--network-namespace-path={namespace}" if namespace else "--private-network"
    try:
        subprocess.run(["tar", "-C", root, "-xf", archive], check=True)
        (root / "etc/apt/sources.list").write_text("")
        (root / "etc/resolv.conf").write_text(f"nameserver {name_server}\n" if name_server else "")
        (root / "etc/hostname").write_text(f"{root.name}\n")
        (root / "etc/machine-id").write_text(f"{uuid.uuid4().hex}\n")  # else all units are enabled
        with console.open("wb") as said, _nspawn(root, name, network, said) as nspawn:
            box = BareBox(root, nspawn)
            yield box
    finally:
        shutil.rmtree(root)
        _remove_groups(name)


@contextlib.contextmanager
def _nspawn(
    root: Path, name: str, network: str, said: IO[bytes]
) -> Iterator[subprocess.Popen[bytes]]:
    # Without these three, the kernel here does not let the box's systemd filter units' addresses.
    filters = ["--system-call-filter=bpf", "--capability=CAP_BPF,CAP_NET_ADMIN"]
    running = subprocess.Popen(
        ["systemd-nspawn", "-q", "-D", root, "--boot", "--register=no", "--keep-unit", network,
         *filters, "--resolv-conf=off", "--timezone=off", f"--machine={root.name}"],
        env={**os.environ, "SYSTEMD_NSPAWN_UNIFIED_HIERARCHY": "1"},
        stdin=subprocess.DEVNULL, stdout=said, stderr=subprocess.STDOUT,
        preexec_fn=lambda: _enter_groups(name),  # noqa: PLW1509 (no threads)
    )  # fmt: skip
    try:
        yield running
    finally:
        leader = _children(running)
        running.terminate()  # it asks the box's systemd to power off
        try:
            running.wait(timeout=_SHUT_DOWN_S)
        except subprocess.TimeoutExpired:
            for each in leader.split():
                os.kill(int(each), signal.SIGKILL)  # the first of its processes: all others too
            running.wait(timeout=_SHUT_DOWN_S)


def _children(running: subprocess.Popen[bytes]) -> str:
    try:
        return Path(f"/proc/{running.pid}/task/{running.pid}/children").read_text()
    except OSError:  # it has ended
        return ""


def bare_root(archive: Path) -> Path:
    """The archive of what debootstrap makes; kept there, since a bare root is the same tomorrow.

    Raises:
        BoxError: debootstrap cannot make it; the text is the end of what it said.
    """
    if archive.exists():
        return archive
    making = archive.parent / "bare"
    shutil.rmtree(making, ignore_errors=True)
    archive.parent.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        ["debootstrap", "--variant=minbase", f"--include={_PACKAGES}", _RELEASE, making, _mirror()],
        check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    if done.returncode:
        raise BoxError(f"debootstrap: {done.stdout[-2000:]}")
    shutil.rmtree(making / "var/cache/apt/archives")
    part = archive.with_name(f"{archive.name}.part")
    subprocess.run(["tar", "-C", making, "--one-file-system", "-cf", part, "."], check=True)
    part.rename(archive)
    shutil.rmtree(making)
    return archive


def _mirror() -> str:
    """Where apt has this release from on this machine."""
    listed = subprocess.run(
        ["apt-get", "indextargets", "--format", "$(REPO_URI) $(CODENAME)", "Created-By: Packages"],
        check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    mirrors = [line.split()[0] for line in listed.splitlines() if line.endswith(f" {_RELEASE}")]
    if not mirrors:
        raise BoxError(f"apt has no source of {_RELEASE} here")
    return mirrors[0]


def _enter_groups(name: str) -> None:
    """Control groups of its own: boxes side by side would share those of units of one name.

    With them they would share each other's address filters.
    """
    for tree in _GROUP_TREES:
        group = Path(tree, name)
        group.mkdir(exist_ok=True)
        (group / "cgroup.procs").write_text(str(os.getpid()))


def _remove_groups(name: str) -> None:
    for tree in _GROUP_TREES:
        for folder, _, _ in os.walk(Path(tree, name), topdown=False):
            with contextlib.suppress(OSError):
                Path(folder).rmdir()
