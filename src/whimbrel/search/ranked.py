"""The link ranks that stand beside the index, for those who plan and count: without NumPy, which comes with search."""

import struct
from pathlib import Path

from whimbrel.search.places import FOLDER

FILE = "ranks.npy"
_MAGIC = b"\x93NUMPY"
_FIELDS = b"[('key', '<i8'), ('rank', '<f8')]"


def link_ranks(folder: Path) -> dict[int, float]:
    """PageRank by key, as of the last time the index was brought up to date; empty where there is none."""
    try:
        data = (folder / FOLDER / FILE).read_bytes()
    except OSError:
        return {}
    # NumPy's own format: magic, version, length of the header (two bytes, from version 2 on four), header, rows.
    if data[:6] != _MAGIC or len(data) < 12:
        return {}
    width = 2 if data[6] == 1 else 4
    start = 8 + width + int.from_bytes(data[8 : 8 + width], "little")
    rows = data[start:]
    if _FIELDS not in data[:start] or len(rows) % 16:
        return {}
    return dict(struct.iter_unpack("<qd", rows))
