"""The configuration: one TOML file, checked whole before anything starts.

Every section is frozen and rejects unknown keys; a component receives its own section only.
Secrets come as files named here (systemd's `LoadCredential` writes such files), never in the TOML.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from fnmatch import fnmatchcase
from ipaddress import IPv4Network
from pathlib import Path
from typing import Any, Literal, Self, TypeVar

from pydantic import (
    Field,
    ValidationError,
    field_validator,
    model_validator,
)

from appliance.edge_section import LOOPBACK, PORTS_PER_CALL, EdgeConfig
from appliance.errors import ConfigError
from appliance.sections import (
    BackupConfig,
    CheckupConfig,
    DeskConfig,
    DocumentsConfig,
    HealthConfig,
    Port,
    RetentionConfig,
    Section,
    SourcesConfig,
    ValidationConfig,
)
from appliance.types import Language

SectionT = TypeVar("SectionT", bound="Section")
_MOVED = {
    "hearing.model": "each language has a model of its own now: `en` in [hearing.models]",
    "speaking.voice": "each language has a voice of its own now: `en` in [speaking.models]",
    "speaking.voices.*.voice": "each language has a voice of its own now: `en` in its place",
}
"""Keys of before, as patterns, and what to write now."""
_ADDRESS = re.compile(r"[^\s@<>,;]+@[^\s@<>,;]+")


class RegistrarConfig(Section):
    """The extension that the appliance registers as at a PBX."""

    server: str = Field(description="SIP URI of the registrar, e.g. sip:192.0.2.10")
    user: str = Field(description="User part of the extension, e.g. 200")
    realm: str = Field("*", description="Digest realm; * accepts any")
    password_file: Path = Field(description="File that holds the password (one line)")
    expires_s: int = Field(300, ge=30, le=86400, description="Registration lifetime, seconds")


UNREGISTERED_TESTER = "appliance-doctor"
"""Who the test's caller says he is to a box without a PBX."""

PORT_STEP, RTP_PORTS = 2, 20
"""Between the SIP ports of two line processes, and how many ports each uses for RTP."""
_LAST_PORT = 65535
_REDIRECTABLE = (  # what `telephony.texts.is_sip_uri` lets into a header
    r"^sips?:(?:[A-Za-z0-9_.!~*'()&=+$,;?/%#-]+@)?"
    r"(?:[A-Za-z0-9.-]+|\[[0-9a-fA-F:.]+\])(?::[0-9]{1,5})?"
    r"(?:;[A-Za-z0-9_.!~*'()/:&+$%=-]+)*$"
)
_EVERY_ADDRESS = "0.0.0.0"  # noqa: S104 - recognised, not bound


