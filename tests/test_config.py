import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appliance.config import Config, load_config, parse_config
from appliance.errors import ConfigError
from appliance.sections import Section

ROOT = Path(__file__).resolve().parent.parent
EXAMPLE = ROOT / "appliance.example.toml"


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "a.toml"
    path.write_text(text)
    return path


def test_example_is_good_and_says_the_defaults() -> None:
    example = load_config(EXAMPLE)
    defaults = parse_config({}, EXAMPLE)
    assert example == defaults


def test_example_mentions_every_key_worth_setting() -> None:
    text = EXAMPLE.read_text()
    rarely_set = {
        "realtime",
        "vad_mode",
        "pause_ms",
        "max_turn_ms",
        "realm",
        "admit",
        "speculate",
        "edge_port",
    }
    for name, key in _keys(Config):
        assert key in text or key in rarely_set, f"{name}.{key}"


def test_reference_page_is_up_to_date() -> None:
    done = subprocess.run(
        [sys.executable, "scripts/config_reference.py", "--check"], cwd=ROOT, check=False
    )
    assert done.returncode == 0, "run scripts/config_reference.py"


def test_every_field_is_described() -> None:
    for section in (field.annotation for field in Config.model_fields.values()):
        assert isinstance(section, type)
        assert issubclass(section, Section)
        for name, field in section.model_fields.items():
            assert field.description, name


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[line]\nport = 70000\n", r"a\.toml:2: line\.port: .*65535"),
        ("[line]\nprot = 5060\n", r"a\.toml:2: line\.prot: unknown key"),
        ("[line]\npeers = ['nonsense']\n", r"a\.toml:2: line\.peers\.0"),
        ("[hearing]\nthreads = 1\n[speaking]\nthreads = 99\n", r"a\.toml:4: speaking\.threads"),
        ("[calls]\n", r"calls: unknown key"),
        ("[line\n", r"a\.toml: not TOML: .*line 1"),
        ("[hearing]\nwindow = 'long'\n", r"a\.toml:2: hearing\.window: .*'short' or 'padded'"),
        ("[hearing]\nmodel = 'm'\n", r"a\.toml:2: hearing\.model: .*`en` in \[hearing\.models\]"),
        (
            "[speaking]\nvoice = 'v'\n",
            r"a\.toml:2: speaking\.voice: .*`en` in \[speaking\.models\]",
        ),
        (
            "[speaking.voices.bob]\nvoice = 'v'\n",
            r"a\.toml:2: speaking\.voices\.bob\.voice: .*`en`",
        ),
        ("[speaking]\ndefault = 'carol'\n", r"default: there is no \[speaking\.voices\.carol\]"),
        ("[hearing.models]\nfr = 'm'\n", r"a\.toml:2: hearing\.models\.fr: unknown key"),
        ("[line.registrar]\nserver = 'sip:x'\n", r"line\.registrar\.user: Field required"),
    ],
)
def test_bad_key_is_named_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        load_config(write(tmp_path, text))


def test_every_problem_is_named_at_once(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as error:
        load_config(write(tmp_path, "[line]\nport = 0\nmax_calls = 9\n"))
    assert len(str(error.value).splitlines()) == 2


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="No such file"):
        load_config(tmp_path / "none.toml")


def test_flow_path_starts_at_the_file(tmp_path: Path) -> None:
    config = load_config(write(tmp_path, "[call]\nflow = 'flows/mine'\n"))
    assert config.call.flow == str(tmp_path / "flows/mine")
    assert load_config(write(tmp_path, "[call]\nflow = 'collections'\n")).call.flow == "collections"
    config = load_config(write(tmp_path, "[desk]\nflow = 'flows/mine'\n"))
    assert config.desk.flow == str(tmp_path / "flows/mine")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[sources.mcp.a]\n", "give either command or url"),
        ("[sources.mcp.a]\ncommand = ['x']\nurl = 'http://b/'\n", "give either command or url"),
        ("[sources.mcp.a]\nurl = 'ftp://b/'\n", "should match pattern"),
        ("[sources.mcp.a]\nurl = 'http://b/'\nsecrets = {K = 'f'}\n", "belong to a command"),
        ("[sources.mcp.a]\ncommand = ['x']\ntoken_file = 't'\n", "belong to a url"),
        ("[desk]\nport = 8080\n", "a port needs a token_file"),
        ("[desk]\nkind = 'request_tracker'\n", r"needs \[desk.request_tracker\]"),
    ],
)
def test_sources_and_desk_are_checked_whole(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        load_config(write(tmp_path, text))


def test_paths_within_tables_start_at_the_file(tmp_path: Path) -> None:
    text = "[sources.mcp.a]\ncommand = ['x']\nsecrets = {K = 'key'}\n"
    config = load_config(write(tmp_path, text))
    assert config.sources.mcp["a"].secrets == {"K": tmp_path / "key"}


def test_relative_paths_start_at_the_file(tmp_path: Path) -> None:
    config = load_config(write(tmp_path, "[record]\nfolder = 'calls'\n"))
    assert config.record.folder == tmp_path / "calls"


def test_a_model_for_one_language_leaves_the_other(tmp_path: Path) -> None:
    config = load_config(write(tmp_path, "[hearing.models]\nes = 'mine'\n"))
    assert config.hearing.models.folder("es") == tmp_path / "mine"
    assert config.hearing.models.folder("en") == tmp_path / "models/stt/en"


@given(st.binary(max_size=200))
def test_any_other_toml_is_a_clear_error(data: bytes) -> None:
    try:
        parsed = tomllib.loads(data.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        return
    if parsed:
        with pytest.raises(ConfigError, match=r"x\.toml"):
            parse_config(parsed, Path("x.toml"))


def _keys(section: type[Section]) -> list[tuple[str, str]]:
    found = []
    for name, field in section.model_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, Section):
            found += _keys(kind)
        else:
            found.append((section.__name__, name))
    return found
