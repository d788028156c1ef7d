"""Our pages: templates that escape everything, and numbers and moments in people's words."""

import hashlib
import re
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlencode, urlsplit

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse

from whimbrel.documents import kind_of
from whimbrel.web.who import Who

HERE = Path(__file__).parent
STATIC = HERE / "static"

_UNITS = ("B", "KB", "MB", "GB", "TB")
_AGES = ((60.0, "minute"), (3600.0, "hour"), (86_400.0, "day"))
_DAYS_TOLD_AS_AGE = 14
_KINDS = {
    "": "unknown kind",
    "text/html": "HTML",
    "application/xhtml+xml": "XHTML",
    "text/plain": "plain text",
    "application/pdf": "PDF",
    "application/msword": "Word",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "Word",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": "PowerPoint",
    "application/vnd.oasis.opendocument.text": "OpenDocument text",
    "application/vnd.oasis.opendocument.presentation": "OpenDocument slides",
    "application/rss+xml": "RSS feed",
    "application/x-rss+xml": "RSS feed",
    "application/atom+xml": "Atom feed",
}
_PARTS = {
    "p": "paragraph",
    "li": "list item",
    "td": "cell",
    "th": "cell",
    "dt": "term",
    "dd": "definition",
    "pre": "code",
    "blockquote": "quotation",
    "div": "block",
} | {f"h{level}": "heading" for level in range(1, 7)}
_PART = re.compile(r"^[a-z][a-z0-9]*|(?<=, was )[a-z][a-z0-9]*$")
_ESCAPED_LETTERS = re.compile(r"(?:%[89A-F][0-9A-F])+", re.IGNORECASE)
"""What is not ASCII; escapes that mean something in a URL stay."""
LONGEST_NAME = 180
# UAX #9: marks that turn the direction of the words after them around, which a title could use to look like another.
_TURNS = dict.fromkeys((*range(0x202A, 0x202F), *range(0x2066, 0x206A)))


def page(request: Request, template: str, status: int = 200, /, **values: object) -> HTMLResponse:
    values.setdefault("here", "")
    values["form_token"] = getattr(request.state, "form_token", "")
    values["unchangeable"] = getattr(request.state, "unchangeable", "")
    who = getattr(request.state, "who", Who())
    values["who"] = who
    values["asks"] = who.may_ask and not who.asked and bool(values["form_token"])
    values["address"] = f"{request.url.path}?{request.url.query}" if request.url.query else request.url.path
    return HTMLResponse(_templates().get_template(template).render(values), status)


@cache
def _templates() -> Environment:
    made = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        auto_reload=False,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(number=number, size=size, iso=iso, clock=clock, spelled=spelled, percent=percent)
    made.filters.update(kind=kind, plainly=plainly, placed=placed, lasting=lasting)
    made.globals.update(link=link, static=static, named=named)
    return made


def link(path: str, **parameters: object) -> str:
    """An address of ours; parameters without a value are left out."""
    given = {name: str(value) for name, value in parameters.items() if value not in (None, "", False)}
    return f"{path}?{urlencode(given)}" if given else path


@cache
def static(name: str) -> str:
    """The address of one of our files; it changes with the file, so that it can be kept for good."""
    return f"/static/{name}?v={hashlib.sha256((STATIC / name).read_bytes()).hexdigest()[:12]}"


def number(count: float) -> str:
    return f"{round(count):,}".replace(",", "\u202f")


def percent(share: float) -> str:
    return f"{100 * share:.0f} %" if share >= 0.01 or share == 0 else "< 1 %"


def size(count: float) -> str:
    for unit in _UNITS[:-1]:
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "B" or count >= 100 else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} {_UNITS[-1]}"


def lasting(seconds: float) -> str:
    """A length of time, to two units."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{number(hours)} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def iso(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def day(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%-d %b %Y")


def clock(at: float, *, seconds: bool = False) -> str:
    """In UTC, which is said where a moment stands alone."""
    return datetime.fromtimestamp(at, UTC).strftime("%-d %b %Y, %H:%M:%S" if seconds else "%-d %b %Y, %H:%M")


def ago(at: float, now: float) -> str:
    """A moment as an age where it is recent, else as a day."""
    age = max(0.0, now - at)
    if age < _AGES[0][0]:
        return "just now"
    if age > _DAYS_TOLD_AS_AGE * _AGES[-1][0]:
        return day(at)
    unit, name = max((unit, name) for unit, name in _AGES if age >= unit)
    count = int(age // unit)
    return f"{count} {name}{'' if count == 1 else 's'} ago"


def spelled(url: str) -> str:
    """A URL as people read it: without its scheme, in its own letters, shortened in the middle where it is long."""
    parts = urlsplit(url)
    text = f"{parts.netloc}{parts.path if parts.path != '/' else ''}{'?' + parts.query if parts.query else ''}"
    text = _ESCAPED_LETTERS.sub(_letters, text)
    return text if len(text) <= 90 else f"{text[:55]}…{text[-32:]}"


def _letters(escaped: re.Match[str]) -> str:
    try:
        text = unquote(escaped[0], errors="strict")
    except UnicodeDecodeError:
        return escaped[0]
    return text if text.isprintable() else escaped[0]


def named(title: str, url: str) -> str:
    """A page by its title, else by its address; a document by the name of its file."""
    name = " ".join(title.translate(_TURNS).split()) or _file_name(url) or spelled(url)
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1].rstrip()}…"


def _file_name(url: str) -> str:
    """Of what is a document by the ending of its name."""
    name = unquote(urlsplit(url).path.rpartition("/")[2])
    return name.translate(_TURNS) if kind_of("", url, b"") and name.isprintable() else ""


def kind(mime: str) -> str:
    return _KINDS.get(mime.lower(), mime)


_IN_WORDS = {"usual_place": "looked for where sitemaps usually are"}


def plainly(name: str) -> str:
    """The name of an outcome or a rule: `http_404` is HTTP 404, `out_of_scope` out of scope."""
    return _IN_WORDS.get(name, name.replace("http_", "HTTP ").replace("_", " "))


def placed(place: str) -> str:
    """A place on a page by what readers call it: `td 2 under “Tides”` is cell 2 under “Tides”."""
    return _PART.sub(lambda part: _PARTS.get(part[0], part[0]), place)
