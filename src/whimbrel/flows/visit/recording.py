"""What is kept of an answer: the document, its digests, and its records for the archive."""

from whimbrel.dedupe import exact
from whimbrel.frontier.novelty import sample
from whimbrel.frontier.patterns import copies, pattern, shape
from whimbrel.records.page import Page
from whimbrel.records.response import Response
from whimbrel.records.task import Task
from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict
from whimbrel.records.visit import Archived, Document, Link, Outcome, Visit
from whimbrel.repository import warc
from whimbrel.revisit import gone
from whimbrel.urls.normal import normalise

SCRIPT_MADE = "script_made"


def recorded(
    task: Task, response: Response, mime: str, page: Page | None, links: list[Link], reading: bytes, at: float
) -> Visit:
    digest = exact.digest(response.body)
    raw_digest = digest if response.raw is response.body else exact.digest(response.raw)
    text_digest = exact.text_digest(page.text) if page else b""
    document = Document(
        digest=digest,
        text_digest=text_digest,
        shape=_shape(task.url, page, exact.group(digest, text_digest)),
        size=len(response.body),
        mime=mime,
        charset=page.charset if page else "",
        title=page.title if page else "",
        language=page.language if page else "",
        canonical=_canonical(page.canonical, task.url) if page else "",
        etag=response.headers.get("etag", ""),
        last_modified=response.headers.get("last-modified", ""),
        reading=reading,
        cut=page.cut if page else (),
        sample=sample(page.text) if page is not None and copies(task.url)[0] else b"",
    )
    rule, reason = _no_page(task.url, page) if page else ("", "")
    return Visit(
        task.key, task.url, task.depth, Outcome.FETCHED, rule, reason, response.status, at, received(response),
        document=document, archived=archived(task, response, raw_digest, at, document), head=response.head, links=links,
        private=response.private,
    )  # fmt: skip


def _no_page(url: Url, page: Page) -> tuple[str, str]:
    """A page that answers 200 and says that it is none, or is none before scripts have run. It is kept, and counted for
    what it is."""
    if page.scripted:
        return SCRIPT_MADE, f"scripts make it, and they are not run: {page.scripted}"
    verdict = gone.soft_404(gone.UrlShowed(url, url, page.title, page.text), None)
    return verdict.rule, verdict.reason


def _canonical(named: str, url: Url) -> str:
    """As the page wrote it, unless it may hold a password."""
    if "@" not in named:
        return named
    normal = normalise(named, url)
    return "" if isinstance(normal, Verdict) else normal


def _shape(url: Url, page: Page | None, twins: bytes) -> int:
    """What the trap watch compares pages by: the words alone where the URL has a variable part, else all of it."""
    if page is not None and pattern(url):
        return shape(page.text)
    return int.from_bytes(twins[:8], "big")


def archived(
    task: Task, response: Response, raw_digest: bytes, at: float, document: Document | None = None
) -> Archived:
    name = warc.record_id()
    record = warc.response(
        task.url, at, response.address, response.protocol, response.head, response.raw, warc.labelled(raw_digest), name,
        response.private,
    )  # fmt: skip
    fields = [("fetchTimeMs", str(round(response.elapsed_seconds * 1000))), ("hopsFromSeed", str(task.depth))]
    if document is not None:
        if document.charset:
            fields.append(("charsetForLinkExtraction", document.charset))
        fields += [("cut", cut) for cut in document.cut]
    others = warc.request(task.url, at, response.request_head, name, response.private)
    others += warc.metadata(task.url, at, fields, name, response.private)
    return Archived(record, others, raw_digest)


def received(response: Response) -> int:
    return len(response.head) + len(response.raw)


def media_type(response: Response) -> str:
    """What the server calls it; a page without a name is looked at."""
    declared = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if declared:
        return declared
    start = response.body[:512].lstrip().lower()
    return (
        "text/html"
        if start.startswith((b"<!doctype html", b"<html", b"<head", b"<body", b"<!--"))
        else ("application/octet-stream")
    )