class LineConfig(Section):
    """The SIP side: line processes of at most three calls each (docs/capacity.md)."""

    address: str = Field("127.0.0.1", description="Address that SIP and RTP bind to")
    port: Port = Field(5060, description="UDP port for SIP; the next line process has port + 2")
    rtp_port: Port = Field(16384, description="First UDP port for RTP; 20 a line process are used")
    processes: int = Field(
        1, ge=1, le=32, description="Line processes, each with its own SIP port and its own calls"
    )
    peers: tuple[IPv4Network, ...] = Field(
        (IPv4Network("127.0.0.0/8"),),
        description="Networks whose INVITEs are answered; all others get 403",
    )
    max_calls: int = Field(
        3, ge=1, le=3, description="Calls at once in one line process; its next gets 486"
    )
    spread: Literal["busy", "redirect"] = Field(
        "busy",
        description="What a call to a full line process hears while another has room. busy: 486, "
        "and the PBX tries the next port; redirect: 302 to that port",
    )
    admit: Literal["measured", "all"] = Field(
        "measured",
        description="measured: a call that the box cannot carry besides the others is refused; "
        "all: none is, while a line has room, and all may be late (for benchmarks)",
    )
    overflow: str | None = Field(
        None,
        pattern=_REDIRECTABLE,
        max_length=256,
        description="SIP URI that calls are redirected to (302) when the box has no room for one "
        "more; without it they hear busy (486)",
    )
    codecs: tuple[Literal["PCMU", "PCMA", "G722"], ...] = Field(
        ("PCMU", "PCMA", "G722"), description="Offered and accepted codecs, best first"
    )
    public_address: str | None = Field(None, description="Address to show in SIP and SDP")
    realtime: bool = Field(True, description="Ask for SCHED_FIFO; a warning where refused")
    comfort_noise_dbm0: float = Field(
        -65.0,
        ge=-90,
        le=-40,
        description="Noise under all that callers hear, also between prompts, dBm0; -90: none",
    )
    registrar: RegistrarConfig | None = Field(
        None, description="Register at a PBX; of several line processes the first does"
    )
    edge_port: Port | None = Field(
        None,
        description="UDP port of 127.0.0.1 that registrations and calls of ours leave by; [edge] "
        "sets it",
    )
    attach: Path | None = Field(
        None,
        description="Unix socket that the agent listens on for line processes that are started "
        "apart from it (docs/services.md); without it the agent starts them itself",
    )
    drain_s: int = Field(
        60,
        ge=0,
        le=3600,
        description="Told to end (SIGTERM), calls may go on for so long while new ones are "
        "refused; 0: they are hung up at once, seconds",
    )

    @model_validator(mode="after")
    def _has_ports_for_all(self) -> Self:
        sip, rtp = set(self.ports), self.rtp_port + RTP_PORTS * self.processes - 1
        if max(sip) > _LAST_PORT:
            raise ValueError(f"processes: SIP would need port {max(sip)}")
        if rtp > _LAST_PORT:
            raise ValueError(f"processes: RTP would need port {rtp}")
        if clash := sip & set(range(self.rtp_port, rtp + 1)):
            raise ValueError(f"rtp_port: RTP would take the SIP port {min(clash)}")
        if self.spread == "redirect" and (self.public_address or self.address) == _EVERY_ADDRESS:
            raise ValueError("spread: to redirect calls, give the address that the PBX reaches")
        return self

    @property
    def ports(self) -> tuple[int, ...]:
        """The SIP port of each line process."""
        return tuple(self.port + PORT_STEP * index for index in range(self.processes))

    @property
    def capacity(self) -> int:
        """Calls at once of all line processes together."""
        return self.processes * self.max_calls

    def of_process(self, index: int) -> Self:
        """The section as one line process has it; only the first registers."""
        changes: dict[str, Any] = {
            "port": self.ports[index],
            "rtp_port": self.rtp_port + RTP_PORTS * index,
            "processes": 1,
        }
        return self.model_copy(update=changes | ({"registrar": None} if index else {}))


class ModelsConfig(Section):
    """A folder of a faster-whisper model for each language; only those that calls need must be."""

    en: Path = Field(Path("models/stt/en"), description="For English")
    es: Path = Field(Path("models/stt/es"), description="For Spanish")

    def folder(self, language: Language) -> Path:
        """The model of a language."""
        return {"en": self.en, "es": self.es}[language]


class HearingConfig(Section):
    """Recognizer and turn detection."""

    models: ModelsConfig = Field(ModelsConfig(), description="Models: see [hearing.models]")
    threads: int = Field(1, ge=1, le=16, description="Threads inside one decode")
    workers: int = Field(2, ge=1, le=16, description="Decodes at once")
    window: Literal["short", "padded"] = Field(
        "short", description="short: encode the utterance as it is; padded: to 30 s"
    )
    min_confidence: float = Field(
        0.25,
        ge=0,
        le=1,
        description="Words surer than this are acted on; below it only stop, human and the like",
    )
    deadline_s: float = Field(
        5.0, gt=0, le=60, description="A decode that takes longer has failed, seconds"
    )
    sla_ms: int = Field(
        200,
        ge=20,
        le=5000,
        description="From the end of a turn to its words at most; a call for which this cannot be "
        "held is refused (486), ms",
    )
    partial_ms: int = Field(
        300,
        ge=0,
        le=5000,
        description="With a live_view, read along this often while a caller speaks; 0: never, ms",
    )
    live_view: Path | None = Field(
        None,
        description="Unix datagram socket of a viewer that is sent what callers are saying, "
        "numbers and names masked",
    )
    turns: Path = Field(
        Path("models/turns"), description="Folder of the judges of turn-taking (docs/turns.md)"
    )
    vad_mode: int = Field(
        2, ge=0, le=3, description="webrtcvad aggressiveness, for beginnings of speech"
    )
    pause_ms: int = Field(100, ge=40, le=1000, description="Pause that starts speculation, ms")
    speculate: bool = Field(
        True, description="Prepare the answer at a pause, before the turn is known to be over"
    )
    max_turn_ms: int = Field(15000, ge=1000, le=28000, description="Longest caller turn, ms")
    barge_in_ms: int = Field(
        100, ge=40, le=1000, description="Speech that opens a turn of the caller's, ms"
    )


