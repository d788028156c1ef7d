"""Removing words of forgotten pages from the files of the word index.

tantivy takes a page out by a mark and drops its words when segments are merged, which may be never, and its Python
binding cannot merge at will. A segment whose pages are all replaced goes as a whole, though: so every page beside a
removed one is indexed again, and the segments that held both go.
"""

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import tantivy

from whimbrel.parse.words import Analysers
from whimbrel.search.book import Book


def beside_removed(index: Any, words: Path) -> list[int]:
    """The keys of pages in segments that also hold words of pages that were taken out."""
    index.reload()
    searcher = index.searcher()
    segments = json.loads((words / "meta.json").read_text())["segments"]
    removed = [(segment["deletes"] or {}).get("num_deleted_docs", 0) for segment in segments]
    if not any(removed) or not searcher.num_docs:
        return []
    places = [place for _, place in searcher.search(tantivy.Query.all_query(), searcher.num_docs, count=False).hits]
    by_segment: dict[int, list[int]] = defaultdict(list)
    for key, place in zip(searcher.fast_field_values("key", places), places, strict=True):
        by_segment[place.segment_ord].append(key)
    living = [segment["max_doc"] - gone for segment, gone in zip(segments, removed, strict=True)]
    if [len(by_segment[at]) for at in range(len(segments))] != living:
        return [key for keys in by_segment.values() for key in keys]  # another order than the file's: all of them
    return [key for at, keys in by_segment.items() if removed[at] for key in keys]


def unheld(index: Any, book: Book, analysers: Analysers) -> list[str]:
    """Words of the spelling table that no page holds any more."""
    index.reload()
    searcher, languages = index.searcher(), book.languages()
    return [
        word
        for word in book.words()
        if not any(searcher.doc_freq("body", form) for form in analysers.forms(word, languages))
    ]
