"""The configuration: can it be read, and do its flow, language and accounts go together?"""

from __future__ import annotations

from pathlib import Path

from appliance.checkup.finding import Finding, fail, ok, warn
from appliance.checkup.readable import check_readable
from appliance.config import Config, load_config
from appliance.errors import ApplianceError, ConfigError
from appliance.session.liveview import assert_viewable
from appliance.session.prompts import read_flows
from appliance.session.readiness import check_accounts, check_languages
from appliance.store.accounts import AccountBook, load_accounts
from appliance.stt.catalogue import assert_model
from appliance.tts.catalogue import assert_voices

CONFIGURATION = "configuration"


def read(path: Path) -> tuple[Config | None, list[Finding]]:
    """The configuration, and what is wrong with it; none where it cannot be used at all."""
    try:
        config = load_config(path)
    except ConfigError as error:
        return None, [fail(CONFIGURATION, each, f"correct {path}, then appliance doctor")
                      for each in str(error).splitlines()]  # fmt: skip
    return config, check_configuration(path, config)


def check_configuration(path: Path, config: Config) -> list[Finding]:
    """What a start would refuse, and what it would only say."""
    try:
        flows = read_flows(config)
        check_languages(flows, config.call.language)
        assert_model(config.hearing, config.call.language)
        assert_voices(config.speaking, config.call.language)
        assert_viewable(config.hearing.live_view)
        accounts = load_accounts(config.call.accounts) if config.call.accounts else AccountBook({})
        if accounts.all():
            check_accounts(flows, accounts, config.call.language)
    except ApplianceError as error:
        return [fail(CONFIGURATION, str(error), f"correct {path}, then appliance apply")]
    if closed := check_readable(CONFIGURATION, path, config):
        return closed
    findings = [ok(CONFIGURATION, f"{path}: good; flow {flows[0].name}, {config.call.language}")]
    if not accounts.all() and any(flow.needs_account for flow in flows):
        findings.append(warn(
            CONFIGURATION, f"flow {flows[0].name} needs an account for each caller, and there is "
            "none: every caller but this check is refused (480)",
            "give call.accounts a file (docs/flows.md), with an entry `default` for the others",
        ))  # fmt: skip
    return findings