class UnderstandingConfig(Section):
    """Rules, and the intent model beside them."""

    model: Path = Field(Path("models/intent"), description="Folder of the intent model")
    backend: Literal["onnx", "llama", "rules"] = Field(
        "onnx",
        description="onnx: ONNX Runtime; llama: llama.cpp (the extra `llama`); rules: no model",
    )
    threads: int = Field(1, ge=1, le=16, description="Threads that read one utterance")
    cache: Path = Field(
        Path("var/cache/intents"), description="Where the backend llama keeps its form of the model"
    )


class SpokenModelsConfig(Section):
    """A Piper voice (.onnx beside .onnx.json) per language; only those that calls need must be."""

    en: Path = Field(Path("models/voice/en/kathleen.onnx"), description="For English")
    es: Path = Field(Path("models/voice/es/dita.onnx"), description="For Spanish")

    def file(self, language: Language) -> Path:
        """The voice of a language."""
        return {"en": self.en, "es": self.es}[language]


class VoiceConfig(Section):
    """A voice that flows name: `[speaking.voices.bob]` is the one of the persona bob."""

    en: Path | None = Field(
        None, description="A Piper voice for English; without it, that of [speaking.models]"
    )
    es: Path | None = Field(
        None, description="A Piper voice for Spanish; without it, that of [speaking.models]"
    )
    speaker: str | None = Field(
        None, description="Who of them speaks, where the files hold several: name or number"
    )
    pitch: float = Field(
        1.0, ge=0.7, le=1.4, description="Below 1 lower, above 1 higher, at the same speed"
    )
    speed: float = Field(
        1.0, ge=0.5, le=1.5, description="Below 1 slower, above 1 faster, at the same pitch"
    )

    def file(self, language: Language) -> Path | None:
        """Its own voice of a language, if it has one."""
        return {"en": self.en, "es": self.es}[language]


class SpeakingConfig(Section):
    """Voices and prompt cache."""

    models: SpokenModelsConfig = Field(
        SpokenModelsConfig(), description="Voices by language: see [speaking.models]"
    )
    voices: dict[str, VoiceConfig] = Field(
        {
            "bob": VoiceConfig(en=Path("models/voice/en/bob.onnx")),
            "slow": VoiceConfig(speed=0.75),
        },
        description="Voices that flows name, each a section; others are spoken by `default`",
    )
    default: str | None = Field(
        None,
        description="Name of the one that speaks where a flow names none; without it, the one of "
        "[speaking.models] as it is",
    )
    threads: int = Field(1, ge=1, le=16, description="Threads inside one synthesis")
    deadline_s: float = Field(
        5.0, gt=0, le=60, description="A sentence whose synthesis takes longer has failed, seconds"
    )
    patience_ms: int = Field(
        600,
        ge=100,
        le=10_000,
        description="After a silence of so long for a sentence that is not ready, the flow's "
        "holding phrase is said, milliseconds",
    )
    level_dbm0: float = Field(-20.0, ge=-35, le=-9, description="Active speech level, dBm0")
    cache: Path = Field(Path("var/cache/prompts"), description="Folder of rendered prompts")
    measured: Path = Field(
        Path("var/cache/voices"),
        description="Folder of what voices cost on this box, as `appliance voices try` measured",
    )
    cache_mb: int = Field(
        500,
        ge=10,
        le=100_000,
        description="More than this of prompts in the folder that no flow in use needs is removed "
        "at start, the oldest first, megabytes",
    )

    @model_validator(mode="after")
    def _knows_its_default(self) -> Self:
        if self.default is not None and self.default not in self.voices:
            raise ValueError(f"default: there is no [speaking.voices.{self.default}]")
        return self


class CallConfig(Section):
    """What is common to all calls."""

    flow: str = Field("collections", description="Name of a shipped flow, or path to a flow.yaml")
    campaign: str | None = Field(
        None, description="Name of a stored campaign that is laid over the flow (docs/campaigns.md)"
    )
    seed: str | None = Field(
        None, description="Makes every call choose the same wording; a campaign's own comes first"
    )
    language: Language = Field(
        "en", description="Language of the calls; the recognizer and the voice must speak it"
    )
    accounts: Path | None = Field(
        None, description="YAML file of account contexts by caller number (see docs)"
    )
    no_input_ms: int = Field(
        6000, ge=1000, le=60000, description="Silence after a prompt that counts as no input, ms"
    )
    max_call_s: int = Field(1800, ge=10, le=14400, description="Longest call, seconds")
    human: str | None = Field(None, description="SIP URI that calls for a person are sent to")
    hold_ms: int = Field(
        1500,
        ge=300,
        le=10000,
        description="After a silence of so long for a tool or a reading, the flow's holding phrase"
        " is said, milliseconds",
    )
    hold_again_s: float = Field(
        8.0,
        ge=2,
        le=60,
        description="After each further silence of so long, and in a transfer, another phrase is"
        " said, seconds",
    )
    no_media_s: int = Field(
        20,
        ge=0,
        le=600,
        description="A call from which no packet of sound comes for so long is hung up, seconds;"
        " 0: never",
    )


