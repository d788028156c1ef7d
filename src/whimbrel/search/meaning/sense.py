"""The vector of a text: the mean of the vectors of its pieces, of length 1.

The weights are those that the wheel of `wordllama` carries, 32,000 pieces in 256 numbers each; they were learned so
that means tell what a text is about. The package itself is not imported: it would bring much along and ask a network.
"""

import importlib.util
import threading
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from whimbrel.parse.words import Spoken
from whimbrel.search.meaning.pieces import Pieces, read_pieces

PACKAGE = "wordllama"
WEIGHTS = "weights/l2_supercat_256.safetensors"
TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"
MOST_WORDS = 50_000
"""Of one page: who reads so far knows what it is about."""

Vector: TypeAlias = NDArray[np.float32]


class NoWeights(Exception):
    """The files are not what they should be; the message says which and why."""


class _Tensor(Struct, frozen=True):
    dtype: str
    shape: list[int]
    data_offsets: tuple[int, int]


class Sense:
    """Reads its two files when the first vector is asked for; threads may share it."""

    def __init__(self, weights: Path, tokenizer: Path) -> None:
        self._paths = weights, tokenizer
        self._turn = threading.Lock()
        self._read: tuple[NDArray[Any], Pieces] | None = None

    def of(self, words: Iterable[str]) -> Vector:
        """Zeros where no word has a piece."""
        weights, pieces = self._opened()
        numbers: list[int] = []
        times: list[int] = []
        for word, count in Counter(words).items():
            for number in pieces[word]:
                numbers.append(number)
                times.append(count)
        return unit(np.array(times, np.float32) @ weights[numbers].astype(np.float32)) if numbers else _nothing(weights)

    def of_page(self, title: Iterable[str], said: Spoken) -> Vector:
        words = said.decode("latin-1").split(None, MOST_WORDS)[:MOST_WORDS] if isinstance(said, bytes) else said
        return self.of([*title, *words[:MOST_WORDS]])

    def _opened(self) -> tuple[NDArray[Any], Pieces]:
        with self._turn:
            if self._read is None:
                weights, tokenizer = self._paths
                try:
                    self._read = _matrix(weights), read_pieces(tokenizer)
                except (OSError, ValueError, msgspec.MsgspecError) as error:
                    raise NoWeights(
                        f"the extra `meaning` cannot be read ({error}); install it anew or set meaning_weight to 0"
                    ) from error
        return self._read


def installed() -> Sense | None:
    """None without the extra. Looking for it costs a tenth of a millisecond and imports nothing."""
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        return None
    folder = Path(spec.submodule_search_locations[0])
    return Sense(folder / WEIGHTS, folder / TOKENIZER)


def unit(vector: Vector) -> Vector:
    length = float(np.linalg.norm(vector))
    return vector / np.float32(length) if length else vector


def _nothing(weights: NDArray[Any]) -> Vector:
    return np.zeros(weights.shape[1], np.float32)


def _matrix(path: Path) -> NDArray[Any]:
    """The one tensor of a safetensors file, as it lies on disk: the length of a JSON head, the head, the numbers."""
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if length > path.stat().st_size:
            raise ValueError(f"{path.name} is no safetensors file")
        head = msgspec.json.decode(file.read(length))
    head.pop("__metadata__", None)
    tensors = msgspec.convert(head, dict[str, _Tensor])
    if len(tensors) != 1:
        raise ValueError(f"{path.name} holds {len(tensors)} tensors, not one")
    (tensor,) = tensors.values()
    if tensor.dtype != "F16" or len(tensor.shape) != 2:
        raise ValueError(f"{path.name} holds {tensor.dtype} in {len(tensor.shape)} dimensions, not F16 in two")
    return np.memmap(path, np.float16, "r", 8 + length + tensor.data_offsets[0], tuple(tensor.shape))
