"""`bench structure`: what a file name says, what is taken out of the markup, and a small run."""

from itertools import permutations, product
from pathlib import Path
from random import Random

import pytest

from whimbrel.bench import cppreference, rustdoc, structure, structure_kinds, structure_sites
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
    report = structure.run(
        structure.StructureTrial(rustdoc.SITE, pages=200, plain_pages=5, draws=2), lambda words: None
    )
    assert (report.judged, report.plain_judged, report.times.same) == (200, 5, 1.0)
    assert sum(report.times.sources.values()) <= 1_000
    assert report.ways[0].precision > 0.8
    assert len(report.ways[0].draws) == 2


RULED = {
    "eigen": {"classA.html": "class", "structB_1_1C.html": "class", "classA-members.html": "members",
              "A_8h_source.html": "source", "search/classes_1.html": "", "dir_0a1b.html": "folder"},
    "openjdk": {"java.base/java/lang/Class.html": "class", "java.base/java/lang/class-use/Class.html": "use",
                "java.base/java/lang/package-use.html": "use", "java.base/java/lang/package-summary.html": "package"},
    "rust": {"std/vec/struct.Vec.html": "type", "std/enum.E.html": "type", "std/vec/index.html": "module"},
    "python": {"library/os.html": "library", "library/index.html": "", "faq/general.html": "prose"},
    "jsofocaml": {"a/Dom/class-type-event/index.html": "class", "a/Dom/module-type-S/index.html": "module",
                  "a/index.html": "", "a/Dom/argument-1-J/index.html": "module"},
    "twisted": {"api/twisted.web.http.html": "module", "api/twisted.python.util._Fancy.html": "class",
                "api/moduleIndex.html": "", "web/howto/web-in-60/static-content.html": "prose"},
    "racket": {"gui/readable-snip___.html": "class", "gui/scroll-event_.html": "class", "file/zip.html": "prose",
               "srfi/srfi-std/srfi-29.html": "srfi", "htdp/index.html": ""},
}  # fmt: skip


@pytest.mark.parametrize(("site", "path", "kind"), [(s, p, k) for s, paths in RULED.items() for p, k in paths.items()])
def test_the_kind_that_a_generator_says(site: str, path: str, kind: str) -> None:
    (ruled,) = (one for one in (*structure_sites.SITES, *structure_sites.LATER) if one.name == site)
    assert ruled.kind_of(Path(), path) == kind


def test_a_class_stands_beside_its_members(tmp_path: Path) -> None:
    for name in ("qa.html", "qa-members.html", "qb.html", "qml-x.html", "qml-x-members.html"):
        (tmp_path / name).touch()
    said = [structure_sites.qdoc(tmp_path, name) for name in ("qa.html", "qa-members.html", "qb.html", "qml-x.html")]
    assert said == ["class", "members", "", "QML type"]


def made_up(folder: Path, name: str, generator: str) -> structure_sites.KindsSite:
    """Two kinds of pages that have some parts and lack others."""
    chance = Random(name)
    folder.mkdir()
    for kind, parts in {"class": ["summary", "members", "notes"], "list": ["letters", "entries", "hints"]}.items():
        for number in range(30):
            some = [parts[0], *(part for part in parts[1:] if chance.random() < 0.6)]
            body = "".join(f"<section class={part}><h2 class={part}>{part}</h2><p>text" for part in some)
            (folder / f"{kind}{number}.html").write_text(f"<html><body><nav></nav><main>{body}</main></body></html>")
    rules = structure_sites.by_rules((("class", r"class\d+\.html"), ("list", r"list\d+\.html")))
    return structure_sites.KindsSite(name, generator, f"{name}-doc", folder, rules)


def test_sites_are_judged_with_what_other_generators_choose(tmp_path: Path) -> None:
    sites = [made_up(tmp_path / name, name, name[0]) for name in ("a1", "a2", "b1")]
    absent = structure_sites.KindsSite("c1", "c", "c1-doc", tmp_path / "nowhere", sites[0].kind_of)
    report = structure_kinds.run(60, 1, 1, lambda words: None, [*sites, absent], later=())
    assert [site.site for site in report.sites] == ["a1", "a2", "b1"]
    assert report.absent == ("c1-doc",)
    assert {(pair.examples, pair.pages) for pair in report.across} == set(permutations(("a1", "a2", "b1"), 2))
    assert all(site.told.nearest == (1.0, 1.0) and site.told.purity == 1.0 for site in report.sites)
    reached = {goal.figure: goal.reached for goal in report.goals}
    assert reached["nearest: precision"]
    assert not reached["sites"]


def test_constants_are_chosen_by_how_much_of_the_goals_they_reach() -> None:
    good, bad = (structure_kinds.KindsTold((1, 1), (part, part), (part, part), part, 1.0) for part in (1.0, 0.5))
    site = dict.fromkeys(product(structure_kinds.SHARES, structure_kinds.MEETS), bad)
    best = structure_kinds.SHARES[1], structure_kinds.MEETS[1]
    assert structure_kinds.chosen([{**site, best: good}]) == best