class RecordConfig(Section):
    """Where the evidence goes."""

    folder: Path = Field(Path("var/calls"), description="Call records and event logs, by day")
    store: Path = Field(Path("var/appliance.sqlite"), description="SQLite database of actions")


class EmailConfig(Section):
    """Notifications as e-mails, through a mail server of the operator's."""

    host: str = Field(description="Name or address of the SMTP server")
    port: Port = Field(25, description="TCP port; usually 587 with starttls, 465 with tls")
    tls: Literal["none", "starttls", "tls"] = Field(
        "starttls", description="How the connection is protected; none is for a server on the box"
    )
    ca_file: Path | None = Field(
        None, description="Certificates that the server's may be signed by; default: the system's"
    )
    user: str | None = Field(None, description="User name, if the server asks for one")
    password_file: Path | None = Field(None, description="File that holds its password (one line)")
    sender: str = Field(description="Address that the e-mails come from")
    to: tuple[str, ...] = Field(min_length=1, description="Addresses that they go to")

    @field_validator("sender", "to")
    @classmethod
    def _are_addresses(cls, given: str | tuple[str, ...]) -> str | tuple[str, ...]:
        for each in (given,) if isinstance(given, str) else given:
            if not _ADDRESS.fullmatch(each):
                raise ValueError(f"{each!r} is no e-mail address")
        return given

    @model_validator(mode="after")
    def _has_both_or_neither(self) -> Self:
        if (self.user is None) != (self.password_file is None):
            raise ValueError("user and password_file belong together")
        return self


class WebhookConfig(Section):
    """Notifications as JSON, posted to a server of the operator's."""

    url: str = Field(pattern=r"^https?://[^\s/]+", description="Where they are posted to")
    secret_file: Path = Field(description="File that holds the secret they are signed with")
    ca_file: Path | None = Field(
        None, description="Certificates that the server's may be signed by; default: the system's"
    )


class NotifyConfig(Section):
    """Who is told of bookings, callbacks and leads; with no channel they stay in the outbox."""

    email: EmailConfig | None = Field(None, description="As e-mails: see [notify.email]")
    webhook: WebhookConfig | None = Field(None, description="As JSON: see [notify.webhook]")
    deadline_s: float = Field(
        10.0, ge=1, le=60, description="An attempt that takes longer has failed, seconds"
    )
    retry_s: int = Field(
        10, ge=1, le=600, description="From the first failure to the next attempt; doubles, seconds"
    )
    retry_max_s: int = Field(
        3600, ge=1, le=86400, description="Longest time between two attempts, seconds"
    )
    give_up_h: int = Field(
        72, ge=1, le=720, description="A notification that is older is not tried again, hours"
    )

    @property
    def channels(self) -> tuple[str, ...]:
        """Names of the channels that are configured."""
        return tuple(name for name in ("email", "webhook") if getattr(self, name) is not None)


class Config(Section):
    """The whole file. Relative paths are taken from the folder of the file."""

    line: LineConfig = LineConfig()
    edge: EdgeConfig = EdgeConfig()
    hearing: HearingConfig = HearingConfig()
    understanding: UnderstandingConfig = UnderstandingConfig()
    speaking: SpeakingConfig = SpeakingConfig()
    call: CallConfig = CallConfig()
    record: RecordConfig = RecordConfig()
    notify: NotifyConfig = NotifyConfig()
    sources: SourcesConfig = SourcesConfig()
    documents: DocumentsConfig = DocumentsConfig()
    desk: DeskConfig = DeskConfig()
    validation: ValidationConfig = ValidationConfig()
    retention: RetentionConfig = RetentionConfig()
    backup: BackupConfig = BackupConfig()
    health: HealthConfig = HealthConfig()
    checkup: CheckupConfig = CheckupConfig()

    @property
    def test_caller(self) -> str:
        """The number that the box's own test calls come from."""
        registered = self.line.registrar.user if self.line.registrar else UNREGISTERED_TESTER
        return self.checkup.number or self.checkup.user or registered

    @model_validator(mode="after")
    def _lines_are_behind_the_edge(self) -> Self:
        """With an edge nobody else reaches a line, and their ports do not meet."""
        if not self.edge.enabled:
            return self
        line, edge = self.line, self.edge
        if line.address != str(LOOPBACK):
            raise ValueError(f"line.address: with [edge] it is {LOOPBACK}; the PBX's is in [edge]")
        if line.public_address is not None:
            raise ValueError("line.public_address: with [edge] it is edge.public_address")
        if not all(network.is_loopback for network in line.peers):
            raise ValueError("line.peers: with [edge] it is 127.0.0.0/8; the PBX is in edge.peers")
        if line.spread != "busy":
            raise ValueError('line.spread: with [edge] it is "busy"; the edge tries the next line')
        if clash := _shared_ports(line, edge):
            raise ValueError(f"edge: port {clash} is another one's too; see [edge] and [line]")
        if edge.rtp_ports < line.capacity * PORTS_PER_CALL:
            raise ValueError(
                f"edge.rtp_ports: {line.capacity} calls want {line.capacity * PORTS_PER_CALL}"
            )
        return self


