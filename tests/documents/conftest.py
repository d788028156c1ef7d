from collections.abc import Iterator

import pytest

from whimbrel.documents import Extractor


@pytest.fixture(scope="session")
def extractor() -> Iterator[Extractor]:
    with Extractor() as open_one:
        yield open_one
