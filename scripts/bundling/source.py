"""The source that a bundle is made of: what is committed, and nothing that only this folder has.

    HEAD ── git archive ──> a folder of its own ── its version ──> wheel, models, units, documents

So two checkouts of one commit make the same bundle, and who has a version can find its source.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from bundling.failure import BundleError, run

_VERSION = re.compile(r'^version = "([^"]+)"$', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Source:
    """An exported commit.

    Attributes:
        folder: its files.
        version: that of pyproject.toml, and `+gCOMMIT` where no tag `vVERSION` is on the commit.
        commit: its full hash.
        epoch_s: its time; the time of every file in the bundle.
    """

    folder: Path
    version: str
    commit: str
    epoch_s: int


def export(repository: Path, folder: Path) -> Source:
    """Write the files of HEAD into an empty folder, and the version into their pyproject.toml.

    Raises:
        BundleError: there is no commit, or no version.
    """
    commit = _git(repository, "rev-parse", "HEAD")
    epoch_s = int(_git(repository, "log", "-1", "--format=%ct"))
    folder.mkdir(parents=True)
    archive = folder.with_suffix(".tar")
    _git(repository, "-c", "tar.umask=0022", "archive", "-o", str(archive), "HEAD")
    run("tar", "-C", str(folder), "-xf", str(archive))
    archive.unlink()
    project = folder / "pyproject.toml"
    text = project.read_text("utf-8")
    found = _VERSION.search(text)
    if found is None:
        raise BundleError('pyproject.toml: no line `version = "…"`')
    version = found[1]
    if f"v{version}" not in _git(repository, "tag", "--points-at", "HEAD").split():
        version = f"{version}+g{commit[:10]}"
        project.write_text(_VERSION.sub(f'version = "{version}"', text, count=1), "utf-8")
    return Source(folder, version, commit, epoch_s)


def uncommitted(repository: Path) -> list[str]:
    """Files that differ from HEAD, and so are not in the bundle as they are here."""
    changed = _git(repository, "diff", "--name-only", "HEAD").splitlines()
    return changed + _git(repository, "ls-files", "-o", "--exclude-standard").splitlines()


def _git(repository: Path, *arguments: str) -> str:
    return run("git", "-C", str(repository), *arguments)
