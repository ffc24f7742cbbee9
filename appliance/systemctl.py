"""The one way to ask systemd for something: bounded in time, and its words kept.

Which units there are, and what an answer means, is for the caller to know. Where no systemd runs,
systemctl says so and fails.
"""

from __future__ import annotations

import subprocess

from appliance.errors import ConfigError

ANSWER_S, LONGEST_S = 60.0, 2 * 3600.0
"""systemd itself bounds a start and a stop; one that drains may take line.drain_s: an hour."""


def systemctl(*arguments: str, longest_s: float = ANSWER_S) -> str:
    """What systemctl prints.

    Raises:
        ConfigError: it failed, with what systemd said; or there is no answer in that time.
    """
    done = try_systemctl(*arguments, longest_s=longest_s)
    if done.returncode:
        said = done.stderr.strip() or done.stdout.strip() or f"exit code {done.returncode}"
        raise ConfigError(f"systemctl {' '.join(arguments)}: {said}")
    return done.stdout


def try_systemctl(*arguments: str, longest_s: float = ANSWER_S) -> subprocess.CompletedProcess[str]:
    """How systemctl ended, for whom a failure is an answer too.

    Raises:
        ConfigError: there is no systemctl, or no answer in that time.
    """
    command = ["systemctl", "--no-ask-password", *arguments]
    try:
        return subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=longest_s
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ConfigError(f"{' '.join(command)}: {error}") from error
