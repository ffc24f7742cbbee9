"""Fine-tunes the encoder with its classifier: the only loop that needs torch.

The loss is a sum: cross-entropy makes the right intent the first, and a binary cross-entropy for
each intent makes its score mean something by itself, so that two intents can both be there, and
none where an utterance is out of scope.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import numpy.typing as npt
import torch
from tokenizers import Tokenizer
from torch import Tensor, nn

from appliance.training.linear import fit_linear
from appliance.training.network import WIDTH, Encoder
from appliance.training.settings import Sample, Settings

Progress = Callable[[int, int, float], None]
"""Steps done, steps in all, and the mean loss of late."""


_WARM_UP = 0.06
_ALSO = 0.3
"""The share of the target that goes to what is also said."""


def fit(
    network: Encoder,
    tokenizer: Tokenizer,
    epochs: Callable[[int], Sequence[Sample]],
    labels: int,
    settings: Settings,
    progress: Progress,
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """Fine-tune the network in place.

    Args:
        network: where to begin.
        tokenizer: of the network.
        epochs: the samples of an epoch, by its number; they may differ (noise, contexts).
        labels: how many intents there are.
        settings: the knobs.
        progress: told every few steps.

    Returns:
        the classifier: weight [labels, 384] and bias [labels].
    """
    torch.manual_seed(settings.seed)
    torch.set_num_threads(settings.threads)
    order = random.Random(settings.seed)
    first = epochs(0)
    head = _first_head(network, tokenizer, first, labels)
    optimizer = _optimizer(network, head, settings)
    total = math.ceil(len(first) / settings.batch) * settings.epochs
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: _rate(step / total))
    network.train()
    done, recent = 0, 0.0
    for number in range(settings.epochs):
        samples = epochs(number) if number else first
        for ids, mask, targets in _batches(samples, tokenizer, labels, settings.batch, order):
            with torch.autocast("cpu", dtype=torch.bfloat16):
                vectors = network(ids, mask)
            scores = head(nn.functional.dropout(vectors.float(), settings.dropout))
            loss = _loss(scores, targets, settings)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            done += 1
            recent += (loss.item() - recent) * (0.02 if done > 50 else 1 / done)
            if done % 20 == 0 or done == total:
                progress(done, total, recent)
    network.eval()
    return head.weight.detach().numpy().copy(), head.bias.detach().numpy().copy()


def _first_head(
    network: Encoder, tokenizer: Tokenizer, samples: Sequence[Sample], labels: int
) -> nn.Linear:
    """The classifier that is best before the encoder moves: from chance it would tear at it."""
    network.eval()
    vectors = encode(network, tokenizer, [each.text for each in samples])
    weight, bias = fit_linear(vectors, [each.labels for each in samples], labels)
    head = nn.Linear(WIDTH, labels)
    head.weight.data, head.bias.data = torch.from_numpy(weight), torch.from_numpy(bias)
    return head


def _rate(done: float) -> float:
    """A short rise, then half a cosine down to nothing."""
    if done < _WARM_UP:
        return done / _WARM_UP
    return 0.5 * (1 + math.cos(math.pi * min(1.0, (done - _WARM_UP) / (1 - _WARM_UP))))


def _optimizer(network: Encoder, head: nn.Linear, settings: Settings) -> torch.optim.Optimizer:
    groups = [{"params": list(head.parameters()), "lr": settings.head_rate}]
    rate = settings.rate
    for layer in reversed(list(network.layers)):
        groups.append({"params": list(layer.parameters()), "lr": rate})
        rate *= settings.decay
    groups.append({"params": [network.positions, *network.norm.parameters()], "lr": rate})
    network.words.weight.requires_grad_(settings.words)
    if settings.words:
        groups.append({"params": [network.words.weight], "lr": rate, "weight_decay": 0.0})
    return torch.optim.AdamW(groups, weight_decay=0.01, betas=(0.9, 0.98), eps=1e-6)


def _loss(scores: Tensor, targets: Tensor, settings: Settings) -> Tensor:
    """`targets` [N, labels]: the share of each label; rows of zeros are out of scope."""
    said = (targets > 0).float()
    loss = settings.binary * nn.functional.binary_cross_entropy_with_logits(
        scores, said, reduction="none"
    ).sum(1)
    inside = targets.sum(1)
    smooth = (
        targets * (1 - settings.smoothing) + inside[:, None] * settings.smoothing / targets.shape[1]
    )
    loss = loss - (smooth * scores.log_softmax(1)).sum(1)
    return loss.mean()


def _batches(
    samples: Sequence[Sample], tokenizer: Tokenizer, labels: int, size: int, order: random.Random
) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
    """Batches of texts of like length, in random order: little of them is padding."""
    encoded = [each.ids for each in tokenizer.encode_batch([each.text for each in samples])]
    turns = sorted(range(len(samples)), key=lambda n: len(encoded[n]) + order.uniform(0, 3))
    batches = [turns[at : at + size] for at in range(0, len(turns), size)]
    order.shuffle(batches)
    for batch in batches:
        longest = max(len(encoded[each]) for each in batch)
        ids = torch.zeros((len(batch), longest), dtype=torch.int64)
        mask = torch.zeros_like(ids)
        targets = torch.zeros((len(batch), labels))
        for row, each in enumerate(batch):
            ids[row, : len(encoded[each])] = torch.tensor(encoded[each])
            mask[row, : len(encoded[each])] = 1
            said = samples[each].labels
            for place, label in enumerate(said):
                targets[row, label] = (
                    1.0
                    if len(said) == 1
                    else (1 - _ALSO if place == 0 else _ALSO / (len(said) - 1))
                )
        yield ids, mask, targets


@torch.no_grad()
def encode(network: Encoder, tokenizer: Tokenizer, texts: Sequence[str]) -> npt.NDArray[np.float32]:
    """The vectors [N, 384] of texts, before quantization."""
    vectors = np.zeros((len(texts), WIDTH), np.float32)
    order = sorted(range(len(texts)), key=lambda n: len(texts[n]))
    for at in range(0, len(order), 64):
        chosen = order[at : at + 64]
        encoded = [each.ids for each in tokenizer.encode_batch([texts[n] for n in chosen])]
        longest = max(map(len, encoded))
        ids = torch.tensor([each + [0] * (longest - len(each)) for each in encoded])
        mask = torch.tensor([[1] * len(each) + [0] * (longest - len(each)) for each in encoded])
        vectors[chosen] = network(ids, mask).numpy()
    return vectors
