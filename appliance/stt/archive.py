"""Reads the arrays of an `.npz` that may be damaged or hostile.

Compiled code follows the indices in these files without looking: whatever is wrong with a file must
be found here, or by who asks for it, before a call depends on it.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.format import read_array
from numpy.typing import NDArray

from appliance.errors import ConfigError

Arrays = Mapping[str, NDArray[Any]]

_MOST_BYTES = 256 << 20  # unpacked; the shipped ones have 5 MB, a bomb has thousands
_REMEDY = "appliance models check tells what is damaged, appliance models add brings a whole copy"


@contextmanager
def arrays_of(path: Path, what: str) -> Iterator[Arrays]:
    """The arrays of a file; `what` it should be is named where it is not.

    Raises:
        ConfigError: the file cannot be read, or its user raised ValueError, KeyError, TypeError or
            OverflowError over what is in it. Names the file and the remedy.
    """
    try:
        yield _read(path)
    except KeyError as error:
        raise ConfigError(f"{path}: not {what}: no {error}; {_REMEDY}") from error
    except (ValueError, TypeError, OverflowError) as error:
        raise ConfigError(f"{path}: not {what}: {error}; {_REMEDY}") from error


def indices(values: NDArray[Any], size: int, name: str) -> NDArray[np.int32]:
    """Places in something of this size.

    Raises:
        ValueError: a value is none, or this is no row of whole numbers.
    """
    if values.ndim != 1 or values.dtype.kind not in "iu":
        raise ValueError(f"{name} is no row of whole numbers")
    if len(values) and not (values.min() >= 0 and values.max() < size):
        raise ValueError(f"{name} points outside of 0 to {size - 1}")
    return values.astype(np.int32)


def starts(values: NDArray[Any], rows: int, size: int, name: str) -> NDArray[np.int32]:
    """Where each of so many rows begins in something of this size, and where the last one ends.

    Raises:
        ValueError: they are no such places.
    """
    found = indices(values, size + 1, name)
    if len(found) != rows + 1 or found[0] != 0 or found[-1] != size or (np.diff(found) < 0).any():
        raise ValueError(f"{name} does not divide {size} places among {rows}")
    return found


def numbers(values: NDArray[Any], shape: tuple[int, ...], name: str) -> NDArray[np.float32]:
    """Finite numbers in this shape.

    Raises:
        ValueError: it has another, or holds what is no number.
    """
    if values.shape != shape:
        raise ValueError(f"{name} has the shape {values.shape}, not {shape}")
    if values.dtype.kind not in "fiu":
        raise ValueError(f"{name} holds no numbers")
    with np.errstate(over="ignore"):  # becomes infinite, which is told
        found = values.astype(np.float32)
    if not np.isfinite(found).all():
        raise ValueError(f"{name} holds values that are no numbers")
    return found


def _read(path: Path) -> dict[str, NDArray[Any]]:
    """Everything in the file. Raises ValueError, whatever is wrong with it."""
    try:
        with zipfile.ZipFile(path) as packed:
            _assert_small(packed)
            # Each member whole, to its end, where its checksum is compared.
            return {
                name.removesuffix(".npy"): read_array(
                    BytesIO(packed.read(name)), allow_pickle=False
                )
                for name in packed.namelist()
            }
    except Exception as error:  # zipfile, zlib, tokenize and numpy raise a dozen kinds over damage
        raise ValueError(str(error) or type(error).__name__) from error


def _assert_small(packed: zipfile.ZipFile) -> None:
    size = sum(each.file_size for each in packed.infolist())
    if size > _MOST_BYTES:
        raise ValueError(f"{size / 1e6:.0f} MB unpacked are too many")
