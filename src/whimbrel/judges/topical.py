"""The judge of topics: is this page about what was asked for?

It counts words where the page is, by the keyword table that came in its brief (P4), and says of every page what each
part of it adds.
"""

from collections.abc import Collection, Sequence

import msgspec
from msgspec import Struct, structs
from turbohtml import Element

from whimbrel.judges.judge import Look, Need, Serves, Sight
from whimbrel.parse.places import GroundPlan
from whimbrel.records.request import TOPIC_RULE, Fitted, Topical
from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict
from whimbrel.structure.leads import rarity
from whimbrel.topic.counting import MOST_TEXT, PageTexts, PageWords, WordCounter, address_text
from whimbrel.topic.searching import TopicJudged, TopicSearch
from whimbrel.topic.strategies import SeenLink

REMEMBERED = 50_000
NAMED = 4
"""Links to a page that say what it is called."""
SILENT_AFTER = 50
_DOCUMENTS = (".pdf", ".doc", ".docx", ".ppt", ".pptx", ".odt", ".odp")
"""What the papers call documents, by the ends of their names."""

_encoder = msgspec.msgpack.Encoder()
_texts = msgspec.msgpack.Decoder(PageTexts)


class LinkOnPage:
    """A link, and where it stands; what shows there is worked out when somebody asks."""

    __slots__ = ("_element", "_plan", "_words", "key", "url")

    def __init__(self, key: int, url: Url, plan: GroundPlan, element: Element) -> None:
        self.key = key
        self.url = url
        self._plan = plan
        self._element = element
        self._words: str | None = None

    @property
    def words(self) -> str:
        if self._words is None:
            self._words = self._plan.words(self._element)
        return self._words

    @property
    def place(self) -> str:
        return self._plan.place(self._element)

    @property
    def around(self) -> str:
        return self._plan.around(self._element)


class TopicTrace(Struct, frozen=True):
    """A page as this judge sees it: its parts, and where its links lead."""

    texts: PageTexts
    links: dict[int, Url]


