"""Pages as an llms.txt, read back by the rules of its standard."""

import io
import re
from pathlib import Path

from grown_folder import Served, grow, page, small_world
from whimbrel.exchange.llms_txt import llms_txt
from whimbrel.exchange.tables import ExportWanted
from whimbrel.repository.engines import open_reader

LINK = re.compile(r"- \[([^\]]+)\]\(([^)]+)\)(?:: (.*))?")


def test_every_page_has_a_line_below_its_site(tmp_path: Path) -> None:
    world = small_world()
    odd = "http://a.example/odd_(bird)"
    world["http://a.example/"] = Served(page("the start page", ["/odd_(bird)", "/deep/1", "/near", "/copy/1"]))
    world[odd] = Served(page("an odd page of its own", title="A [very] odd\n title"))
    grow(tmp_path, world)
    out = io.BytesIO()
    with open_reader(tmp_path) as reader:
        count = llms_txt(reader, ExportWanted(main_text=True), out)
    head, *sections = re.split(r"^## ", out.getvalue().decode(), flags=re.MULTILINE)
    assert head.startswith("# a.example\n\n> ")
    lines = [line for section in sections for line in section.splitlines()[1:] if line]
    found = {match[2]: (match[1], match[3]) for line in lines if (match := LINK.fullmatch(line))}
    assert len(found) == len(lines) == count.pages
    assert found["http://a.example/odd_%28bird%29"][0] == "A (very) odd title"
    assert found["http://a.example/deep/1"][1].startswith("one step down")
    assert sum(f"http://a.example/{name}" in found for name in ("near", "copy/1", "copy/2")) == 1, "twins are one"
    assert [section.splitlines()[0] for section in sections] == sorted(
        {section.splitlines()[0] for section in sections}
    )
