"""`check structure`: how much of two pages matches, element by element."""

import binascii
from base64 import b64decode
from collections.abc import Mapping

from whimbrel.parse.outline import outline
from whimbrel.records.outline import Step
from whimbrel.structure.matching import match

SEND = 'send {"a_b64": "PHA+YTwvcD4=", "b_b64": "PHA+YjwvcD4="}, two documents in Base64'


def check_structure(line: Mapping[str, object]) -> dict[str, object]:
    """`{a_b64, b_b64}` to `{matched, size_a, size_b, similarity}`; `note` beside them where that is the least."""
    if not isinstance(line, Mapping):
        return {"error": f"not a JSON object: {SEND}"}
    trees: list[list[Step]] = []
    for name in ("a_b64", "b_b64"):
        encoded = line.get(name)
        if not isinstance(encoded, str):
            return {"error": f'"{name}" must be a document in Base64: {SEND}'}
        try:
            trees.append(outline(b64decode(encoded, validate=True), "text/html"))
        except (binascii.Error, ValueError) as problem:
            return {"error": f'"{name}" is not Base64 ({problem}): {SEND}'}
    found = match(*trees)
    answer: dict[str, object] = {
        "matched": found.matched,
        "size_a": found.size_a,
        "size_b": found.size_b,
        "similarity": round(found.similarity, 4),
    }
    return answer if found.exact else answer | {"note": found.note}
