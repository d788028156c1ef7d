"""Pages as Markdown files, one a page, for people, editors and language models.

A twin gets no file: its text is its survivor's. The main part of a page comes from the kept copy, its links absolute.
"""

import re
from pathlib import Path

from whimbrel.documents.papers import Paper
from whimbrel.exchange.papers import Documents
from whimbrel.exchange.rendering import readable
from whimbrel.exchange.tables import ExportCount, ExportWanted, chosen, iso
from whimbrel.flows.copies import decoded
from whimbrel.parse.charset import decode
from whimbrel.parse.document import is_plain, tree_of
from whimbrel.parse.main_part import main_element
from whimbrel.records.response import Failure
from whimbrel.records.url import Url
from whimbrel.repository.port.reader import Reader
from whimbrel.repository.views import StoredPage
from whimbrel.urls.normal import authority
from whimbrel.urls.normal import key as key_of

SLUG_CHARACTERS = 80
_MARKUP = ("text/html", "application/xhtml+xml")
_UNSAFE = re.compile(r"[^A-Za-z0-9._]+")
_EXTENSION = re.compile(r"\.(?:x?html?|md|php|aspx?|jsp)$", re.IGNORECASE)


def markdown(reader: Reader, wanted: ExportWanted, folder: Path) -> ExportCount:
    """One file a kept page: `HOST/NAME-KEY.md`."""
    count = ExportCount()
    with Documents(reader) as documents:
        for page in chosen(reader, wanted):
            if page.duplicate_of is None:
                paper = documents.of(page)
                text = _body(page, reader) if paper is None else paper.text
                path = folder / file_name(page.url)
                path.parent.mkdir(exist_ok=True)
                path.write_text(f"{front_matter(page, paper)}\n{text}\n", "utf-8", "replace", newline="\n")
                count.pages += 1
    return count


def file_name(url: Url) -> str:
    """Safe on every file system whatever the URL holds, and never another URL's: the key tells them apart, also where
    capital letters do not count."""
    named = authority(url)
    path = _EXTENSION.sub("", url[url.index("/", 8) :].partition("?")[0].strip("/"))
    slug = _UNSAFE.sub("-", path)[-SLUG_CHARACTERS:].strip("-.") or "index"
    return f"{_host(named)}/{slug}-{key_of(url) & 0xFFFFFFFFFFFFFFFF:016x}.md"


def _host(named: str) -> str:
    # A name may be a device's on Windows ("con", "nul.example"); a port or an IPv6 address has colons.
    return "host-" + _UNSAFE.sub("_", named)[:200].strip(".") if not _is_plain_name(named) else named


def _is_plain_name(named: str) -> bool:
    return len(named) <= 200 and "." in named and re.fullmatch(
        r"(?!(?:con|prn|aux|nul|com\d|lpt\d)\.)[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?", named
    ) is not None  # fmt: skip


def front_matter(page: StoredPage, paper: Paper | None = None) -> str:
    """YAML. Every value is a double-quoted scalar, so that nothing a page says can be read as structure."""
    fields = {
        "url": page.url,
        "title": page.title or (paper.title if paper is not None else ""),
        "fetched_at": iso(page.fetched_at),
        "digest": f"sha256:{page.digest.hex()}",
        "content_type": page.mime,
    }
    if paper is not None and paper.failure:
        fields["unread"] = paper.reason
    return "".join(["---\n", *(f"{name}: {_quoted(value)}\n" for name, value in fields.items()), "---\n"])


def _quoted(text: str) -> str:
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    if character.isprintable():
        return character
    return f"\\U{ord(character):08x}"


def _body(page: StoredPage, reader: Reader) -> str:
    if not page.reading:
        return ""
    copy = decoded(reader.body(page.url))
    if isinstance(copy, Failure):
        return ""
    content_type = copy.content_type or page.mime
    if not page.mime.startswith(_MARKUP) or is_plain(content_type):
        return decode(copy.body, content_type)[0].strip()
    return main_markdown(copy.body, content_type, page.url)


def main_markdown(body: bytes, content_type: str, url: Url) -> str:
    """The main part of a document; all of it where none stands out."""
    document, _ = tree_of(body, content_type)
    return readable(main_element(document) or document, document, url)
