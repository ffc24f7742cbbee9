"""Files that root can read and the agent cannot are found before the agent fails by them."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from appliance.checkup.finding import Status
from appliance.checkup.readable import check_readable, unreadable
from appliance.config import parse_config

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can ask for others")


@pytest.fixture
def accounts() -> Iterator[Path]:
    """Where services see it, which is not so below /tmp."""
    with tempfile.TemporaryDirectory(dir="/var/lib") as name:
        Path(name).chmod(0o755)
        file = Path(name) / "accounts.yaml"
        file.write_text("default: {}\n")
        yield file


def test_a_closed_file_is_found_and_the_remedy_opens_it(accounts: Path) -> None:
    accounts.chmod(0o600)
    (found,) = unreadable("accounts", "call.accounts", accounts, "nobody")
    assert found.status is Status.FAIL
    assert "user nobody" in found.seen
    os.system(found.remedy.partition(";")[0].replace("chgrp nobody", "chgrp nogroup"))
    assert unreadable("accounts", "call.accounts", accounts, "nobody") == []


def test_a_folder_that_services_do_not_see(tmp_path: Path) -> None:
    (found,) = unreadable("accounts", "call.accounts", tmp_path / "accounts.yaml", "nobody")
    assert "do not see" in found.seen


def test_nobody_is_asked_for_a_trial_or_where_there_is_no_such_user(tmp_path: Path) -> None:
    config = parse_config({"call": {"accounts": str(tmp_path / "a.yaml")}}, tmp_path / "a.toml")
    assert check_readable("configuration", tmp_path / "a.toml", config) == []
    assert unreadable("accounts", "call.accounts", tmp_path / "a.yaml", "no-such-user") == []
