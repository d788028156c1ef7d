"""Text out of documents made fit to keep: what is no character goes, and names of files are no titles."""

import re
from collections.abc import Iterable

from whimbrel.documents.kinds import NAMES

TITLE_CHARACTERS = 300
_LONGEST_FIRST_LINE = 120
_NOTE_MARKS = "*∗†‡§ "

# C0 and C1 controls but tab and line feed, lone surrogates, and what is no character (Unicode 15, §23.7).
_NO_CHARACTERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]+")
_BLANKS = re.compile(r"[^\S\n]+")
_BLANK_LINES = re.compile(r" ?\n\s*")
# Fonts have them, readers do not type them.
_LIGATURES = str.maketrans({
    "\ufb00": "ff", "\ufb01": "fi", "\ufb02": "fl", "\ufb03": "ffi", "\ufb04": "ffl", "\ufb05": "st", "\ufb06": "st",
    "\xad": None,
})  # fmt: skip
_PRODUCER = re.compile(r"^(?:Microsoft (?:Word|PowerPoint|Excel) - )", re.IGNORECASE)
_FILE_NAME = re.compile(
    r"^\S+\.(?:dvi|pdf|tex|docx?|pptx?|xlsx?|od[tps]|rtf|indd|qxd|ps|html?|txt|fm|p65)$", re.IGNORECASE
)
_NO_TITLES = frozenset({
    "untitled", "untitled document", "word document", "powerpoint presentation", "presentation", "document",
    "no slide title", "slide 1", "unknown", "title", "none", "null",
})  # fmt: skip


def tidy(text: str) -> str:
    """One paragraph: blanks made one, lines kept, none of them empty."""
    text = _NO_CHARACTERS.sub(" ", text).translate(_LIGATURES)
    return _BLANK_LINES.sub("\n", _BLANKS.sub(" ", text)).strip()


def title_of(own: str, headline: str, paragraphs: list[str]) -> str:
    """What the document calls itself, else what stands at its top like a title, else a short first line, else ""."""
    first = paragraphs[0].partition("\n")[0] if paragraphs else ""
    for title in (_PRODUCER.sub("", _on_one_line(own)), _on_one_line(headline)):
        if _plausible(title):
            return title
    return first if len(first) <= _LONGEST_FIRST_LINE and _plausible(first) else ""


def title_called(names: Iterable[str]) -> str:
    """What links call a document that has no title: the most that one of them says, "" where none says a name."""
    named = {" ".join(name.split()).rstrip(_NOTE_MARKS) for name in names}
    fitting = [name for name in named if len(name) <= _LONGEST_FIRST_LINE and _plausible(name) and _is_name(name)]
    return max(fitting, key=lambda name: (len(name), name), default="")


def _is_name(text: str) -> bool:
    """Neither an address nor the kind of the file alone."""
    return "://" not in text and text.lower().strip("()[]. ") not in {*map(str.lower, NAMES.values()), *NAMES}


def _on_one_line(text: str) -> str:
    return " ".join(tidy(text).split())[:TITLE_CHARACTERS].rstrip(_NOTE_MARKS)


def _plausible(title: str) -> bool:
    return (
        any(character.isalpha() for character in title)
        and title.lower() not in _NO_TITLES
        and _FILE_NAME.match(title) is None
    )
