"""A topic as somebody asks for it becomes a request: tables, examples, and what each example scores."""

from collections import Counter
from collections.abc import Sequence
from functools import partial

from msgspec import Struct

from whimbrel.parse.language import language_of
from whimbrel.parse.stops import FALLBACK
from whimbrel.records.request import Topical
from whimbrel.records.verdict import Verdict, refused
from whimbrel.topic.counting import PageTexts, PageWords, WordCounter
from whimbrel.topic.model import sample_of
from whimbrel.topic.relevance import papers_relevance
from whimbrel.topic.tables import KEYWORDS, Keyword, TopicTables, tables
from whimbrel.topic.thesaurus import relations

RULE = "topic"


class TopicWish(Struct, frozen=True):
    """What somebody asks for. `edited` is a keyword table that a person has written or changed."""

    subject: str
    language: str = ""
    keywords: int = KEYWORDS
    scorer: str = "learned"
    strategy: str = "learned"
    threshold: float = 0.0
    edited: tuple[Keyword, ...] = ()
    profile: tuple[tuple[float, dict[str, int]], ...] = ()


class AskedTopic(Struct, frozen=True):
    """The request, and the tables that it was made of."""

    request: Topical
    tables: TopicTables


def ask(wish: TopicWish, pages: Sequence[PageTexts]) -> AskedTopic | Verdict:
    """`pages` show the topic; there may be none. What cannot be asked for is said."""
    language = wish.language or _language(wish.subject, pages)
    counter = WordCounter(language)
    asked = counter.forms(wish.subject)
    if not asked and not wish.edited:
        return refused(RULE, f"{wish.subject!r} has no word that says what it is about. Add one that does.")
    if wish.edited and not any(counter.forms(one.word) for one in wish.edited):
        return refused(RULE, "no keyword of the file says anything: all are stop words or no words. Write others.")
    words = [counter.page(page) for page in pages]
    if pages and not wish.edited and not any(set(asked) & one.joined.keys() for one in words):
        named = ", ".join(page.url for page in pages[:3])
        return refused(
            RULE,
            f"no page given says {wish.subject!r} ({named}). Name pages that do, or ask in their words and language.",
        )
    made = _tables(wish, counter, pages)
    request = Topical(
        0, wish.subject, language, [(one.form, one.weight, one.of) for one in made.keywords],
        [page.url for page in pages], [(one.length, one.counts) for one in map(sample_of, words)],
        _shown(wish, counter, pages, words), wish.scorer, wish.strategy, wish.threshold, list(wish.profile),
    )  # fmt: skip
    return AskedTopic(request, made)


def _tables(wish: TopicWish, counter: WordCounter, pages: Sequence[PageTexts]) -> TopicTables:
    made = tables(wish.subject, _texts(pages), counter, partial(relations, counter.language), wish.keywords)
    if not wish.edited:
        return made
    own = table_of(wish.edited, counter)
    return TopicTables(made.topic, made.language, made.d_table, made.combination, own)


def table_of(edited: Sequence[Keyword], counter: WordCounter) -> tuple[Keyword, ...]:
    """Keywords as a person wrote them, each by the form that it is compared by; stop words are left out."""
    return tuple(Keyword(form, one.word, one.weight, one.of) for one in edited for form in counter.forms(one.word)[:1])


def _shown(
    wish: TopicWish, counter: WordCounter, pages: Sequence[PageTexts], words: Sequence[PageWords]
) -> list[float]:
    """What each page that shows the topic scores by the papers' formula, had only the others been shown."""
    scores = []
    for at, page in enumerate(words):
        others = [other for place, other in enumerate(pages) if place != at]
        keywords = frozenset(one.form for one in _tables(wish, counter, others).keywords)
        scores.append(papers_relevance(page, keywords, wish.profile).score)
    return scores


def _texts(pages: Sequence[PageTexts]) -> list[str]:
    return [f"{page.title}\n{page.text}" for page in pages]


def _language(about: str, pages: Sequence[PageTexts]) -> str:
    """That of the pages; where there are none, few words seldom tell."""
    spoken = Counter(filter(None, (language_of(page.text) for page in pages)))
    if spoken:
        return spoken.most_common(1)[0][0]
    return FALLBACK if about.isascii() else language_of(about) or FALLBACK