class TopicalJudge:
    """Judges, learns and scores for all requests by topic."""

    rule = TOPIC_RULE
    needs = Need.LINKS

    def __init__(self, requests: Sequence[Topical]) -> None:
        self._counters = {request.language: WordCounter(request.language) for request in requests}
        self._searches = {
            request.number: TopicSearch(request, self._counters[request.language]) for request in requests
        }
        self._called: dict[int, tuple[int, str]] = {}
        """By how many links a page was named, and their words."""
        self._shut: set[int] = set()
        """Links that are not to be followed: nobody asks what they promise."""
        self._seen = self._silent = 0
        self._refitted: set[int] = set()
        self._fits: list[Fitted] = []
        self._notes: list[str] = []

    # Pages.

    def look(self, sight: Sight) -> Look[TopicTrace]:
        met, documents = self._links(sight)
        tree = sight.tree
        texts = PageTexts(
            sight.url, sight.page.title, sight.page.text, tree.meta if tree is not None else "",
            self._names(sight.key), documents, pictures=tuple(sight.pictures),
        )  # fmt: skip
        return self._considered(sight.key, texts, met, sight.page.language)

    def consider(self, key: int, texts: PageTexts, met: Sequence[SeenLink]) -> Look[TopicTrace]:
        """A page whose parts and links were read before."""
        for link in met:
            self._name(link)
        return self._considered(key, structs.replace(texts, led=self._names(key)), met, "")

    def _considered(self, key: int, texts: PageTexts, met: Sequence[SeenLink], language: str) -> Look[TopicTrace]:
        words = self._words(texts)
        judged = self._judged(words, texts)
        relearned = False
        for number, search in self._searches.items():
            own = words[search.request.language]
            if search.take_in(own, judged[number], key, texts.url, met):
                self._refitted.add(number)
                relearned = True
            if note := search.drift():
                self._notes.append(note)
        self._hear(language, judged)
        return self._look(judged, TopicTrace(texts, {link.key: link.url for link in met}), relearned)

    def again(self, packed: bytes) -> Look[TopicTrace]:
        texts = _texts.decode(packed)
        return self._look(self._judged(self._words(texts), texts), TopicTrace(texts, {}))

    def pack(self, look: Look[TopicTrace]) -> bytes:
        texts = look.trace.texts
        return _encoder.encode(structs.replace(texts, text=texts.text[:MOST_TEXT]))

    def stands(self, key: int) -> bool:
        """By the counts of its words that are remembered: no text is looked at."""
        return all(search.stands(key) for search in self._searches.values())

    def sort(self, look: Look[TopicTrace]) -> int:
        """All are of one sort."""
        return 0

    def done(self, number: int) -> None:
        self._put_into_bytes()
        self._searches.pop(number, None)

    def fitted(self) -> list[Fitted]:
        self._put_into_bytes()
        fits, self._fits = self._fits, []
        return fits

    def _put_into_bytes(self) -> None:
        """What was learned by those that were fitted anew: no sooner than somebody asks, as it takes some time."""
        for number in sorted(self._refitted):
            self._fits.append(Fitted(number, self._searches[number].learnt(), self._searches[number].seen))
        self._refitted.clear()

    def notes(self) -> list[str]:
        notes, self._notes = self._notes, []
        return notes

    def _words(self, texts: PageTexts) -> dict[str, PageWords]:
        return {language: counter.page(texts) for language, counter in self._counters.items()}

    def _judged(self, words: dict[str, PageWords], texts: PageTexts) -> dict[int, TopicJudged]:
        return {
            number: search.judge(words[search.request.language], texts.pictures)
            for number, search in self._searches.items()
        }

    def _look(self, judged: dict[int, TopicJudged], trace: TopicTrace, relearned: bool = False) -> Look[TopicTrace]:
        serves = []
        for number, one in judged.items():
            if one.relevant:
                request = self._searches[number].request
                serves.append(Serves(number, rarity(request.known, request.pages)))
        shown = [number for number, one in judged.items() if one.relevant or not serves]
        reason = "; ".join(self._reason(judged[number], self._searches[number]) for number in shown)
        near = any(one.near for one in judged.values())
        return Look(tuple(serves), Verdict(bool(serves), TOPIC_RULE, reason), trace, relearned, near)

    @staticmethod
    def _reason(judged: TopicJudged, search: TopicSearch) -> str:
        return judged.words(search.request.topic, search.spelling)

    def _hear(self, language: str, judged: dict[int, TopicJudged]) -> None:
        """Where no page says a word of the topic, somebody should know why."""
        self._seen += 1
        self._silent += not any(one.relevance.said for one in judged.values())
        if self._seen == SILENT_AFTER and self._silent == self._seen:
            spoken = f" They say they are in “{language}”." if language else ""
            self._notes.append(
                f"none of the first {SILENT_AFTER} pages says a word of the topic.{spoken} "
                "Ask in the language of the pages, or name other seeds."
            )

    # Links.

    def score(self, look: Look[TopicTrace], key: int) -> float | None:
        """Worked out for those alone that home has to hear of."""
        url = look.trace.links.get(key)
        return None if url is None else self._promised(key, url)

    def promise(self, key: int, url: Url) -> float:
        return self._promised(key, url)

    def _promised(self, key: int, url: Url) -> float:
        return max([search.strategy.promise(key, url) for search in self._searches.values()], default=0.0)

    def _links(self, sight: Sight) -> tuple[list[SeenLink], str | None]:
        """The links that lead to other pages, each by the first that names it, and what the page says of the documents
        that it links to: they themselves are not here."""
        met: dict[int, SeenLink] = {}
        documents: list[str] = []
        tree = sight.tree
        if tree is None:
            return [], None
        self._shut_out(sight.shut)
        for href, element in tree.links:
            target = sight.resolve(href)
            if target is None or target[1] in met or target[1] == sight.key:
                continue
            url, key = target
            link = LinkOnPage(key, url, tree, element)
            if url.lower().endswith(_DOCUMENTS):
                documents.append(f"{link.words} {address_text(url)}")
            if key not in self._shut:
                met[key] = link
                self._name(link)
        return list(met.values()), " ".join(documents) if documents else None

    def _shut_out(self, keys: Collection[int]) -> None:
        if len(self._shut) >= REMEMBERED:
            self._shut.clear()
        self._shut.update(keys)

    def _name(self, link: SeenLink) -> None:
        """Remembers what the first links to a page call it; what all call it alike is remembered once."""
        times, before = self._called.get(link.key, (0, ""))
        if times >= NAMED:
            return
        if not times and len(self._called) >= REMEMBERED:
            self._called.clear()
        words = link.words
        self._called[link.key] = (times + 1, before if words in before else f"{before} {words}".strip())

    def _names(self, key: int) -> str:
        """What links call a page that is being read; of it no more has to be remembered."""
        called = self._called.get(key, (0, ""))[1]
        self._called[key] = (NAMED, "")
        return called
