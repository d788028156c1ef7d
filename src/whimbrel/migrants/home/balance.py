"""Which lanes and slices should change hands. Pure: it only says what to ask back from whom, and for whom."""

from collections.abc import Sequence

from whimbrel.migrants.home.books import LaneBook
from whimbrel.migrants.home.proxy import Proxy
from whimbrel.migrants.wire.messages import SLICES

WORTH_SHARING = 64
"""Tasks at hand below which a host is done before sharing it has paid."""

Move = tuple[Proxy, int, list[int], Proxy]
"""Who gives, the lane, the slices (none named: the whole lane), who gets."""


def spread(books: Sequence[LaneBook], proxies: Sequence[Proxy]) -> list[Move]:
    """Evens out the hosts that allow several requests at once; one step a lane, and none while a step is under way."""
    moves = []
    for book in books:
        if book.divisible and not book.moving and len(book.leased) >= WORTH_SHARING:
            move = _even_out(book, proxies)
            if move is not None:
                moves.append(move)
    return moves


def _even_out(book: LaneBook, proxies: Sequence[Proxy]) -> Move | None:
    held = {proxy: [place for place, holder in enumerate(book.holders) if holder is proxy] for proxy in proxies}
    richest = max(proxies, key=lambda proxy: len(held[proxy]))
    poorest = min(proxies, key=lambda proxy: len(held[proxy]))
    fair = max(1, SLICES // len(proxies))
    count = min(len(held[richest]) - fair, fair - len(held[poorest]))
    return (richest, book.number, held[richest][-count:], poorest) if count > 0 else None


def shed(books: Sequence[LaneBook], parent: Proxy, child: Proxy) -> list[Move]:
    """Every second lane of the parent that cannot be divided goes to the child; divisible ones `spread` evens out."""
    whole = [book for book in books if not book.divisible and not book.moving and (book.stocked or book.leased)]
    return [(parent, book.number, [], child) for book in whole[1::2]]
