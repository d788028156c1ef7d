"""Which kind of document is it? The bytes are believed first, then the content type, then the URL."""

import re
from collections.abc import Iterable

PDF, DOCX, PPTX, ODT, ODP, ODS, FEED, TEXT = ("pdf", "docx", "pptx", "odt", "odp", "ods", "feed", "text")
DOC, PPT, XLS, XLSX, RTF = UNSUPPORTED = ("doc", "ppt", "xls", "xlsx", "rtf")
ZIPPED = (DOCX, PPTX, XLSX, ODT, ODP, ODS)
COMPOUND = (DOC, PPT, XLS)

NAMES = {
    PDF: "PDF", DOCX: "Word", PPTX: "PowerPoint", ODT: "OpenDocument text", ODP: "OpenDocument presentation",
    ODS: "OpenDocument spreadsheet", FEED: "a feed", TEXT: "plain text", DOC: "Word before 2007",
    PPT: "PowerPoint before 2007", XLS: "Excel before 2007", XLSX: "Excel", RTF: "Rich Text",
}  # fmt: skip

SNIFFED_BYTES = 4096

_OOXML = "application/vnd.openxmlformats-officedocument."
_ODF = "application/vnd.oasis.opendocument."
_MIMES = {
    "application/pdf": PDF, "application/x-pdf": PDF,
    _OOXML + "wordprocessingml.document": DOCX, _OOXML + "wordprocessingml.template": DOCX,
    "application/vnd.ms-word.document.macroenabled.12": DOCX,
    _OOXML + "presentationml.presentation": PPTX, _OOXML + "presentationml.slideshow": PPTX,
    _OOXML + "presentationml.template": PPTX, "application/vnd.ms-powerpoint.presentation.macroenabled.12": PPTX,
    _OOXML + "spreadsheetml.sheet": XLSX,
    _ODF + "text": ODT, _ODF + "text-template": ODT, _ODF + "presentation": ODP, _ODF + "presentation-template": ODP,
    _ODF + "spreadsheet": ODS, _ODF + "spreadsheet-template": ODS,
    "application/rss+xml": FEED, "application/x-rss+xml": FEED, "application/atom+xml": FEED,
    "application/rdf+xml": FEED,
    "text/plain": TEXT, "text/markdown": TEXT, "text/x-markdown": TEXT, "text/x-rst": TEXT, "text/csv": TEXT,
    "application/msword": DOC, "application/vnd.ms-powerpoint": PPT, "application/vnd.ms-excel": XLS,
    "application/rtf": RTF, "text/rtf": RTF,
}  # fmt: skip
_ENDINGS = {
    "pdf": PDF, "docx": DOCX, "docm": DOCX, "dotx": DOCX, "pptx": PPTX, "pptm": PPTX, "ppsx": PPTX, "xlsx": XLSX,
    "odt": ODT, "ott": ODT, "odp": ODP, "otp": ODP, "ods": ODS, "ots": ODS, "rss": FEED, "atom": FEED,
    "txt": TEXT, "md": TEXT, "markdown": TEXT, "rst": TEXT, "csv": TEXT, "doc": DOC, "ppt": PPT, "xls": XLS,
    "rtf": RTF,
}  # fmt: skip
# What servers send for files they do not know.
_VAGUE = frozenset({
    "", "application/octet-stream", "binary/octet-stream", "application/x-download", "application/force-download",
    "application/zip", "application/x-zip-compressed", "application/xml", "text/xml", "text/plain",
})  # fmt: skip

