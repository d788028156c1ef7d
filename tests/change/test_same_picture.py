"""Whether two files are one picture."""

from hypothesis import given
from hypothesis import strategies as st

from whimbrel.change.pictures import measures, same_picture

STARTS = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff\xe0", b"RIFF\0\0\0\0WEBP", b"GIF89a", b"")


def jpeg(*parts: tuple[int, bytes]) -> bytes:
    written = b"".join(b"\xff" + bytes([marker]) + (len(part) + 2).to_bytes(2) + part for marker, part in parts)
    return b"\xff\xd8" + written + b"\xff\xda\0\x02drawn\xff\xd9"


FRAME = (0xC0, b"\x08" + (480).to_bytes(2) + (640).to_bytes(2) + b"\x03")


def test_notes_in_a_jpeg_are_not_drawn() -> None:
    plain = jpeg(FRAME)
    assert same_picture(plain, jpeg((0xE1, b"Exif: taken on 3 May"), FRAME, (0xFE, b"a comment")))
    assert not same_picture(plain, plain.replace(b"drawn", b"other"))
    assert measures(plain) == f"640 × 480, {len(plain)} bytes"


def test_notes_in_a_webp_are_not_drawn() -> None:
    def webp(*parts: tuple[bytes, bytes]) -> bytes:
        written = b"".join(
            name + len(part).to_bytes(4, "little") + part + b"\0" * (len(part) % 2) for name, part in parts
        )
        return b"RIFF" + len(written).to_bytes(4, "little") + b"WEBP" + written

    assert same_picture(webp((b"VP8 ", b"drawn")), webp((b"VP8X", b"0"), (b"VP8 ", b"drawn"), (b"EXIF", b"here")))
    assert not same_picture(webp((b"VP8 ", b"drawn")), webp((b"VP8 ", b"other")))


@given(st.sampled_from(STARTS), st.binary(max_size=200), st.binary(max_size=200))
def test_whatever_came_is_said_to_be_something(start: bytes, one: bytes, other: bytes) -> None:
    assert same_picture(start + one, start + one)
    assert isinstance(same_picture(start + one, start + other), bool)
    assert measures(start + one).endswith("bytes")
