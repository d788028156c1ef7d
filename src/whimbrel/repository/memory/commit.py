"""A plan taken into a repository in memory: all of it, or nothing."""

from msgspec.structs import replace

from whimbrel.repository.contract import ArchivePiece, Body, Noted, Plan, RepositoryError
from whimbrel.repository.memory.state import AnnouncedRow, Changed, Due, Edition, Happened, Tables, UrlRow


def commit(state: Tables, plan: Plan, now: float, software: str) -> int:
    """Returns the number of the last event. Called with the lock held."""
    _refuse(state, plan)
    starts = state.append(plan.pieces, now, software)
    for f in plan.found:
        state.rows[f.key] = UrlRow(
            f.key, f.url, state.host(f.host).number, f.depth, f.hops, f.run, f.asset, f.via, f.at, f.outcome, f.rule,
            f.reason, f.news,
        )  # fmt: skip
    for key, host, band, at in plan.queued:
        state.seq += 1
        state.due.setdefault(state.host(host).number, {})[band, state.seq] = Due(key, at)
    versions = _keep(state, plan, starts)
    _settle(state, plan, versions)
    _note(state, plan, versions, now)
    for key, kind, kept in plan.events:
        state.last_event += 1
        state.events[state.last_event] = Happened(key, kind, versions.get(kept))
    return state.last_event


def _refuse(state: Tables, plan: Plan) -> None:
    """Before anything is written: what cannot be true together."""
    keys = [found.key for found in plan.found]
    if len(set(keys)) < len(keys) or not state.rows.keys().isdisjoint(keys):
        raise RepositoryError("the plan finds a URL that is known already. Nothing of it was written.")
    digests = [kept.digest for kept in plan.kept if kept.body]
    if len(set(digests)) < len(digests) or not state.bodies.keys().isdisjoint(digests):
        raise RepositoryError("the plan keeps bytes that are kept already. Nothing of it was written.")
    if any(kept.piece >= len(plan.pieces) for kept in plan.kept if not kept.passing):
        raise RepositoryError("the plan keeps a version without its record. Nothing of it was written.")


def _keep(state: Tables, plan: Plan, starts: list[int]) -> dict[int, int]:
    """Returns the version number of each `kept` index."""
    numbers = {}
    for index, kept in enumerate(plan.kept):
        state.last_version += 1
        number = numbers[index] = state.last_version
        start = -number if kept.passing else starts[kept.piece]
        if kept.passing:
            state.passing[start] = ArchivePiece(kept.passing, kept.piece)
        state.editions[number] = Edition(number, kept._replace(reading=b"", passing=b""), start, kept.quiet)
        state.of_url.setdefault(kept.key, []).append(number)
        if kept.reading:
            state.readings[number] = kept.reading
        if kept.body:
            state.bodies[kept.digest] = (Body(kept.payload_digest, kept.url, kept.at), start)
    for number, piece in plan.settled_down:
        edition = state.editions[number]
        start = starts[piece] if piece >= 0 else edition.piece
        state.editions[number] = replace(edition, quiet=False, piece=start)
        state.passing.pop(-number, None)
    for number in plan.passed:
        state.of_url[state.editions.pop(number).kept.key].remove(number)
        state.readings.pop(number, None)
        state.passing.pop(-number, None)
    return numbers


def _settle(state: Tables, plan: Plan, versions: dict[int, int]) -> None:
    rows = state.rows
    for settled in plan.settled:
        if (row := rows.get(settled.key)) is not None:
            row.outcome, row.rule, row.reason = settled.outcome, settled.rule, settled.reason
            row.status, row.visited_at, row.target = settled.status, settled.at, settled.target
            row.tries += 1
            row.version = versions.get(settled.kept, row.version)
    for lease in plan.done:
        state.due.get(lease.lane, {}).pop((lease.band, lease.seq), None)
    for lease, at in plan.postponed:
        if (due := state.due.get(lease.lane, {}).get((lease.band, lease.seq))) is not None:
            due.at = at
            due.attempt += 1
    for key, depth in plan.depths.items():
        if key in rows:
            rows[key].depth = depth
    for key, (outcome, rule, reason) in plan.outcomes.items():
        if key in rows:
            rows[key].outcome, rows[key].rule, rows[key].reason = outcome, rule, reason
    for key in plan.news:
        if key in rows:
            rows[key].news = 1
    for key, role in plan.roles.items():
        if key in rows:
            rows[key].asset = role
    for key in plan.left:
        if key in rows:
            rows[key].version = None
    for key, count in plan.occurrences.items():
        if key in rows:
            rows[key].occurrences += count


def _note(state: Tables, plan: Plan, versions: dict[int, int], now: float) -> None:
    state.survivors.update(plan.survivors)
    state.patterns.update(plan.patterns)
    state.robots.update({copy.origin: copy for copy in plan.robots})
    for url, named in plan.seeds:
        state.seeds.setdefault(url, (named, now))
    for kind, (size, count) in plan.traffic.items():
        before = state.traffic.get(kind, (0, 0))
        state.traffic[kind] = (before[0] + size, before[1] + count)
    state.choices.update({lane: (at, record) for lane, at, record in plan.choices})
    state.answers.update(plan.answers)
    for group in plan.dissolved:
        if group not in plan.survivors:
            state.survivors.pop(group, None)
    state.returned.update({returned.key: returned for returned in plan.returned})
    for noted in plan.noted:
        _tell(state, noted, versions)
    for key, (lastmod, changefreq, priority, at) in plan.listed.items():
        was = state.listed.get(key)
        # A date without a time of day says little; that it moved says that something happened.
        moved = was is not None and None not in (lastmod, was.lastmod) and (lastmod or 0.0) > (was.lastmod or 0.0)
        moved_at = at if moved else was.moved_at if was is not None else 0.0
        state.listed[key] = AnnouncedRow(lastmod, changefreq, priority, at, moved_at)
    state.witnesses.update({(one.lane, one.name): said for one, said in plan.witnesses.items()})


def _tell(state: Tables, noted: Noted, versions: dict[int, int]) -> None:
    state.last_change += 1
    state.changes[state.last_change] = Changed(
        state.last_change, noted.key, noted.at, noted.what, noted.kinds, noted.amount, noted.before,
        versions.get(noted.kept, noted.after), noted.target, noted.details, noted.degree, noted.told,
    )  # fmt: skip
