"""`bench near` on a few documents: they are what they say, and the figures are counted right."""

import json
import tarfile
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner
from wordy import prose

from whimbrel.bench import near as bench
from whimbrel.bench.near_copies import Family, families, judged, read_pages
from whimbrel.bench.near_documents import EDITS, document, language_of, origin
from whimbrel.bench.near_finder import ReadPage
from whimbrel.bench.simhash import SimHashes
from whimbrel.cli.bench_near import near
from whimbrel.dedupe.shingles import resemblance, shingles_of, words_of


@pytest.fixture
def site(tmp_path: Path) -> Path:
    for seed in range(60):
        paragraphs = "".join(f"<p>{line}</p>" for line in prose(seed, 60 + 4 * seed).splitlines())
        (tmp_path / f"page{seed}.html").write_text(f"<title>Page {seed}</title><main>{paragraphs}</main>")
    return tmp_path


def test_documents_are_made_from_their_number() -> None:
    language = language_of(prose(seed, 200) for seed in range(20))
    kinds = Counter((made.edits, made.sibling) for number in range(2000) if (made := origin(number)))
    assert set(kinds) == {(None, False), (None, True), *((edits, False) for edits in EDITS)}
    for number in range(2000):
        made = origin(number)
        assert origin(made.source).source == made.source
        assert made.source <= number
    copy = next(number for number in range(2000) if origin(number).edits == 0.05)
    alike = resemblance(*(shingles_of(words_of(document(language, one))) for one in (copy, origin(copy).source)))
    assert 0.6 < alike < 0.9
    assert document(language, copy) == document(language, copy)


def test_simhash_is_near_for_equal_words_and_far_for_others() -> None:
    peer = SimHashes()
    assert peer.take(words_of(prose(1, 400))) is None
    assert peer.take(words_of(prose(2, 400))) is None
    assert peer.take(words_of(prose(1, 400))) == 0


def test_a_small_run(site: Path) -> None:
    plan = bench.NearTrial(site, documents=1200, peer_documents=300, real_pages=60)
    report = bench.run(plan, lambda words: None)
    assert sum(report.ours.copies.values()) == 59
    assert report.ours.recall(0.0) == 1.0
    assert report.ours.precision >= 0.9
    assert report.ours.linked >= report.ours.right > 30
    assert report.index_bytes > 1200 * 64
    assert set(report.stages) == {"sketch", "index", "compare"}
    assert report.real is not None
    assert (report.real.pages, report.real.linked) == (60, 0)


def test_the_command_says_what_it_measured(site: Path) -> None:
    arguments = [
        "--site",
        str(site),
        "--documents",
        "200",
        "--peer-documents",
        "100",
        "--real-pages",
        "20",
        "--copies",
        "0",
    ]
    said = CliRunner().invoke(near, arguments)
    assert said.exit_code == 0
    assert "recall at 5% edited words" in said.stdout
    assert "SimHash" in said.stdout
    figures = json.loads(CliRunner().invoke(near, [*arguments, "--json"]).stdout)
    assert figures["ours"]["documents"] == 200
    assert CliRunner().invoke(near, ["--site", str(site / "none")]).exit_code != 0


def test_near_copies_are_right_by_their_texts_and_not_by_their_paths() -> None:
    one, other, third = prose(1, 200), prose(2, 200), prose(3, 200)
    pages = [
        *(ReadPage("same", "", one, one), ReadPage("same", "", one, one)),
        *(ReadPage("moved", "", other, other), ReadPage("away", "", other, other)),
        *(ReadPage("missed", "", third, third), ReadPage("missed", "", third, third)),
        ReadPage("wrong", "", prose(4, 200), prose(4, 200)),
    ]
    found = judged(Family("made", lambda: ({}, {})), pages, [0, 0, 2, 2, 4, 5, 0])
    assert (found.linked, found.right, found.elsewhere, found.pairs, found.found) == (3, 2, 2, 2, 1)
    assert (found.precision, found.recall) == (2 / 3, 0.5)


def test_releases_are_read_from_a_folder_of_archives(site: Path, tmp_path: Path) -> None:
    packed = tmp_path / "packed"
    packed.mkdir()
    for release in ("1.0", "1.1"):
        with tarfile.open(packed / f"manual-{release}.tar.xz", "w:xz") as archive:
            archive.add(site / "page1.html", f"{release}/page1.html")
            archive.add(site / "page2.html", f"{release}/sub/page2.html")
    first = families(packed)[0]
    assert first.name == "manual-1.0, manual-1.1"
    pages = read_pages(first, 10, seed=1)
    assert sorted(page.path for page in pages) == ["page1.html", "page1.html", "sub/page2.html", "sub/page2.html"]
    assert len(families(None)) == len(families(packed)) - 1
