"""`export`: which pages, what they say for machines, and a kind of page as a table."""

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grown_folder import Served, grow

Call = Callable[..., Any]
SITE = "http://a.example"
ITEMS = 12


def item(number: int, price: int) -> bytes:
    data = json.dumps({"@type": "Product", "name": f"pan {number}", "offers": {"@type": "Offer", "price": price}})
    words = " ".join(f"word{number * 40 + at}" for at in range(60))
    return (
        f'<title>Pan {number}</title><script type="application/ld+json">{data}</script><body>'
        f"<div class=shop>The shop</div><div class=item><h1>Pan {number}</h1><dl><dt>Price</dt><dd>{price} €</dd>"
        f"<dt>Weight</dt><dd>{number} kg</dd></dl>"
        f"<p class=about>{words}</p></div>"
    ).encode()


def shop(price: int) -> dict[str, Served]:
    links = "".join(f'<li><a href="/item/{at}">Pan {at}</a></li>' for at in range(ITEMS))
    texts = "".join(f'<li><a href="/text/{at}">Text {at}</a></li>' for at in range(ITEMS))
    texts_of = {
        f"{SITE}/text/{at}": Served(
            f"<title>Text {at}</title><body><article class=text><h2>Text {at}</h2><p>"
            f"{' '.join(f'letter{at * 7 + one}' for one in range(70))}</p></article>".encode()
        )
        for at in range(ITEMS)
    }
    items = {f"{SITE}/item/{at}": Served(item(at, 10 + at + (price if at < 2 else 0))) for at in range(ITEMS)}
    return {f"{SITE}/": Served(f"<title>Shop</title><body><ul>{links}{texts}</ul>".encode()), **items, **texts_of}


@pytest.fixture(scope="module")
def shop_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("choices") / "folder"
    grow(folder, shop(0), shop(100))
    return folder


def test_a_kind_of_page_becomes_a_table(call: Call, shop_folder: Path, tmp_path: Path) -> None:
    said = call("export", "--repo", shop_folder, "--like", f"{SITE}/item/3", "--fields")
    rows = {row["url"]: row for row in said.lines}
    assert set(rows) == {f"{SITE}/item/{at}" for at in range(ITEMS)}
    row = rows[f"{SITE}/item/3"]
    assert (row["title"], row["Price"], row["Weight"]) == ("3", "13 €", "3 kg")
    file = tmp_path / "items.csv"
    assert call("export", "--repo", shop_folder, "--like", f"{SITE}/item/3", "--fields", "--format", "csv",
                "--output", file).code == 0  # fmt: skip
    read = list(csv.DictReader(io.StringIO(file.read_text(), newline="")))
    assert [{name: value for name, value in one.items() if value} for one in read] == said.lines


def test_a_table_as_parquet(call: Call, shop_folder: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs the extra `parquet`")
    file = tmp_path / "items.parquet"
    assert call("export", "--repo", shop_folder, "--like", f"{SITE}/item/3", "--fields", "--format", "parquet",
                "--output", file).code == 0  # fmt: skip
    assert parquet.read_table(file).column("Weight").to_pylist()[0] == "0 kg"


def test_pages_with_what_they_say_for_machines(call: Call, shop_folder: Path) -> None:
    said = call("export", "--repo", shop_folder, "--has", "offer", "--data").lines
    assert len(said) == ITEMS
    assert {one["data"][0]["syntax"] for one in said} == {"json-ld"}
    assert {one["data"][0]["data"]["name"] for one in said} == {f"pan {at}" for at in range(ITEMS)}
    assert call("export", "--repo", shop_folder, "--has", "Event").lines == []


def test_pages_by_address_and_by_when_they_changed(call: Call, shop_folder: Path) -> None:
    matched = call("export", "--repo", shop_folder, "--match", "/item/1").lines
    assert [one["url"] for one in matched] == [f"{SITE}/item/{at}" for at in (1, 10, 11)]
    day = max(one["fetched_at"] for one in call("export", "--repo", shop_folder).lines)[:10]
    since = call("export", "--repo", shop_folder, "--since", day).lines
    assert {f"{SITE}/item/0", f"{SITE}/item/1"} == {one["url"] for one in since}


def test_without_pages_that_say_nearly_the_same(call: Call, tmp_path: Path) -> None:
    words = [f"word{at}" for at in range(400)]
    texts = {"/one": words, "/two": [*words[:-1], "changed"], "/three": words[::-1]}
    pages = {f"{SITE}{path}": Served(f"<p>{' '.join(text)}</p>".encode()) for path, text in texts.items()}
    links = "".join(f'<a href="{path}">{path}</a>' for path in texts)
    grow(tmp_path / "twins", {f"{SITE}/": Served(f"<p>{links}</p>".encode()), **pages})
    kept = {one["url"] for one in call("export", "--repo", tmp_path / "twins", "--no-near-twins").lines}
    assert f"{SITE}/three" in kept
    assert len(kept & {f"{SITE}/one", f"{SITE}/two"}) == 1


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--fields",), "--like"),
        (("--fields", "--like", f"{SITE}/item/3", "--format", "llms-txt"), "jsonl, csv, parquet"),
        (("--format", "wacz", "--output", "x.wacz", "--match", "a"), "--match"),
        (("--match", "("), "regular expression"),
        (("--since", "once upon a time"), "yesterday"),
    ],
)
def test_what_cannot_be_asked_for_is_said(call: Call, shop_folder: Path, flags: tuple[str, ...], words: str) -> None:
    said = call("export", "--repo", shop_folder, *flags)
    assert (said.code, words in said.err) == (2, True)


def test_too_few_pages_of_a_kind_make_no_table(call: Call, shop_folder: Path) -> None:
    said = call("export", "--repo", shop_folder, "--like", f"{SITE}/item/3", "--fields", "--match", "/item/1$")
    assert said.code != 0
    assert "Crawl more of them" in said.err
