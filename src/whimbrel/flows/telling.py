"""Changes as others read them: an object for scripts, an Atom feed for readers of feeds."""

from collections.abc import Iterable
from datetime import UTC, datetime
from xml.sax.saxutils import escape, quoteattr

from whimbrel.flows.packing import unpacked_spots
from whimbrel.records.change import Spot
from whimbrel.repository.embedded.changes import Told

MOST_ENTRIES = 1_000
# XML 1.0 §2.2: other control characters cannot be written at all.
_UNWRITABLE = {code: None for code in range(32) if code not in (9, 10, 13)} | {0xFFFE: None, 0xFFFF: None}


def as_object(told: Told) -> dict[str, object]:
    where, noise = unpacked_spots(told.details)
    return {
        "at": told.at,
        "what": told.what,
        "url": told.url,
        "title": told.title,
        "kinds": [kind for kind in told.kinds.split(",") if kind],
        "amount": round(told.amount, 4),
        "where": [_spot(spot) for spot in where],
        "noise": [_spot(spot) | {"reason": spot.reason} for spot in noise],
        "before": told.before,
        "after": told.after,
        "target": told.target,
    }


def sentence(told: Told) -> str:
    """One change in a line, without its URL."""
    match told.what:
        case "changed":
            where, _ = unpacked_spots(told.details)
            places = ", ".join(spot.place for spot in where[:3]) + (", …" if len(where) > 3 else "")
            return f"{_percent(told.amount)} {', '.join(told.kinds.split(','))}" + (f": {places}" if places else "")
        case "moved":
            return f"to {told.target}" if told.target else ""
        case "restored":
            return "as it was" if not told.kinds else f"with changes: {told.kinds.replace(',', ', ')}"
        case "gone":
            return told.reason
    return told.title


def atom(changes: Iterable[Told], name: str, now: float) -> str:
    """RFC 4287. The newest first, as many as a reader will look at."""
    newest = sorted(changes, key=lambda told: -told.at)[:MOST_ENTRIES]
    updated = newest[0].at if newest else now
    entries = "".join(_entry(told) for told in newest)
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">\n'
        f"<title>{_text(f'Changes in {name}')}</title>\n<id>urn:whimbrel:{_text(name)}</id>\n"
        f"<updated>{moment(updated)}</updated>\n<author><name>whimbrel</name></author>\n{entries}</feed>\n"
    )


def _entry(told: Told) -> str:
    name = f"urn:whimbrel:{int(told.at * 1000)}:{told.what}:{told.url}"
    title = f"{told.what}: {told.title or told.url}"
    return (
        f"<entry><title>{_text(title)}</title><id>{_text(name)}</id><link href={quoteattr(told.url)}/>"
        f"<updated>{moment(told.at)}</updated><category term={quoteattr(told.what)}/>"
        f"<summary>{_text(sentence(told))}</summary></entry>\n"
    )


def moment(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _percent(amount: float) -> str:
    return f"{100 * amount:.0f} %" if amount >= 0.01 else "under 1 %"


def _text(words: str) -> str:
    return escape(words.translate(_UNWRITABLE))


def _spot(spot: Spot) -> dict[str, object]:
    return {
        "what": spot.what, "kinds": list(spot.kinds), "place": spot.place, "before": spot.before, "after": spot.after,
        "amount": round(spot.share, 4),
    }  # fmt: skip
