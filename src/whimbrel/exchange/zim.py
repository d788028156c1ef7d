"""Pages as a ZIM file, which Kiwix and others read offline: written by Debian's `zimwriterfs`, run as a program.

Each page is its main part, for reading: links between kept pages lead within the file, others out to the web. Scripts,
forms and what other hosts would have to send are left out. A twin gets no page: its survivor stands for it.
"""

import html
import json
import os
import shutil
import struct
import subprocess
import tempfile
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO
from urllib.parse import quote

from turbohtml import Document, Element

from whimbrel.exchange.extras import MissingExtra
from whimbrel.exchange.papers import Documents
from whimbrel.exchange.tables import ExportCount, ExportWanted, chosen, exported
from whimbrel.flows.copies import decoded
from whimbrel.parse.document import tree_of
from whimbrel.parse.main_part import main_element
from whimbrel.records.response import Failure
from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict
from whimbrel.repository.contract import RepositoryError
from whimbrel.repository.port.reader import Reader
from whimbrel.repository.views import StoredPage
from whimbrel.urls.normal import authority, href, normalise
from whimbrel.urls.normal import key as key_of

PROGRAM = "zimwriterfs"
LANGUAGES = Path("/usr/share/iso-codes/json/iso_639-2.json")
UNKNOWN = "und"
"""ISO 639-2: undetermined."""
TITLE_CHARACTERS, DESCRIPTION_CHARACTERS = 30, 80
"""Of what the ZIM specification allows for the file itself."""
PER_FOLDER = 1_000

_LEFT_OUT = (
    "script,style,noscript,template,iframe,frame,noframes,noembed,object,embed,applet,link,meta,base,form,input,button,"
    "select,textarea,img,picture,source,video,audio,track,svg,math,canvas,map,area"
)
_KEPT_ATTRIBUTES = frozenset({"href", "id", "lang", "dir", "colspan", "rowspan", "start", "title", "name"})
_OUTWARD = ("http:", "https:", "mailto:")
_MARKUP = ("text/html", "application/xhtml+xml")


def zim(reader: Reader, wanted: ExportWanted, out: BinaryIO) -> ExportCount:
    """One ZIM file with a page a kept page and a list of all."""
    program = shutil.which(PROGRAM)
    if program is None:
        raise MissingExtra(f"a ZIM file is written by {PROGRAM}. It is not here: on Debian, apt-get install zim-tools")
    with tempfile.TemporaryDirectory(prefix="whimbrel-zim-") as folder:
        pages = Path(folder, "pages")
        pages.mkdir()
        count, about = _write_pages(reader, wanted, pages)
        if not count.pages:
            raise RepositoryError("no page is kept that the file could hold. `whimbrel status` says what is.")
        file = Path(folder, "pages.zim")
        _packed(program, pages, file, about)
        with file.open("rb") as made:
            shutil.copyfileobj(made, out)
    return count


def _packed(program: str, pages: Path, file: Path, about: dict[str, str]) -> None:
    flags = [f"--{name}={value}" for name, value in about.items()]
    command = [program, "--welcome=index.html", "--illustration=illustration.png", *flags, str(pages), str(file)]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False, env=_quiet())
    if done.returncode or not file.exists():
        said = (done.stderr or done.stdout).decode("utf-8", "replace").strip()
        raise RepositoryError(f"{PROGRAM} could not write the file: {said[-300:] or f'exit code {done.returncode}'}")


def _quiet() -> dict[str, str]:
    return {**os.environ, "LC_ALL": "C.UTF-8"}


def _write_pages(reader: Reader, wanted: ExportWanted, folder: Path) -> tuple[ExportCount, dict[str, str]]:
    places = {page.url: f"{at // PER_FOLDER}/{_file(page.url)}" for at, page in enumerate(_pages(reader, wanted))}
    count = ExportCount()
    titles: dict[str, str] = {}
    languages: Counter[str] = Counter()
    with Documents(reader) as documents:
        for page in _pages(reader, wanted):
            row = exported(page, documents.of(page))
            place = folder / places[page.url]
            place.parent.mkdir(exist_ok=True)
            title = row.title or page.url
            body = _readable(page, reader, places) or _as_paragraphs(row.text)
            place.write_text(_document(title, body, page.url, row.language), "utf-8", "replace")
            titles[page.url] = title
            languages[row.language] += bool(row.language)
            count.pages += 1
    sites = sorted({authority(url) for url in places})
    (folder / "index.html").write_text(_listing(titles, places), "utf-8", "replace")
    (folder / "illustration.png").write_bytes(illustration())
    named = ", ".join(sites) or "nothing"
    return count, {
        "language": _language(languages),
        "title": named[:TITLE_CHARACTERS],
        "description": f"{count.pages:,} pages of {named}"[:DESCRIPTION_CHARACTERS],
        "creator": named[:DESCRIPTION_CHARACTERS],
        "publisher": "Whimbrel",
        "name": f"whimbrel_{sites[0] if sites else 'pages'}"[:DESCRIPTION_CHARACTERS],
    }


