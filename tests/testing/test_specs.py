"""The runner of external suites, on cases of our own in the same format."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from appliance.errors import ConfigError
from appliance.testing.specs.runner import run_specs

ROOT = Path(__file__).parents[2]


def _case(text: str, *found: tuple[str, str, str]) -> dict[str, Any]:
    results = [
        {"Text": part, "Resolution": {"value": value} | ({"unit": unit} if unit else {})}
        for part, value, unit in found
    ]
    return {"Input": text, "Results": results}


def _write(folder: Path, file: str, *cases: dict[str, Any]) -> None:
    path = folder / f"{file}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(cases))


@pytest.fixture
def specs(tmp_path: Path) -> Path:
    _write(
        tmp_path,
        "Number/English/NumberModel",
        _case("I saw two and a half thousand birds", ("two and a half thousand", "2500", "")),
        _case("nothing here"),
        _case("seven swans", ("seven", "8", "")),
        _case("seven swans"),
    )
    _write(
        tmp_path,
        "NumberWithUnit/Spanish/CurrencyModel",
        _case("cuesta 1.200,50 € al mes", ("1.200,50 €", "1200,5", "Euro")),
        _case("cuesta 3 euros", ("3 euros", "3", "Dólar")),
    )
    return tmp_path


def test_right_cases_are_counted_by_file_and_the_others_named(specs: Path) -> None:
    english, spanish = run_specs(specs)
    assert (english.file, english.right, english.judged) == ("Number/English/NumberModel", 2, 4)
    assert [text for text, _ in english.failures] == ["seven swans", "seven swans"]
    assert (spanish.right, spanish.judged) == (1, 2)
    assert spanish.failures == [("cuesta 3 euros", "'3 euros' = 3 Euro")]


@pytest.mark.parametrize(
    ("content", "message"),
    [("{", "not JSON"), ("{}", "not a list of cases"), ('[{"Input": "x"}]', "not a list of cases")],
)
def test_a_file_that_is_no_suite_is_named(tmp_path: Path, content: str, message: str) -> None:
    _write(tmp_path, "Number/English/NumberModel")
    (tmp_path / "Number/English/NumberModel.json").write_text(content)
    with pytest.raises(ConfigError, match=f"NumberModel.json: {message}"):
        run_specs(tmp_path)


def test_a_folder_without_specs_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"holds no specs; looked for Number/English/Number"):
        run_specs(tmp_path)
    with pytest.raises(ConfigError, match="no such folder"):
        run_specs(tmp_path / "absent")


def test_the_script_prints_rates_and_writes_figures(specs: Path, tmp_path: Path) -> None:
    figures = tmp_path / "figures.json"
    done = _bench(str(specs), "--json", str(figures), "--failures", "1")
    assert done.returncode == 0
    assert "Number/English/NumberModel" in done.stdout
    assert "50.0%" in done.stdout
    assert "'seven swans': 'seven' = 7" in done.stdout
    written = json.loads(figures.read_text())
    assert written["NumberWithUnit/Spanish/CurrencyModel"] == {
        "right": 1, "judged": 2, "left_out": 0,
    }  # fmt: skip


def test_the_script_says_what_is_missing(tmp_path: Path) -> None:
    done = _bench(str(tmp_path / "absent"))
    assert (done.returncode, "no such folder" in done.stderr) == (2, True)


def _bench(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "scripts/bench_specs.py", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
