"""Forgetting and thinning in memory: rows and records go, and what shared them with others stays whole."""

from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from io import BytesIO

from msgspec import Struct

from whimbrel.records.event import EventKind
from whimbrel.records.url import Url
from whimbrel.repository import warc
from whimbrel.repository.contract import ArchivePiece, Body, FolderBusy, NothingThere
from whimbrel.repository.members import members
from whimbrel.repository.memory.state import FILE, HERE, KEPT, Edition, Happened, Tables, UrlRow
from whimbrel.repository.upkeep import Erased, ForgetTarget, Losses, Thinned
from whimbrel.repository.views import Site
from whimbrel.urls.normal import key as key_of


class _Heir(Struct, frozen=True):
    """Who takes the place of a survivor that goes; None where nobody is left."""

    group: bytes
    key: int | None
    version: int | None


def survey(state: Tables, target: ForgetTarget, name: str) -> Losses:
    with state.lock:
        leaving = _leaving(state, target)
        losses = _losses(state, leaving)
        _refuse_nothing(state, target, leaving, name)
        return losses


def erase(state: Tables, target: ForgetTarget, now: float, allow_again: bool, name: str) -> Erased:
    with _alone(state, name):
        leaving = _leaving(state, target)
        losses = _losses(state, leaving)
        _refuse_nothing(state, target, leaving, name)
        before = _size(state)
        heirs = _heirs(state, leaving)
        _rehome(state, leaving)
        records = _drop_records(state, target)
        _delete(state, target, leaving)
        _step_in(state, leaving, heirs)
        for pattern in target.patterns():
            if allow_again:
                state.forgotten.pop(pattern, None)
            else:
                state.forgotten.setdefault(pattern, now)
        return Erased(losses, records, 0, before - _size(state), ())


def thin(state: Tables, keep: int, dry_run: bool, name: str) -> Thinned:
    with _alone(state, name):
        going = [
            edition
            for key, row in state.rows.items()
            for place, edition in enumerate(sorted(state.editions_of(key), key=lambda one: (-one.kept.at, -one.number)))
            if _has_left(row) or (place >= keep and edition.number != row.version)
        ]
        pages = len({edition.kept.key for edition in going})
        if dry_run or not going:
            return Thinned(len(going), pages)
        before = _size(state)
        records = _thin(state, going)
        return Thinned(len(going), pages, records, 0, before - _size(state))


def _has_left(row: UrlRow) -> bool:
    """Whether it made room in a collection: then no version of it stays."""
    return row.outcome == "refused" and row.rule == "collection"


@contextmanager
def _alone(state: Tables, name: str) -> Iterator[None]:
    with state.lock:
        if state.written:
            raise FolderBusy(f"another command is using {name}. Wait for it, or stop it.")
        yield


def _leaving(state: Tables, target: ForgetTarget) -> set[int]:
    leaving = {key for key in map(key_of, target.urls) if key in state.rows}
    if target.site is not None:
        there = state.on_site(target.site)
        leaving |= {row.key for row in state.rows.values() if there(row)}
    return leaving


def _losses(state: Tables, leaving: set[int]) -> Losses:
    rows = [state.rows[key] for key in leaving]
    return Losses(
        len(rows),
        sum(not row.asset and row.outcome in KEPT for row in rows),
        sum(len(state.editions_of(row.key)) for row in rows),
        sum(heir.key is not None for heir in _heirs(state, leaving)),
    )


def _refuse_nothing(state: Tables, target: ForgetTarget, leaving: set[int], name: str) -> None:
    known = {state.rows[key].url for key in leaving}
    missing = [url for url in target.urls if url not in known and url not in state.forgotten]
    if target.site is not None and not leaving and str(target.site) not in state.forgotten:
        missing.append(Url(str(target.site)))
    if missing:
        raise NothingThere(
            f"nothing is known of {', '.join(missing)} in {name}. `whimbrel pages --match RE` finds what is."
        )


def _heirs(state: Tables, leaving: set[int]) -> list[_Heir]:
    groups = {edition.kept.twins for edition in state.editions.values() if edition.kept.key in leaving}
    bereft = {group for group in groups if state.survivors.get(group) in leaving}
    staying = sorted(
        (edition.kept.twins, row.depth, row.url, row.key, edition.number)
        for row, edition in state.with_edition()
        if edition.kept.twins in bereft and row.key not in leaving and not row.asset and row.outcome in HERE
    )
    first: dict[bytes, _Heir] = {}
    for group, _, _, key, version in staying:
        first.setdefault(group, _Heir(group, key, version))
    return [first.get(group, _Heir(group, None, None)) for group in sorted(bereft)]


def _rehome(state: Tables, leaving: set[int]) -> None:
    """Bodies whose record goes: the first twin that leans on one takes the bytes over, else one that has them."""
    for digest, (body, start) in list(state.bodies.items()):
        holders = [edition for edition in state.editions.values() if edition.piece == start]
        if not any(edition.kept.key in leaving for edition in holders):
            continue
        payload = warc.content_of(state.member(start)).payload
        staying = [
            one
            for one in state.editions.values()
            if one.kept.digest == digest and one.kept.key not in leaving and one.piece >= 0
        ]
        del state.bodies[digest]
        if staying:
            _inherit(state, digest, body, payload, sorted(staying, key=lambda one: _nearest(state, one)))


def _nearest(state: Tables, edition: Edition) -> tuple[int, str, int]:
    row = state.rows[edition.kept.key]
    return row.depth, row.url, edition.number


