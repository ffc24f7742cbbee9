"""The commands on the data of a box as a whole, each as an operator types it."""

import os
import re
import tempfile
import tomllib
import traceback
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from appliance.cli.main import app
from appliance.cli.owner import become_owner
from appliance.config import Config
from appliance.store.customers import Customer, Customers
from appliance.store.database import Database
from appliance.store.stops import Stops
from appliance.store.versions import BOX
from tests.cli.in_process import Done, appliance
from tests.store.boxes import MARIA, STOP, Box, box_at

PAGE = Path(__file__).resolve().parents[2] / "docs" / "data.md"
SERVICE = (4711, 4712)
only_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Box]:
    box = box_at(tmp_path)
    yield box
    box.database.close()


def run(box: Box, *args: str | Path) -> Done:
    return appliance(*args, "--config", box.folder / "appliance.toml", cwd=box.folder)


@pytest.mark.parametrize(
    "command",
    ["store migrate", "store status", "store check", "backup create", "backup list",
     "backup verify", "restore", "retention run", "erase", "stops"],
)  # fmt: skip
def test_help_has_an_example(command: str) -> None:
    done = CliRunner().invoke(app, [*command.split(), "--help"], env={"COLUMNS": "200"})
    assert done.exit_code == 0
    assert f"Example: appliance {command}" in done.output


def test_a_new_box_is_made_and_a_migrated_one_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "appliance.toml"
    path.write_text("")
    first = appliance("store", "migrate", "--config", path, cwd=tmp_path)
    store = tmp_path / "var" / "appliance.sqlite"
    assert (first.returncode, first.stderr) == (0, "")
    assert f"{store}: made\n" in first.stdout
    again = appliance("store", "migrate", "--config", path, cwd=tmp_path)
    assert f"{store}: nothing to do\n" in again.stdout
    status = appliance("store", "status", "--config", path, cwd=tmp_path)
    assert status.stdout.startswith(f"{store}: revision {BOX.head} of {BOX.head}\n")
    checked = appliance("store", "check", "--config", path, cwd=tmp_path)
    assert f"{store}: revision {BOX.head} of {BOX.head}, whole\n" in checked.stdout
    assert checked.returncode == 0


def test_a_store_that_cannot_be_used_is_told_with_code_1(box: Box) -> None:
    with box.database.writing() as session:
        session.connection().exec_driver_sql("UPDATE store_version SET revision=9, readable_by=9")
    done = run(box, "store", "status")
    assert done.returncode == 1
    assert "store.sqlite: NOT good\n" in done.stdout
    assert "a newer program has migrated it to revision 9" in done.stdout
    refused = run(box, "store", "migrate")
    assert refused.returncode == 2
    assert refused.stderr.startswith("appliance: store ")


def test_backup_and_restore(box: Box) -> None:
    customers = Customers(box.database)
    customers.put([Customer(MARIA, "Maria")])
    done = run(box, "backup", "create")
    archive = Path(done.stdout.split("  ")[0])
    assert archive.exists()
    assert archive.name in run(box, "backup", "list").stdout
    verified = appliance("backup", "verify", archive, cwd=box.folder)
    assert re.search(r"good; written .* by version \d.*; 0 calls", verified.stdout)
    customers.put([Customer(MARIA, "Somebody else")])
    refused = run(box, "restore", archive)
    assert refused.returncode == 2
    assert "stop the agent first" in refused.stderr
    box.database.close()
    done = run(box, "restore", archive)
    assert done.returncode == 0
    assert "kept what was there: " in done.stdout
    box.database = Database(box.config.record.store)
    assert [each.name for each in Customers(box.database).all()] == ["Maria"]
    archive.write_bytes(archive.read_bytes()[:-9])
    broken = appliance("backup", "verify", archive, cwd=box.folder)
    assert (broken.returncode, "cannot be read" in broken.stderr) == (2, True)


def test_retention_and_its_dry_run(box: Box) -> None:
    box.call("old", MARIA, 2000, flow="booking")
    tried = run(box, "retention", "run", "--dry-run")
    assert tried.stdout == "calls (log and record): 1 would be removed\n"
    refused = run(box, "retention", "run")
    assert (refused.returncode, "a wrong clock would" in refused.stderr) == (2, True)
    done = run(box, "retention", "run", "--clock-is-right")
    assert "calls (log and record): 1 removed\n" in done.stdout
    assert run(box, "retention", "run").stdout == "Nothing is old enough to be removed.\n"


