"""Versions of the appliance side by side on a box, and which of them runs.

    /opt/appliance/versions/A, B          each whole, with its mark, or not to be used
    /opt/appliance/current   ──> B        switched by one rename: before it A is the box, after it B
    /opt/appliance/previous  ──> A        what `appliance rollback` goes back to
    /usr/local/lib/systemd/system/        copies of its units, made right after the rename

So a power cut finds one version or the other, never half of one. (Between the rename and the copies
it finds units of the version before; install.sh, run again, sets that right.) Nothing here
installs, and nothing here knows the store: the agent migrates it when it starts.
"""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

from appliance.errors import ConfigError
from appliance.systemctl import LONGEST_S, systemctl, try_systemctl
from appliance.whole_files import sync_folder, write_whole

MARK = ".complete"
"""Written last into a version's folder; holds the digest of the bundle's SHA256SUMS."""

_TARGET = "appliance.target"
_OURS = "appliance-*.service"


@dataclass(frozen=True, slots=True)
class Places:
    """Where a box has its versions, where systemd looks for units, and who owns the databases.

    Attributes:
        user: whom a version is asked as; "" for the one who asks.
    """

    versions: Path = Path("/opt/appliance")
    units: Path = Path("/usr/local/lib/systemd/system")
    user: str = "appliance"


class Versions:
    """What is installed, and the two links that say which of it is meant.

    Attributes:
        places: where.
    """

    def __init__(self, places: Places) -> None:
        self.places = places
        self._current = places.versions / "current"
        self._previous = places.versions / "previous"

    def folder(self, version: str) -> Path:
        """Where a version is, or would be."""
        return self.places.versions / "versions" / version

    @property
    def whole(self) -> list[str]:
        """Versions that can be run, by name."""
        return sorted(mark.parent.name for mark in self.folder("").glob(f"*/{MARK}"))

    @property
    def current(self) -> str:
        """The version that runs, or would; "" on a box without one."""
        return _target_of(self._current)

    @property
    def previous(self) -> str:
        """The version before it; "" if there is none, or it was removed."""
        name = _target_of(self._previous)
        return name if name in self.whole else ""

    def switch(self, version: str) -> None:
        """Make a version the current one, by one rename, and the one before it the previous.

        Raises:
            ConfigError: it is not installed whole, or this is not root.
        """
        if version not in self.whole:
            raise ConfigError(
                f"version {version} is not installed whole in {self.folder('')}: run its install.sh"
            )
        before = self.current
        try:
            if before and before != version:
                _link(self._previous, Path("versions") / before)
            _link(self._current, Path("versions") / version)
            self._place_units(version)
        except OSError as error:
            raise ConfigError(f"{error.filename}: {error.strerror}: run this as root") from error

    def undo(self, version: str, previous: str) -> None:
        """Have both links as they were before a switch that did not do."""
        _link(self._current, Path("versions") / version)
        self._place_units(version)
        if previous:
            _link(self._previous, Path("versions") / previous)
        else:
            self._previous.unlink(missing_ok=True)

    def _place_units(self, version: str) -> None:
        """Give systemd the units of a version; those that it has no more go.

        Copies, since `systemctl enable` follows a link to its very end: into one version.
        """
        shared = self.folder(version) / "share" / "systemd"
        wanted = {file.name: file for file in shared.glob("appliance*") if file.is_file()}
        units = self.places.units
        units.mkdir(parents=True, exist_ok=True)
        for name, file in wanted.items():
            write_whole(units / name, file.read_bytes(), 0o644)
        for file in units.glob("appliance*"):
            if file.name not in wanted:
                file.unlink()
        sync_folder(units)


def activate(versions: Versions, version: str) -> list[str]:
    """Switch to a version and restart what runs: calls end first (docs/services.md).

    If a unit that ran does not come back, the version before runs again.

    Returns:
        The units that were restarted.

    Raises:
        ConfigError: the version is not whole, this is not root, or it did not start.
    """
    before, previous = versions.current, versions.previous
    running = _running()
    versions.switch(version)
    down, said = _started_anew(running)
    if not down:
        return running
    told = f"{version} does not run ({', '.join(down)}): {said or f'journalctl -u {down[0]}'}"
    if not before or before == version:
        raise ConfigError(told)
    versions.undo(before, previous)
    down, said = _started_anew(running)
    if down:
        raise ConfigError(f"{told}; nor does {before} ({', '.join(down)}) {said}".rstrip())
    raise ConfigError(f"{told}; {before} runs again")


def assert_acceptable(versions: Versions, version: str, config: Path) -> None:
    """Ask a version itself whether it can use this box's configuration and databases as they are.

    Raises:
        ConfigError: it cannot; says in its words why. Or this is not root.
    """
    current, folder = versions.places.versions / "current", versions.folder(version)
    program, user = str(folder / "bin" / "appliance"), versions.places.user
    as_user = ["/usr/sbin/runuser", "-u", user, "--"] if user else []
    own = config.with_name(".next.toml")  # beside it: relative paths stay the same
    try:
        own.write_text(config.read_text("utf-8").replace(f"{current}/", f"{folder}/"), "utf-8")
        own.chmod(0o644)
        for question in (["config", "check", str(own)], ["store", "status", "--config", str(own)]):
            done = subprocess.run(
                [*as_user, program, *question], check=False, capture_output=True, text=True
            )
            if done.returncode:
                told = (done.stderr or done.stdout).strip().replace(str(own), str(config))
                raise ConfigError(f"{version} cannot work with this box as it is: {told}")
    except OSError as error:
        raise ConfigError(f"{error.filename}: {error.strerror}: run this as root") from error
    finally:
        own.unlink(missing_ok=True)


def _running() -> list[str]:
    """Our units that are up; none where systemd does not run.

    Raises:
        ConfigError: systemd does not answer: nothing may be switched then.
    """
    done = try_systemctl("list-units", "--plain", "--no-legend", "--state=active", _OURS)
    return [line.split()[0] for line in done.stdout.splitlines() if line.strip()]


def _started_anew(running: list[str]) -> tuple[list[str], str]:
    """Have systemd read the units and restart what ran; which are down then, and what it said."""
    if not running:
        try_systemctl("daemon-reload")  # fails where systemd does not run: nobody needs it there
        return [], ""
    try:
        systemctl("daemon-reload")
    except ConfigError as error:
        return running, str(error)
    said = ""
    try:
        systemctl("restart", _TARGET, longest_s=LONGEST_S)
    except ConfigError as error:  # whether the units are up counts, not this
        said = str(error)
    return [unit for unit in running if not _is_up(unit)], said


def _is_up(unit: str) -> bool:
    try:
        return try_systemctl("is-active", "--quiet", unit).returncode == 0
    except ConfigError:
        return False


def _target_of(link: Path) -> str:
    return link.readlink().name if link.is_symlink() else ""


def _link(link: Path, target: Path) -> None:
    """Make a symbolic link, or point it elsewhere, so that it is there at every moment."""
    link.parent.mkdir(parents=True, exist_ok=True)
    rough = link.with_name(f".{link.name}.new")
    rough.unlink(missing_ok=True)
    rough.symlink_to(target)
    rough.replace(link)
    sync_folder(link.parent)
