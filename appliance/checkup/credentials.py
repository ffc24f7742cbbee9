"""Every secret that the configuration names: there, readable, not empty, and nobody else's.

    Config ── fields that end in `_file`, and `secrets` ──> files ──> findings

The secrets themselves never reach a finding.
"""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path

from appliance.checkup.box import read_secret
from appliance.checkup.finding import Finding, fail, ok, warn
from appliance.config import Config
from appliance.errors import ConfigError
from appliance.secret_files import secret_path
from appliance.sections import Section

SECRETS = "secrets"
_PUBLIC = ("ca_file",)
_OTHERS = stat.S_IRWXO | stat.S_IWGRP


def secret_files(section: Section, at: str = "") -> Iterator[tuple[str, Path]]:
    """The key and the file of each secret below a section."""
    for name in type(section).model_fields:
        value, key = getattr(section, name), f"{at}{name}"
        if isinstance(value, Section):
            yield from secret_files(value, f"{key}.")
        elif isinstance(value, Path) and name.endswith("_file") and name not in _PUBLIC:
            yield key, value
        elif isinstance(value, dict):
            for each, inner in value.items():
                if isinstance(inner, Section):
                    yield from secret_files(inner, f"{key}.{each}.")
                elif isinstance(inner, Path) and name == "secrets":
                    yield f"{key}.{each}", inner


def check_secrets(config: Config) -> list[Finding]:
    """Each file; one finding for all that are good."""
    findings, good = [], []
    for key, path in secret_files(config):
        try:
            read_secret(path)
        except ConfigError as error:
            findings.append(fail(
                SECRETS, f"{key}: {error}",
                "write the secret into that file (one line, mode 0600, owner root), or run this "
                "as root",
            ))  # fmt: skip
            continue
        mode = stat.S_IMODE(secret_path(path).stat().st_mode)
        if mode & _OTHERS:
            findings.append(warn(
                SECRETS, f"{key}: {path} has mode {mode:04o}: others may read it",
                f"chmod 600 {path}",
            ))  # fmt: skip
        else:
            good.append(key)
    if good:
        findings.append(ok(SECRETS, f"readable, and nobody else's: {', '.join(good)}"))
    return findings or [ok(SECRETS, "the configuration names none")]
