"""Kept copies as agents read them: Markdown, section by section."""

from whimbrel.documents import Extractor, Unreadable, papers
from whimbrel.exchange.sections import MarkdownSection, sections
from whimbrel.flows.copies import decoded
from whimbrel.parse.charset import decode
from whimbrel.parse.document import is_plain
from whimbrel.records.response import Failure
from whimbrel.records.url import Url
from whimbrel.repository.port.reader import Reader
from whimbrel.repository.views import Version

_MARKUP = ("text/html", "application/xhtml+xml")


def version_named(versions: list[Version], number: int | None, as_of: float | None) -> Version | str:
    """The version of this number, or the one that was the newest at that moment, else the newest; else why there is
    none."""
    if number is not None:
        found = [version for version in versions if version.number == number]
        kept = ", ".join(str(version.number) for version in versions[-20:])
        return found[0] if found else f"there is no version {number} of it. The last ones kept are {kept}."
    if as_of is not None:
        earlier = [version for version in versions if version.at <= as_of]
        return max(earlier, key=lambda version: version.at) if earlier else "it was first kept after that moment."
    return versions[-1]


def parts_of(reader: Reader, url: Url, version: Version, *, whole: bool = False) -> list[MarkdownSection] | str:
    """The sections of a page; another document is one section; else why it cannot be read."""
    copy = decoded(reader.body(url, version))
    if isinstance(copy, Failure):
        return copy.detail
    content_type = copy.content_type or version.mime
    if is_plain(content_type):
        return [MarkdownSection(decode(copy.body, content_type)[0].strip())]
    if version.mime in _MARKUP or not version.mime:
        return sections(copy.body, content_type, url, whole=whole)
    known = papers.paper(reader.location.beside, version.digest)
    if known is not None:
        return known.reason if known.failure else [MarkdownSection(known.text)]
    with Extractor() as extractor:
        read = extractor.read(copy.body, content_type, url)
    return read.reason if isinstance(read, Unreadable) else [MarkdownSection(read.text)]
