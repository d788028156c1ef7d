"""What the pictures of a page add to how relevant it is, or take away (P4 §3).

A picture speaks of a topic where the page calls it by a word that was asked for. Where its shape is of that class too,
the page is the more believed; where it has the shape of another class, the page calls things by wrong names.
"""

from collections.abc import Callable, Collection, Sequence

from msgspec import Struct

from whimbrel.records.picturing import LabelSays, PictureSeen

WEIGHT = 0.25
"""By so much of itself the relevance of a page rises where all such pictures match, and falls where all contradict; set
by hand, so that pictures decide where words leave it open."""
_WORTH = {LabelSays.MATCHES: 1, LabelSays.CONTRADICTS: -1, LabelSays.NOTHING: 0}


class PicturesSay(Struct, frozen=True):
    """`factor` is what the relevance is multiplied by; `pictures` are those that speak."""

    factor: float = 1.0
    pictures: tuple[PictureSeen, ...] = ()

    def words(self) -> str:
        """For a person to read; "" where no picture says anything."""
        if self.factor == 1.0:
            return ""
        way = "raise" if self.factor > 1 else "lower"
        seen = "; ".join(one.words() for one in self.pictures if one.says is not LabelSays.NOTHING)
        return f"its pictures {way} that by {abs(self.factor - 1):.0%} ({seen})"


SILENT = PicturesSay()


def pictures_say(
    pictures: Sequence[PictureSeen], asked: Collection[str], forms: Callable[[str], Sequence[str]]
) -> PicturesSay:
    """`asked` are the words that were asked for, as they are compared; `forms` makes that of a word."""
    speaking = tuple(one for one in pictures if any(form in asked for name in one.called for form in forms(name)))
    if not speaking:
        return SILENT
    return PicturesSay(1 + WEIGHT * sum(_WORTH[one.says] for one in speaking) / len(speaking), speaking)
