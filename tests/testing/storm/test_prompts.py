"""The prompts by which a storm knows a confirmation are those that the flows say."""

import pytest
import yaml

from appliance.flows.registry import flow_folder
from appliance.testing.storm.errands import CONFIRMING


@pytest.mark.parametrize("flow", sorted({flow for flow, _ in CONFIRMING}))
def test_prompts_are_those_of_the_flow(flow: str) -> None:
    prompts = yaml.safe_load((flow_folder(flow) / "prompts.en.yaml").read_text())["prompts"]
    assert {prompt for of, prompt in CONFIRMING if of == flow} <= prompts.keys()
