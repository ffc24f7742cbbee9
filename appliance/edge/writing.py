"""Puts the edge's files into a folder, and asks kamailio what it thinks of them.

A file is replaced whole or not at all, and only where it differs: what has not changed needs no
restart. The files can name keys and hold the names of networks; only their owner reads them.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from appliance.config import Config
from appliance.edge.certificate import assert_pair
from appliance.edge.render import render_media, render_sip
from appliance.errors import ConfigError
from appliance.secret_files import secret_path
from appliance.whole_files import write_whole

_MODE = 0o600
_CHECK_S = 30
_PLACES = "/usr/sbin:/usr/local/sbin:/usr/bin"


def write_files(folder: Path, rendered: Mapping[str, str]) -> tuple[str, ...]:
    """Write what differs.

    Args:
        folder: made if it is missing.
        rendered: texts by file name.

    Returns:
        The names of the files that are different now.

    Raises:
        ConfigError: the folder cannot be written.
    """
    changed = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in rendered.items():
            target = folder / name
            if target.is_file() and target.read_text(encoding="utf-8") == text:
                continue
            write_whole(target, text, _MODE)
            changed.append(name)
    except OSError as error:
        raise ConfigError(f"{folder}: cannot write the edge's files: {error.strerror}") from error
    return tuple(changed)


def check_edge(config: Config) -> None:
    """Render everything into a folder that is thrown away, and let kamailio read it.

    Raises:
        ConfigError: there is no edge, kamailio is missing, or it says what it cannot read.
    """
    binary = shutil.which("kamailio") or shutil.which("kamailio", path=_PLACES)
    if binary is None:
        raise ConfigError("kamailio is missing: apt-get install kamailio kamailio-tls-modules")
    render_media(config)
    if config.edge.transport == "tls":
        assert_pair(config.edge.tls.certificate, secret_path(config.edge.tls.key))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_files(folder, render_sip(config, folder))
        done = subprocess.run(
            [binary, "-c", "-f", str(folder / "kamailio.cfg"), "-Y", name, "-w", name],
            capture_output=True, text=True, errors="replace", timeout=_CHECK_S, check=False,
        )  # fmt: skip
    if done.returncode != 0:
        said = [line for line in done.stderr.splitlines() if "ERROR" in line or "CRIT" in line]
        raise ConfigError("the edge: kamailio cannot read its files: " + "; ".join(said[-3:]))
