"""The operator's validation service: it judges each reply before the user gets it.

POST url   {"conversation": …, "reply": …, "policy": {the verdict of the flow's policy}}
200        {"overall_passed": true | false, …}         the rest is the operator's own
"""

from __future__ import annotations

import json

from appliance.actions.endpoint import Endpoint
from appliance.actions.wire import Cutoff, read_secret
from appliance.errors import PeerError, SourceError
from appliance.sections import ValidationConfig


class HttpJudge:
    """See `actions.inquiry.Judge`."""

    def __init__(self, config: ValidationConfig, url: str) -> None:
        """Raises ConfigError where the address, the token or the certificates cannot be used."""
        self._endpoint = Endpoint(url, config.ca_file, "validation.url")
        self._deadline_s = config.deadline_s
        self._headers = {}
        if config.token_file is not None:
            token = read_secret(config.token_file, "validation.token_file")
            self._headers["Authorization"] = f"Bearer {token}"

    def judge(self, conversation: str, reply: str, verdict: str) -> str:
        """See `Judge.judge`."""
        asked = {"conversation": conversation, "reply": reply, "policy": json.loads(verdict)}
        try:
            with Cutoff(self._deadline_s) as cutoff:
                status, answer = self._endpoint.post(
                    self._headers, json.dumps(asked).encode(), cutoff
                )
        except PeerError as error:
            raise SourceError(f"validation service: {error}") from error
        if status != 200:
            raise SourceError(f"validation service: HTTP {status}")
        return answer.decode(errors="replace")
