"""What `bench images` makes of pictures."""

import numpy as np

from whimbrel.bench import images as bench
from whimbrel.shapes.shape import shape_of


def example(name: str, source: str, high: int, wide: int) -> bench.Example:
    grey = np.full((90, 90), 255, np.uint8)
    grey[45 - high : 45 + high, 45 - wide : 45 + wide] = 0
    shape = shape_of(grey)
    assert shape is not None
    return bench.Example(name, source, grey, shape)


def test_bars_are_told_from_squares_and_their_labels_checked() -> None:
    sizes = [("square", 20, 20), ("square", 25, 24), ("bar", 5, 30), ("bar", 6, 36)]
    examples = [example(name, source, high, wide) for source in ("clipart", "glyph") for name, high, wide in sizes]
    report = bench.measured(examples, 1)
    assert report.copies == len(examples) * bench.COPIES
    assert report.copies_found > 0.9
    assert (report.unseen, report.other_source) == (1.0, 1.0)
    assert report.confusion == {"square": {"square": 2}, "bar": {"bar": 2}}
    assert report.right_labels_flagged == 0.0
    assert {goal.figure for goal in bench.goals(report) if goal.goal == "≥ 0.95"} == {"class found of altered copies"}
