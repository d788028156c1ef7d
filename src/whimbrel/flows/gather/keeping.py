"""Which document is kept, and which is a copy of one that is: the same pages survive in whatever order they come."""

from whimbrel.dedupe import exact
from whimbrel.flows.gather.batch import Batch
from whimbrel.flows.refresh.again import VisitJudged
from whimbrel.records.event import EventKind
from whimbrel.records.role import Role
from whimbrel.records.visit import Document, Outcome, Visit
from whimbrel.repository import warc
from whimbrel.repository.contract import ArchivePiece, Body, HeldVersion, Kept, KnownUrl, NewEvent, Settled, SettledDown

KEPT = (Outcome.FETCHED, Outcome.UNCHANGED)


def is_picture(document: Document) -> bool:
    return document.mime.startswith("image/")


class Keeping:
    """Takes documents into the plan: their bodies once, their twins by name."""

    def __init__(self, batch: Batch) -> None:
        self._batch = batch

    def room(self, document: Document, row: KnownUrl) -> bool:
        """Whether the limit lets one more page in, or one more picture. A twin of a kept page takes no room."""
        limit, gathered = self._batch.terms.limit, self._batch.gathered
        if self._batch.terms.pictures:
            full = limit is not None and gathered.pictures >= limit
            return not full or row.version is not None or not is_picture(document)
        if limit is None or row.asset or row.version is not None or gathered.pages < limit:
            return True
        return exact.group(document.digest, document.text_digest) in self._batch.survivors

    def keep(self, visit: Visit, document: Document, row: KnownUrl, *, quiet: bool = False) -> None:
        batch, plan = self._batch, self._batch.plan
        group = exact.group(document.digest, document.text_digest)
        batch.groups[row.key] = (group, document.digest)
        batch.gathered.pictures += row.version is None and is_picture(document)
        piece, novel = self._archive(visit, document)
        kept = _kept(visit, document, group, piece, novel)
        plan.kept.append(kept._replace(quiet=True) if quiet else kept)
        index = len(plan.kept) - 1
        survivor = batch.survivors.get(group)
        if survivor is None or row.asset:
            outcome, reason = Outcome.FETCHED, visit.reason
            if row.asset:
                batch.gathered.beside["sitemap" if row.asset == Role.SITEMAP else "asset"] += 1
            if survivor is None and not row.asset:
                batch.survivors[group] = plan.survivors[group] = row.key
                batch.gathered.pages += 1
        elif survivor == row.key:
            outcome, reason = Outcome.FETCHED, ""
        else:
            outcome, reason = self._twin(row, group, document.digest, survivor)
        rule = visit.rule if outcome is Outcome.FETCHED else ""
        batch.settle(row, Settled(row.key, outcome, rule, reason, visit.status, visit.at, None, index))
        kind = EventKind.KEPT if outcome is Outcome.FETCHED else EventKind.DUPLICATE
        plan.events.append(NewEvent(row.key, kind, index))

    def pass_by(self, visit: Visit, document: Document, row: KnownUrl, judged: VisitJudged) -> None:
        """A state that differs by noise: it stands beside the archive, and who is whose twin stays as it is."""
        batch, plan, archived = self._batch, self._batch.plan, visit.archived
        assert archived is not None, "a document travels with its records"
        group, _ = batch.group_of(row.key)
        kept = _kept(visit, document, group, len(archived.response), False)
        plan.kept.append(kept._replace(quiet=True, passing=archived.response + archived.others))
        index = len(plan.kept) - 1
        batch.settle(
            row, Settled(row.key, judged.outcome, judged.rule, judged.reason, visit.status, visit.at, None, index)
        )
        kind = EventKind.DUPLICATE if judged.outcome == Outcome.DUPLICATE else EventKind.KEPT
        plan.events.append(NewEvent(row.key, kind, index))

    def succeed(self, held: HeldVersion, kept: int, judged: VisitJudged) -> None:
        """What becomes of a state that was noise: another has come, or it is told after all."""
        if judged.stays:
            self.settle_down(held)
        elif kept >= 0 and held.passing:
            self._batch.plan.passed.append(held.version)

    def settle_down(self, held: HeldVersion) -> None:
        """The state that was noise is told after all."""
        again, plan = self._batch.again, self._batch.plan
        assert again is not None, "only kept pages have such a state"
        piece = -1
        if held.passing:
            piece = len(plan.pieces)
            plan.pieces.append(ArchivePiece(*again.past.passing(held.version)))
        plan.settled_down.append(SettledDown(held.version, piece))

    def remember(self, visit: Visit, document: Document) -> None:
        """A state from before the one that counts: a version, and no more than that."""
        piece, novel = self._archive(visit, document)
        group = exact.group(document.digest, document.text_digest)
        self._batch.plan.kept.append(_kept(visit, document, group, piece, novel))

    def leave(self, row: KnownUrl, joining: bytes = b"") -> None:
        """The page no longer has the text it had: the first of those that counted as its copies takes its place."""
        batch = self._batch
        group, _ = batch.group_of(row.key)
        if not group or group == joining or row.asset:
            return
        batch.gathered.pages -= row.outcome in KEPT
        if batch.survivor_of(group) != row.key:
            return
        assert batch.again is not None, "only kept pages leave"
        heirs = [key for key in batch.again.past.twins_in(group) if self._is_copy_in(key, group)]
        heirs += [key for key in batch.groups if key not in heirs and self._is_copy_in(key, group)]
        if not heirs:
            batch.survivors.pop(group, None)
            batch.plan.survivors.pop(group, None)
            batch.plan.dissolved.append(group)
            return
        heir = min(map(batch.row, heirs), key=lambda known: (known.depth, known.url)).key
        batch.survivors[group] = batch.plan.survivors[group] = heir
        batch.gathered.pages += 1
        batch.overrule(heir, Outcome.FETCHED, "", "")
        batch.plan.events.append(NewEvent(heir, EventKind.KEPT))

    def reconsider(self, row: KnownUrl) -> None:
        """A twin that came nearer may now precede the survivor."""
        batch = self._batch
        group, _ = batch.group_of(row.key)
        survivor = batch.survivors.get(group)
        if survivor is None:
            survivor = batch.memory.survivors([group]).get(group, row.key)
        other = batch.row(survivor)
        if exact.precedes(row.depth, row.url, other.depth, other.url):
            self._succeed(group, row.key, survivor)
            batch.overrule(row.key, Outcome.FETCHED, "", "")
            batch.plan.events.append(NewEvent(row.key, EventKind.KEPT))

    def archive_reply(self, visit: Visit) -> None:
        """The records of an answer that brought no document."""
        if visit.archived is not None:
            response = visit.archived.response
            self._batch.plan.pieces.append(ArchivePiece(response + visit.archived.others, len(response)))

    def _is_copy_in(self, key: int, group: bytes) -> bool:
        batch = self._batch
        return batch.row(key).outcome == Outcome.DUPLICATE and batch.group_of(key)[0] == group

    def _twin(self, row: KnownUrl, group: bytes, digest: bytes, survivor: int) -> tuple[Outcome, str]:
        other = self._batch.row(survivor)
        if not exact.precedes(row.depth, row.url, other.depth, other.url):
            return Outcome.DUPLICATE, self._batch.likeness(survivor, digest)
        self._succeed(group, row.key, survivor)
        return Outcome.FETCHED, ""

    def _succeed(self, group: bytes, heir: int, former: int) -> None:
        """The heir takes the former survivor's place among its twins."""
        batch = self._batch
        batch.survivors[group] = batch.plan.survivors[group] = heir
        digest = batch.group_of(heir)[1]
        batch.overrule(former, Outcome.DUPLICATE, "", batch.likeness(former, digest))
        batch.plan.events.append(NewEvent(former, EventKind.DUPLICATE))

    def _archive(self, visit: Visit, document: Document) -> tuple[int, bool]:
        """The piece of the archive that holds this version, and whether its body is new to us."""
        pieces, bodies = self._batch.plan.pieces, self._batch.bodies
        archived = visit.archived
        assert archived is not None, "a document travels with its records"
        body = bodies.get(document.digest)
        if body is None or body.payload_digest != archived.payload_digest:
            if novel := body is None:
                bodies[document.digest] = Body(archived.payload_digest, visit.url, visit.at)
            pieces.append(ArchivePiece(archived.response + archived.others, len(archived.response)))
            return len(pieces) - 1, novel
        digest = warc.labelled(archived.payload_digest)
        record = warc.revisit(visit.url, visit.at, visit.head, digest, body.url, body.at, visit.private)
        pieces.append(ArchivePiece(record + archived.others, len(record)))
        return len(pieces) - 1, False


def _kept(visit: Visit, document: Document, group: bytes, piece: int, novel: bool) -> Kept:
    archived = visit.archived
    assert archived is not None
    return Kept(
        visit.key, visit.url, visit.at, visit.status, document.mime, document.charset, document.language,
        document.title, document.canonical, document.digest, group, document.size, visit.received_bytes,
        document.etag, document.last_modified, "\n".join(document.cut), piece, novel, archived.payload_digest,
        document.reading, visit.private,
    )  # fmt: skip
