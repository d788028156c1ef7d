"""Which document is kept, and which is a copy of one that is: the same pages survive in whatever order they come."""

from whimbrel.dedupe import exact
from whimbrel.flows.again import SITEMAP
from whimbrel.flows.batch import Batch
from whimbrel.records.visit import Document, Outcome, Visit
from whimbrel.repository import warc
from whimbrel.repository.contract import Body, Kept, Known, Piece, Settled

KEPT = (Outcome.FETCHED, Outcome.UNCHANGED)


class Keeping:
    """Takes documents into the plan: their bodies once, their twins by name."""

    def __init__(self, batch: Batch) -> None:
        self._batch = batch

    def room(self, document: Document, row: Known) -> bool:
        """Whether the limit lets one more page in. A twin of a kept page takes no room."""
        limit = self._batch.terms.limit
        if limit is None or row.asset or row.version is not None or self._batch.gathered.pages < limit:
            return True
        return exact.group(document.digest, document.text_digest) in self._batch.survivors

    def keep(self, visit: Visit, document: Document, row: Known) -> None:
        batch, plan = self._batch, self._batch.plan
        group = exact.group(document.digest, document.text_digest)
        batch.groups[row.key] = (group, document.digest)
        piece, novel = self._archive(visit, document)
        plan.kept.append(_kept(visit, document, group, piece, novel))
        index = len(plan.kept) - 1
        survivor = batch.survivors.get(group)
        if survivor is None or row.asset:
            outcome, reason = Outcome.FETCHED, visit.reason
            if row.asset:
                batch.gathered.beside["sitemap" if row.asset == SITEMAP else "asset"] += 1
            if survivor is None and not row.asset:
                batch.survivors[group] = plan.survivors[group] = row.key
                batch.gathered.pages += 1
        elif survivor == row.key:
            outcome, reason = Outcome.FETCHED, ""
        else:
            outcome, reason = self._twin(row, group, document.digest, survivor)
        rule = visit.rule if outcome is Outcome.FETCHED else ""
        batch.settle(row, Settled(row.key, outcome, rule, reason, visit.status, visit.at, None, index))
        plan.events.append((row.key, "kept" if outcome is Outcome.FETCHED else "duplicate", index))

    def leave(self, row: Known, joining: bytes = b"") -> None:
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
        batch.plan.events.append((heir, "kept", -1))

    def reconsider(self, row: Known) -> None:
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
            batch.plan.events.append((row.key, "kept", -1))

    def archive_reply(self, visit: Visit) -> None:
        """The records of an answer that brought no document."""
        if visit.archived is not None:
            response = visit.archived.response
            self._batch.plan.pieces.append(Piece(response + visit.archived.others, len(response)))

    def _is_copy_in(self, key: int, group: bytes) -> bool:
        batch = self._batch
        return batch.row(key).outcome == Outcome.DUPLICATE and batch.group_of(key)[0] == group

    def _twin(self, row: Known, group: bytes, digest: bytes, survivor: int) -> tuple[Outcome, str]:
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
        batch.plan.events.append((former, "duplicate", -1))

    def _archive(self, visit: Visit, document: Document) -> tuple[int, bool]:
        """The piece of the archive that holds this version, and whether its body is new to us."""
        pieces, bodies = self._batch.plan.pieces, self._batch.bodies
        archived = visit.archived
        assert archived is not None, "a document travels with its records"
        body = bodies.get(document.digest)
        if body is None or body.payload_digest != archived.payload_digest:
            if novel := body is None:
                bodies[document.digest] = Body(archived.payload_digest, visit.url, visit.at)
            pieces.append(Piece(archived.response + archived.others, len(archived.response)))
            return len(pieces) - 1, novel
        digest = warc.labelled(archived.payload_digest)
        record = warc.revisit(visit.url, visit.at, visit.head, digest, body.url, body.at)
        pieces.append(Piece(record + archived.others, len(record)))
        return len(pieces) - 1, False


def _kept(visit: Visit, document: Document, group: bytes, piece: int, novel: bool) -> Kept:
    archived = visit.archived
    assert archived is not None
    return Kept(
        visit.key, visit.url, visit.at, visit.status, document.mime, document.charset, document.language,
        document.title, document.canonical, document.digest, group, document.size, visit.received_bytes,
        document.etag, document.last_modified, "\n".join(document.cut), piece, novel, archived.payload_digest,
        document.reading,
    )  # fmt: skip
