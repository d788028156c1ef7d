"""A crawl that somebody asks for in the browser: a form's fields, and the arguments of the command that they become."""

from msgspec import Struct

from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict
from whimbrel.urls.normal import host as host_of
from whimbrel.urls.normal import normalise

LONGEST_TOPIC = 200
MOST_EXAMPLES = 10
MOST_SITES = 10

SCOPES = {
    "host": "this host",
    "domain": "its whole domain",
    "prefix": "all below this address",
    "list": "this page alone",
}


class WantedCrawl(Struct, frozen=True):
    """`also` are further seeds; `examples` are pages that show the topic."""

    url: Url
    limit: int | None = None
    depth: int | None = None
    delay_seconds: float | None = None
    scope: str = "host"
    assets: bool = False
    topic: str = ""
    examples: tuple[Url, ...] = ()
    also: tuple[Url, ...] = ()

    @property
    def asked(self) -> list[Url]:
        """One URL of every host that will be asked for something."""
        return list({host_of(url): url for url in (*self.examples, *self.also, self.url)}.values())

    def arguments(self) -> list[str]:
        given = {"--limit": self.limit, "--depth": self.depth, "--delay": self.delay_seconds, "--scope": self.scope}
        flags = [part for name, value in given.items() if value is not None for part in (name, str(value))]
        topic = [f"--topic={self.topic}"] if self.topic else []
        shown = [f"--examples={url}" for url in self.examples]
        return [*flags, *topic, *shown, *(["--assets"] if self.assets else []), "--", self.url, *self.also]


def wish_of(fields: dict[str, str]) -> WantedCrawl | str:
    """A form's fields as a wish, or what is wrong with them."""
    url = _url(fields.get("url", ""))
    if isinstance(url, Verdict):
        return _no_page(fields.get("url", ""), url)
    try:
        limit, depth = _count(fields.get("limit", "")), _count(fields.get("depth", ""))
        delay = float(fields["delay"]) if fields.get("delay", "").strip() else None
    except ValueError:
        return "Limit, depth and pause are numbers, or empty."
    if delay is not None and not 0 <= delay <= 3600:
        return "The pause is between 0 and 3600 seconds."
    scope = fields.get("scope", "host")
    if scope not in SCOPES:
        return f"The scope is one of: {', '.join(SCOPES)}."
    topic = " ".join(fields.get("topic", "").split())[:LONGEST_TOPIC]
    examples = _urls(fields.get("examples", ""), MOST_EXAMPLES, "examples")
    also = _urls(fields.get("also", ""), MOST_SITES, "sites")
    if isinstance(examples, str) or isinstance(also, str):
        return examples if isinstance(examples, str) else str(also)
    if examples and not topic:
        return "Say in a few words what the examples are about, beside “Only pages about”."
    assets = fields.get("assets", "") not in ("", "false")
    return WantedCrawl(url, limit, depth, delay, scope, assets, topic, examples, also)


def _urls(text: str, most: int, called: str) -> tuple[Url, ...] | str:
    """URLs apart by spaces or lines, each once; or what is wrong with one."""
    read: dict[Url, None] = {}
    for given in text.split():
        url = _url(given)
        if isinstance(url, Verdict):
            return _no_page(given, url)
        read[url] = None
    return tuple(read) if len(read) <= most else f"These are {len(read)} {called}; {most} at most can be given."


def _url(given: str) -> Url | Verdict:
    text = given.strip()
    return normalise(text if "://" in text or not text else f"https://{text}")


def _no_page(given: str, why: Verdict) -> str:
    return f"“{given.strip()[:200]}” cannot be crawled: {why.reason}. Write it like https://docs.example.org."


def _count(text: str) -> int | None:
    text = text.strip()
    if not text:
        return None
    if not (text.isascii() and text.isdigit()) or len(text) > 12:
        raise ValueError(text)
    return int(text)
