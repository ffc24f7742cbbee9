"""What was fitted to one model: `hearing.json` beside it.

The weights of the search, and how its scores become a confidence. The recipe
`models/stt/recipe/calibrate.py` writes the file; a folder without one gets the defaults.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from appliance.errors import ConfigError
from appliance.stt.beam import Knobs
from appliance.types import Language

FILE = "hearing.json"
Feature = Literal["margin", "fit", "usual", "length", "clear", "pace", "sounds"]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class SearchKnobs(_Part):
    """Weights of the search; natural logarithms."""

    weight: float = Field(0.75, gt=0, description="Of the trigram against the sound")
    bonus: float = Field(1.0, description="For each word")
    doubt: float = Field(2.0, ge=0, description="Taken from the blank's log-probability")
    look: float = Field(0.8, ge=0, le=1, description="Of the unigram look-ahead, within `weight`")
    shared: float = Field(1.0, ge=0, description="Cost of a phone that two words share")
    nothing: float = Field(-3.0, description="What it costs that no word was said")
    beam: int = Field(300, ge=1, le=4000, description="Prefixes kept a frame")
    width: float = Field(10.0, gt=0, description="How far below the best a prefix may be")
    partial_beam: int = Field(80, ge=1, le=4000, description="The same while the caller speaks")
    slot_share: float = Field(0.7, ge=0, lt=1, description="Probability of an answer to a slot")
    hot_word: float = Field(-2.0, le=0, description="Log-probability of a hot word as a name")
    most_lost: float = Field(
        6.0, ge=0, description="Sound that the right number of digits may cost"
    )

    def for_search(self) -> Knobs:
        """As the compiled search takes them."""
        return Knobs(
            self.weight, self.bonus, self.look, self.shared, 0.0, self.beam, self.width,
            self.nothing,
        )  # fmt: skip


class Logistic(_Part):
    """The odds of something from the features of `confidence`."""

    bias: float = 0.0
    weights: dict[Feature, float] = Field({}, description="By feature; of others it is 0")


class Fitted(_Part):
    """All of `hearing.json`."""

    language: Language = "en"
    search: SearchKnobs = SearchKnobs()
    rare: dict[str, float] = Field({}, description="By phone: added to its log-probability")
    confidence: Logistic = Logistic(
        bias=-3.6, weights={"margin": 0.8, "length": -2.1, "clear": 13.8, "pace": 3.5}
    )
    speech: Logistic = Logistic(bias=4.0, weights={"fit": 1.5})


def load_fitted(folder: Path) -> Fitted:
    """The fitted values of a model folder; the defaults where it has none.

    Raises:
        ConfigError: the file is not of the form.
    """
    path = folder / FILE
    if not path.is_file():
        return Fitted()
    try:
        return Fitted.model_validate_json(path.read_text("utf-8"))
    except ValidationError as error:
        said = (f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors())
        raise ConfigError(f"{path}: {'; '.join(said)}") from error
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read: {error}") from error