def _inherit(state: Tables, digest: bytes, body: Body, payload: bytes, staying: list[Edition]) -> None:
    contents = {one.number: warc.content_of(state.member(one.piece)) for one in staying}
    leaning = [one for one in staying if contents[one.number].warc_headers.get("warc-type") == "revisit"]
    heir = leaning[0] if leaning else staying[0]
    url, content = state.rows[heir.kept.key].url, contents[heir.number]
    payload_digest = body.payload_digest if leaning else sha256(content.payload).digest()
    state.bodies[digest] = (Body(payload_digest, url, heir.kept.at), heir.piece)
    labelled = warc.labelled(payload_digest)
    for one in leaning:
        whose, head = state.rows[one.kept.key].url, contents[one.number].head
        if one is heir:
            record = warc.response(
                url, one.kept.at, "", "", head, payload, labelled, warc.record_id(), one.kept.private
            )
        else:
            record = warc.revisit(whose, one.kept.at, head, labelled, url, heir.kept.at, one.kept.private)
        _put_first(state, one.piece, record)


def _put_first(state: Tables, start: int, record: bytes) -> None:
    piece = state.pieces[start]
    state.pieces[start] = ArchivePiece(record + piece.data[piece.length :], len(record))


def _drop_records(state: Tables, target: ForgetTarget) -> int:
    dropped = 0
    for start, piece in list(state.pieces.items()):
        records = list(members(BytesIO(piece.data), FILE, len(piece.data)))
        staying = [record for record in records if not (record.url and target.covers(record.url))]
        dropped += len(records) - len(staying)
        if not staying:
            del state.pieces[start]
        elif len(staying) < len(records):
            state.pieces[start] = ArchivePiece(b"".join(one.member for one in staying), len(staying[0].member))
    return dropped


def _delete(state: Tables, target: ForgetTarget, leaving: set[int]) -> None:
    for key in leaving:
        for number in state.of_url.pop(key, ()):
            del state.editions[number]
            state.readings.pop(number, None)
        del state.rows[key]
        for table in (state.returned, state.listed, state.answers):
            table.pop(key, None)
    for lane, places in state.due.items():
        state.due[lane] = {place: due for place, due in places.items() if due.key not in leaving}
    state.events = {seq: event for seq, event in state.events.items() if event.key not in leaving}
    state.changes = {seq: one for seq, one in state.changes.items() if one.key not in leaving}
    for change in state.changes.values():
        change.target = None if change.target in leaving else change.target
    for row in state.rows.values():
        row.via = None if row.via in leaving else row.via
        row.target = None if row.target in leaving else row.target
    asked = state.requests.items()
    state.requests = {number: one for number, one in asked if not any(map(target.covers, one.examples))}
    if target.site is not None:
        _delete_site(state, target.site)


def _delete_site(state: Tables, site: Site) -> None:
    """A single forgotten URL stays a seed, because the scope of the crawl hangs on it; a site does not."""
    state.seeds = {url: seed for url, seed in state.seeds.items() if not site.covers(url)}
    state.robots = {origin: copy for origin, copy in state.robots.items() if not site.covers(f"{origin}/")}
    state.patterns = {name: known for name, known in state.patterns.items() if str(site) not in name}
    host = state.hosts.get(site.host)
    if not site.port and host is not None:
        state.witnesses = {who: said for who, said in state.witnesses.items() if who[0] != host.number}
        # The number of a lane is never given away again; only its name goes.
        del state.hosts[host.name]
        host.name = f"forgotten/{host.number}"
        state.hosts[host.name] = host


def _step_in(state: Tables, leaving: set[int], heirs: list[_Heir]) -> None:
    for key in sorted(leaving):
        _tell(state, key, EventKind.FORGOTTEN, None)
    for heir in heirs:
        if heir.key is None:
            del state.survivors[heir.group]
            continue
        state.survivors[heir.group] = heir.key
        _take_place(state, heir.key, heir.group)
        _tell(state, heir.key, EventKind.KEPT, heir.version)


def _take_place(state: Tables, key: int, group: bytes) -> None:
    heir = state.rows[key]
    if heir.outcome == "duplicate":
        heir.outcome, heir.reason = "fetched", ""
    own = state.edition(heir)
    for row, edition in state.with_edition():
        if edition.kept.twins == group and row.outcome == "duplicate" and own is not None:
            row.reason = "same bytes" if edition.kept.digest == own.kept.digest else "same text"


def _tell(state: Tables, key: int, kind: str, version: int | None) -> None:
    state.last_event += 1
    state.events[state.last_event] = Happened(key, kind, version)


def _thin(state: Tables, going: list[Edition]) -> int:
    numbers = {edition.number for edition in going}
    for edition in going:
        del state.editions[edition.number]
        state.of_url[edition.kept.key].remove(edition.number)
        state.readings.pop(edition.number, None)
    shared = {edition.kept.digest for edition in state.editions.values()}
    records = 0
    for edition in going:
        body = state.bodies.get(edition.kept.digest)
        if body is not None and body[1] == edition.piece:
            if edition.kept.digest in shared:
                continue  # it holds the body of a version that stays
            del state.bodies[edition.kept.digest]
        piece = state.pieces.pop(edition.piece) if edition.piece >= 0 else state.passing.pop(edition.piece)
        records += sum(1 for _ in members(BytesIO(piece.data), FILE, len(piece.data)))
    for event in state.events.values():
        event.version = None if event.version in numbers else event.version
    return records


def _size(state: Tables) -> int:
    pieces = (*state.pieces.values(), *state.passing.values())
    return sum(len(piece.data) for piece in pieces) + sum(map(len, state.readings.values()))
