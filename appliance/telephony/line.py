"""The line process: SIP and RTP on one side, the agent's socket on the other, nothing else.

    python -m appliance.telephony.line --socket FD --config LINE_CONFIG_JSON
    python -m appliance.telephony.line --index N --config-file FILE [--agent SOCKET]

The agent starts it in the first way, and it ends with the agent. In the second way it is a service
of its own that seeks its agent (`attachment`): while there is none it stays registered, refuses
calls (503) and looks for the next.

This is its start; `loop` is what it does from then on. A crash loses its own calls and nothing
else. If the agent goes away, its callers hear so (`parting`).
"""

from __future__ import annotations

import argparse
import os
import signal
import socket
import sys
from pathlib import Path

import structlog

from appliance.config import LineConfig, load_config
from appliance.errors import ConfigError
from appliance.logs import configure_logging, log_crashes
from appliance.notify import Notifier
from appliance.telephony.attachment import Attachment
from appliance.telephony.link import AgentLink
from appliance.telephony.loop import Line
from appliance.telephony.messages import Failed
from appliance.telephony.realtime import claim_realtime, give_up_realtime

log = structlog.get_logger()

EXIT_FAILED, EXIT_UNUSABLE = 1, 2


def main() -> None:
    """Run until told to stop; ends by `os._exit` because pjsip's threads outlive Python's."""
    arguments = _arguments()
    configure_logging()
    log_crashes()
    sys.setswitchinterval(0.0005)  # the clock thread waits for the GIL at most so long
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the agent's to handle
    link = AgentLink(socket.socket(fileno=arguments.socket) if arguments.config else None)
    try:
        config, attachment, notifier = _set_up(arguments)
        realtime = config.realtime and claim_realtime()
        if not config.realtime:
            give_up_realtime()
        line = Line(config, arguments.index, link, attachment)
    except ConfigError as error:
        link.send(Failed(str(error)))
        log.error("the line does not start", why=str(error))  # noqa: TRY400 (the text says it all)
        os._exit(EXIT_UNUSABLE)
    if attachment.can_seek:
        signal.signal(signal.SIGTERM, lambda *_: line.ask_to_stop())
    else:  # what ends the agent may be sent to all its processes: calls are the agent's to end
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        line.run(realtime, notifier)
    except Exception:  # boundary: main
        log.exception("the line broke")
        os._exit(EXIT_FAILED)
    os._exit(0)


def _arguments() -> argparse.Namespace:
    """The command line: by the agent, or as a service."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--socket", type=int, help="inherited SOCK_SEQPACKET fd")
    parser.add_argument("--config", help="LineConfig as JSON; with --socket")
    parser.add_argument("--index", type=int, default=0, help="which of the lines, from 0")
    parser.add_argument("--config-file", type=Path, help="the box's TOML file; seeks its agent")
    parser.add_argument("--agent", type=Path, help="the agent's socket; default: line.attach")
    arguments = parser.parse_args()
    if (arguments.config is None) == (arguments.config_file is None):
        parser.error("give either --socket with --config, or --index with --config-file")
    if (arguments.config is None) != (arguments.socket is None):
        parser.error("--socket and --config belong together")
    return arguments


def _set_up(arguments: argparse.Namespace) -> tuple[LineConfig, Attachment, Notifier]:
    """The line's own section, the way to its agent, and to systemd where it is a service.

    Raises:
        ConfigError: the file cannot be used, or has no such line.
    """
    if arguments.config_file is None:
        config = LineConfig.model_validate_json(arguments.config)
        return config, Attachment(None), Notifier()
    whole = load_config(arguments.config_file).line
    if not 0 <= arguments.index < whole.processes:
        raise ConfigError(
            f"line.processes: there are {whole.processes}, so no line {arguments.index}"
        )
    path = arguments.agent or whole.attach
    if path is None:
        raise ConfigError("line.attach: say where the agent listens, or give --agent")
    return whole.of_process(arguments.index), Attachment(path), Notifier.of_service()


if __name__ == "__main__":
    main()
