"""Which of the feeds that pages name speak of the site, and which of one page alone."""

from collections.abc import Sequence

MOST_REMEMBERED = 50_000


class FeedsNamed:
    """A weblog names the feed of its posts on every page, and on each post that of the remarks on it. The first leads
    to new pages; the second would cost a request a page and leads to nothing. What a seed names, or two pages do, is
    of the first kind."""

    __slots__ = ("_by",)

    def __init__(self) -> None:
        self._by: dict[int, int] = {}

    def speak_of_the_site(self, feeds: Sequence[int], page: int, *, at_the_door: bool) -> list[int]:
        """Those of the feeds named by a page that are worth asking for, as far as is known by now."""
        first = self._by
        if len(first) > MOST_REMEMBERED:
            first.clear()
        return [feed for feed in feeds if at_the_door or first.setdefault(feed, page) != page]
