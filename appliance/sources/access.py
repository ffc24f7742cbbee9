"""What a server is reached with: its environment and secrets, bearer token and certificates.

Secrets come from files, are read anew for every connection (so that they can be changed without a
restart; a unit's own copies are made when it starts), and are in no message.
"""

from __future__ import annotations

import os
import ssl
from pathlib import Path

from appliance.errors import ConfigError
from appliance.secret_files import secret_path
from appliance.sections import SourceConfig

_INHERITED = ("PATH", "HOME", "LANG", "LANGUAGE", "TZ")


def check_access(name: str, config: SourceConfig) -> None:
    """See that everything can be read, before anything is started.

    Raises:
        ConfigError: names the key, the file and the remedy.
    """
    if config.command:
        environment(name, config)
    else:
        headers(name, config)
        tls_context(name, config)


def environment(name: str, config: SourceConfig) -> dict[str, str]:
    """All that a program gets: nothing of the box's own environment but path, home and locale.

    Raises:
        ConfigError: a secret cannot be read.
    """
    kept = {
        key: value for key, value in os.environ.items()
        if key in _INHERITED or key.startswith("LC_")
    }  # fmt: skip
    secrets = {
        key: _read_secret(path, f"sources.mcp.{name}.secrets.{key}")
        for key, path in config.secrets.items()
    }
    return kept | config.environment | secrets


def headers(name: str, config: SourceConfig) -> dict[str, str]:
    """The HTTP headers that every request carries.

    Raises:
        ConfigError: the token cannot be read.
    """
    if config.token_file is None:
        return {}
    token = _read_secret(config.token_file, f"sources.mcp.{name}.token_file")
    if not token.isascii():
        raise ConfigError(
            f"sources.mcp.{name}.token_file: {config.token_file}: a token is ASCII; write it anew"
        )
    return {"Authorization": f"Bearer {token}"}


def tls_context(name: str, config: SourceConfig) -> ssl.SSLContext:
    """Checks certificates against the system's authorities, or those of the file.

    Raises:
        ConfigError: the file cannot be used.
    """
    try:
        return ssl.create_default_context(cafile=config.ca_file)
    except OSError as error:  # ssl.SSLError is one
        raise ConfigError(
            f"sources.mcp.{name}.ca_file: {config.ca_file}: no certificates can be read from it; "
            "give a file with certificates in PEM"
        ) from error


def _read_secret(path: Path, key: str) -> str:
    try:
        secret = secret_path(path).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        why = (error.strerror if isinstance(error, OSError) else None) or "is no text"
        raise ConfigError(
            f"{key}: {path}: {why}; write the secret there as one line, readable by this user"
        ) from error
    if not secret or not secret.isprintable():
        raise ConfigError(f"{key}: {path}: must hold the secret as one line of text")
    return secret
