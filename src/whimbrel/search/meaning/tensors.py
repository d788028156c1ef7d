"""Weights as a safetensors file has them, as they lie on disk: the length of a JSON head, the head, the numbers."""

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

_KIND = "F32"


class _Tensor(Struct, frozen=True):
    dtype: str
    shape: list[int]
    data_offsets: tuple[int, int]


def read_tensors(path: Path) -> dict[str, NDArray[np.float32]]:
    """Those of single precision by name, mapped: processes share what they read of them. Raises ValueError where the
    file is another."""
    whole: NDArray[Any] = np.memmap(path, np.uint8, "r")
    length = int.from_bytes(whole[:8].tobytes(), "little")
    if length > len(whole) - 8:
        raise ValueError(f"{path.name} is no safetensors file")
    head = msgspec.json.decode(whole[8 : 8 + length].tobytes(), type=dict[str, Any])
    head.pop("__metadata__", None)
    tensors = msgspec.convert(head, dict[str, _Tensor])
    begin = 8 + length
    return {
        name: whole[begin + one.data_offsets[0] : begin + one.data_offsets[1]].view(np.float32).reshape(one.shape)
        for name, one in tensors.items()
        if one.dtype == _KIND
    }
