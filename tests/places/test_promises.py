"""Every promise of docs/places.md has a test by the name that the page gives."""

import re
from pathlib import Path

import pytest

TOP = Path(__file__).parents[2]
PAGE = (TOP / "docs/places.md").read_text()
NAMED = sorted(set(re.findall(r"`((?:tests/)?[\w/]*test_\w+\.py)(?:::(\w+))?`", PAGE)))


@pytest.mark.parametrize(("file", "name"), NAMED)
def test_a_promise_is_tried_by_the_test_that_it_names(file: str, name: str) -> None:
    path = TOP / file if file.startswith("tests/") else TOP / "tests/places" / file
    assert path.is_file()
    assert not name or re.search(rf"^(async )?def {name}\(", path.read_text(), re.MULTILINE)


def test_a_table_of_promises_is_there() -> None:
    assert len([name for _, name in NAMED if name]) > 20
