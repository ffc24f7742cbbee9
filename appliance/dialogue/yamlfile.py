"""Reads a YAML file into a model, and knows on which line each of its keys stands."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from appliance.errors import ConfigError

ModelT = TypeVar("ModelT", bound=BaseModel)
Where = tuple[str, ...]


class _Loader(yaml.SafeLoader):
    """YAML where `on`, `yes` and `no` are words, and a repeated key is an error."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:bool"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("^(?:true|false)$"), list("tf"))


@dataclass(frozen=True, slots=True)
class Document(Generic[ModelT]):
    """What a file says, with the line of every key by its path.

    `elsewhere`: what another file has put in, with its place there.
    """

    path: Path
    content: ModelT
    lines: Mapping[Where, int]
    elsewhere: Mapping[Where, str] = field(default_factory=dict)

    def at(self, where: Where, said: str) -> str:
        """A message about a place in the file: file:line: key: what is wrong."""
        for length in range(len(where), 0, -1):
            if where[:length] in self.elsewhere:
                return f"{self.elsewhere[where[:length]]}: {said}"
        return f"{_place(self.path, self.lines, where)}: {said}"


def read_document(path: Path, model: type[ModelT]) -> Document[ModelT]:
    """Read and check a file.

    Raises:
        ConfigError: one line per problem, with file, line and remedy.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not UTF-8: {error.reason}") from error
    try:
        loader = _Loader(text)
        try:
            node = loader.get_single_node()
            lines = dict(_lines(node)) if node else {}
            data = loader.construct_document(node) if node else None
        finally:
            loader.dispose()
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: not YAML: {' '.join(str(error).split())}") from error
    try:
        return Document(path, model.model_validate(data), lines)
    except ValidationError as error:
        raise ConfigError(
            "\n".join(_describe(path, lines, dict(problem)) for problem in error.errors())
        ) from error


def _lines(node: yaml.Node, at: Where = ()) -> Iterator[tuple[Where, int]]:
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
            yield (*at, str(index)), value.start_mark.line + 1
            yield from _lines(value, (*at, str(index)))


def _place(path: Path, lines: Mapping[Where, int], where: Where) -> str:
    """file:line: key, with the line of the nearest key that is in the file."""
    for length in range(len(where), 0, -1):
        if where[:length] in lines:
            return f"{path}:{lines[where[:length]]}: {'.'.join(where)}"
    return f"{path}: {'.'.join(where)}" if where else str(path)


_KINDS = {"decision", "action", "terminal"}
_REMEDIES = {
    "extra_forbidden": "unknown key here",
    "tuple_type": "must be a list: [one, another]",
    "model_type": "must have keys: {key: value}",
    "dict_type": "must have keys: {key: value}",
    "string_type": "must be text; put it in quotes",
    "missing": "is missing",
    "union_tag_not_found": "needs a kind: decision, action or terminal",
    "union_tag_invalid": "kind must be decision, action or terminal",
}


def _describe(path: Path, lines: Mapping[Where, int], problem: dict[str, Any]) -> str:
    location = tuple(str(part) for part in problem["loc"])
    if len(location) > 2 and location[0] == "states" and location[2] in _KINDS:
        location = location[:2] + location[3:]  # pydantic names the kind that it chose
    said = _REMEDIES.get(problem["type"], problem["msg"]).removeprefix("Value error, ")
    if location[-1:] == ("do",) and problem["type"] == "extra_forbidden":
        said += "; a decision has no `do`: tools go into an action state"
    return f"{_place(path, lines, location)}: {said}"
