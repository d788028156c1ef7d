"""Kept copies and their files, under addresses that only our own pages give out.

A frame without an origin sends no cookies, so the address itself is the permission: it holds a seal over what it
names. Another site cannot make one up.
"""

import re
from pathlib import PurePosixPath
from urllib.parse import urlsplit

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from whimbrel.flows.copies import DecodedCopy
from whimbrel.parse.charset import decode
from whimbrel.records.response import Failure
from whimbrel.records.url import Url
from whimbrel.repository.port.reader import Reader
from whimbrel.repository.views import Version
from whimbrel.urls.normal import normalise
from whimbrel.web import copy as kept
from whimbrel.web import library
from whimbrel.web.desk import Desk
from whimbrel.web.policy import KEPT_FILES, PAPER, PICTURE, kept_copy
from whimbrel.web.presentation import link
from whimbrel.web.seals import Seals
from whimbrel.web.styles import rewritten

_TOKEN = re.compile(r"[A-Za-z0-9_-]{16,64}")
_PICTURES = frozenset(f"image/{kind}" for kind in ("png", "jpeg", "gif", "webp", "avif", "bmp", "x-icon",
                                                    "vnd.microsoft.icon", "svg+xml"))  # fmt: skip
THUMBNAILS = _PICTURES - {"image/svg+xml"}
"""What is shown small in a page of ours. A drawing is a document, and is shown in a kept copy alone."""
_FONTS = ("font/", "application/font-", "application/x-font-", "application/vnd.ms-fontobject")
_UNSAFE_IN_NAMES = re.compile(r"[^A-Za-z0-9._-]+")


class FoundFile(Struct, frozen=True):
    url: Url
    version: Version
    copy: DecodedCopy


def copy_address(seals: Seals, url: Url, version: Version, token: str) -> str:
    seal = seals.seal("copy", url, str(version.number))
    return link(f"/kept/{seal}/copy", url=url, v=version.number, frame=token)


def save_address(seals: Seals, url: Url, version: Version) -> str:
    return link(f"/kept/{seals.seal('save', url, str(version.number))}/save", url=url, v=version.number)


def paper_address(seals: Seals, url: Url, version: Version) -> str:
    return link(f"/kept/{seals.seal('paper', url, str(version.number))}/paper", url=url, v=version.number)


def file_address(seals: Seals, url: Url, at: str) -> str:
    return link(f"/kept/{seals.seal('file', url, at)}/file", url=url, at=at)


def copy(request: Request) -> Response:
    """A kept page for the reader's frame."""
    desk: Desk = request.app.state.desk
    token = request.query_params.get("frame", "")
    if not _TOKEN.fullmatch(token):
        return _nothing("This address is not complete.", 400)
    with library.opened(desk.location) as reader:
        found = _asked_for(request, desk, reader, "copy")
        if reader is None or isinstance(found, Response):
            return found if isinstance(found, Response) else _nothing("Nothing is kept here yet.")
        host = request.headers["host"]
        frame = kept.Frame(request.state.nonce, token, f"{request.url.scheme}://{host}")
        at = f"{found.version.at:.3f}"
        open_reader = reader

        def place(url: Url) -> str | None:
            return file_address(desk.seals, url, at) if library.is_kept(open_reader, url) else None

        document = kept.read(found.copy.body, found.copy.content_type or found.version.mime)
        html = kept.framed(document, found.url, frame, lambda url: library.is_kept(open_reader, url), place)
    policy = kept_copy(frame.origin, frame.nonce)
    return HTMLResponse(html, headers={**KEPT_FILES, "Content-Security-Policy": policy})


def save(request: Request) -> Response:
    """The bytes as they were kept, to be put on a disk and not looked at here."""
    desk: Desk = request.app.state.desk
    with library.opened(desk.location) as reader:
        found = _asked_for(request, desk, reader, "save")
    if isinstance(found, Response):
        return found
    headers = {
        **KEPT_FILES,
        "Content-Security-Policy": PICTURE,
        "Content-Disposition": f'attachment; filename="{_file_name(found)}"',
    }
    return Response(found.copy.body, media_type="application/octet-stream", headers=headers)


