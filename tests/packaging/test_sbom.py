"""The bill of materials is read from the files of a bundle, and is what CycloneDX asks for."""

import json
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from bundling.debian import write_index
from bundling.failure import BundleError
from bundling.sbom import write_bill
from bundling.source import Source
from bundling.wheels import assert_fit, write_requirements

ROOT = Path(__file__).resolve().parents[2]
SOURCE = Source(ROOT, "1", "0" * 40, 1_700_000_000)


def wheel(folder: Path, name: str, *headers: str) -> Path:
    file = folder / f"{name.replace('-', '_')}-1-py3-none-any.whl"
    text = "\n".join(("Metadata-Version: 2.4", f"Name: {name}", "Version: 1", *headers, ""))
    with zipfile.ZipFile(file, "w") as content:
        content.writestr(f"{name.replace('-', '_')}-1.dist-info/METADATA", text)
    return file


def package(folder: Path, name: str, *fields: str) -> None:
    tree = folder / name
    (tree / "DEBIAN").mkdir(parents=True)
    control = (f"Package: {name}", "Version: 1:2-3", "Architecture: all", "Maintainer: M <m@m>",
               "Installed-Size: 7", *fields, "Description: of the test", "")  # fmt: skip
    (tree / "DEBIAN" / "control").write_text("\n".join(control))
    subprocess.run(["dpkg-deb", "-b", tree, folder], check=True, capture_output=True)
    shutil.rmtree(tree)


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    for name in ("wheels", "debs", "models/voice"):
        (tmp_path / name).mkdir(parents=True)
    needs = ("Num.Py>=1", 'llama; extra == "llama"', 'w; sys_platform == "win32"')
    wheel(tmp_path / "wheels", "voice-appliance", *(f"Requires-Dist: {each}" for each in needs))
    wheel(tmp_path / "wheels", "num-py", "License-Expression: MIT OR Apache-2.0")
    wheel(tmp_path / "wheels", "llama", "Classifier: License :: OSI Approved :: MIT License")
    wheel(tmp_path / "wheels", "w")
    package(tmp_path / "debs", "kamailio", "Source: kam", "Depends: libc6 (>= 2) | libc, python3")
    package(tmp_path / "debs", "libc6")
    (tmp_path / "models" / "voice" / "a.onnx").write_text("weights")
    (tmp_path / "models" / "voice" / "MODEL_CARD.md").write_text("card")
    return tmp_path


def test_everything_in_the_bundle_is_on_the_bill(bundle: Path) -> None:
    assert write_bill(SOURCE, bundle, bundle / "bill.json") == 7
    text = (bundle / "bill.json").read_text()
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    bill = json.loads(text)
    parts = {each["bom-ref"]: each for each in bill["components"]}
    assert parts.keys() == {"pypi:num-py", "pypi:llama", "pypi:w", "deb:kamailio", "deb:libc6",
                            "model:models/voice/a.onnx"}  # fmt: skip
    assert parts["pypi:num-py"]["licenses"] == [{"expression": "MIT OR Apache-2.0"}]
    assert parts["pypi:llama"]["licenses"][0]["license"]["name"] == "MIT License"
    assert parts["deb:kamailio"]["version"] == "1:2-3"
    assert {"name": "debian:source", "value": "kam"} in parts["deb:kamailio"]["properties"]
    assert parts["model:models/voice/a.onnx"]["type"] == "machine-learning-model"
    needs = {each["ref"]: each.get("dependsOn", []) for each in bill["dependencies"]}
    assert needs["deb:kamailio"] == ["deb:libc6"]
    top = needs[bill["metadata"]["component"]["bom-ref"]]
    assert {"pypi:num-py", "pypi:llama", "deb:kamailio", "model:models/voice/a.onnx"} <= set(top)
    assert "pypi:w" not in top


def test_the_same_bundle_has_the_same_bill(bundle: Path) -> None:
    for name in ("a", "b"):
        write_bill(SOURCE, bundle, bundle / name)
    assert (bundle / "a").read_text() == (bundle / "b").read_text()


def test_apt_can_read_the_index(bundle: Path) -> None:
    write_index(bundle / "debs")
    stanzas = (bundle / "debs" / "Packages").read_text().split("\n\n")
    assert [stanza.splitlines()[0] for stanza in stanzas] == ["Package: kamailio", "Package: libc6"]
    assert "\nFilename: ./kamailio_" in stanzas[0]
    assert "\nSHA256: " in stanzas[0]


def test_the_box_installs_by_hash_alone(bundle: Path) -> None:
    wheels = sorted((bundle / "wheels").glob("*.whl"))
    write_requirements(wheels, bundle / "requirements.txt")
    lines = (bundle / "requirements.txt").read_text().splitlines()
    assert [line.partition(" ")[0] for line in lines] == [
        "llama==1", "num-py==1", "voice-appliance==1", "w==1",
    ]  # fmt: skip
    assert all(" --hash=sha256:" in line for line in lines)


def test_a_wheel_for_a_newer_python_than_debians_is_refused(tmp_path: Path) -> None:
    newer = wheel(tmp_path, "newer", "Requires-Python: >=3.11.5")
    with pytest.raises(
        BundleError, match=r"newer-1.* wants Python >=3.11.5, and Debian's is 3.11.2"
    ):
        assert_fit([newer], "3.11.2")
    assert_fit([newer], "3.11.5")
