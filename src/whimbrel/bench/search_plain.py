"""The peer of `bench search`: plain BM25, as tantivy gives it over one field of title and text with its own English
stemming. No anchors, no fields, no links, no correction."""

from collections.abc import Iterable
from pathlib import Path

import tantivy

from whimbrel.parse.words import split


class Plain:
    def __init__(self, folder: Path, pages: Iterable[tuple[int, str]]) -> None:
        folder.mkdir(parents=True)
        build = tantivy.SchemaBuilder()
        build.add_integer_field("key", fast=True)
        build.add_text_field("text", tokenizer_name="en_stem", index_option="position")
        self._index = tantivy.Index(build.build(), path=str(folder))
        writer = self._index.writer(128 << 20, 1)
        for key, text in pages:
            made = tantivy.Document()
            made.add_integer("key", key)
            made.add_text("text", text)
            writer.add_document(made)
        writer.commit()
        writer.wait_merging_threads()
        self._index.reload()
        self._searcher = self._index.searcher()

    def best(self, query: str, most: int) -> list[int]:
        """The keys of the best pages, best first."""
        asked = self._index.parse_query(" ".join(split(query)), ["text"])
        hits = self._searcher.search(asked, most, count=False).hits
        keys = self._searcher.fast_field_values("key", [place for _, place in hits]) if hits else []
        return [int(key) for key in keys if key is not None]
