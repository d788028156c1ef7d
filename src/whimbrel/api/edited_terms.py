"""Terms of a topic that were edited in the browser: a file in the folder, which the next run for that topic uses.

A crawl that runs has given its migrants the keywords they judge by, and what it has judged was judged by those. So an
edit waits for the next run, which takes it as another request, as `--terms` does: pages that were refused by the former
terms are looked at again.
"""

import os
from pathlib import Path

import xxhash

from whimbrel.api.seeds import SeedError
from whimbrel.records.request import Topical
from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict, refused
from whimbrel.repository.location import Where, located
from whimbrel.search.places import has_index
from whimbrel.topic.asking import table_of
from whimbrel.topic.counting import WordCounter
from whimbrel.topic.tables import Keyword, TopicTables
from whimbrel.topic.termfile import RULE, TermFile, read, written
from whimbrel.urls.normal import key as key_of

FOLDER = "topics"
NAME = "the terms"


def terms_path(beside: Path, topic: str) -> Path:
    """A topic may be any words, and no name of a file."""
    return beside / FOLDER / f"{xxhash.xxh3_64_hexdigest(topic.encode())}.toml"


def saved_text(beside: Path, topic: str) -> str:
    """What was saved, "" where nothing was."""
    path = terms_path(beside, topic)
    try:
        return path.read_text("utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise SeedError(f"{path} cannot be read: {error}. Delete it to go on with the terms of before.") from error


def saved_terms(beside: Path, topic: str) -> TermFile | None:
    text = saved_text(beside, topic)
    told = read(text, str(terms_path(beside, topic))) if text else None
    if isinstance(told, Verdict):
        raise SeedError(f"{told.reason} Delete the file to go on with the terms of before.")
    return told


def save_terms(beside: Path, request: Topical, text: str) -> Verdict | None:
    """Written whole or not at all; what is wrong with it, or None. An empty text takes back what was saved."""
    path = terms_path(beside, request.topic)
    if not text.strip():
        path.unlink(missing_ok=True)
        return None
    told = read(text, NAME)
    if isinstance(told, Verdict):
        return told
    if told.topic != request.topic:
        return refused(RULE, f"the topic stays {request.topic!r}: for another one, begin another crawl.")
    if not table_of(told.keywords, WordCounter(told.language or request.language)):
        return refused(RULE, "no keyword says anything: all are stop words or no words. Write others.")
    path.parent.mkdir(exist_ok=True)
    new = path.with_suffix(".new")
    with new.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)
    return None


def uses(request: Topical, terms: TermFile) -> bool:
    """Whether a request judges by these terms already."""
    own = table_of(terms.keywords, WordCounter(terms.language or request.language))
    return [(one.form, one.weight, one.of) for one in own] == request.keywords


def terms_of(where: Where, request: Topical) -> str:
    """The terms of a request as a file to edit. Words are compared by their stems, which are nothing to read, so they
    are written as the pages that show the topic write them."""
    counter = WordCounter(request.language)
    counter.meet(_said(where, request))
    related_to = {form: of for _, _, of in request.keywords if of for form in counter.forms(of)[:1]}
    asked = {form: word for word in request.topic.split() for form in counter.forms(word)[:1]}
    spelt = {form: asked.get(form) or related_to.get(form) or counter.spelling(form) for form, _, _ in request.keywords}
    rows = tuple(
        Keyword(form, spelt[form], weight, spelt.get(next(iter(counter.forms(of)), ""), of) if of else "")
        for form, weight, of in request.keywords
    )
    return written(TopicTables(request.topic, request.language, (), {}, rows), request.threshold)


def _said(where: Where, request: Topical) -> set[str]:
    """The words of the pages that show the topic, as far as they are in the index."""
    if not has_index(located(where).beside):
        return set()
    # Imported here: searching takes an extra.
    from whimbrel.parse.words import split
    from whimbrel.search.ask.searcher import Searcher
    from whimbrel.search.contract import DEFAULTS

    with Searcher(where, DEFAULTS) as searcher:
        _, book, _ = searcher.state()
        rows = book.rows(key_of(Url(url)) for url in request.names)
        return {word for row in rows.values() for word in split(f"{row.title}\n{searcher.text(row)}")}
