"""The bill of materials of a bundle (CycloneDX, JSON): what is in it, and under what licence.

Read from the very files of the bundle, so that it cannot name another version than the one inside.
The same bundle gives the same text.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from email.message import Message
from email.parser import HeaderParser
from pathlib import Path

from cyclonedx.model import HashAlgorithm, HashType, Property
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.model.license import DisjunctiveLicense, LicenseExpression
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from appliance.checksums import digest
from bundling.failure import run
from bundling.source import Source
from bundling.wheels import metadata_of

NAME = "voice-appliance"
_BOX = {"python_version": "3.11", "sys_platform": "linux", "platform_machine": "x86_64",
        "os_name": "posix", "platform_system": "Linux", "implementation_name": "cpython",
        "platform_python_implementation": "CPython", "python_full_version": "3.11.2"}  # fmt: skip
_CLASSIFIER = "License :: "
_UNTOLD = {"pjsua2-python": "GPL-2.0-or-later"}  # PJSIP's; the wheel does not say
_LONGEST_LICENCE = 80  # longer: the text itself stands in the field
_DEPENDENCY = re.compile(r"^[a-z0-9][a-z0-9.+-]+")


def write_bill(source: Source, bundle: Path, into: Path) -> int:
    """Write the bill of an unpacked bundle; gives how many things are on it.

    Raises:
        BundleError: a package cannot be read.
        OSError: the file cannot be written.
    """
    wheels = dict(_wheels(sorted((bundle / "wheels").glob("*.whl"))))
    packages = dict(_packages(sorted((bundle / "debs").glob("*.deb"))))
    models = list(_models(bundle / "models", source.version))
    own = wheels.pop(NAME)
    top = own[0]
    top.type = ComponentType.APPLICATION
    foreign = [each for each, _ in (*wheels.values(), *packages.values())]
    bom = Bom(
        components=[*foreign, *models],
        serial_number=uuid.uuid5(uuid.NAMESPACE_URL, f"{NAME}@{source.version}#{source.commit}"),
    )  # fmt: skip
    bom.metadata.component = top
    bom.metadata.timestamp = datetime.fromtimestamp(source.epoch_s, UTC)
    bom.metadata.properties.add(Property(name="git:commit", value=source.commit))
    bom.register_dependency(top, [*_named(own[1], wheels), *_named(packages, packages), *models])
    for table in (wheels, packages):
        for component, needs in table.values():
            bom.register_dependency(component, _named(needs, table))
    into.write_text(JsonV1Dot6(bom).output_as_string(indent=1) + "\n", "utf-8")
    return 1 + len(bom.components)


_Table = Mapping[str, tuple[Component, Sequence[str]]]


def _named(names: Iterable[str], table: _Table) -> list[Component]:
    return [table[name][0] for name in sorted(set(names)) if name in table]


def _wheels(files: Iterable[Path]) -> Iterator[tuple[str, tuple[Component, list[str]]]]:
    """Python packages by name, each with the names of those it needs."""
    for file in files:
        headers = metadata_of(file)
        name = canonicalize_name(headers["Name"])
        component = Component(
            name=name,
            version=headers["Version"],
            bom_ref=f"pypi:{name}",
            description=headers["Summary"],
            licenses=_licences(headers),
            purl=PackageURL("pypi", None, name, headers["Version"]),
            hashes=[_hash(file)],
            properties=[Property(name="file", value=f"wheels/{file.name}")],
        )
        wanted = (Requirement(text) for text in headers.get_all("Requires-Dist", []))
        yield name, (component, [canonicalize_name(each.name) for each in wanted if _counts(each)])


def _counts(wanted: Requirement) -> bool:
    """Whether the box needs it; what only an extra wants counts, if the bundle has it."""
    if wanted.marker is None:
        return True
    extras = ("", *re.findall(r'extra == "([^"]+)"', str(wanted.marker)))
    return any(wanted.marker.evaluate({**_BOX, "extra": extra}) for extra in extras)


def _licences(headers: Message) -> list[LicenseExpression | DisjunctiveLicense]:
    """As the package names them: an SPDX expression, or words."""
    expression = headers["License-Expression"] or _UNTOLD.get(headers["Name"].lower())
    if expression:
        return [LicenseExpression(expression)]
    named = (headers["License"] or "").strip()
    if named and "\n" not in named and len(named) <= _LONGEST_LICENCE:
        return [DisjunctiveLicense(name=named)]
    classifiers = headers.get_all("Classifier", [])
    return [
        DisjunctiveLicense(name=each.rpartition(" :: ")[2])
        for each in classifiers if each.startswith(_CLASSIFIER)
    ]  # fmt: skip


def _packages(files: Iterable[Path]) -> Iterator[tuple[str, tuple[Component, list[str]]]]:
    """Debian packages by name, each with the names of those it needs."""
    for file in files:
        control = HeaderParser().parsestr(run("dpkg-deb", "--field", str(file)))
        name, version = control["Package"], control["Version"]
        origin = control["Source"] or name
        component = Component(
            name=name,
            version=version,
            bom_ref=f"deb:{name}",
            description=(control["Description"] or "").splitlines()[0],
            purl=PackageURL(
                "deb", "debian", name, version,
                {"arch": control["Architecture"], "distro": "bookworm"},
            ),
            hashes=[_hash(file)],
            properties=[
                Property(name="file", value=f"debs/{file.name}"),
                Property(name="debian:source", value=origin),
                Property(name="debian:copyright", value=f"/usr/share/doc/{name}/copyright"),
            ],
        )  # fmt: skip
        fields = f"{control['Pre-Depends'] or ''},{control['Depends'] or ''}"
        choices = re.split(r"[,|]", fields)
        needs = [match[0] for each in choices if (match := _DEPENDENCY.match(each.strip()))]
        yield name, (component, needs)


def _models(folder: Path, version: str) -> Iterator[Component]:
    """Files of weights; their cards say how each came about."""
    for file in sorted(folder.rglob("*")):
        if file.suffix in {".onnx", ".bin", ".npz"}:
            place = file.relative_to(folder.parent).as_posix()
            card = next(each / "MODEL_CARD.md" for each in file.parents
                        if (each / "MODEL_CARD.md").is_file())  # fmt: skip
            yield Component(
                name=place,
                version=version,
                bom_ref=f"model:{place}",
                type=ComponentType.MACHINE_LEARNING_MODEL,
                hashes=[_hash(file)],
                properties=[Property(
                    name="card", value=card.relative_to(folder.parent).as_posix()
                )],
            )  # fmt: skip


def _hash(file: Path) -> HashType:
    return HashType(alg=HashAlgorithm.SHA_256, content=digest(file))
