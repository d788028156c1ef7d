"""A folder with an encoder in it, in the form in which the extra `meaning` brings one, and as small as one can be."""

import json
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from whimbrel.search.meaning.sense import CONFIG, TOKENIZER, WEIGHTS

HEADS, LAYERS, WIDER, LONGEST = 2, 2, 3, 128
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
Tensors = dict[str, NDArray[np.float32]]


def tensors_of(words: NDArray[np.float32], chance: np.random.Generator | None = None) -> Tensors:
    """With layers that leave texts as they are, or, given a chance, with weights drawn by it."""
    size = words.shape[1]

    def drawn(*shape: int) -> NDArray[np.float32]:
        numbers = chance.normal(0, 0.4, shape) if chance is not None else np.zeros(shape)
        return numbers.astype(np.float32)

    found: Tensors = {"embeddings.word_embeddings.weight": words.astype(np.float32)}
    found["embeddings.position_embeddings.weight"] = drawn(LONGEST, size)
    found["embeddings.token_type_embeddings.weight"] = drawn(2, size)
    norms = ["embeddings.LayerNorm"]
    for at in range(LAYERS):
        layer = f"encoder.layer.{at}."
        shapes = {f"attention.self.{part}": (size, size) for part in ("query", "key", "value")}
        shapes |= {"attention.output.dense": (size, size)}
        shapes |= {"intermediate.dense": (WIDER * size, size), "output.dense": (size, WIDER * size)}
        for name, (out, into) in shapes.items():
            found[f"{layer}{name}.weight"], found[f"{layer}{name}.bias"] = drawn(out, into), drawn(out)
        norms += [f"{layer}attention.output.LayerNorm", f"{layer}output.LayerNorm"]
    for name in norms:
        found[f"{name}.weight"], found[f"{name}.bias"] = 1 + drawn(size), drawn(size)
    return found


def write_tensors(path: Path, tensors: Mapping[str, NDArray[np.float32]]) -> None:
    head: dict[str, object] = {"__metadata__": {"format": "pt"}}
    at = 0
    for name, numbers in tensors.items():
        head[name] = {"dtype": "F32", "shape": numbers.shape, "data_offsets": [at, at + numbers.nbytes]}
        at += numbers.nbytes
    written = json.dumps(head).encode()
    body = b"".join(np.ascontiguousarray(numbers).tobytes() for numbers in tensors.values())
    path.write_bytes(struct.pack("<Q", len(written)) + written + body)


def write_encoder(folder: Path, pieces: Sequence[str], tensors: Tensors) -> None:
    """`pieces` are those beside the special ones, which come first."""
    folder.mkdir(parents=True, exist_ok=True)
    numbers = {piece: at for at, piece in enumerate((*SPECIAL, *pieces))}
    (folder / TOKENIZER).write_text(json.dumps({"model": {"type": "WordPiece", "vocab": numbers}}))
    (folder / CONFIG).write_text(json.dumps({"num_attention_heads": HEADS, "hidden_size": 8}))
    write_tensors(folder / WEIGHTS, tensors)
