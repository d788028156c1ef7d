"""Changed pages as what makes them of the versions that both sides hold.

All changed pages of a parcel share one difference: what a site changed on all of its pages is said once.
"""

from collections.abc import Sequence

import zstandard

from whimbrel.migrants.wire.messages import WireError

LEVEL = 12
MOST_BEFORE_BYTES = 8 << 20
"""Of old versions in one difference: old and new together have to fit the window."""
MOST_AFTER_BYTES = 8 << 20
_WINDOW_LOG = 24


def difference(before: Sequence[bytes], after: Sequence[bytes]) -> bytes:
    """What makes `after` of `before`. Both fit the bounds above."""
    old = b"".join(before)
    params = zstandard.ZstdCompressionParameters.from_level(LEVEL, window_log=_WINDOW_LOG, write_content_size=1)
    return zstandard.ZstdCompressor(dict_data=_prefix(old), compression_params=params).compress(b"".join(after))


def applied(packed: bytes, before: Sequence[bytes], sizes: Sequence[int]) -> list[bytes]:
    """The new versions; refused where they do not have the sizes that were said."""
    whole = sum(sizes)
    if whole > MOST_AFTER_BYTES or any(size < 0 for size in sizes):
        raise WireError(f"a difference that would make {whole} bytes; the most is {MOST_AFTER_BYTES}")
    try:
        if zstandard.frame_content_size(packed) != whole:
            raise WireError("a difference that does not make what it says")
        factory = zstandard.ZstdDecompressor(dict_data=_prefix(b"".join(before)), max_window_size=1 << _WINDOW_LOG)
        after = factory.decompress(packed, max_output_size=whole)
    except zstandard.ZstdError as error:
        raise WireError(f"a difference that does not fit what is held: {error}") from error
    return _cut(after, sizes)


def _prefix(old: bytes) -> zstandard.ZstdCompressionDict:
    return zstandard.ZstdCompressionDict(old, dict_type=zstandard.DICT_TYPE_RAWCONTENT)


def _cut(whole: bytes, sizes: Sequence[int]) -> list[bytes]:
    parts, start = [], 0
    for size in sizes:
        parts.append(whole[start : start + size])
        start += size
    return parts
