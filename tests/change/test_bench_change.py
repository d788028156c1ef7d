"""The benchmark counts what it should."""

import gzip
import json
from pathlib import Path

from whimbrel.bench.change import run


def test_changes_and_alarms_are_counted(tmp_path: Path) -> None:
    pages = {
        "one": "<nav>a</nav><main><p>Text of the page</main>",
        "two": "<nav>b</nav><main><p>Text of the page</main>",
        "three": "<nav>b</nav><main><p>Text of another page</main>",
    }
    (tmp_path / "pages").mkdir()
    for name, markup in pages.items():
        (tmp_path / "pages" / f"{name}.html.gz").write_bytes(gzip.compress(markup.encode()))
    pairs = [("one", "two", False), ("two", "three", True)]
    lines = [json.dumps({"page": "S/p", "before": b, "after": a, "changed": c}) for b, a, c in pairs]
    (tmp_path / "pairs.jsonl").write_text("\n".join(lines))
    report = run(tmp_path, lambda words: None)
    scores = {score.method: score for score in report.scores if score.site == "all"}
    ours, text, tags = scores["ours"], scores["visible text"], scores["P1 tree"]
    assert (ours.found, ours.false_alarms, ours.precision, ours.recall) == (1, 0, 1.0, 1.0)
    assert (text.found, text.false_alarms, text.precision) == (1, 1, 0.5)
    assert (tags.found, tags.false_alarms) == (0, 0)
    assert {cost.method for cost in report.costs} >= {"P1 tree", "P1 fingerprint"}
