import importlib.metadata
from pathlib import Path

from tests.cli.in_process import appliance


def test_a_version_is_that_of_the_package(tmp_path: Path) -> None:
    done = appliance("version", cwd=tmp_path)
    assert done.stdout.strip() == importlib.metadata.version("voice-appliance")


def test_where_nothing_is_installed_there_is_nothing_to_go_back_to(tmp_path: Path) -> None:
    done = appliance("rollback", cwd=tmp_path)
    assert done.returncode == 2
    assert "no version to go back to in /opt/appliance/versions" in done.stderr
