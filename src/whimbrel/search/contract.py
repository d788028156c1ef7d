"""What is asked of the index and what it answers: the records that the command line and the web pages share."""

from collections.abc import Iterable
from typing import Annotated, Literal, Protocol

from msgspec import Meta, Struct

from whimbrel.records.url import Url


class Query(Struct, frozen=True):
    """A search as it was understood. `text` is what was typed (cut where it was too long).

    Every one of `phrases` has to be found, which a single word in quotation marks is too, and none of `excluded` words
    and `excluded_phrases`. `words` are looked for, in the order typed, repeated ones and little ones among them: a page
    that holds any of them may answer. `sites`, `types`, `languages` and `has` (what pages describe for machines)
    choose; several of one kind mean any of them. `after` (inclusive) and `before` (exclusive) are moments in seconds
    since 1970, UTC. `said` are all words of both kinds. `like` is the URL of a page that the answers are to be like,
    None for any. `shapes` are classes of pictures. `joined` are the words of names as programs have them, typed as one
    (`os.path`). `notes` say, for a person, what was ignored and why.
    """

    text: str
    words: tuple[str, ...] = ()
    phrases: tuple[tuple[str, ...], ...] = ()
    excluded: tuple[str, ...] = ()
    excluded_phrases: tuple[tuple[str, ...], ...] = ()
    sites: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    has: tuple[str, ...] = ()
    after: float | None = None
    before: float | None = None
    said: tuple[str, ...] = ()
    like: Url | None = None
    shapes: tuple[str, ...] = ()
    joined: tuple[tuple[str, ...], ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def asks(self) -> bool:
        """Whether anything has to be found: a query of filters alone lists what they choose, newest first."""
        return bool(self.words or self.phrases)

    @property
    def chooses(self) -> bool:
        return bool(self.sites or self.types or self.languages or self.has) or (self.after, self.before) != (None, None)

    @property
    def empty(self) -> bool:
        return not (self.asks or self.chooses or self.like is not None)


Weight = Annotated[float, Meta(ge=0)]
Several = Annotated[int, Meta(ge=1)]


def about(text: str) -> Meta:
    return Meta(description=text)


class SearchSettings(Struct, frozen=True, kw_only=True):
    """How answers are ranked and how the index is written: the `[search]` table. `rank.fuse` has the formula, in which
    each part is between 0 and 1."""

    text_weight: Annotated[Weight, about("how much the words of a page can add to its score")] = 1.0
    meaning_weight: Annotated[
        Weight, about("how much nearness in meaning can add, where the extra `meaning` is installed; 0 leaves it out")
    ] = 0.3
    link_weight: Annotated[Weight, about("how much the links that lead to it can add (PageRank)")] = 0.04
    freshness_weight: Annotated[Weight, about("how much a late change can add")] = 0.01
    reader_weight: Annotated[Weight, about("how much what readers did can add; 0 leaves it out")] = 0.8
    topic_weight: Annotated[Weight, about("how much nearness to a topic can add; alike for all pages without one")] = (
        0.0
    )
    profile_weight: Annotated[
        Weight,
        about("how much nearness to what a reader says interests them can add, for that reader; 0 leaves it out"),
    ] = 0.1
    cited_weight: Annotated[
        Weight,
        about(
            "how much links can add, those of other pages that answer before all, for questions and sentences; "
            "0 leaves it out"
        ),
    ] = 0.45
    profile_formula: Annotated[
        Literal["words", "papers"],
        about("how that nearness is told: by the words that tell their pages from others, or by the papers' formula"),
    ] = "words"
    freshness_half_life_days: Annotated[float, Meta(gt=0), about("the age at which freshness is one half")] = 180.0
    candidates: Annotated[Several, about("how many of the best by words are weighed by the other parts too")] = 200
    commit_pages: Annotated[Several, about("pages in one commit of the index")] = 5_000
    text_in_pictures: Annotated[
        str | None,
        about("read text in kept pictures by the program `tesseract`, in these languages, as `eng+deu`; unset: do not"),
    ] = None
    memory_bytes: Annotated[
        int, Meta(ge=16_000_000), about("what the writer may hold before it writes; at least 16MB")
    ] = 128 << 20


DEFAULTS = SearchSettings()


class ReaderVoices(Protocol):
    """What readers make of pages, whoever knows it."""

    def values(self, query: str, keys: Iterable[int]) -> list[float]:
        """From 0 to 1, ½ where nothing is known."""
        ...

    def told(self, query: str, key: int) -> str:
        """In words, "" where there is nothing to tell."""
        ...


class HitPart(Struct, frozen=True):
    """One part of a score: `points` = `weight` × `value`; the points of all parts add up to the score."""

    name: str
    value: float
    weight: float
    points: float
    reason: str


class Hit(Struct, frozen=True):
    """A page that answers. `snippet` is text in pieces, each with whether it is to be highlighted.

    `type` is one of html, pdf, text, feed, document, slides, sheet, image, other. `modified_at` is when the page says
    that it was changed or written, else when its server says so, else when this state of it was first kept;
    `changed_at` is set where an earlier version was kept. `twins` counts pages of the same content, `twin_urls` names
    some of them. `parts` says why it stands where it does. `linked_from` is, for a document that is no web page, the
    page that it was found on, and for a picture one that shows it. Of a long page `section` is the heading of the
    part that answers and `mark` the fragment that leads to it, "" where there is none. Of a
    picture `shaped` is the class whose shape it has, "" where that is not known.
    """

    url: Url
    key: int
    title: str
    snippet: tuple[tuple[str, bool], ...]
    site: str
    type: str
    language: str
    fetched_at: float
    modified_at: float
    changed_at: float | None
    twins: int
    twin_urls: tuple[Url, ...]
    versions: int
    score: float
    parts: tuple[HitPart, ...]
    linked_from: Url | None = None
    section: str = ""
    mark: str = ""
    shaped: str = ""


class EntryHit(Struct, frozen=True):
    """A page that is not here: only its index entry came, from `place`, which read it at `at`. `about` is what it says
    of itself. Its score is to be compared with those of other entries alone. `revoked`: that place was turned away
    since, and the page comes from its site when it is asked for."""

    url: Url
    key: int
    title: str
    about: str
    site: str
    place: str
    at: float
    score: float
    revoked: bool = False


class Facet(Struct, frozen=True):
    """How the hits spread: `name` is the operator that chooses (site, type, lang, shape), values with counts, most
    first."""

    name: str
    values: tuple[tuple[str, int], ...]


class Answer(Struct, frozen=True):
    """One page of hits. `total` counts all pages that match; `corrected` is the query that was answered
    instead because a word of the one typed, or all of it, is on no page, "" where it was answered as typed. `pending`
    counts pages that are kept but not yet in the index. `notes` are for a person: what was ignored, what is amiss.
    `elsewhere` are pages of which only an index entry is here, `all_elsewhere` counts them; on the first page alone."""

    query: Query
    page: int
    size: int
    hits: tuple[Hit, ...]
    total: int
    facets: tuple[Facet, ...]
    corrected: str
    pending: int
    notes: tuple[str, ...]
    took_ms: float
    elsewhere: tuple[EntryHit, ...] = ()
    all_elsewhere: int = 0


class CaughtUp(Struct, frozen=True):
    """What a catch-up did. `pending` is what is left: a limit was reached, or another process writes the index, which
    `notes` then says."""

    indexed: int
    removed: int
    pending: int
    notes: tuple[str, ...] = ()


class States(Struct, frozen=True):
    """How many URLs got how far beyond crawled, and how often in all."""

    indexed: int
    shown: int
    clicked: int
    times_shown: int
    times_clicked: int
