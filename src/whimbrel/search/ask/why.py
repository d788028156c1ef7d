"""Why a page stands where it does, part by part, in words."""

from whimbrel.rank.fuse import PARTS, Values, Weights, points
from whimbrel.search.contract import HitPart, SearchSettings

_REASONS = {
    "text": "how well its words fit, beside the page that fits best",
    "meaning": "how near it is to what was asked, whatever words it uses",
    "link": "how much the pages that link to it weigh (PageRank)",
    "freshness": "how lately it was changed",
    "reader": "what readers did with it; neutral where they did nothing that counts",
    "profile": "how near it is to what you say interests you: bookmarks, pages you read, your start page",
    "cited": "how many pages link to it, and how well those fit, as those of a manual do to the page with the details",
    "topic": "how near it is to the crawl's topic; neutral without one",
}
_FIELDS = {
    "body": "the words are on the page",
    "title": "words in the title",
    "headings": "words in headings",
    "anchors": "words in links that lead to it",
    "address": "words in its address",
    "phrase": "the phrase is on the page",
    "near": "words stand beside each other as in the query",
    "all": "all words are on the page",
    "passage": "all words stand in one passage",
    "close": "words of the sentence stand close to each other",
    "joined": "it says a name that was typed as one",
    "said": "it says what was typed, word for word",
    "title_is": "the title says just this",
    "title_part_is": "a part of the title says just this",
    "anchor_is": "a link that leads to it says just this",
}


def weights_of(settings: SearchSettings) -> Weights:
    return Weights(
        settings.text_weight,
        settings.meaning_weight,
        settings.link_weight,
        settings.freshness_weight,
        settings.reader_weight,
        settings.topic_weight,
        settings.profile_weight,
        settings.cited_weight,
    )


def parts_of(
    values: Values, weights: Weights, added: dict[str, float] | None, best: float, readers: str = ""
) -> tuple[HitPart, ...]:
    """The parts of a score, which add up to it. With what each field `added`, text is told field by field; `readers`
    says what they did, where that is known."""
    worth = points(values, weights)
    parts = []
    for name in PARTS:
        value, weight = getattr(values, name), getattr(weights, name)
        if name == "text" and added and best > 0:
            parts += _by_field(added, weight, best)
        elif value or name not in ("meaning", "profile", "cited"):
            reason = readers if name == "reader" and readers else _REASONS[name]
            parts.append(HitPart(name, value, weight, worth[name], reason))
    return tuple(parts)


def _by_field(added: dict[str, float], weight: float, best: float) -> list[HitPart]:
    return [
        HitPart(f"text: {name}", amount / best, weight, weight * amount / best, _FIELDS[name])
        for name, amount in added.items()
        if amount > 0
    ]
