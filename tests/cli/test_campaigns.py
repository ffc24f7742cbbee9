"""`appliance campaign …`: what an operator types."""

import json
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator
from typer.testing import CliRunner, Result

from appliance.cli.main import app
from appliance.config import load_config
from appliance.dialogue.campaign import NO_MODEL, CampaignConfig, read_campaign
from appliance.errors import ApplianceError, ConfigError
from appliance.flows.registry import flow_folder, load_flow, read_flow
from appliance.store.campaigns import CampaignStore
from appliance.store.database import Database

SPRING = """\
language: en
response_style: formal
context_variables: {company: Sunline Heating}
seed: 42
"""


@pytest.fixture
def box(tmp_path: Path) -> Path:
    path = tmp_path / "appliance.toml"
    path.write_text('[call]\nflow = "campaign"\n[record]\nstore = "box.sqlite"\n')
    (tmp_path / "spring.yaml").write_text(SPRING)
    return path


def campaign(box: Path, *args: object) -> Result:
    """Run a command; an `ApplianceError`, which `main` reports, is raised."""
    command = ["campaign", *(str(each) for each in args)]
    if args[0] != "schema":
        command += ["--config", str(box)]
    done = CliRunner(env={"COLUMNS": "200"}).invoke(app, command)
    if isinstance(done.exception, ApplianceError):
        raise done.exception
    assert done.exception is None, done.output
    return done


def stored(box: Path, name: str = "spring"):  # type: ignore[no-untyped-def]
    return CampaignStore(Database(load_config(box).record.store)).find(name)


@pytest.mark.parametrize("command", ["set", "check", "show", "list", "remove", "schema"])
def test_help_has_an_example(command: str) -> None:
    done = CliRunner().invoke(app, ["campaign", command, "--help"])
    assert done.exit_code == 0
    assert f"Example: appliance campaign {command}" in done.stdout


def test_set_proves_and_stores(box: Path) -> None:
    said = campaign(box, "set", "spring", box.parent / "spring.yaml").stdout
    assert "spring: stored as version 1; flow campaign" in said
    assert "is proven with it" in said
    assert f'campaign = "spring" under [call] in {box}' in " ".join(said.split())
    assert stored(box).campaign().config.response_style == "formal"
    assert "version 2" in campaign(box, "set", "spring", box.parent / "spring.yaml").stdout


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("temperature: 0.2", r"spring\.yaml:1: temperature: no model writes these sentences"),
        ("prompts:\n  noted: You get {x}.", r"spring\.yaml:2: prompts\.noted: \{x\} is not under"),
        ("prompts:\n  noted: Guaranteed.", r"(?s)refused with campaign spring.*:2: prompts\.noted"),
        ("language: es", r"spring\.yaml:1: language: the campaign must be in the language of"),
        ("language: [", r"spring\.yaml: not YAML"),
    ],
)
def test_what_is_refused_is_not_stored(box: Path, text: str, said: str) -> None:
    path = box.parent / "spring.yaml"
    campaign(box, "set", "spring", path)
    path.write_text(text)
    for command in (("set", "spring", path), ("check", path)):
        with pytest.raises(ConfigError, match=said):
            campaign(box, *command)
    assert stored(box).version == 1


def test_check_stores_nothing(box: Path) -> None:
    assert "is proven with it" in campaign(box, "check", box.parent / "spring.yaml").stdout
    assert stored(box) is None
    with pytest.raises(ConfigError, match="spring: neither a file nor a stored campaign"):
        campaign(box, "check", "spring")
    campaign(box, "set", "spring", box.parent / "spring.yaml")
    assert "is proven with it" in campaign(box, "check", "spring").stdout


def test_what_is_shown_can_be_set_again(box: Path) -> None:
    campaign(box, "set", "spring", box.parent / "spring.yaml")
    before = stored(box).config
    again = box.parent / "again.yaml"
    again.write_text(campaign(box, "show", "spring").stdout)
    campaign(box, "set", "spring", again)
    assert stored(box).config == before


def test_list_marks_the_one_in_use(box: Path) -> None:
    assert "No campaigns: appliance campaign set NAME FILE" in campaign(box, "list").stdout
    for name in ("spring", "autumn"):
        campaign(box, "set", name, box.parent / "spring.yaml")
    box.write_text(box.read_text().replace("[record]", 'campaign = "spring"\n[record]'))
    lines = campaign(box, "list").stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["name", "autumn", "spring"]
    assert [line.endswith("in use") for line in (each.rstrip() for each in lines)] == [
        False,
        False,
        True,
    ]


def test_remove(box: Path) -> None:
    campaign(box, "set", "spring", box.parent / "spring.yaml")
    text = box.read_text()
    box.write_text(text.replace("[record]", 'campaign = "spring"\n[record]'))
    with pytest.raises(ConfigError, match="spring: is in use"):
        campaign(box, "remove", "spring")
    box.write_text(text)
    assert "spring: removed" in campaign(box, "remove", "spring").stdout
    with pytest.raises(ConfigError, match="there are: none"):
        campaign(box, "remove", "spring")


def test_the_schema_takes_what_the_reader_takes(box: Path) -> None:
    schema = json.loads(campaign(box, "schema").stdout)
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    assert validator.is_valid(yaml.safe_load(SPRING))
    assert not validator.is_valid({"temperature": 1})
    assert not validator.is_valid({"language": "fr"})


def test_flow_commands_take_a_campaign(box: Path) -> None:
    path = box.parent / "spring.yaml"
    checked = CliRunner().invoke(app, ["flow", "check", "campaign", "--campaign", str(path)])
    assert checked.exit_code == 0
    plain = CliRunner().invoke(app, ["flow", "check", "campaign"])
    assert checked.stdout.split()[1] != plain.stdout.split()[1]  # another version of the flow
    done = CliRunner(env={"COLUMNS": "200"}).invoke(
        app, ["flow", "chat", "campaign", "--campaign", str(path)], input="yes\nno\n"
    )
    assert "This is the automated assistant of Sunline Heating" in done.stdout
    assert "ended: declined" in done.stdout


def test_chat_is_in_the_language_of_the_campaign(tmp_path: Path) -> None:
    path = tmp_path / "primavera.yaml"
    path.write_text("language: es\n")
    done = CliRunner(env={"COLUMNS": "200"}).invoke(
        app, ["flow", "chat", "campaign", "--campaign", str(path)], input="no me interesa\n"
    )
    assert "asistente automático" in done.stdout
    assert "ended: declined" in done.stdout


# --- docs/campaigns.md ---

DOCS = (Path(__file__).parents[2] / "docs" / "campaigns.md").read_text("utf-8")


def test_docs_name_every_key() -> None:
    for name in (*CampaignConfig.model_fields, *NO_MODEL):
        assert f"| `{name}` |" in DOCS


def test_docs_name_every_command_and_outcome() -> None:
    for command in ("set", "check", "show", "list", "remove", "schema"):
        assert f"| `appliance campaign {command}" in DOCS
    for outcome in read_flow("campaign").spec.outcomes:
        assert f"`{outcome}`" in DOCS


def test_the_example_is_proven_with_the_flow() -> None:
    example = flow_folder("campaign") / "campaign.example.yaml"
    given = yaml.safe_load(example.read_text("utf-8"))
    assert set(given) == set(CampaignConfig.model_fields) - {"seed"}  # which is a comment there
    flow = load_flow("campaign", read_campaign(example, "spring"))
    assert flow.templates["en"]["what_it_costs"].shown == ("The check costs forty nine dollars.",)
