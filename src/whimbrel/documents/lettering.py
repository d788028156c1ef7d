"""Text that pictures show, read by the program `tesseract` where it is installed.

It is given what our own helper drew of a picture, never the picture itself: grey, of a bounded size, in the plainest
format there is. It runs under the limits of documents.
"""

import shutil
import subprocess
from typing import Self

from whimbrel.documents import outside
from whimbrel.documents.contract import DEFAULT_LIMITS, DocumentLimits, DocumentText, Outcome, Unreadable
from whimbrel.documents.pictures import PictureReader
from whimbrel.documents.wording import tidy

PROGRAM = "tesseract"
LEAST_LETTERS = 4
"""Fewer in a row of a picture's text are specks and edges."""
_GREYS = bytes((0x50, 0x35))  # by which a PGM file of bytes is known
_ADVICE = "On Debian: apt install tesseract-ocr"


def missing(languages: str) -> str:
    """Why text in pictures cannot be read in these languages, as `eng+deu`; "" where it can."""
    if not shutil.which(PROGRAM):
        return f"text in pictures is read where {PROGRAM} is installed. {_ADVICE}"
    listed = subprocess.run([PROGRAM, "--list-langs"], capture_output=True, text=True, check=False, timeout=60)
    absent = [one for one in languages.split("+") if one not in listed.stdout.split()]
    if not absent:
        return ""
    return f"{PROGRAM} has no data for {', '.join(absent)}. {_ADVICE}-{absent[0].replace('_', '-')}"


class Lettering:
    """Reads one picture after another for as long as it is open."""

    def __init__(self, languages: str, limits: DocumentLimits = DEFAULT_LIMITS) -> None:
        self._languages = languages
        self._limits = limits
        self._pictures = PictureReader(limits)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._pictures.__exit__(*error)

    def read(self, body: bytes) -> Outcome:
        drawn = self._pictures.draw(body, large=True)
        if isinstance(drawn, Unreadable):
            return drawn
        plain = _GREYS + f"\n{drawn.columns} {drawn.rows}\n255\n".encode() + drawn.greys
        told = outside.run([PROGRAM, outside.FILE, "stdout", "-l", self._languages], plain, self._limits)
        if isinstance(told, Unreadable):
            return told
        said, code = told
        if code:
            return Unreadable("damaged", f"{PROGRAM} cannot read it")
        lines = (tidy(line) for line in said.decode("utf-8", "replace").splitlines())
        text = "\n".join(line for line in lines if sum(map(str.isalpha, line)) >= LEAST_LETTERS)
        return DocumentText("", text, 1, "", "picture") if text else Unreadable("empty", "no text in it")
