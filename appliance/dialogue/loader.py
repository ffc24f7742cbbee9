"""Reads a flow from its folder: flow.yaml, prompts.LANGUAGE.yaml, and the checks given to it.

The only I/O of the dialogue. Whatever is wrong is a `ConfigError` with file, line and remedy; a
flow that loads has passed `appliance.dialogue.validate`.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from appliance.dialogue.checks import Check
from appliance.dialogue.flow import Flow, Template, parse_template
from appliance.dialogue.schema import FlowSpec, PromptFile
from appliance.dialogue.validate import find_problems
from appliance.errors import ConfigError

ModelT = TypeVar("ModelT", bound=BaseModel)
Lines = dict[tuple[str, ...], int]


class _Loader(yaml.SafeLoader):
    """YAML where `on`, `yes` and `no` are words, and a repeated key is an error."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:bool"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("^(?:true|false)$"), list("tf"))


def load_flow(folder: Path, checks: Iterable[Check]) -> Flow:
    """Load and validate a flow.

    Raises:
        ConfigError: one line per problem, each with file, line where known, and remedy.
    """
    flow_file = folder / "flow.yaml"
    spec, lines = _read(flow_file, FlowSpec)
    templates: dict[str, dict[str, Template]] = {}
    texts: dict[str, Any] = {}
    for path in sorted(folder.glob("prompts.*.yaml")):
        prompts, _ = _read(path, PromptFile)
        if path.name != f"prompts.{prompts.language}.yaml":
            raise ConfigError(f"{path}: says language {prompts.language}: rename it or mend that")
        templates[prompts.language] = _templates(path, prompts, spec)
        texts[prompts.language] = prompts.model_dump()
    if not templates:
        raise ConfigError(f"{folder}: no prompts.LANGUAGE.yaml, e.g. prompts.en.yaml")
    named = {check.name: check for check in checks}
    problems = find_problems(spec, templates, named)
    if problems:
        described = (f"{_at(flow_file, lines, where)}: {said}" for where, said in problems)
        raise ConfigError("\n".join(described))
    return Flow(spec, templates, named, _hash(spec, texts))


def _templates(path: Path, prompts: PromptFile, spec: FlowSpec) -> dict[str, Template]:
    found = {}
    for name, prompt in prompts.prompts.items():
        try:
            found[name] = parse_template(name, prompt, spec)
        except ValueError as error:
            raise ConfigError(f"{path}: prompts.{name}: {error}") from error
    return found


def _hash(spec: FlowSpec, texts: dict[str, Any]) -> str:
    """Names this version of flow and prompts: 16 hexadecimal digits of a SHA-256."""
    whole = json.dumps([spec.model_dump(), texts], sort_keys=True)
    return hashlib.sha256(whole.encode()).hexdigest()[:16]


def _read(path: Path, model: type[ModelT]) -> tuple[ModelT, Lines]:
    """Read a YAML file into its model; also the line of every key."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error
    loader = _Loader(text)
    try:
        node = loader.get_single_node()
        lines = dict(_lines(node)) if node else {}
        data = loader.construct_document(node) if node else None
    except (yaml.YAMLError, ValueError) as error:
        raise ConfigError(f"{path}: not YAML: {' '.join(str(error).split())}") from error
    finally:
        loader.dispose()
    try:
        return model.model_validate(data), lines
    except ValidationError as error:
        raise ConfigError(
            "\n".join(_describe(path, lines, dict(problem)) for problem in error.errors())
        ) from error


def _lines(node: yaml.Node, at: tuple[str, ...] = ()) -> Iterable[tuple[tuple[str, ...], int]]:
    """The line of each key of a document, by its path."""
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            name = str(key.value)
            if name in seen:
                raise ValueError(f"line {key.start_mark.line + 1}: {name} is there twice")
            seen.add(name)
            yield (*at, name), key.start_mark.line + 1
            yield from _lines(value, (*at, name))
    elif isinstance(node, yaml.SequenceNode):
        for index, value in enumerate(node.value):
            yield from _lines(value, (*at, str(index)))


def _at(path: Path, lines: Lines, where: tuple[str, ...]) -> str:
    """file:line: key, with the line of the nearest key that is in the file."""
    for length in range(len(where), 0, -1):
        if where[:length] in lines:
            return f"{path}:{lines[where[:length]]}: {'.'.join(where)}"
    return f"{path}: {'.'.join(where)}"


_KINDS = {"decision", "action", "terminal"}
_REMEDIES = {
    "extra_forbidden": "unknown key here; a decision has no `do`: tools go into an action state",
    "missing": "is missing",
    "union_tag_not_found": "needs a kind: decision, action or terminal",
    "union_tag_invalid": "kind must be decision, action or terminal",
}


def _describe(path: Path, lines: Lines, problem: dict[str, Any]) -> str:
    location = tuple(str(part) for part in problem["loc"])
    if len(location) > 2 and location[0] == "states" and location[2] in _KINDS:
        location = location[:2] + location[3:]  # pydantic names the kind that it chose
    return f"{_at(path, lines, location)}: {_REMEDIES.get(problem['type'], problem['msg'])}"
