"""What the bundle takes is what the tests ran with, and every lock is of its list."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from bundling.debian import Package, mirrors, mirrors_in, python_of, read_lock, wanted, write_lock
from bundling.failure import BundleError
from bundling.wheels import llama_flags
from bundling.wheels import read_lock as read_requirements

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
BOX = {each.name: each for each in read_requirements(ROOT / "requirements.box.lock")}
TESTED = {each.name: each for each in read_requirements(ROOT / "requirements.lock")}
DEBIAN = ROOT / "packaging" / "debian.lock"


@pytest.mark.parametrize(
    "line", [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["llama"]]
)
def test_every_requirement_of_a_box_is_locked(line: str) -> None:
    requirement = Requirement(line)
    locked = BOX.get(canonicalize_name(requirement.name))
    assert locked, f"run `make lock`: {requirement.name} is not in requirements.box.lock"
    assert requirement.specifier.contains(locked.version)


def test_a_box_has_the_versions_that_were_tested() -> None:
    other = {name for name in BOX.keys() & TESTED.keys() if BOX[name] != TESTED[name]}
    assert not other, "run `make lock`"


def test_a_box_gets_nothing_that_only_tests_need() -> None:
    assert not {"pytest", "mypy", "ruff", "hypothesis", "cyclonedx-python-lib"} & BOX.keys()


def test_every_requirement_has_its_hashes() -> None:
    assert all(each.hashes for each in BOX.values())
    lines = re.findall(r"^\S+==", (ROOT / "requirements.box.lock").read_text(), re.MULTILINE)
    assert len(lines) == len(BOX)


def test_every_debian_package_that_is_wanted_is_locked() -> None:
    packages = read_lock(DEBIAN)
    names = {each.file.partition("_")[0] for each in packages}
    assert set(wanted(ROOT / "packaging" / "debian.in")) <= names
    assert python_of(packages).startswith("3.11.")


def test_a_debian_lock_is_read_as_it_was_written(tmp_path: Path) -> None:
    package = Package("debian/pool/main/a/a/a_1_all.deb", 12, "0" * 64)
    write_lock([package], tmp_path / "lock")
    assert read_lock(tmp_path / "lock") == [package]


def test_a_line_that_is_none_is_named(tmp_path: Path) -> None:
    (tmp_path / "lock").write_text("# head\nkamailio 5.6\n")
    with pytest.raises(BundleError, match="lock:2: not"):
        read_lock(tmp_path / "lock")


def test_llama_is_compiled_as_for_the_tests() -> None:
    assert "-DGGML_NATIVE=OFF" in llama_flags(ROOT / "scripts" / "install")


def test_packages_come_from_where_apt_has_them() -> None:
    told = """bookworm http://near.test/debian/
bookworm http://far.test/debian/
bookworm-updates http://near.test/debian/
bookworm-security http://other.test/security/
tool https://third.test/apt/"""
    assert mirrors_in(told) == {
        "debian": "http://near.test/debian",
        "debian-security": "http://other.test/security",
    }
    with pytest.raises(BundleError, match="no bookworm-security on this machine"):
        mirrors_in("bookworm http://near.test/debian/\nbookworm-updates http://near.test/debian/")


def test_a_mirror_that_is_named_has_both_archives() -> None:
    assert mirrors("http://all.test/") == {
        "debian": "http://all.test/debian",
        "debian-security": "http://all.test/debian-security",
    }
