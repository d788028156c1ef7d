"""What somebody asks for, and what the judge of it has learned. A request travels by these records alone.

Every kind of request is a record with a tag of its own, in `Request`; a judge in `judges` answers it. All have
`number`, their row at home; `wanted`, what an earlier crawl's judge had learned from `fitted_on` pages, in bytes that
only the judge can read; and `known`, how many of home's `pages` were kept for it.
"""

from typing import TypeAlias

from msgspec import Struct

RULE = "structure"
"""By this name pages are refused that are of no kind asked for."""

WORDS_RULE = "words"
"""By this name pages are refused that have none of the words asked for."""

TOPIC_RULE = "topic"
"""By this name pages are refused that are not about what was asked for."""

LANGUAGE_RULE = "language"
"""By this name pages are refused that are in none of the languages that the rule over judges names."""

SHOWS_RULE = "shows"
"""By this name pages are refused, and pictures, that show nothing of the classes asked for."""

RULES = (RULE, WORDS_RULE, TOPIC_RULE, LANGUAGE_RULE, SHOWS_RULE)
"""By one of these names pages are refused that serve no request: they are not kept, but their links are followed."""


ANY, ALL = "any", "all"
"""Rules over several kinds of requests: a page is kept where one of them wants it, or where each does. Others are
expressions (`judges.rule`)."""


class Alike(Struct, frozen=True, array_like=True, tag="alike"):
    """Pages of this kind are wanted: the outlines of the examples, and their names."""

    number: int
    names: list[str]
    examples: list[list[tuple[int, str, str]]]
    wanted: bytes = b""
    fitted_on: int = 0
    known: int = 0
    pages: int = 0


class Worded(Struct, frozen=True, array_like=True, tag="worded"):
    """Pages whose text has all of these words are wanted."""

    number: int
    words: list[str]
    wanted: bytes = b""
    fitted_on: int = 0
    known: int = 0
    pages: int = 0


class Topical(Struct, frozen=True, array_like=True, tag="topical"):
    """Pages about this are wanted. `keywords` is the papers' keyword table (P4): a word as `language` compares it, its
    weight, and the keyword that it is related to or "". `examples` are the pages that show the topic, each by its
    length and its words, `names` their URLs, and `shown` what each scores by the papers' formula. `profile` is what
    interests whoever asks: weights, and words. `threshold` is given by hand, 0 where it is calibrated."""

    number: int
    topic: str
    language: str
    keywords: list[tuple[str, float, str]]
    names: list[str] = []
    examples: list[tuple[int, dict[str, int]]] = []
    shown: list[float] = []
    scorer: str = "learned"
    strategy: str = "learned"
    threshold: float = 0.0
    profile: list[tuple[float, dict[str, int]]] = []
    wanted: bytes = b""
    fitted_on: int = 0
    known: int = 0
    pages: int = 0


class Shown(Struct, frozen=True, array_like=True, tag="shown"):
    """Pages that show a picture of one of these classes are wanted."""

    number: int
    classes: list[str]
    wanted: bytes = b""
    fitted_on: int = 0
    known: int = 0
    pages: int = 0


Request: TypeAlias = Alike | Worded | Topical | Shown


class Fitted(Struct, frozen=True, array_like=True):
    """What the judge of a request has learned from so many pages, for whoever goes on with it."""

    number: int
    wanted: bytes
    fitted_on: int
