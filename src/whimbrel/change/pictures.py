"""Whether two files are one picture, packed otherwise or under another name, and how large a picture is: from its
bytes, without drawing it.

Tools pack pictures anew: other compression, without the date, place or colour profile. What is drawn is in some parts
of a file; where these are the same the picture is. A picture that was encoded anew with loss counts as another.
"""

import re
import zlib
from collections.abc import Iterator

from whimbrel.change.address import lasting_file

_PNG = b"\x89PNG\r\n\x1a\n"
_JPEG = b"\xff\xd8"
_DRAWN_IN_PNG = (b"IHDR", b"PLTE", b"tRNS")
_ASIDE_IN_WEBP = (b"EXIF", b"XMP ", b"ICCP", b"VP8X")
_MOST_BYTES = 64_000_000
_BLANK = 2
"""Pixels that a picture has at most, in width or height, that only holds the place of another."""
_SAME_SHAPE = 0.02
_ENDING = re.compile(r"(?:\.\w{1,5})+$")
_NUMBER = re.compile(r"\d+")


def same_picture(before: bytes, after: bytes) -> bool:
    if before == after:
        return True
    for drawn in (_png, _jpeg, _webp):
        was, now = drawn(before), drawn(after)
        if was is not None and now is not None:
            return was == now
    return False


def is_another(before: bytes, after: bytes, was: str, now: str) -> bool:
    """Whether the picture at the address `now` is another than that at `was`, in whose place it stands.

    What may be the same one, resized or in another format, counts as the same: this cannot be told without drawing it.
    """
    sizes = size_of(before), size_of(after)
    if same_picture(before, after) or any(size is not None and min(size) <= _BLANK for size in sizes):
        return False
    alike = _name(was) == _name(now)
    if _format(before) != _format(after):
        return not alike and None not in sizes and not _same_shape(sizes[0], sizes[1])
    if sizes[0] != sizes[1]:
        return not (alike and _same_shape(sizes[0], sizes[1]))
    # A build names files after their bytes: where nothing is lost in packing, other bytes are another picture.
    return lasting_file(was) != lasting_file(now) or _format(before) == _PNG


def _name(address: str) -> str:
    """Of a picture, in whatever size and format."""
    return _NUMBER.sub("0", _ENDING.sub("", lasting_file(address).partition("?")[0].rpartition("/")[2]))


def _format(body: bytes) -> bytes:
    return next((mark for mark in (_PNG, _JPEG, b"GIF8", b"RIFF") if body.startswith(mark)), b"")


def _same_shape(one: tuple[int, int] | None, other: tuple[int, int] | None) -> bool:
    if one is None or other is None:
        return one is other
    crosswise = one[0] * other[1], other[0] * one[1]
    return abs(crosswise[0] - crosswise[1]) <= _SAME_SHAPE * max(crosswise)


def measures(body: bytes) -> str:
    """For a person: width and height where they are known, and the size of the file."""
    size = size_of(body)
    return f"{size[0]} × {size[1]}, {len(body):,} bytes" if size else f"{len(body):,} bytes"


def size_of(body: bytes) -> tuple[int, int] | None:
    """Width and height in pixels, None where the bytes do not tell."""
    if body.startswith(_PNG) and len(body) >= 24:
        return int.from_bytes(body[16:20]), int.from_bytes(body[20:24])
    if body.startswith((b"GIF87a", b"GIF89a")) and len(body) >= 10:
        return int.from_bytes(body[6:8], "little"), int.from_bytes(body[8:10], "little")
    if body[:4] == b"RIFF" and len(body) >= 30:
        return _webp_size(body)
    for marker, part in _jpeg_parts(body):
        # Start of frame (ITU T.81, table B.1), but for the tables that share its range.
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC) and len(part) >= 5:
            return int.from_bytes(part[3:5]), int.from_bytes(part[1:3])
    return None


def _webp_size(body: bytes) -> tuple[int, int] | None:
    """From the first part of the file (RFC 9649 §2.5 to §2.7, RFC 6386 §9.1)."""
    match body[12:16]:
        case b"VP8X":
            return int.from_bytes(body[24:27], "little") + 1, int.from_bytes(body[27:30], "little") + 1
        case b"VP8 ":
            return int.from_bytes(body[26:28], "little") & 0x3FFF, int.from_bytes(body[28:30], "little") & 0x3FFF
        case b"VP8L":
            bits = int.from_bytes(body[21:25], "little")
            return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
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