_ZIP = b"PK\x03\x04"
_COMPOUND_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED_PACKAGE = "EncryptedPackage".encode("utf-16-le")  # [MS-OFFCRYPTO] §2.3.4
_FOLDERS = {"word/": DOCX, "ppt/": PPTX, "xl/": XLSX}
_PREAMBLE = re.compile(rb"(?:\xef\xbb\xbf)?(?:\s+|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^<>\[]*(?:\[.*?\]\s*)?>)*", re.DOTALL)
_FEED_ROOT = re.compile(rb"<(?:rss|(?:\w+:)?feed|(?:\w+:)?RDF)[\s>]")
_FEED_MARK = re.compile(rb"<rss|http://www\.w3\.org/2005/Atom|http://purl\.org/(?:rss|atom)/")
_HTML_ROOT = re.compile(
    rb"<(?:html|head|body|title|script|meta|div|table|p|h1|a|br)[\s/>]|<!doctype html", re.IGNORECASE
)
_PDF_MAGIC = b"%PDF-"
_PDF_MAGIC_WITHIN = 1024  # as Acrobat looks for it (ISO 32000-1, annex H, note 13)


def kind_of(mime: str, url: str, body_start: bytes) -> str | None:
    """The kind of document, one of `NAMES`; None for all else, web pages and pictures among it.

    `body_start` is the first few thousand bytes, or b"" where they are not known. A body that belies its content
    type but shows no kind of its own keeps the kind it was called; reading it says what is wrong.
    """
    claimed = _claimed(mime, url)
    return _shown(body_start[:SNIFFED_BYTES], claimed) or claimed


def kind_of_members(names: Iterable[str], mimetype: str) -> str | None:
    """What a zip archive holds, by the names of its members and by what the one called `mimetype` says."""
    if mimetype:
        return _MIMES.get(mimetype.strip().lower())
    folders = {name[: name.find("/") + 1] for name in names}
    return next((kind for folder, kind in _FOLDERS.items() if folder in folders), None)


def looks_like_html(body_start: bytes) -> bool:
    return _HTML_ROOT.match(_after_preamble(body_start)) is not None or b"<!doctype html" in body_start[:512].lower()


def looks_like_feed(body_start: bytes) -> bool:
    root = _FEED_ROOT.match(_after_preamble(body_start[:SNIFFED_BYTES]))
    return root is not None and _FEED_MARK.search(body_start[:SNIFFED_BYTES]) is not None


def is_zip(body: bytes) -> bool:
    return body.startswith(_ZIP)


def is_compound(body: bytes) -> bool:
    """The container of Word, PowerPoint and Excel before 2007, and of encrypted documents since."""
    return body.startswith(_COMPOUND_MAGIC)


def is_encrypted(compound: bytes) -> bool:
    return _ENCRYPTED_PACKAGE in compound


def _claimed(mime: str, url: str) -> str | None:
    essence = mime.partition(";")[0].strip().lower()
    path = url.partition("#")[0].partition("?")[0]
    by_ending = _ENDINGS.get(path.rpartition("/")[2].rpartition(".")[2].lower()) if "." in path else None
    if essence in _VAGUE and by_ending is not None:
        return by_ending
    return _MIMES.get(essence)


def _shown(start: bytes, claimed: str | None) -> str | None:
    if start.startswith(_PDF_MAGIC) or (claimed == PDF and _PDF_MAGIC in start[:_PDF_MAGIC_WITHIN]):
        return PDF
    if is_zip(start):
        return claimed if claimed in ZIPPED else _zipped(start)
    if is_compound(start):
        return claimed if claimed in (*COMPOUND, *ZIPPED) else DOC
    if start.startswith(b"{\\rtf"):
        return RTF
    if looks_like_feed(start):
        return FEED
    return None


def _zipped(start: bytes) -> str | None:
    """OpenDocument keeps its type uncompressed in the first member (OpenDocument 1.2, part 3, §3.3)."""
    if start[30:38] == b"mimetype":
        return _MIMES.get(re.split(rb"[^\w.+/-]|PK", start[38 : 38 + 80], maxsplit=1)[0].decode("ascii", "replace"))
    return next((kind for folder, kind in _FOLDERS.items() if folder.encode() in start), None)


def _after_preamble(start: bytes) -> bytes:
    found = _PREAMBLE.match(start)
    return start[found.end() :] if found else start
