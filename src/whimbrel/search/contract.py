"""What is asked of the index and what it answers: the records that the command line and the web pages share."""

from msgspec import Struct

from whimbrel.records.url import Url


class Query(Struct, frozen=True):
    """A search as it was understood. `text` is what was typed (cut where it was too long).

    `words` and `phrases` have to be found, `excluded` words and `excluded_phrases` must not. `sites`, `types` and
    `languages` choose; several of one kind mean any of them. `after` (inclusive) and `before` (exclusive) are moments
    in seconds since 1970, UTC. `said` are all words to be found as typed, little words and repeated ones among
    them. `notes` say, for a person, what was ignored and why.
    """

    text: str
    words: tuple[str, ...] = ()
    phrases: tuple[tuple[str, ...], ...] = ()
    excluded: tuple[str, ...] = ()
    excluded_phrases: tuple[tuple[str, ...], ...] = ()
    sites: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    after: float | None = None
    before: float | None = None
    said: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def asks(self) -> bool:
        """Whether anything has to be found: a query of filters alone lists what they choose, newest first."""
        return bool(self.words or self.phrases)

    @property
    def chooses(self) -> bool:
        return bool(self.sites or self.types or self.languages) or (self.after, self.before) != (None, None)

    @property
    def empty(self) -> bool:
        return not (self.asks or self.chooses)


class SearchSettings(Struct, frozen=True):
    """How answers are ranked and how the index is written. `rank.fuse` has the formula.

    The weights of the parts say how much each can add: a part is between 0 and 1. `freshness_half_life_days` is the
    age at which a page's freshness is one half. `candidates` is how many of the best by text are weighed by the
    other parts. `commit_pages` is how many pages go into one commit of the index, `memory_mb` what the writer may
    hold.
    """

    text_weight: float = 1.0
    link_weight: float = 0.04
    freshness_weight: float = 0.01
    reader_weight: float = 0.0
    topic_weight: float = 0.0
    freshness_half_life_days: float = 180.0
    candidates: int = 200
    commit_pages: int = 5_000
    memory_mb: int = 128


DEFAULTS = SearchSettings()


class Part(Struct, frozen=True):
    """One part of a score: `points` = `weight` × `value`; the points of all parts add up to the score."""

    name: str
    value: float
    weight: float
    points: float
    reason: str


class Hit(Struct, frozen=True):
    """A page that answers. `snippet` is text in pieces, each with whether it is to be highlighted.

    `type` is one of html, pdf, text, feed, document, slides, sheet, other. `modified_at` is when the server says the
    page was changed, else when this state of it was first kept; `changed_at` is set where an earlier version was kept.
    `twins` counts pages of the same content, `twin_urls` names some of them. `parts` says why it stands where it does.
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
    parts: tuple[Part, ...]


class Facet(Struct, frozen=True):
    """How the hits spread: `name` is the operator that chooses (site, type, lang), values with counts, most first."""

    name: str
    values: tuple[tuple[str, int], ...]


class Answer(Struct, frozen=True):
    """One page of hits. `total` counts all pages that match; `corrected` is the query that was answered
    instead because a word of the one typed, or all of it, is on no page, "" where it was answered as typed. `pending`
    counts pages that are kept but not yet in the index. `notes` are for a person: what was ignored, what is amiss."""

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


class Caught(Struct, frozen=True):
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
