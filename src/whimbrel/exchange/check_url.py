"""`check url`: what a text names, by the WHATWG standard and in our normal form."""

from collections.abc import Mapping

from whimbrel.records.verdict import Verdict
from whimbrel.urls.normal import href, normalise

SEND = 'send {"input": "../a?b#c", "base": "https://example.org/d/"}; base may be null or left out'


def check_url(line: Mapping[str, object]) -> dict[str, object]:
    """`{input, base}` to `{href, normal}`, or to `{failure, reason}` where the standard says failure.

    A URL that is not http(s) has an href but no normal form: `reason` says so.
    """
    if not isinstance(line, Mapping):
        return {"error": f"not a JSON object: {SEND}"}
    text, base = line.get("input"), line.get("base")
    if not isinstance(text, str):
        return {"error": f'"input" must be a text: {SEND}'}
    if base is not None and not isinstance(base, str):
        return {"error": f'"base" must be a text or null: {SEND}'}
    plain = href(text, base)
    if isinstance(plain, Verdict):
        return {"failure": True, "reason": plain.reason}
    normal = normalise(text, base)
    if isinstance(normal, Verdict):
        return {"href": plain, "reason": normal.reason}
    return {"href": plain, "normal": normal}
