"""How the clauses of a query are put together, so that the word index reads as little as it can.

The result is the same however they are; the time is not. A clause that only adds to scores can be read in two ways.
In a union with others all its pages are read and scored, some 30 ns each, also those that do not answer: a union reads
on through its lists in stretches of thousands of pages. As the one optional part of a clause that every page meets it
is looked up for the pages that answer, some 130 ns each. So short lists go into one union and long ones are looked up.
"""

from collections.abc import Iterable
from typing import Any

import tantivy
from msgspec import Struct
from tantivy import Occur

READ_PER_LOOKED_UP = 4
"""So many pages are read and scored in the time that one takes to be looked up."""

Clause = tuple[Any, Any]
"""An `Occur` and a query, as the word index takes them."""

_Ask = tantivy.Query


class Needed(Struct, frozen=True):
    """What a page must hold. `scored` are the words whose score comes with it; `pages` is about how many hold it."""

    clauses: list[Clause]
    scored: frozenset[str]
    pages: float


class Added(Struct, frozen=True):
    """What adds to the score of a page that answers; `pages` is how many hold it, whether they answer or not."""

    asked: Any
    pages: int


def ranked(needed: list[Clause], pages: float, added: Iterable[Added]) -> Any:
    """A query for what is needed, with all scores; `pages` is about how many answer."""
    most = READ_PER_LOOKED_UP * pages
    return _Ask.boolean_query(
        [
            *needed,
            *((Occur.Must, looked_up(one.asked)) if one.pages > most else (Occur.Should, one.asked) for one in added),
        ]
    )


def looked_up(asked: Any) -> Any:
    """Every page meets it; the score of one is asked for when the page is known to answer."""
    return _Ask.boolean_query([(Occur.Must, _EVERY_PAGE), (Occur.Should, asked)])


def any_of(queries: Iterable[Any]) -> Any:
    ways = list(queries)
    if not ways:
        return _Ask.empty_query()
    return ways[0] if len(ways) == 1 else _Ask.boolean_query([(Occur.Should, way) for way in ways])


def times(asked: Any, count: int) -> Any:
    """What was typed several times counts several times."""
    return asked if count == 1 else _Ask.boost_query(asked, float(count))


def silent(query: Any) -> Any:
    """Chooses without scoring."""
    return _Ask.const_score_query(query, 0.0)


_EVERY_PAGE = silent(_Ask.all_query())
