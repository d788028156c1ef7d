"""`bench structure`: what a file name says, what is taken out of the markup, and a small run."""

from pathlib import Path

import pytest

from whimbrel.bench import cppreference, rustdoc, structure
from whimbrel.bench.structure_site import NotThatSite, draw


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("std/vec/struct.Vec.html", "struct"),
        ("core/fn.drop.html", "fn"),
        ("alloc/macro.vec.html", "macro"),
        ("std/vec/index.html", "module"),
        ("src/core/lib.rs.html", "source"),
        ("std/all.html", ""),
        ("std/constant.X.html", ""),
        ("book/index.html", ""),
    ],
)
def test_the_kind_a_file_name_says(path: str, kind: str) -> None:
    assert rustdoc.kind_of(Path(), path) == kind


def test_the_kind_that_other_pages_say(tmp_path: Path) -> None:
    rows = [
        ("vector.html", "class template"),
        ("vector/at.html", "public member function"),
        ("swap.html", "function template"),
        ("pair.html", "class template"),
        ("pair.html", "typedef"),
        ("is_void.html", "class template"),
    ]
    listed = "".join(
        f'<tr class="t-dsc"><td><a href="{to}">x</a></td><td>it is <span class="t-mark">({word})</span></td></tr>'
        for to, word in rows
    )
    (tmp_path / "cpp" / "vector").mkdir(parents=True)
    (tmp_path / "cpp" / "list.html").write_text(f"<table>{listed}</table>")
    paths = ("vector", "vector/at", "swap", "pair", "is_void", "list", "header/any", "keyword/auto")
    said = [cppreference.kind_of(tmp_path, f"cpp/{path}.html") for path in paths]
    assert said == ["class", "function", "function", "", "", "", "header", "keyword"]
    assert cppreference.kind_of(tmp_path, "c/language/if.html") == ""


def test_what_the_markup_says_about_the_kind_is_taken_out() -> None:
    steps = [
        (0, "html", "x"),
        (1, "body", "rustdoc struct"),
        (2, "a", "struct"),
        (2, "h1", "fqn trait-impl module_item"),
        (3, "#h1", "Struct Vec"),
        (3, "#h2", "Structs"),
    ]
    assert rustdoc.SITE.blind(steps) == [
        (0, "html", ""), (1, "body", ""), (2, "a", ""), (2, "h1", "fqn"), (3, "#h1", " vec"), (3, "#h2", "Structs"),
    ]  # fmt: skip


def test_a_folder_without_these_kinds_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotThatSite, match="every kind"):
        draw(rustdoc.SITE.at(tmp_path), 10, 1)


@pytest.mark.long
@pytest.mark.skipif(not rustdoc.SITE.folder.is_dir(), reason=f"{rustdoc.SITE.package} is not installed")
def test_a_small_run() -> None:
    report = structure.run(structure.Plan(rustdoc.SITE, pages=200, plain_pages=5, draws=2), lambda words: None)
    assert (report.judged, report.plain_judged, report.times.same) == (200, 5, 1.0)
    assert sum(report.times.sources.values()) <= 1_000
    assert report.ways[0].precision > 0.8
    assert len(report.ways[0].draws) == 2
