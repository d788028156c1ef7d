"""Software that people run, as Debian packages it or npm has it, standing on loopback for a test."""

from collections.abc import Iterator
from pathlib import Path

import cgit as cgits
import docusaurus as docusauruses
import dokuwiki as dokuwikis
import mediawiki as mediawikis
import pytest
import wordpress as wordpresses


def _needs(paths: tuple[str, ...]) -> None:
    missing = [path for path in paths if not Path(path).exists()]
    if missing:
        pytest.skip(f"not installed here: {', '.join(missing)}")


@pytest.fixture
def mediawiki(tmp_path: Path) -> Iterator[mediawikis.MediaWiki]:
    _needs(mediawikis.NEEDS)
    with mediawikis.mediawiki(tmp_path / "mediawiki") as site:
        yield site


@pytest.fixture
def wordpress(tmp_path: Path) -> Iterator[wordpresses.WordPress]:
    _needs(wordpresses.NEEDS)
    with wordpresses.wordpress(tmp_path / "wordpress") as site:
        yield site


@pytest.fixture
def cgit(tmp_path: Path) -> Iterator[cgits.Cgit]:
    """Its own pages may be followed, as an owner would set it for a search of their own."""
    _needs(cgits.NEEDS)
    with cgits.cgit(tmp_path / "cgit", robots="index, follow") as site:
        yield site


@pytest.fixture
def dokuwiki(tmp_path: Path) -> Iterator[str]:
    _needs(dokuwikis.NEEDS)
    with dokuwikis.dokuwiki(tmp_path / "dokuwiki", 50) as url:
        yield url


@pytest.fixture
def docusaurus(tmp_path: Path) -> Iterator[docusauruses.Docusaurus]:
    with docusauruses.docusaurus(tmp_path / "docusaurus") as site:
        yield site
