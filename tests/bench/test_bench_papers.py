"""The table of what the papers claim: what is measured of copies and blank pages, and what counts as a goal."""

from pathlib import Path

from whimbrel.bench import papers, papers_site
from whimbrel.bench.papers import LOST, P0, Claim, Report


def test_copies_are_recognised_and_nothing_dead_or_redundant_is_shown(tmp_path: Path) -> None:
    """A real crawl of a site with as many blank documents and copies as Table 7.2 counts."""
    found = papers_site.documents(tmp_path, seed=5)
    assert found.copies == papers_site.COPIES
    assert 0 < found.by_bytes < found.recognised <= found.copies
    assert found.recognised >= 0.9 * found.copies
    assert (found.dead_shown, found.redundant_shown) == (0, found.copies - found.recognised)


def test_what_was_not_measured_has_no_goal() -> None:
    claims = [
        Claim(P0, "Table 1", "measured", "2", "crawl", 3.0, 4.0, 5, least=2.0),
        Claim(P0, "Table 2", "missed", "2", "simulation", 1.0, 4.0, 5, least=2.0),
        Claim(P0, "Table 3", "gone", "2", LOST),
        Claim(P0, "Table 4", "only told", "2", "calculation", 2.0),
    ]
    assert [(goal.figure, goal.reached) for goal in papers.goals(Report(1, 200, claims))] == [
        ("P0 Table 1: measured", True),
        ("P0 Table 2: missed", False),
    ]


def test_what_can_be_calculated_is_what_the_papers_print() -> None:
    for claim in papers._calculated():
        assert claim.ours is not None
        assert f"{claim.ours:.3f}"[:4] == f"{float(claim.theirs):.3f}"[:4], claim.claim
