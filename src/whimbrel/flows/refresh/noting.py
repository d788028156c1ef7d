"""What is told of a visit that was judged, as the plan holds it."""

from typing import TYPE_CHECKING

from whimbrel.change.degree import degree
from whimbrel.flows.packing import packed_spots
from whimbrel.flows.refresh.again import VisitJudged
from whimbrel.flows.refresh.holding import history_of
from whimbrel.flows.refresh.trusting import announced
from whimbrel.records.visit import Visit
from whimbrel.repository.contract import HeldVersion, Noted, Returned
from whimbrel.revisit.history import Sighting, after_visit, packed

if TYPE_CHECKING:
    from whimbrel.flows.refresh.hindsight import Belated


def noted(judged: VisitJudged, visit: Visit, held: HeldVersion, kept: int) -> Noted | None:
    """The change as it is told; None where there is nothing to tell."""
    if judged.what is None:
        return None
    change = judged.change
    kinds = ",".join(change.kinds) if change else ""
    target = visit.links[0].key if judged.what == "moved" and visit.links else None
    details = packed_spots(change) if change else b""
    amount = change.amount if change else 0.0
    return Noted(
        visit.key, visit.at, judged.what, kinds, amount, held.told, kept, target, details, _degree(judged),
        int(judged.told), held.version if judged.stays else None,
    )  # fmt: skip


def noted_late(belated: "Belated", now: HeldVersion) -> Noted:
    """Told when the run had seen more: between what was told of the page before, and what is kept of it `now`."""
    seen, change = belated.seen, belated.change
    return Noted(
        now.key, seen.at, "changed", ",".join(change.kinds), change.amount, seen.held.told, -1, None,
        packed_spots(change), degree(change.kinds, change.amount), 1, now.version,
    )  # fmt: skip


def returned_late(belated: "Belated", now: HeldVersion) -> Returned:
    """The visit had found a change."""
    seen = belated.seen
    history = history_of(seen.held)
    sighting = Sighting(seen.at, True, announced(seen.held.announced_at, history.visited_at))
    return now.returned._replace(history=packed(after_visit(history, sighting)))


def noted_on_page(note: Noted, page: HeldVersion) -> Noted:
    """A picture that was replaced, told for the page that shows it: no version of the page is another."""
    return note._replace(key=page.key, before=page.version, kept=-1, target=None, after=page.version)


def _degree(judged: VisitJudged) -> str:
    """Of a document that can only be told apart by its bytes nobody can say how much changed."""
    change = judged.change
    if judged.what == "restored" and change is None:
        return "none"
    if change is None or (judged.what == "changed" and not change.where):
        return ""
    return degree(change.kinds, change.amount)
