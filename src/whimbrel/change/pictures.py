"""Whether two files are one picture, packed otherwise, and how large a picture is: from its bytes, without drawing it.

Tools pack pictures anew: other compression, without the date, place or colour profile. What is drawn is in some parts
of a file; where these are the same the picture is. A picture that was encoded anew with loss counts as another.
"""

import zlib
from collections.abc import Iterator

_PNG = b"\x89PNG\r\n\x1a\n"
_JPEG = b"\xff\xd8"
_DRAWN_IN_PNG = (b"IHDR", b"PLTE", b"tRNS")
_ASIDE_IN_WEBP = (b"EXIF", b"XMP ", b"ICCP", b"VP8X")
_MOST_BYTES = 64_000_000


def same_picture(before: bytes, after: bytes) -> bool:
    if before == after:
        return True
    for drawn in (_png, _jpeg, _webp):
        was, now = drawn(before), drawn(after)
        if was is not None and now is not None:
            return was == now
    return False


def measures(body: bytes) -> str:
    """For a person: width and height where they are known, and the size of the file."""
    size = _size(body)
    return f"{size[0]} × {size[1]}, {len(body):,} bytes" if size else f"{len(body):,} bytes"


def _size(body: bytes) -> tuple[int, int] | None:
    if body.startswith(_PNG) and len(body) >= 24:
        return int.from_bytes(body[16:20]), int.from_bytes(body[20:24])
    if body.startswith((b"GIF87a", b"GIF89a")) and len(body) >= 10:
        return int.from_bytes(body[6:8], "little"), int.from_bytes(body[8:10], "little")
    for marker, part in _jpeg_parts(body):
        # Start of frame (ITU T.81, table B.1), but for the tables that share its range.
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC) and len(part) >= 5:
            return int.from_bytes(part[3:5]), int.from_bytes(part[1:3])
    return None


def _png(body: bytes) -> tuple[object, ...] | None:
    """Header, palette and the unpacked rows (PNG specification, §11)."""
    if not body.startswith(_PNG):
        return None
    parts, rows, at = [], [], len(_PNG)
    while at + 8 <= len(body):
        length, name = int.from_bytes(body[at : at + 4]), body[at + 4 : at + 8]
        part = body[at + 8 : at + 8 + length]
        if name == b"IDAT":
            rows.append(part)
        elif name in _DRAWN_IN_PNG:
            parts.append(part)
        at += 12 + length
    try:
        return *parts, zlib.decompressobj().decompress(b"".join(rows), _MOST_BYTES)
    except zlib.error:
        return None


def _jpeg(body: bytes) -> tuple[object, ...] | None:
    """All but what applications note, and comments (ITU T.81, table B.1)."""
    if not body.startswith(_JPEG):
        return None
    return tuple(one for one in _jpeg_parts(body) if not 0xE0 <= one[0] <= 0xEF and one[0] != 0xFE)


def _jpeg_parts(body: bytes) -> Iterator[tuple[int, bytes]]:
    """Each marker and its part; what is drawn follows the start of scan to the end."""
    at = 2
    while body.startswith(_JPEG) and at + 4 <= len(body) and body[at] == 0xFF:
        marker, length = body[at + 1], int.from_bytes(body[at + 2 : at + 4])
        if marker == 0xDA:
            yield marker, body[at:]
            return
        yield marker, body[at + 4 : at + 2 + length]
        at += 2 + max(2, length)


def _webp(body: bytes) -> tuple[object, ...] | None:
    if body[:4] != b"RIFF" or body[8:12] != b"WEBP":
        return None
    parts, at = [], 12
    while at + 8 <= len(body):
        name, length = body[at : at + 4], int.from_bytes(body[at + 4 : at + 8], "little")
        if name not in _ASIDE_IN_WEBP:
            parts.append((name, body[at + 8 : at + 8 + length]))
        at += 8 + length + length % 2
    return tuple(parts)
