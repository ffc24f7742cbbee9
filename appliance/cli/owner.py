"""Commands on a box's data do their work as the user whom the data belong to.

    root ── reads the configuration, opens an archive ── becomes the owner ──> all the rest

The folder of the data is the service's. A service that was broken into can put links there, and
rename what lies in it while root works; so nothing is done there that this user could not do
himself. There is no way back: the command ends as this user.
"""

from __future__ import annotations

import os
import pwd
from pathlib import Path

from appliance.config import Config, load_config
from appliance.errors import ConfigError


def load_as_owner(path: Path) -> Config:
    """Read a configuration, and be the owner of its store from then on.

    Raises:
        ConfigError: the file cannot be used, or root may not become that user.
    """
    config = load_config(path)
    become_owner(config.record.store.parent)
    return config


def become_owner(folder: Path) -> None:
    """Be for good whom a folder belongs to; only root changes, and stays root in root's folders.

    Raises:
        ConfigError: root may not, as in some containers; or that user may not write there.
    """
    if os.geteuid() != 0:
        return
    user, group = _owner_of(folder)
    if user == 0:
        return
    try:
        os.setgroups([])
        os.setgid(group)
        os.setuid(user)
    except OSError as error:
        raise ConfigError(
            f"{folder}: belongs to user {user}, and root may not become that one here "
            f"({error.strerror}): run this as user {user}"
        ) from error
    if os.path.lexists(folder) and not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        raise ConfigError(
            f"{folder}: user {user}, whose data these are, may not write there: "
            f"chown {user} {folder}"
        )


def _owner_of(folder: Path) -> tuple[int, int]:
    """User and group: of the first folder on the way that is not root's, who can change the rest.

    What is not there yet is made in what is.
    """
    absolute = folder.absolute()
    for each in reversed((absolute, *absolute.parents)):
        try:
            found = each.stat()
        except FileNotFoundError:
            break
        if found.st_uid != 0:
            return found.st_uid, _group_of(found.st_uid, found.st_gid)
    return 0, 0


def _group_of(user: int, otherwise: int) -> int:
    try:
        return pwd.getpwuid(user).pw_gid
    except KeyError:
        return otherwise
