"""`check page`: what the parser sees in a document."""

import binascii
from base64 import b64decode
from collections.abc import Mapping

from whimbrel.parse import html, reading
from whimbrel.parse.language import language_of
from whimbrel.records.page import Page
from whimbrel.records.verdict import Verdict
from whimbrel.urls.normal import normalise

SEND = 'send {"html_b64": "PGgxPkhpPC9oMT4=", "url": "https://example.org/d/"}; content_type may be added'


def check_page(line: Mapping[str, object]) -> dict[str, object]:
    """`{html_b64, url}` to title, text, main text, absolute links, language, charset and what was cut."""
    if not isinstance(line, Mapping):
        return {"error": f"not a JSON object: {SEND}"}
    encoded, address = line.get("html_b64"), line.get("url")
    content_type = line.get("content_type", "text/html")
    if not isinstance(encoded, str):
        return {"error": f'"html_b64" must be the document in Base64: {SEND}'}
    if not isinstance(address, str) or not isinstance(content_type, str):
        return {"error": f'"url" (and "content_type", where given) must be a text: {SEND}'}
    try:
        body = b64decode(encoded, validate=True)
    except (binascii.Error, ValueError) as problem:
        return {"error": f'"html_b64" is not Base64 ({problem}): {SEND}'}
    url = normalise(address, None)
    if isinstance(url, Verdict):
        return {"error": f'"url": {url.reason}: {SEND}'}
    page = html.read(body, content_type)
    return {
        "title": page.title,
        "text": page.text,
        "main_text": reading.main_text(body, content_type),
        "links": _links(page, url),
        "language": language_of(page.text, page.language),
        "charset": page.charset,
        "cut": list(page.cut),
    }


def _links(page: Page, url: str) -> list[str]:
    resolved = normalise(page.base, url) if page.base else url
    base = url if isinstance(resolved, Verdict) else resolved
    targets = (normalise(anchor.href, base) for anchor in page.anchors)
    return list(dict.fromkeys(target for target in targets if not isinstance(target, Verdict)))
