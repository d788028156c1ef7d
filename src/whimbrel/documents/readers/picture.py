"""A picture drawn small and grey. What it is its bytes say, not its name; of an animation the first image counts."""

import base64
import io
import warnings

from PIL import Image, UnidentifiedImageError

from whimbrel.documents.contract import DocumentLimits, DocumentText, Outcome, Unreadable

SIDE, LARGE_SIDE = 256, 1_800
"""Shapes are told by the one; letters are read by the other."""
MOST_PIXELS = 60_000_000
FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "BMP")


def drawn(body: bytes, limits: DocumentLimits, side: int = SIDE) -> Outcome:
    """Of what it gives, `text` has the greys in base 85, `title` the sizes of the picture and of what was drawn, and
    `pages` counts images."""
    if len(body) > limits.body_bytes:
        return Unreadable("too_large", f"a picture of more than {limits.body_bytes >> 20} MiB")
    if b"<svg" in body[:4096].lower():
        return Unreadable("unsupported", "an SVG drawing, which may run scripts or load other files, is not drawn")
    warnings.simplefilter("ignore")
    try:
        picture = Image.open(io.BytesIO(body), formats=FORMATS)
    except UnidentifiedImageError:
        return Unreadable("mislabelled", f"no picture of a kind that is drawn ({', '.join(FORMATS)})")
    except Image.DecompressionBombError:
        return Unreadable("too_large", f"more than {MOST_PIXELS:,} pixels")
    except MemoryError:
        raise
    except Exception:  # the library answers damage with whatever broke in it
        return Unreadable("damaged", "a picture whose head is cut off or damaged")
    width, height = picture.size
    if width * height > MOST_PIXELS:
        return Unreadable("too_large", f"{width} × {height} pixels; at most {MOST_PIXELS:,} are drawn")
    try:
        frames = int(getattr(picture, "n_frames", 1))
        small = _small(picture, side)
    except MemoryError:
        raise
    except Exception:
        return Unreadable("damaged", "a picture that is cut off or damaged")
    text = base64.b85encode(small.tobytes()).decode()
    return DocumentText(f"{width} {height} {small.width} {small.height}", text, frames, "", "picture")


def _small(picture: Image.Image, side: int) -> Image.Image:
    """On white where it is transparent: that is what most pages are."""
    picture.draft("RGB", (2 * side, 2 * side))
    picture.thumbnail((side, side))
    if picture.has_transparency_data:
        above = picture.convert("RGBA")
        picture = Image.alpha_composite(Image.new("RGBA", above.size, "white"), above)
    return picture.convert("L")
