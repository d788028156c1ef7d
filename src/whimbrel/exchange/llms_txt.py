"""Pages as an llms.txt (llmstxt.org): one Markdown file that leads a language model to them, section by section.

A twin gets no line: its text is its survivor's.
"""

import re
from collections import defaultdict
from typing import BinaryIO
from urllib.parse import urlsplit

from whimbrel.exchange.tables import ExportCount, ExportWanted, rows
from whimbrel.repository.port.reader import Reader

SHORTEST_PROSE = 40
DESCRIPTION_CHARACTERS = 160
_BRACKETS = str.maketrans({"[": "(", "]": ")"})
_SENTENCE = re.compile(r"(?<=[.!?。！？])\s")


def llms_txt(reader: Reader, wanted: ExportWanted, out: BinaryIO) -> ExportCount:
    """A line a page below its site and folder. With the main text, each says how its page begins."""
    count = ExportCount()
    sections: defaultdict[str, list[str]] = defaultdict(list)
    for page in rows(reader, wanted, count):
        if not isinstance(page.duplicate_of, str):
            begins = _beginning(page.main_text) if isinstance(page.main_text, str) else ""
            name = " ".join(page.title.split()).translate(_BRACKETS) or page.url
            sections[_section(page.url)].append(f"- [{name}]({_address(page.url)}){f': {begins}' if begins else ''}")
    count.twins = 0
    sites = sorted({section.partition("/")[0] for section in sections})
    lines = [
        f"# {', '.join(sites) or 'Nothing is kept yet'}",
        "",
        f"> {count.pages:,} pages of {len(sites):,} site{'' if len(sites) == 1 else 's'}, as Whimbrel keeps them.",
        "",
        "Pages that say the same as another one are left out.",
    ]
    for section, links in sorted(sections.items()):
        lines += ["", f"## {section}", "", *links]
    out.write("\n".join([*lines, ""]).encode("utf-8", "replace"))
    return count


def _section(url: str) -> str:
    """The site and the first folder of the path."""
    parts = urlsplit(url)
    folder, below, _ = parts.path.strip("/").partition("/")
    return f"{parts.netloc}/{folder}" if below else parts.netloc


def _address(url: str) -> str:
    """In Markdown a bracket ends an address."""
    return url.replace("(", "%28").replace(")", "%29")


def _beginning(text: str) -> str:
    """The first sentence that is more than a heading; one that only counts ("18.") is none by itself."""
    prose = next((line for line in text.splitlines() if len(line) >= SHORTEST_PROSE), "")
    first = ""
    for sentence in _SENTENCE.split(" ".join(prose.split())):
        first = f"{first} {sentence}".strip()
        if len(first) >= SHORTEST_PROSE:
            break
    return first if len(first) <= DESCRIPTION_CHARACTERS else f"{first[: DESCRIPTION_CHARACTERS - 1].rstrip()}…"
