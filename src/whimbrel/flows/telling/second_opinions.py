"""What simpler ways of telling a change say of the same two versions of a page (P1 §4).

Each sees one side of a page: the tree its elements, the fingerprint their order, the sums of symbols its words. None of
them decides anything here; they stand beside what was told, for whoever wants to know why.
"""

from collections import Counter
from collections.abc import Sequence

from msgspec import Struct

from whimbrel.change.checksum import checksum_of
from whimbrel.change.fingerprint import fingerprint
from whimbrel.change.rms import rms_of
from whimbrel.change.tree import compare
from whimbrel.flows.copies import DecodedCopy, kept_copy
from whimbrel.parse.tree import tag_sequence, tree
from whimbrel.records.url import Url
from whimbrel.repository.port.reader import Reader
from whimbrel.repository.views import Version

_SAME = 1e-9


class Opinion(Struct, frozen=True):
    """`says` is none, minor or major of the tree, else same or differs; `detail` is what it saw."""

    way: str
    says: str
    detail: str


def opinions_on(reader: Reader, url: Url, before: Version, after: Version) -> list[Opinion]:
    """On two kept versions; none of what is no web page: the ways are made for those."""
    copies = [kept_copy(reader.body(url, version)) for version in (before, after)]
    if any(copy is None or "html" not in copy.content_type for copy in copies):
        return []
    return opinions(*(copy for copy in copies if copy is not None))


def opinions(before: DecodedCopy, after: DecodedCopy) -> list[Opinion]:
    levels = compare(tree(before.body, before.content_type), tree(after.body, after.content_type))
    where = f"changed at levels {', '.join(map(str, levels.levels))}" if levels.levels else "every level as it was"
    prints = [fingerprint(tag_sequence(copy.body, copy.content_type)) for copy in (before, after)]
    paragraphs = [[(block.tag, block.text) for block in copy.version().blocks] for copy in (before, after)]
    spread = [rms_of([text for _, text in some]) for some in paragraphs]
    sums = [checksum_of(some) for some in paragraphs]
    return [
        Opinion("tree by levels", levels.degree, where),
        Opinion(
            "fingerprint of tags", _says(prints[0] == prints[1]),
            f"{len(prints[0].first)} → {len(prints[1].first)} tags",
        ),
        Opinion(
            "RMS of symbols", _says(abs(spread[0].page - spread[1].page) < _SAME),
            f"{spread[0].page:.3f} → {spread[1].page:.3f}; {_moved(spread[0].paragraphs, spread[1].paragraphs)}",
        ),
        Opinion(
            "checksum by importance", _says(abs(sums[0].page - sums[1].page) < _SAME),
            f"{sums[0].page:.4f} → {sums[1].page:.4f}; {_moved(sums[0].paragraphs, sums[1].paragraphs)}",
        ),
    ]  # fmt: skip


def _says(same: bool) -> str:
    return "same" if same else "differs"


def _moved(before: Sequence[float], after: Sequence[float]) -> str:
    """Paragraphs are told apart by their figures, wherever they stand: one put in at the top changes one."""
    here, there = Counter(before), Counter(after)
    return f"{(here - there).total()} of {len(before)} paragraphs gone, {(there - here).total()} new"