def _shared_ports(line: LineConfig, edge: EdgeConfig) -> int:
    """A port of 127.0.0.1 that two would bind; 0 if there is none."""
    relay = range(edge.rtp_port, edge.rtp_port + edge.rtp_ports)
    used = [*line.ports, edge.local_port, edge.control_port, *relay]
    used += range(line.rtp_port, line.rtp_port + RTP_PORTS * line.processes)
    if edge.address == LOOPBACK:
        used.append(edge.port)
    return next((port for port, times in Counter(used).items() if times > 1), 0)


def load_config(path: Path) -> Config:
    """Read and check a TOML file.

    Raises:
        ConfigError: names the file, the key (or the line, for bad TOML) and what is wrong.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not TOML: {error}") from error
    return parse_text(text, source=path)


def parse_text(text: str, source: Path) -> Config:
    """Check a text that is, or is to be, the file `source`; see `load_config`."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{source}: not TOML: {error}") from error
    return parse_config(data, source)


def parse_config(data: dict[str, Any], source: Path) -> Config:
    """Check a parsed TOML document; relative paths are resolved against the source's folder."""
    try:
        config = Config.model_validate(data)
    except ValidationError as error:
        lines = source.read_text(encoding="utf-8").splitlines() if source.is_file() else []
        problems = [_describe(dict(problem), source, lines) for problem in error.errors()]
        raise ConfigError("\n".join(problems)) from error
    base = source.resolve().parent
    resolved = _resolve(config, base)
    return resolved.model_copy(
        update={
            "call": _with_path(resolved.call, base),
            "desk": _with_path(resolved.desk, base),
            "line": _behind_edge(resolved.line, resolved.edge),
        }
    )


def _behind_edge(line: LineConfig, edge: EdgeConfig) -> LineConfig:
    """With an edge the lines send by it whatever they begin."""
    return line.model_copy(update={"edge_port": edge.local_port}) if edge.enabled else line


def _with_path(section: SectionT, base: Path) -> SectionT:
    """Where a section's flow is a path and no shipped flow's name, it starts at the file too."""
    flow = getattr(section, "flow", None)
    if flow is None or "/" not in flow:
        return section
    return section.model_copy(update={"flow": str(base / flow)})


def _describe(problem: dict[str, Any], source: Path, lines: list[str]) -> str:
    """One line per problem: file:line: key: what is wrong."""
    location = [str(part) for part in problem["loc"]]
    *sections, key = [part for part in location if not part.isdigit()] or [""]
    at = _line_of(lines, ".".join(sections), key)
    where = f"{source}:{at}" if at else str(source)
    said = problem["msg"]
    if problem["type"] == "extra_forbidden":
        known = "unknown key; see docs/configuration.md for the known ones"
        dotted = ".".join(location)
        said = next((now for old, now in _MOVED.items() if fnmatchcase(dotted, old)), known)
    return f"{where}: {'.'.join(location)}: {said}"


def _line_of(lines: list[str], section: str, key: str) -> int | None:
    """Where a key stands below its [section] header, if it is written that way."""
    current = ""
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if text.startswith("["):
            current = text.strip("[] ")
        elif current == section and text.split("=")[0].strip() == key:
            return number
    return None


def _resolve(section: SectionT, base: Path) -> SectionT:
    """Make every relative path of a section absolute."""
    fields = {name: getattr(section, name) for name in type(section).model_fields}
    changed = {name: _absolute(value, base) for name, value in fields.items()}
    return section.model_copy(update=changed)


def _absolute(value: Any, base: Path) -> Any:
    match value:
        case Path():
            return base / value
        case Section():
            return _resolve(value, base)
        case dict():
            return {key: _absolute(each, base) for key, each in value.items()}
    return value
