"""Pages as an llms.txt, read back by the rules of its standard."""

import io
import json
import re
import subprocess
import venv
from pathlib import Path

import pytest

from grown_folder import Served, grow, page, small_world
from whimbrel.exchange.llms_txt import llms_txt
from whimbrel.exchange.tables import ExportWanted
from whimbrel.repository.engines import open_reader

LINK = re.compile(r"- \[([^\]]+)\]\(([^)]+)\)(?:: (.*))?")


def written(folder: Path) -> tuple[str, int]:
    """The llms.txt of a small folder with an oddly named page, and how many pages it has."""
    world = small_world()
    world["http://a.example/"] = Served(page("the start page", ["/odd_(bird)", "/deep/1", "/near", "/copy/1"]))
    world["http://a.example/odd_(bird)"] = Served(page("an odd page of its own", title="A [very] odd\n title"))
    grow(folder, world)
    out = io.BytesIO()
    with open_reader(folder) as reader:
        count = llms_txt(reader, ExportWanted(main_text=True), out)
    return out.getvalue().decode(), count.pages


def test_every_page_has_a_line_below_its_site(tmp_path: Path) -> None:
    text, pages = written(tmp_path)
    head, *sections = re.split(r"^## ", text, flags=re.MULTILINE)
    assert head.startswith("# a.example\n\n> ")
    lines = [line for section in sections for line in section.splitlines()[1:] if line]
    found = {match[2]: (match[1], match[3]) for line in lines if (match := LINK.fullmatch(line))}
    assert len(found) == len(lines) == pages
    assert found["http://a.example/odd_%28bird%29"][0] == "A (very) odd title"
    assert found["http://a.example/deep/1"][1].startswith("one step down")
    assert sum(f"http://a.example/{name}" in found for name in ("near", "copy/1", "copy/2")) == 1, "twins are one"
    assert [section.splitlines()[0] for section in sections] == sorted(
        {section.splitlines()[0] for section in sections}
    )


@pytest.mark.long
def test_the_standards_own_parser_reads_it(tmp_path: Path) -> None:
    text, pages = written(tmp_path / "folder")
    venv.create(tmp_path / "parser", with_pip=True)
    python = tmp_path / "parser/bin/python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", "llms-txt"], check=True, timeout=600)
    (tmp_path / "llms.txt").write_text(text)
    code = (
        "import json; from llms_txt import parse_llms_file; read = parse_llms_file(open('llms.txt').read());"
        "print(json.dumps([read.title, sorted(link.url for links in read.sections.values() for link in links)]))"
    )
    said = subprocess.run([python, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60)
    title, urls = json.loads(said.stdout)
    assert (title, len(urls)) == ("a.example", pages)
    assert "http://a.example/odd_%28bird%29" in urls
