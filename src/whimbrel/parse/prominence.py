"""Which words stand out in a page (P0 §2.3.2): in its title, in headings by their rank, in what is set bold, early, and
often. Menus do not count."""

from collections import defaultdict
from collections.abc import Iterator
from math import log1p

from turbohtml import Document

from whimbrel.parse.main_part import main_blocks
from whimbrel.parse.pieces import Piece, pieces_of
from whimbrel.parse.stops import content_of

HEAVIEST = 255
TITLE = 8.0
HEADINGS = (0.0, 6.0, 4.0, 3.0, 2.0, 2.0, 2.0)
BOLD, PLAIN = 2.0, 1.0
EARLY = 0.5
"""By so much of itself a word weighs more at the beginning than at the end."""
_BOLD = frozenset({"b", "strong", "em", "dt", "th"})
_LEAST_ABOUT = 60


def prominent(document: Document, title: str, language: str, most: int) -> list[tuple[str, int]]:
    """The words that stand out most, each with its weight, the heaviest first. Often counts by its logarithm."""
    weights: defaultdict[str, float] = defaultdict(float)
    for word in content_of(title, language):
        weights[word] += TITLE
    pieces = pieces_of(document)
    for at, piece in enumerate(pieces):
        weight = _weight(piece) * (1 + EARLY * (1 - at / len(pieces)))
        for word in content_of(piece.text, language):
            weights[word] += weight
    heaviest = sorted(weights, key=lambda word: (-weights[word], word))[:most]
    if not heaviest:
        return []
    greatest = log1p(weights[heaviest[0]])
    return [(word, max(1, round(HEAVIEST * log1p(weights[word]) / greatest))) for word in heaviest]


def _weight(piece: Piece) -> float:
    steps = {step.partition(".")[0].partition("[")[0] for step in piece.path.split(">")}
    ranks = [int(step[1]) for step in steps if len(step) == 2 and step[0] == "h" and step[1] in "123456"]
    if ranks:
        return HEADINGS[min(ranks)]
    return BOLD if steps & _BOLD else PLAIN


def about(document: Document, most: int) -> str:
    """What the page says of itself in its head, or how its main part begins."""
    said = max((" ".join(text.split()) for text in _descriptions(document)), key=len, default="")
    if len(said) < _LEAST_ABOUT:
        texts = (" ".join(text.split()) for text in main_blocks(document, quick=True))
        said = next((text for text in texts if len(text) >= _LEAST_ABOUT), said)
    return said[:most]


def _descriptions(document: Document) -> Iterator[str]:
    for meta in document.iter_elements("meta"):
        if meta.attr("name") == "description" or meta.attr("property") == "og:description":
            yield meta.attr("content") or ""
