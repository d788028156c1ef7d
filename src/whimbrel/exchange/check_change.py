"""`check change`: did a page change, how, how much and where."""

import binascii
from base64 import b64decode
from collections.abc import Mapping

from whimbrel.change.decide import decide
from whimbrel.change.noise import learn
from whimbrel.change.version import ComparedVersion, read_version
from whimbrel.records.change import Spot
from whimbrel.records.verdict import Verdict
from whimbrel.urls.normal import normalise

SEND = (
    'send {"before_b64": "PHA+T2xkPC9wPg==", "after_b64": "PHA+TmV3PC9wPg==", "url": "https://example.org/"}; '
    "history_b64 (older versions, the oldest first), neighbours_b64 (other pages of the site) and content_type may "
    "be added"
)


def check_change(line: Mapping[str, object]) -> dict[str, object]:
    """`{before_b64, after_b64, url, history_b64, neighbours_b64}` to what changed, and what was only noise."""
    if not isinstance(line, Mapping):
        return {"error": f"not a JSON object: {SEND}"}
    address, content_type = line.get("url"), line.get("content_type", "text/html")
    if not isinstance(address, str) or not isinstance(content_type, str):
        return {"error": f'"url" (and "content_type", where given) must be a text: {SEND}'}
    url = normalise(address, None)
    if isinstance(url, Verdict):
        return {"error": f'"url": {url.reason}: {SEND}'}
    pages: dict[str, list[ComparedVersion]] = {}
    for name in ("before_b64", "after_b64", "history_b64", "neighbours_b64"):
        bodies = _bodies(name, line)
        if isinstance(bodies, str):
            return {"error": f"{bodies}: {SEND}"}
        pages[name] = [read_version(body, content_type) for body in bodies]
    (before,), (after,) = pages["before_b64"], pages["after_b64"]
    change = decide(before, after, learn([*pages["history_b64"], before], pages["neighbours_b64"]))
    return {
        "changed": change.changed,
        "kinds": list(change.kinds),
        "amount": round(change.amount, 4),
        "where": [_spot(spot) for spot in change.where],
        "noise": [_spot(spot) | {"reason": spot.reason} for spot in change.noise],
    }


def _bodies(name: str, line: Mapping[str, object]) -> list[bytes] | str:
    """The documents under a name, or why they cannot be read."""
    several = name in ("history_b64", "neighbours_b64")
    given = line.get(name)
    if several and given is None:
        return []
    encoded = given if several else [given]
    if not isinstance(encoded, list) or not all(isinstance(one, str) for one in encoded):
        return f'"{name}" must be {"a list of documents" if several else "the document"} in Base64'
    try:
        return [b64decode(one, validate=True) for one in encoded]
    except (binascii.Error, ValueError) as problem:
        return f'"{name}" is not Base64 ({problem})'


def _spot(spot: Spot) -> dict[str, object]:
    return {
        "what": spot.what,
        "kinds": list(spot.kinds),
        "place": spot.place,
        "before": spot.before,
        "after": spot.after,
        "amount": round(spot.share, 4),
    }