def paper(request: Request) -> Response:
    """A kept PDF for the browser's viewer."""
    desk: Desk = request.app.state.desk
    with library.opened(desk.location) as reader:
        found = _asked_for(request, desk, reader, "paper")
    if isinstance(found, Response):
        return found
    if not library.is_paper(found.version, found.copy):
        return _nothing("This is no PDF.")
    headers = {
        **KEPT_FILES,
        "Cross-Origin-Resource-Policy": "same-origin",
        "Content-Security-Policy": PAPER,
        "Content-Disposition": f'inline; filename="{_file_name(found)}"',
    }
    return Response(found.copy.body, media_type=library.PAPER, headers=headers)


def file(request: Request) -> Response:
    """A style sheet, picture or font, in the version that was kept when the page was."""
    desk: Desk = request.app.state.desk
    at = request.query_params.get("at", "")
    url = normalise(request.query_params.get("url", ""))
    moment = _moment(at)
    holds = isinstance(url, str) and desk.seals.holds(request.path_params["seal"], "file", url, at)
    if not isinstance(url, str) or not holds or moment is None:
        return _nothing("This address was not made by this server.", 403)
    with library.opened(desk.location) as reader:
        versions = reader.versions(url) if reader is not None else []
        if reader is None or not versions:
            return _nothing("This file is not kept.")
        version = next((each for each in reversed(versions) if each.at <= moment), versions[-1])
        read = library.document(reader, url, version)
        return _nothing(read.detail) if isinstance(read, Failure) else _file(desk, reader, url, at, version, read)


def _file(desk: Desk, reader: Reader, url: Url, at: str, version: Version, read: DecodedCopy) -> Response:
    mime = version.mime.lower()
    headers = {**KEPT_FILES, "Content-Security-Policy": PICTURE, "Cache-Control": "private, max-age=3600"}
    if mime == "text/css":

        def place(href: str) -> str | None:
            target = normalise(href, url)
            if not isinstance(target, str) or not library.is_kept(reader, target):
                return None
            return file_address(desk.seals, target, at)

        sheet = rewritten(decode(read.body, read.content_type)[0], place)
        return Response(sheet, media_type="text/css; charset=utf-8", headers=headers)
    if mime.startswith(_FONTS):
        # Fonts are asked for by CORS alone (CSS Fonts §4.9), and the copy's origin is nobody's.
        return Response(read.body, media_type=mime, headers={**headers, "Access-Control-Allow-Origin": "null"})
    if mime in _PICTURES:
        return Response(read.body, media_type=mime, headers=headers)
    return _nothing("This is neither a style sheet nor a picture.")


def _asked_for(request: Request, desk: Desk, reader: Reader | None, purpose: str) -> FoundFile | Response:
    url = normalise(request.query_params.get("url", ""))
    number = request.query_params.get("v", "")
    if not isinstance(url, str) or not desk.seals.holds(request.path_params["seal"], purpose, url, number):
        return _nothing("This address was not made by this server. Open the page in the reader again.", 403)
    versions = reader.versions(url) if reader is not None else []
    version = next((each for each in versions if str(each.number) == number), None)
    if reader is None or version is None:
        return _nothing("This version is not kept any more.")
    read = library.document(reader, url, version)
    return _nothing(read.detail) if isinstance(read, Failure) else FoundFile(url, version, read)


def _moment(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _nothing(words: str, status: int = 404) -> Response:
    headers = {**KEPT_FILES, "Content-Security-Policy": PICTURE}
    return Response(words + "\n", status, media_type="text/plain", headers=headers)


def _file_name(found: FoundFile) -> str:
    name = _UNSAFE_IN_NAMES.sub("-", PurePosixPath(urlsplit(found.url).path).name)[:100].strip(".-")
    if not name:
        name = _UNSAFE_IN_NAMES.sub("-", urlsplit(found.url).hostname or "page")
    return name if "." in name or not library.is_markup(found.version) else f"{name}.html"
