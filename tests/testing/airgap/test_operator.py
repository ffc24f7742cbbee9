"""What the proof changes in a box's configuration, and how it keeps its passwords."""

from pathlib import Path

from appliance.testing.airgap.operator import with_flow, with_people, write_secret

SETTINGS = """[line]
port = 5060

[call]
# the dialogue
flow = "collections"
# accounts = "/etc/appliance/accounts.yaml"

[campaigns]
accounts = "theirs"
flow = "theirs"
"""


def test_only_the_call_section_gets_another_flow() -> None:
    assert with_flow(SETTINGS, "booking", "/b.yaml") == (
        SETTINGS.replace('"collections"', '"booking"').replace(
            '# accounts = "/etc/appliance/accounts.yaml"', 'accounts = "/b.yaml"'
        )
    )


def test_a_flow_is_set_again_and_in_the_last_section() -> None:
    last = SETTINGS.split("\n[campaigns]", maxsplit=1)[0]
    once = with_flow(last, "booking", "/b.yaml")
    assert with_flow(once, "campaign", "/c.yaml") == with_flow(last, "campaign", "/c.yaml")


def test_the_people_are_a_source_though_a_comment_names_them() -> None:
    commented = SETTINGS + "\n# [sources.mcp.people]\n"
    once = with_people(commented)
    assert "\n[sources.mcp.people]\ncommand = " in once
    assert with_people(once) == once


def test_a_password_is_for_its_owner_only(tmp_path: Path) -> None:
    file = tmp_path / "secret"
    file.write_text("older")
    file.chmod(0o644)
    write_secret(file, "x")
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.read_text() == "x\n"
