"""How relevant a page is by the papers' formulas (P4 §2.9), with the reasons.

Each part counts by the share of its words, as often as they stand there, that are in the keyword table:
`0.2·address + 0.4·meta + 0.1·head + 0.3·body`, and where the page links to documents
`0.1·address + 0.2·meta + 0.1·head + 0.3·body + 0.3·documents`, all documents together being one share: as the paper
prints it, three of them can exceed 1. A reader's profile counts as much as the page: the mean of both is held against
the threshold. The paper's threshold is 0.5, which real pages do not reach; ours is calibrated (`calibrating`).
"""

from collections.abc import Callable, Mapping

from msgspec import Struct

from whimbrel.topic.counting import PageWords, Part

ADDRESS, META, HEAD, BODY = 0.2, 0.4, 0.1, 0.3
ADDRESS_BESIDE, META_BESIDE, HEAD_BESIDE, BODY_BESIDE, DOCUMENTS = 0.1, 0.2, 0.1, 0.3, 0.3
SHOWN_TERMS = 6

Profile = tuple[tuple[float, Mapping[str, int]], ...]
"""What interests a reader: a weight and words, for bookmarks, history and start page."""


class Relevance(Struct, frozen=True):
    """A score from 0 to 1, what each part of the page adds to it, and how often the page says which keyword."""

    score: float
    parts: tuple[tuple[str, float], ...]
    said: tuple[tuple[str, int], ...]

    def words(self, spelling: Callable[[str], str] = str) -> str:
        """For a person to read, words spelt as `spelling` says."""
        parts = ", ".join(f"{spelling(name)} {value:.2f}" for name, value in self.parts)
        said = ", ".join(f"{spelling(term)} {count}" for term, count in self.said[:SHOWN_TERMS])
        return f"{parts}; it says {said}" if said else "it says none of the words"


def share(part: Part, keywords: frozenset[str]) -> float:
    """The share of words that are keywords."""
    return sum(part.of(keywords).values()) / part.total if part.total else 0.0


def papers_relevance(page: PageWords, keywords: frozenset[str], profile: Profile = ()) -> Relevance:
    address, meta, head, body = (share(part, keywords) for part in (page.address, page.meta, page.head, page.body))
    if page.documents is None:
        parts = [("address", ADDRESS * address), ("meta", META * meta), ("head", HEAD * head), ("body", BODY * body)]
    else:
        parts = [
            ("address", ADDRESS_BESIDE * address), ("meta", META_BESIDE * meta), ("head", HEAD_BESIDE * head),
            ("body", BODY_BESIDE * body), ("documents", DOCUMENTS * share(page.documents, keywords)),
        ]  # fmt: skip
    score = sum(value for _, value in parts)
    if profile:
        interest = profile_score(page.body, profile)
        parts = [(name, value / 2) for name, value in parts] + [("profile", interest / 2)]
        score = (score + interest) / 2
    return Relevance(score, tuple(parts), said(page.of(keywords)[1]))


def profile_score(body: Part, profile: Profile) -> float:
    """`0.5·bookmarks + 0.3·history + 0.2·start page`, each the share of the page's words that are among its words."""
    return sum(weight * share(body, frozenset(words)) for weight, words in profile)


def said(counted: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
    """The keywords that a page says, the most frequent first."""
    ranked = sorted([(-count, term) for term, count in counted.items()])
    return tuple([(term, -count) for count, term in ranked])
