"""`check ahp`: pairs of criteria compared in Saaty's words, weighed, and which three contradict each other."""

from collections.abc import Mapping, Sequence
from itertools import combinations

from whimbrel.migrants.home import ahp
from whimbrel.migrants.home.choice import CRITERIA

SEND = 'send {"criteria": ["a", "b", "c"], "judgements": [["a", "b", "strongly more"], …]}; without judgements: a form'
WORDS = {
    "equally": 1, "equally to moderately more": 2, "moderately more": 3, "moderately to strongly more": 4,
    "strongly more": 5, "strongly to very strongly more": 6, "very strongly more": 7,
    "very strongly to extremely more": 8, "extremely more": 9,
}  # fmt: skip
"""Saaty's scale (1980). "less" turns a word round."""
MOST_CRITERIA = 30


def check_ahp(line: Mapping[str, object]) -> dict[str, object]:
    """The form where nothing was judged; else weights, ratio, and the judgements as rows for the settings."""
    if not isinstance(line, Mapping):
        return {"error": f"not a JSON object: {SEND}"}
    names = line.get("criteria", list(CRITERIA))
    if not isinstance(names, list) or not 2 <= len(names) <= MOST_CRITERIA or len({*map(str, names)}) < len(names):
        return {"error": f"criteria are 2 to {MOST_CRITERIA} different names: {SEND}"}
    criteria = [str(name) for name in names]
    said = line.get("judgements", [])
    if not said:
        return form(criteria)
    if not isinstance(said, list):
        return {"error": f"judgements are a list of [criterion, criterion, how much]: {SEND}"}
    return _weighed(criteria, said)


def form(criteria: Sequence[str]) -> dict[str, object]:
    """Each pair once, as a question."""
    asked = [f"How much does “{one}” matter, compared with “{other}”?" for one, other in combinations(criteria, 2)]
    pairs = [[one, other, "equally"] for one, other in combinations(criteria, 2)]
    less = [word.replace("more", "less") for word in WORDS if "more" in word]
    return {"questions": asked, "answers": [*WORDS, *less], "judgements": pairs}


def _weighed(criteria: list[str], said: list[object]) -> dict[str, object]:
    given: dict[tuple[str, str], float] = {}
    for one in said:
        read = _judgement(one, criteria)
        if isinstance(read, str):
            return {"error": read}
        first, second, value = read
        if (first, second) in given or (second, first) in given:
            return {"error": f"“{first}” and “{second}” are compared twice; keep one of the two"}
        given[first, second] = value
    missing = [pair for pair in combinations(criteria, 2) if pair not in given and pair[::-1] not in given]
    if missing:
        pairs = ", ".join(f"“{one}” with “{other}”" for one, other in missing[:3])
        return {"error": f"{len(missing)} pairs are not compared yet: {pairs}{' …' if len(missing) > 3 else ''}"}
    upper = [
        [given[one, other] if (one, other) in given else 1.0 / given[other, one] for other in criteria[at + 1 :]]
        for at, one in enumerate(criteria[:-1])
    ]
    matrix = ahp.reciprocal(upper)
    weighed, verdict = ahp.weigh(matrix), ahp.check(matrix, criteria)
    weights = {name: round(weight, 4) for name, weight in zip(criteria, weighed.weights, strict=True)}
    return {
        "weights": weights,
        "ratio": round(weighed.ratio, 4),
        "consistent": verdict.accepted,
        "contradiction": verdict.reason,
        "rows": [" ".join(ahp.plain(value) for value in row) for row in upper],
    }


def _judgement(said: object, criteria: Sequence[str]) -> tuple[str, str, float] | str:
    if not isinstance(said, list) or len(said) != 3:
        return f"a judgement is [criterion, criterion, how much], not {said!r}"
    first, second, how = said
    for name in (first, second):
        if name not in criteria:
            return f"{name!r} is none of the criteria: {', '.join(criteria)}"
    if first == second:
        return f"“{first}” cannot be compared with itself"
    value = _scale(how)
    return (
        (first, second, value)
        if value
        else f"{how!r} is no judgement; say one of: {', '.join(WORDS)}, or less for more"
    )


def _scale(how: object) -> float:
    """0 for what is none."""
    if isinstance(how, str):
        word = " ".join(how.lower().split())
        if word in WORDS:
            return float(WORDS[word])
        turned = WORDS.get(word.replace("less", "more"), 0) if "less" in word else 0
        return 1.0 / turned if turned else 0.0
    number = float(how) if isinstance(how, int | float) and not isinstance(how, bool) else 0.0
    return number if 1 / 9 - 1e-9 <= number <= 9.0 else 0.0
