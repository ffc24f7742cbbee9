"""The exceptions of the appliance, all here.

    ApplianceError
    ├── ConfigError     bad configuration, flow or model folder; names the key and the remedy
    ├── PeerError       the other side of a call misbehaved; ends that call only
    ├── EngineError     a model or engine failed; the dialogue takes its fallback prompt
    ├── StoreError      a record could not be written; queue and retry
    └── SourceError     a system of the operator's (MCP server, helpdesk, endpoint) did not do it
        └── NoConversationError   (in `conversations`) the helpdesk has none of that id

Malformed input to a `parse_x` function raises `ValueError`; its caller maps it. Broken
invariants are bugs: they crash the process and the supervisor restarts it.
"""


class ApplianceError(Exception):
    """Anything that an operator can be told about; the message names cause and remedy."""


class ConfigError(ApplianceError):
    """The configuration, a flow or a model folder cannot be used as it is."""


class PeerError(ApplianceError):
    """The far end broke the protocol or went away."""


class EngineError(ApplianceError):
    """A recognizer, voice or other engine failed on one input."""


class StoreError(ApplianceError):
    """A record could not be written or read."""


class SourceError(ApplianceError):
    """A system of the operator's could not be reached, refused, or answered with garbage."""
