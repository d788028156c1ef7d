"""Which lanes and slices should change hands. Pure: it only says what to ask back from whom, and for whom."""

from collections.abc import Callable, Iterable, Sequence

from whimbrel.migrants.home.books import LaneBook
from whimbrel.migrants.home.places import MigrantPlace
from whimbrel.migrants.home.proxy import Proxy
from whimbrel.migrants.wire.messages import SLICES

WORTH_SHARING = 64
"""Tasks at hand below which a host is done before sharing it has paid."""

Move = tuple[Proxy, int, list[int], Proxy]
"""Who gives, the lane, the slices (none named: the whole lane), who gets."""


Again = Callable[[LaneBook, Proxy, Sequence[Proxy]], Proxy | None]
"""Who is to have a lane instead of its holder, by what is measured now."""

MOST_LOOKED_AT = 64
WORTH_MOVING = 16
"""Tasks at hand below which a host is done before a move has paid."""

Fits = Callable[[str, MigrantPlace], bool]
"""Whether work for a host may be done at a place."""


def spread(books: Sequence[LaneBook], proxies: Sequence[Proxy], fits: Fits = lambda host, place: True) -> list[Move]:
    """Evens out the hosts that allow several requests at once; one step a lane, and none while a step is under way."""
    moves = []
    for book in books:
        if book.divisible and not book.moving and len(book.leased) >= WORTH_SHARING:
            fitting = [proxy for proxy in proxies if fits(book.host, proxy.place)]
            move = _even_out(book, fitting) if len(fitting) > 1 else None
            if move is not None:
                moves.append(move)
    return moves


def misplaced(books: Sequence[LaneBook], proxies: Sequence[Proxy], fits: Fits) -> list[Move]:
    """Lanes whose holders are at the wrong place go whole to one at the right place, where there is one."""
    moves = []
    for book in books:
        holders = {holder for holder in book.holders if holder is not None}
        if book.moving or len(holders) != 1 or not (book.stocked or book.leased):
            continue
        (holder,) = holders
        heir = next((proxy for proxy in proxies if fits(book.host, proxy.place)), None)
        if holder in proxies and heir is not None and not fits(book.host, holder.place):
            moves.append((holder, book.number, list[int](), heir))
    return moves


def better_held(books: Iterable[LaneBook], proxies: Sequence[Proxy], fits: Fits, again: Again) -> list[Move]:
    """The lane that gains most by another holder, one at a time: what it moves is measured before the next does. Lanes
    that can be divided are shared instead."""
    for book in sorted(books, key=lambda book: -len(book.leased))[:MOST_LOOKED_AT]:
        holders = {holder for holder in book.holders if holder is not None}
        if book.divisible or book.moving or len(holders) != 1 or len(book.leased) < WORTH_MOVING:
            continue
        (holder,) = holders
        fitting = [proxy for proxy in proxies if fits(book.host, proxy.place)]
        heir = again(book, holder, fitting) if holder in fitting and len(fitting) > 1 else None
        if heir is not None:
            return [(holder, book.number, list[int](), heir)]
    return []


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