def _pages(reader: Reader, wanted: ExportWanted) -> Iterator[StoredPage]:
    return (page for page in chosen(reader, wanted) if page.duplicate_of is None)


def _file(url: Url) -> str:
    return f"{key_of(url) & 0xFFFFFFFFFFFFFFFF:016x}.html"


def _readable(page: StoredPage, reader: Reader, places: dict[Url, str]) -> str:
    """The main part as it is kept; "" for what is no web page."""
    copy = decoded(reader.body(page.url)) if page.reading and page.mime.startswith(_MARKUP) else None
    if copy is None or isinstance(copy, Failure):
        return ""
    document, _ = tree_of(copy.body, copy.content_type or page.mime)
    declared = document.find("base", href=True)
    resolved = href(declared.attr("href") or "", page.url) if declared is not None else page.url
    part: Document | Element = main_element(document) or document.find("body") or document
    base = page.url if isinstance(resolved, Verdict) else resolved
    part.remove(_LEFT_OUT)
    for element in part.iter_elements(include_self=True):
        for name in [name for name in element.attrs if name not in _KEPT_ATTRIBUTES]:
            del element.attrs[name]
        if (link := element.attrs.get("href")) is not None:
            target = _target(str(link), page.url, base, places) if element.tag == "a" else ""
            if target:
                element.attrs["href"] = target
            else:
                del element.attrs["href"]
    return part.inner_html


def _target(link: str, here: Url, base: str, places: dict[Url, str]) -> str:
    """Where a link leads in the file: to a kept page, out to the web, or nowhere."""
    if link.startswith("#"):
        return link
    whole = href(link, base)
    if isinstance(whole, Verdict):
        return ""
    url = normalise(whole)
    fragment = whole.partition("#")[2]
    if not isinstance(url, Verdict) and url in places:
        return f"../{places[url]}{f'#{fragment}' if fragment else ''}" if url != here else f"#{fragment}"
    return whole if whole.startswith(_OUTWARD) else ""


def _as_paragraphs(text: str) -> str:
    return "".join(f"<p>{html.escape(line)}</p>" for line in text.splitlines() if line.strip())


_STYLE = (
    "body{max-width:45em;margin:1em auto;padding:0 1em;font:1rem/1.5 sans-serif}pre{overflow:auto}footer{opacity:.7}"
)


def _document(title: str, body: str, url: str, language: str) -> str:
    said = html.escape(title)
    where = f'<footer><p><a href="{html.escape(url)}">{html.escape(url)}</a></p></footer>'
    lang = f' lang="{html.escape(language)}"' if language else ""
    return (
        f'<!doctype html>\n<html{lang}><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>{said}</title><style>{_STYLE}</style></head><body>{body or f'<h1>{said}</h1>'}{where}</body></html>\n"
    )


def _listing(titles: dict[str, str], places: dict[Url, str]) -> str:
    items = "".join(
        f'<li><a href="{quote(places[Url(url)])}">{html.escape(title)}</a></li>' for url, title in titles.items()
    )
    return (
        f'<!doctype html>\n<html><head><meta charset="utf-8"><title>All pages</title><style>{_STYLE}</style></head>'
        f"<body><h1>All pages</h1><ul>{items}</ul></body></html>\n"
    )


def _language(counted: Counter[str]) -> str:
    """The most common one by its ISO 639-3 code, which ZIM wants, where Debian's list of codes is here."""
    most = counted.most_common(1)
    if not most or not most[0][1] or not LANGUAGES.exists():
        return UNKNOWN
    for known in json.loads(LANGUAGES.read_text("utf-8"))["639-2"]:
        if known.get("alpha_2") == most[0][0]:
            return str(known["alpha_3"])
    return UNKNOWN


def illustration() -> bytes:
    """A picture of 48 by 48 points in one colour, as ZIM files have to have one (PNG, RFC 2083)."""
    rows = b"".join(b"\0" + bytes((47, 93, 98)) * 48 for _ in range(48))
    parts = ((b"IHDR", struct.pack(">IIBBBBB", 48, 48, 8, 2, 0, 0, 0)), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts
    )
