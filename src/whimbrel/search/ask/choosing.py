"""What a page has to be, whatever it says: its site, type, language and date, and what it describes."""

from typing import Any

import tantivy

from whimbrel.search.ask.arranging import any_of
from whimbrel.search.contract import Query

_Ask = tantivy.Query


def choices(schema: Any, query: Query) -> list[Any]:
    """One clause for each kind of filter; several values of one kind mean any of them."""
    chosen = []
    filters = {"host": query.sites, "type": query.types, "lang": query.languages, "has": query.has}
    for field, values in filters.items():
        if values:
            chosen.append(any_of(_Ask.term_query(schema, field, value, "basic") for value in values))
    if query.after is not None or query.before is not None:
        first = None if query.after is None else int(query.after)
        end = None if query.before is None else int(query.before)
        # An end that is not given counts as part of the range: the library refuses to leave it out.
        within = (schema, "at", tantivy.FieldType.Integer, first, end)
        chosen.append(_Ask.range_query(*within, include_upper=end is None))
    return chosen
