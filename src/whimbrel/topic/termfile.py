"""A topic as a file that a person edits: what is asked for, and its keywords with their weights."""

import json
import tomllib
from collections.abc import Mapping

from msgspec import Struct

from whimbrel.records.verdict import Verdict, refused
from whimbrel.topic.tables import RELATED_WEIGHT, Keyword, TopicTables

RULE = "terms"
SHOWN_TERMS = 60
LONGEST_FILE = 1_000_000
_KEYS = ("topic", "language", "threshold", "keywords", "related")

_HEAD = """\
# A topic for `whimbrel crawl URL --terms FILE`: change weights (0 to 1, 1 for what was asked), add and delete lines.
"""


class TermFile(Struct, frozen=True):
    """What a file asks for."""

    topic: str
    language: str
    threshold: float
    keywords: tuple[Keyword, ...]


def written(made: TopicTables, threshold: float = 0.0) -> str:
    """The file for a topic. What the seed pages say most of stands in it to be chosen from."""
    lines = [
        _HEAD, f"topic = {_quoted(made.topic)}", f"language = {_quoted(made.language)}",
        f"threshold = {threshold:g}  # 0: found out while crawling", "", "[keywords]",
    ]  # fmt: skip
    lines += [f"{_quoted(one.word)} = {round(one.weight, 3):g}" for one in made.keywords if not one.of]
    lines += ["", "[related]  # a word, and the keyword that it stands for or goes with"]
    lines += [f"{_quoted(one.word)} = {_quoted(one.of)}" for one in made.keywords if one.of]
    own = {one.word for one in made.keywords}
    more = [term for term in made.d_table if term.word not in own][:SHOWN_TERMS]
    if more:
        lines += ["", "# What the pages that show the topic say besides, and its share of their words:"]
        lines += [f"# {_quoted(term.word)} = {term.frequency:.4f}" for term in more]
    return "\n".join(lines) + "\n"


def read(text: str, name: str) -> TermFile | Verdict:
    """What a file says, or what is wrong with it and where."""
    if len(text) > LONGEST_FILE:
        return refused(RULE, f"{name} is far too long for a topic. `whimbrel topic WORDS --save FILE` writes one.")
    try:
        told = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return refused(RULE, f"{name} is no file of terms: {error}. `whimbrel topic WORDS --save FILE` writes one.")
    if strange := [key for key in told if key not in _KEYS]:
        return refused(RULE, f"{name}: there is no {strange[0]!r} in a topic; known are {', '.join(_KEYS)}.")
    topic, language, threshold = told.get("topic", ""), told.get("language", ""), told.get("threshold", 0.0)
    if not isinstance(topic, str) or not isinstance(language, str):
        return refused(RULE, f"{name}: `topic` and `language` are texts in quotation marks.")
    if isinstance(threshold, bool) or not isinstance(threshold, int | float) or not 0 <= threshold <= 1:
        return refused(RULE, f"{name}: `threshold` is a number from 0 to 1, not {threshold!r}.")
    keywords = _keywords(told.get("keywords", {}), told.get("related", {}), name)
    if isinstance(keywords, Verdict):
        return keywords
    if not keywords:
        return refused(RULE, f"{name} has no keyword. Write some below [keywords], such as: solar = 1.0")
    return TermFile(topic or " ".join(one.word for one in keywords[:3]), language, float(threshold), keywords)


def _keywords(own: object, related: object, name: str) -> tuple[Keyword, ...] | Verdict:
    if not isinstance(own, Mapping) or not isinstance(related, Mapping):
        return refused(RULE, f"{name}: [keywords] and [related] are tables, a word on each line.")
    keywords = []
    for word, weight in own.items():
        if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 < weight <= 1:
            return refused(RULE, f"{name}: the weight of {word!r} is a number above 0 and up to 1, not {weight!r}.")
        keywords.append(Keyword(word, word, float(weight)))
    for word, of in related.items():
        if not isinstance(of, str) or of not in own:
            return refused(RULE, f"{name}: {word!r} is related to {of!r}, which is not below [keywords].")
        keywords.append(Keyword(word, word, RELATED_WEIGHT, of))
    return tuple(keywords)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
