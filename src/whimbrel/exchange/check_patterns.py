"""`check patterns`: which items go together in baskets, and the weight that makes."""

from collections.abc import Mapping

from whimbrel.behaviour.patterns import MIN_CONFIDENCE, MIN_SUPPORT, Unminable, mine

SEND = 'send {"baskets": [[1, 8], [8]], "min_support": 2, "min_confidence": 0.6}'


def check_patterns(line: Mapping[str, object]) -> dict[str, object]:
    """`{baskets, min_support, min_confidence}` to `{frequent, largest, rules, weight}`.

    A support that is a whole number is a count of baskets, a fraction a share of them.
    """
    baskets = line.get("baskets")
    if not isinstance(baskets, list) or not all(isinstance(each, list) for each in baskets):
        return {"error": f'"baskets" must be a list of lists: {SEND}'}
    if not all(isinstance(item, str | int) for each in baskets for item in each):
        return {"error": f"items must be whole numbers or texts: {SEND}"}
    support, confidence = line.get("min_support", MIN_SUPPORT), line.get("min_confidence", MIN_CONFIDENCE)
    if isinstance(support, bool) or not isinstance(support, int | float):
        return {"error": f'"min_support" must be a number: {SEND}'}
    if isinstance(confidence, bool) or not isinstance(confidence, int | float):
        return {"error": f'"min_confidence" must be a number: {SEND}'}
    mined = mine(baskets, support, confidence)
    if isinstance(mined, Unminable):
        return {"error": mined.reason}
    return {
        "frequent": [{"items": items, "count": count} for items, count in mined.frequent.items()],
        "largest": mined.largest,
        "rules": [
            {"given": rule.given, "then": rule.then, "support": rule.support, "confidence": round(rule.confidence, 4)}
            for rule in mined.rules
        ],
        "weight": round(mined.weight, 4),
    }
