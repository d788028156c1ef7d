"""How much it matters that the copy of a page is up to date: how often a reader is likely to be there.

    importance = (½ + ½ · n · share) · 4^(priority − the site's mean priority),
    and where readers are known (that + readers) · n ÷ (n + all readers)

`share` is the page's part of all link rank (PageRank, a reader who follows links at random) and n the number of pages,
so that n · share is 1 for an ordinary page: half of the readers come by links, half land anywhere, as from a search.
A sitemap's priority says which of the owner's pages matter more than others of the same site; an owner who calls all
pages equally important says nothing. All of that is a guess at where readers are; what is known of them counts as much
as the guess from one reader a page on. `readers` are those who read this page, each once, `all readers` the same over
all pages, so that an ordinary page stays at 1.
"""

UNLINKED = 0.15
"""n · share of a page that nobody links to: what PageRank gives to every page."""


def importance(times_mean: float, priority: float | None = None, usual_priority: float = 0.5) -> float:
    """`times_mean` is n · share; a page without a priority counts as the usual one."""
    said = 0.0 if priority is None else min(1.0, max(0.0, priority)) - usual_priority
    return float((0.5 + 0.5 * max(0.0, times_mean)) * 4.0**said)


def importance_read(guessed: float, readers: int, all_readers: int, pages: int) -> float:
    """The guess, corrected by who was there."""
    return (guessed + readers) * pages / (pages + all_readers) if pages else guessed
