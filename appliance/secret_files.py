"""Where a secret lies: in the file of the configuration, or where systemd put a copy for a service.

The configuration names files, `password_file = "/etc/appliance/secrets/line/sip-password"`, that
only root can read. A unit with `LoadCredential=line:/etc/appliance/secrets/line` gets a copy of
each file of that folder in memory, `$CREDENTIALS_DIRECTORY/line_sip-password`, readable by its own
user and by no other. Every reader of a secret asks here, so that one configuration is right for a
service, for root and for a trial run from a checkout. It must not read: what a missing or empty
file means is for its reader to say.
"""

from __future__ import annotations

import os
from pathlib import Path

_CREDENTIALS = "CREDENTIALS_DIRECTORY"


def secret_path(path: Path) -> Path:
    """The service's own copy of a secret's file where systemd gave it one, else the file itself.

    Args:
        path: as the configuration has it, absolute. systemd names a copy after the folder and the
            file (systemd.exec(5), LoadCredential= of a directory).
    """
    folder = os.environ.get(_CREDENTIALS)
    if not folder:
        return path
    copy = Path(folder) / f"{path.parent.name}_{path.name}"
    return copy if copy.is_file() else path
