"""Opens the understanding that a configuration names."""

from __future__ import annotations

from pathlib import Path

from appliance.config import UnderstandingConfig
from appliance.errors import ConfigError
from appliance.knowledge.encoder import SentenceEncoder, digest_of
from appliance.nlu.hybrid import RulesAndModel
from appliance.nlu.model import Classifier, Encoder, IntentModel
from appliance.nlu.rules import RuleUnderstander
from appliance.nlu.understander import Understander

_SETTING = "understanding.model"


def open_understander(config: UnderstandingConfig) -> Understander:
    """The rules, with the model beside them unless the backend is `rules`.

    Raises:
        ConfigError: the model cannot be loaded.
    """
    if config.backend == "rules":
        return RuleUnderstander()
    return RulesAndModel(RuleUnderstander(), open_model(config))


def open_model(config: UnderstandingConfig) -> IntentModel:
    """The model alone, on the backend that is configured (ONNX Runtime for `rules`).

    Raises:
        ConfigError: it cannot be loaded, or its files are of two models.
    """
    classifier = Classifier.load(config.model)
    if classifier.encoder and classifier.encoder != encoder_digest(config.model):
        raise ConfigError(
            f"{_SETTING}: {config.model}: the classifier is of another encoder, an installation "
            "was cut short: train again, or put back the files of the folder that ends in .before"
        )
    return IntentModel(_encoder(config), classifier)


def encoder_digest(folder: Path) -> str:
    """Which encoder a folder holds, as `knowledge.encoder.digest_of`.

    Raises:
        ConfigError: a file of it cannot be read.
    """
    try:
        return digest_of(folder)
    except OSError as error:
        raise ConfigError(f"{_SETTING}: {error.filename}: {error.strerror}") from error


def _encoder(config: UnderstandingConfig) -> Encoder:
    if config.backend == "llama":
        from appliance.nlu.llama import LlamaEncoder  # noqa: PLC0415 (an extra)

        return LlamaEncoder(config.model, config.cache, config.threads)
    return SentenceEncoder(config.model, config.threads, _SETTING)