def test_erase_says_what_went_and_what_stays(box: Box) -> None:
    box.call("c1", MARIA, 1)
    box.act("c1", STOP, MARIA, 1, account="A-7")
    box.call("c2", MARIA, 2, flow="booking")
    Customers(box.database).put([Customer(MARIA, "Maria")])
    run(box, "backup", "create")
    tried = run(box, "erase", "310-555-0100", "--dry-run")
    assert "calls (log and record): 1 would be removed\n" in tried.stdout
    done = run(box, "erase", "310-555-0100")
    assert "calls (log and record): 1 removed\ncustomers: 1 removed\n" in done.stdout
    assert "calls (log and record): 1 kept until " in done.stdout
    assert "kept by law (12 CFR 1006.100)" in done.stdout
    assert "stops: 1 kept for good: whoever asked for no calls gets none\n" in done.stdout
    assert "The calls were about account A-7;" in done.stdout
    assert "1 backups still hold it" in done.stdout
    assert "13105550100  A-7" in run(box, "stops").stdout
    nobody = run(box, "erase", "anonymous")
    assert nobody.returncode == 2
    assert "give a telephone number" in nobody.stderr


def test_stops_as_json_has_those_of_calls_of_just_now(box: Box) -> None:
    box.act("c1", STOP, MARIA, 0)
    assert '"number": "13105550100"' in run(box, "stops", "--json").stdout
    assert len(Stops(box.database).all()) == 1


@pytest.fixture
def servants() -> Iterator[Path]:
    """The folder of a box below one that is the service's, where that user can get to it."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as name:  # pytest's is root's
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "data").mkdir()
        os.chown(folder / "data", *SERVICE)
        (folder / "appliance.toml").write_text(
            '[record]\nstore = "data/a.sqlite"\nfolder = "data/calls"\n'
            '[documents]\nstore = "data/d.sqlite"\n[backup]\nfolder = "data/backups"\n'
        )
        yield folder


def as_root(*args: str | Path, folder: Path) -> str:
    """A command of root's, in a process that may become another user's for good; what it said."""
    config = folder / "appliance.toml"
    child = os.fork()
    if child == 0:
        code = 99
        try:
            done = appliance(*args, "--config", config, cwd=folder)
            (folder / "data" / "said").write_text(done.stdout + done.stderr)
            code = done.returncode
        except BaseException:  # noqa: BLE001 (it is not pytest's process)
            traceback.print_exc()
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    told = folder / "data" / "said"
    said = told.read_text() if told.exists() else "a traceback"
    told.unlink(missing_ok=True)
    assert status == 0, said
    return said


@only_root
def test_what_root_does_is_done_as_the_owner_of_the_data(servants: Path, box: Box) -> None:
    """The service can rename what root works in: so root must not be able to do more than it."""
    archive = Path(run(box, "backup", "create").stdout.split("  ")[0])  # and loads all modules
    box.database.close()
    for command in (
        ["store", "migrate"],
        ["retention", "run"],
        ["erase", MARIA],
        ["restore", archive],
    ):
        run(box, *command)
    data = servants / "data"
    as_root("store", "migrate", folder=servants)
    archive = Path(as_root("backup", "create", folder=servants).split("  ")[0])
    as_root("retention", "run", folder=servants)
    as_root("erase", MARIA, folder=servants)
    mine = servants / "mine.tar.gz"
    archive.rename(mine)
    os.chown(mine, 0, 0)
    mine.chmod(0o600)  # open before root is root no more
    assert "restored" in as_root("restore", mine, folder=servants)
    owners = {str(each.relative_to(data)): each.stat().st_uid for each in data.rglob("*")}
    assert set(owners.values()) == {SERVICE[0]}, owners


@only_root
def test_root_works_nowhere_that_a_link_of_the_services_leads(servants: Path, box: Box) -> None:
    run(box, "backup", "create")  # loads all modules
    elsewhere = servants / "roots"
    elsewhere.mkdir(mode=0o700)
    (servants / "data" / "backups").symlink_to(elsewhere)
    with pytest.raises(AssertionError, match="cannot be used"):
        as_root("backup", "create", folder=servants)
    assert list(elsewhere.iterdir()) == []
    config = servants / "appliance.toml"
    (servants / "data" / "sub").symlink_to(elsewhere)  # the folder of the store itself
    config.write_text(config.read_text().replace("data/a.sqlite", "data/sub/a.sqlite"))
    with pytest.raises(AssertionError, match="may not write there"):
        as_root("store", "migrate", folder=servants)
    assert list(elsewhere.iterdir()) == []


@only_root
def test_root_stays_root_in_folders_of_its_own(tmp_path: Path) -> None:
    become_owner(tmp_path / "not there yet")
    assert os.geteuid() == 0


def test_the_page_says_what_every_setting_and_command_does() -> None:
    text = PAGE.read_text()
    settings = (Config.model_fields[name].annotation for name in ("retention", "backup"))
    for section in settings:
        for key in section.model_fields:  # type: ignore[union-attr]
            assert re.search(rf"\b{key}\b", text), key
    for command in ("store migrate", "store check", "backup create", "restore", "retention run",
                    "erase", "stops"):  # fmt: skip
        assert f"appliance {command}" in text
    for block in re.findall(r"```toml\n(.*?)```", text, re.DOTALL):
        tomllib.loads(block)
