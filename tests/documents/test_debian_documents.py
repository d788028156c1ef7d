"""Documents that nobody here wrote: the PDFs of LaTeX and the OpenDocument manual of Debian Live."""

from pathlib import Path

import papers
import pytest

from whimbrel.bench import documents as bench
from whimbrel.documents import DocumentText, Extractor

SOME = slice(-60, None, 15)


def files(package: str) -> list[Path]:
    found = bench.files_of(package)
    if not found:
        pytest.skip(f"{package} is not installed")
    return found


@pytest.mark.parametrize("package", bench.PACKAGES)
def test_some_of_them_say_what_they_are(extractor: Extractor, package: str) -> None:
    for path in sorted(files(package), key=lambda path: path.stat().st_size)[SOME]:
        found = extractor.read(path.read_bytes(), "", path.as_uri())
        assert isinstance(found, DocumentText), (path, found)
        assert found.title
        assert len(found.text) > 1_000


def test_the_manual_is_in_its_language(extractor: Extractor) -> None:
    spanish = next(path for path in files("live-manual-odf") if path.name == "live-manual.es.odt")
    found = extractor.read(spanish.read_bytes(), "", spanish.as_uri())
    assert isinstance(found, DocumentText)
    assert (found.title, found.language) == ("Manual de Live Systems", "es")
    assert "Manual de Live Systems" in papers.paragraphs(found)


@pytest.mark.long
def test_every_file_ends_as_text_or_reason() -> None:
    for package in bench.PACKAGES:
        files(package)
    report = bench.run(bench.DocumentsTrial(peer=False), lambda words: None)
    assert report.files == sum(len(bench.files_of(package)) for package in bench.PACKAGES) > 150
    assert sum(kind.files for kind in report.kinds) + len(report.failures) == report.files
    assert {failure.kind for failure in report.failures} <= {"empty"}
    assert report.helpers < 10
