"""Changes as others hear of them: an object for scripts, a line of words for people."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from whimbrel.flows.packing import unpacked_spots
from whimbrel.flows.telling.folding import FoldedChange
from whimbrel.flows.telling.news import degree_of
from whimbrel.flows.telling.wording import WordRun, plainly, shortened, words_between
from whimbrel.records.change import Spot
from whimbrel.repository.views import Told
from whimbrel.urls.normal import authority

SUMMARY_CHARACTERS = 200
OF_SITES = ("away", "answers")
"""What is told of a site; the page that it is told with is the one that was asked for."""
_AWAY = {
    "connect": "nobody answers on its server",
    "cut": "its server breaks off every answer",
    "dns": "nobody knows its name any more",
    "protocol": "its server does not speak HTTP",
    "proxy": "the proxy does not reach it",
    "slow": "its server sends too slowly",
    "timeout": "its server takes too long to answer",
    "tls": "its certificate does not hold",
}


def as_object(told: Told) -> dict[str, object]:
    where, noise = unpacked_spots(told.details)
    return {
        "at": told.at,
        "what": told.what,
        "url": told.url,
        "title": told.title,
        "kinds": [kind for kind in told.kinds.split(",") if kind],
        "amount": round(told.amount, 4),
        "degree": degree_of(told),
        "summary": summary(told),
        "where": [_spot(spot) for spot in where],
        "noise": [_spot(spot) | {"reason": spot.reason} for spot in noise],
        "before": told.before,
        "after": told.after,
        "target": told.target,
        "reason": told.reason if told.what in ("gone", "missing") else "",
    }


def item_object(item: FoldedChange) -> dict[str, object]:
    """With the pages that changed only because of it, and those that it is only due to."""
    beside = {"also_on": list(item.also_on), "because_of": list(item.because_of)}
    said = {"id": item.id, "seen": item.seen, "silenced": item.silenced or None}
    return as_object(item.told) | beside | {"asked_again_at": item.asked_again_at} | said


def excerpts(told: Told, places: int, characters: int) -> Iterator[tuple[Spot, tuple[WordRun, ...]]]:
    """The places that say most of a change, in the order of the page, each in about so many characters."""
    where, _ = unpacked_spots(told.details)
    most = _most_telling(where, places)
    for spot in where:
        if spot in most:
            yield spot, shortened(words_between(spot.before, spot.after), characters)


def _most_telling(where: Sequence[Spot], places: int) -> list[Spot]:
    """Of a page that was written anew the long old paragraphs weigh most: what came in their place is told too, and
    first of all where there is room for one."""
    ranked = sorted(where, key=lambda spot: -_weight(spot))
    most = ranked[:places]
    came = next((spot for spot in ranked if _came(spot)), None)
    if came is not None and not any(_came(spot) for spot in most):
        most[-1] = came
    return most


def _came(spot: Spot) -> bool:
    return spot.shows == "words" and spot.what != "moved" and bool(spot.after)


def _weight(spot: Spot) -> float:
    """Words that differ say most; what only moved or looks different comes last."""
    return spot.share if spot.shows == "words" and spot.what != "moved" else spot.share / 100


def summary(told: Told) -> str:
    """What happened in a line, without the page's name."""
    match told.what:
        case "changed" | "restored":
            found = [plainly(words) for _, words in excerpts(told, 2, SUMMARY_CHARACTERS // 2)]
            if found:
                return " … ".join(found)
            return "as it was" if told.what == "restored" and not told.kinds else "other bytes"
        case "moved":
            return f"to {told.target}" if told.target else ""
        case "gone" | "missing":
            return told.reason
        case "away":
            return _AWAY.get(
                told.kinds, f"the server answers {told.kinds.removeprefix('http_')} to whatever is asked for"
            )
        case "answers":
            return "the site answers again"
    return ""


def name_of(told: Told) -> str:
    """What a change is about: a page by its title, "" where it has none, or a whole site."""
    return authority(told.url) if told.what in OF_SITES else told.title.strip()


def measure(told: Told) -> str:
    """How much and of which kind, in words."""
    kinds = ", ".join(told.kinds.split(","))
    return f"{percent(told.amount)} {kinds}" if degree_of(told) is not None else kinds


def moment(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def percent(amount: float) -> str:
    return f"{100 * amount:.0f} %" if amount >= 0.01 else "under 1 %"


def _spot(spot: Spot) -> dict[str, object]:
    return {
        "what": spot.what, "kinds": list(spot.kinds), "place": spot.place, "shows": spot.shows, "before": spot.before,
        "after": spot.after, "amount": round(spot.share, 4),
        "beside": [{"what": one.what, "before": one.before, "after": one.after} for one in spot.beside],
    }  # fmt: skip
