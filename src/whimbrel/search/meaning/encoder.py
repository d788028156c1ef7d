"""A text's vector by a small transformer: BERT's encoder (Devlin and others, 2018), the mean of what it makes of each
piece, of length 1 (Reimers and Gurevych, "Sentence-BERT", 2019).

Texts of a batch lie one behind the other in one matrix, without padding; only attention looks at each by itself. What
activates a layer is GELU by its usual approximation, which moves no vector by a thousandth.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Vector: TypeAlias = NDArray[np.float32]
Vectors: TypeAlias = NDArray[np.float32]
"""A row each."""

BATCH_PIECES = 512
"""What a layer makes of so many fits a core's cache."""
_A_HUNDREDTH_OF_NOTHING = np.float32(1e-12)
_GELU = np.float32(math.sqrt(2 / math.pi))


class Layer(Struct, frozen=True, gc=False):
    """Of each matrix as it is multiplied from the right, with what is added."""

    attend: Vectors
    attend_bias: Vector
    gather: Vectors
    gather_bias: Vector
    gather_norm: tuple[Vector, Vector]
    widen: Vectors
    widen_bias: Vector
    narrow: Vectors
    narrow_bias: Vector
    narrow_norm: tuple[Vector, Vector]


class Encoder:
    """Threads may share one."""

    def __init__(self, tensors: Mapping[str, NDArray[np.float32]], heads: int) -> None:
        self._words = tensors["embeddings.word_embeddings.weight"]
        self._places = (
            tensors["embeddings.position_embeddings.weight"] + tensors["embeddings.token_type_embeddings.weight"][0]
        )
        self._norm = _norm_of(tensors, "embeddings.LayerNorm")
        self._heads = heads
        count = 1 + max(int(name.split(".")[2]) for name in tensors if name.startswith("encoder.layer."))
        self._layers = [_layer(tensors, f"encoder.layer.{at}.", heads) for at in range(count)]

    @property
    def numbers(self) -> int:
        return int(self._words.shape[1])

    def encode(self, texts: Sequence[Sequence[int]]) -> Vectors:
        """A vector for each text, which is given by the numbers of its pieces."""
        found = np.zeros((len(texts), self.numbers), np.float32)
        for batch in _batches([len(text) for text in texts]):
            found[batch] = self._encoded([texts[at] for at in batch])
        return found

    def _encoded(self, texts: list[Sequence[int]]) -> Vectors:
        ends = np.cumsum([len(text) for text in texts]).tolist()
        spans = list(zip([0, *ends], ends, strict=False))
        places = np.concatenate([np.arange(len(text)) for text in texts])
        state = self._words[np.concatenate(texts)] + self._places[places]
        _normalise(state, self._norm)
        for layer in self._layers:
            state = self._through(layer, state, spans)
        return units(np.stack([state[first:end].mean(0) for first, end in spans]))

    def _through(self, layer: Layer, state: Vectors, spans: list[tuple[int, int]]) -> Vectors:
        mixed = state @ layer.attend + layer.attend_bias
        seen = np.empty_like(state)
        for first, end in spans:
            seen[first:end] = _attended(mixed[first:end], self._heads)
        seen = seen @ layer.gather
        seen += layer.gather_bias
        seen += state
        _normalise(seen, layer.gather_norm)
        wide = seen @ layer.widen
        wide += layer.widen_bias
        state = _gelu(wide) @ layer.narrow
        state += layer.narrow_bias
        state += seen
        _normalise(state, layer.narrow_norm)
        return state


def units(vectors: Vectors) -> Vectors:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return (vectors / np.where(lengths > 0, lengths, 1.0)).astype(np.float32)


def _attended(mixed: Vectors, heads: int) -> Vectors:
    """What each piece of one text takes from all of them, by head: softmax(q·kᵀ)·v, q being scaled already."""
    length = len(mixed)
    asked, offered, told = mixed.reshape(length, 3, heads, -1).transpose(1, 2, 0, 3)
    share = asked @ offered.transpose(0, 2, 1)
    share -= share.max(-1, keepdims=True)
    np.exp(share, out=share)
    share /= share.sum(-1, keepdims=True)
    return np.asarray((share @ told).transpose(1, 0, 2).reshape(length, -1), np.float32)


def _gelu(values: Vectors) -> Vectors:
    inner = values * values
    inner *= np.float32(0.044715)
    inner += np.float32(1)
    inner *= values
    inner *= _GELU
    np.tanh(inner, out=inner)
    inner += np.float32(1)
    inner *= values
    inner *= np.float32(0.5)
    return inner


def _normalise(state: Vectors, norm: tuple[Vector, Vector]) -> None:
    state -= state.mean(-1, keepdims=True)
    state /= np.sqrt(
        np.einsum("ij,ij->i", state, state)[:, None] / np.float32(state.shape[1]) + _A_HUNDREDTH_OF_NOTHING
    )
    state *= norm[0]
    state += norm[1]


def _layer(tensors: Mapping[str, NDArray[np.float32]], name: str, heads: int) -> Layer:
    selves = [
        (tensors[f"{name}attention.self.{part}.weight"], tensors[f"{name}attention.self.{part}.bias"])
        for part in ("query", "key", "value")
    ]
    scale = np.float32(1 / math.sqrt(len(selves[0][0]) // heads))
    selves[0] = selves[0][0] * scale, selves[0][1] * scale
    gather, widen, narrow = (f"{name}attention.output", f"{name}intermediate", f"{name}output")
    return Layer(
        np.ascontiguousarray(np.concatenate([weight for weight, _ in selves]).T),
        np.concatenate([bias for _, bias in selves]),
        tensors[f"{gather}.dense.weight"].T, tensors[f"{gather}.dense.bias"], _norm_of(tensors, f"{gather}.LayerNorm"),
        tensors[f"{widen}.dense.weight"].T, tensors[f"{widen}.dense.bias"],
        tensors[f"{narrow}.dense.weight"].T, tensors[f"{narrow}.dense.bias"], _norm_of(tensors, f"{narrow}.LayerNorm"),
    )  # fmt: skip


def _norm_of(tensors: Mapping[str, NDArray[np.float32]], name: str) -> tuple[Vector, Vector]:
    return tensors[f"{name}.weight"], tensors[f"{name}.bias"]


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Places of texts, those of like length together, as many as fit."""
    batch: list[int] = []
    held = 0
    for at in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and held + lengths[at] > BATCH_PIECES:
            yield batch
            batch, held = [], 0
        batch.append(at)
        held += lengths[at]
    if batch:
        yield batch
