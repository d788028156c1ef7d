"""Which kept pages answer a question, in which order, and why?

Takes: a repository folder, and queries as people type them. Gives: `Answer`s with hits, snippets, facets and the parts
of every score. Promises: follows the repository's events and applies each as often as it likes; a kill at any moment
costs only work; a damaged index is built anew and says so; one writer per folder, any number of readers. Never:
changes the repository, fetches anything.

    from whimbrel.search.ask.query import parse          # parse(text) -> Query; never raises
    from whimbrel.search.ask.searcher import Searcher    # Searcher(folder, settings).answer(query, page=1, size=10,
                                                         #   snippets=True, facets=True) -> Answer; threads may share
                                                         #   it; sees new commits by itself; close() or `with`
    from whimbrel.search.build.indexer import Indexer    # Indexer(folder, settings): `with`; writes False where another
                                                         #   process holds the index; catch_up(limit=None) ->
                                                         #   CaughtUp; rebuild() -> CaughtUp; pending() -> int;
                                                         #   documents() -> how many were read, and how many not;
                                                         #   understand(enough) -> Understood: what pages are about
    from whimbrel.search.states import states_of         # how many URLs are indexed, were shown, were opened
    from whimbrel.search.ask.terms import view           # view(searcher, word) -> the papers' five-column view

`build` writes the index and `ask` reads it; beside them stands what both share: the book, the fields, the words.
Importing this package imports neither tantivy nor numpy; `searcher`, `indexer` and `terms` do.
"""

from whimbrel.search.contract import Answer, CaughtUp, Facet, Hit, HitPart, Query, SearchSettings, States

__all__ = ["Answer", "CaughtUp", "Facet", "Hit", "HitPart", "Query", "SearchSettings", "States"]
