"""The sample server as a source, so that the status flow can be tried out without any other."""

from __future__ import annotations

import sys

from appliance.sections import SourceConfig, SourcesConfig


def sample_sources() -> SourcesConfig:
    """A configuration that starts the sample people with this same Python."""
    command = (sys.executable, "-m", "appliance.samples.people")
    return SourcesConfig(mcp={"people": SourceConfig(command=command)})
