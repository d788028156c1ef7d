"""What a site's robots.txt lets us fetch: RFC 9309, with the tolerance of Google's open-source parser.

The longest matching pattern wins and Allow wins a tie. Patterns are compared with the URL as both are
written, once bytes outside printable ASCII are escaped; since our URLs arrive in normal form, a pattern
that would change by normalising is compared in that spelling too. One exception is on the careful side:
an Allow whose escapes would have to be decoded to match does not (Google's suite asks for that). `%2A` and
`%24` in a pattern are the characters themselves, never its operators (RFC 9309 §2.2.3).
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import isfinite

from msgspec import Struct

from whimbrel.records.verdict import ACCEPTED, Verdict
from whimbrel.urls.normal import normalise

RULE = "robots"

LONGEST_BODY = 500 * 1024
"""Bytes read; RFC 9309 §2.5 asks for at least so many."""

_BOM = b"\xef\xbb\xbf"
_WIDE = (
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
_LINE_END = re.compile(rb"\r\n|\r|\n")
_UNPRINTABLE = re.compile(r"[^\x21-\x7e]")
_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")
_TOKEN = re.compile(r"[A-Za-z_-]*")
_CHANGED_BY_NORMALISING = re.compile(r"[%\"'<>^`{}]")
_DOT_SEGMENT = re.compile(r"/(?:\.|%2E){1,2}(?:/|\?|$)")
_PATH = re.compile(r"(?:[^:/?#]+:)?(?://[^/?#]*)?([^#]*)")

# The misspellings are those Google's parser forgives.
_FIELDS = {
    "user-agent": "agent",
    "useragent": "agent",
    "user agent": "agent",
    "allow": "Allow",
    "disallow": "Disallow",
    "dissallow": "Disallow",
    "dissalow": "Disallow",
    "disalow": "Disallow",
    "diasllow": "Disallow",
    "disallaw": "Disallow",
    "sitemap": "sitemap",
    "site-map": "sitemap",
    "crawl-delay": "delay",
    "crawldelay": "delay",
    "crawl delay": "delay",
}


class RobotsRule(Struct, frozen=True):
    """`across` is the line of a Crawl-delay between the agents that the rule is for; 0 where there is none."""

    allow: bool
    pattern: str
    line: int
    across: int = 0

    def verdict(self) -> Verdict:
        shown = self.pattern if len(self.pattern) <= 200 else self.pattern[:200] + "…"
        place = f"line {self.line}"
        if self.across:
            place += f", also for the agents above line {self.across}: Crawl-delay ends no group"
        return Verdict(self.allow, RULE, f"{'Allow' if self.allow else 'Disallow'}: {shown} ({place})")


class Group(Struct, frozen=True):
    """Rules and the agents they are for: names in lower case, "*" for everyone."""

    agents: frozenset[str]
    rules: tuple[RobotsRule, ...]


class Robots(Struct, frozen=True):
    """A robots.txt as read. `delays` are seconds by agent; `unreadable` says why it is no text, where it is none."""

    groups: tuple[Group, ...] = ()
    delays: dict[str, float] = {}
    sitemaps: tuple[str, ...] = ()
    unreadable: str = ""

    def for_agent(self, agent: str) -> "AgentRules":
        """What concerns one agent, made ready to judge many URLs."""
        name = product(agent)
        if not any(name in group.agents for group in self.groups):
            name = "*"
        rules = (rule for group in self.groups if name in group.agents for rule in group.rules)
        return _agent_rules(rules, self.delays.get(name))

    def judge(self, agent: str, url: str) -> Verdict:
        return self.for_agent(agent).judge(url)

    def crawl_delay(self, agent: str) -> float | None:
        """Seconds asked for between two requests, as written: the caller clamps them."""
        return self.for_agent(agent).crawl_delay


ALLOW_ALL = Robots()


@dataclass(frozen=True, slots=True)
class _Wildcard:
    """A pattern with `*` or a final `$`, cut at its stars: `head` opens the path, `tail` closes it."""

    length: int
    head: str
    inner: tuple[str, ...]
    tail: str
    anchored: bool
    starred: bool
    verdict: Verdict

    def matches(self, path: str) -> bool:
        # Taking the first place where each part fits never spoils a later one, so nothing is ever
        # tried twice: the time is linear in the path, whatever the pattern.
        if not self.starred:
            return path == self.head
        if not path.startswith(self.head):
            return False
        at = len(self.head)
        for part in self.inner:
            at = path.find(part, at)
            if at < 0:
                return False
            at += len(part)
        if self.anchored:
            return path.endswith(self.tail) and len(path) - len(self.tail) >= at
        return path.find(self.tail, at) >= 0


@dataclass(frozen=True, slots=True)
class AgentRules:
    """The rules for one agent: plain prefixes by text, wildcards from the longest to the shortest."""

    prefixes: dict[str, Verdict]
    lengths: tuple[int, ...]
    wildcards: tuple[_Wildcard, ...]
    crawl_delay: float | None

    def judge(self, url: str) -> Verdict:
        """The verdict of the line that decides; `ACCEPTED` where none speaks of this URL."""
        path = _path(url)
        if path == "/robots.txt":  # RFC 9309 §2.2.2: always allowed.
            return ACCEPTED
        verdict, reach = ACCEPTED, 0
        for length in self.lengths:
            hit = self.prefixes.get(path[:length])
            if hit is not None:
                verdict, reach = hit, min(length, len(path))
                break
        for wildcard in self.wildcards:
            if wildcard.length < reach or (wildcard.length == reach and verdict.accepted):
                break
            if wildcard.matches(path):
                # Of equal length the Allow comes first, and a Disallow changes nothing.
                return wildcard.verdict
        return verdict


def parse(body: bytes) -> Robots:
    """Reads any bytes at all; what makes no sense is passed over, as the RFC asks."""
    groups: list[tuple[set[str], list[RobotsRule]]] = []
    delays: dict[str, float] = {}
    sitemaps: dict[str, None] = {}
    body = as_utf8(body)
    before = ""
    across = delayed_at = 0
    slowed: set[str] = set()
    for line, field, value in _fields(body):
        if field == "sitemap":
            sitemaps[value.encode("latin-1").decode("utf-8", "replace")] = None
            continue
        if field == "agent":
            # RFC 9309 §2.2.4: only rules end the list of agents; other records, Crawl-delay among them, do not.
            if not groups or groups[-1][1]:
                groups.append((set(), []))
                across = delayed_at = 0
            across = across or delayed_at
            if before != "agent":
                slowed = set()
            named = set(_agents(value))
            groups[-1][0].update(named)
            slowed |= named
        elif groups and field == "delay":
            delayed_at = 0 if groups[-1][1] else line
            for agent in slowed:
                delays[agent] = max(delays.get(agent, 0.0), _seconds(value))
        elif groups:
            groups[-1][1].append(RobotsRule(field == "Allow", _escaped(value), line, across))
        before = field
    understood = bool(groups or sitemaps)
    return Robots(
        tuple(Group(frozenset(agents), tuple(rules)) for agents, rules in groups),
        {agent: delay for agent, delay in delays.items() if delay > 0},
        tuple(sitemap for sitemap in sitemaps if sitemap),
        "" if understood or b"\0" not in body else "its bytes are no text in UTF-8, UTF-16 or UTF-32",
    )


def as_utf8(body: bytes) -> bytes:
    """As much of the file as is read, in the RFC's encoding. Editors also write two or four bytes a character, mostly
    with a mark in front. Of a file that is cut the last line goes: half a pattern would forbid or allow more than its
    author meant."""
    text, codec = body[:LONGEST_BODY], _wide_codec(body)
    if codec:
        text = text.decode(codec, "replace").encode("utf-8", "replace")
    return text if len(body) <= LONGEST_BODY else text[: max(text.rfind(b"\n"), text.rfind(b"\r")) + 1]


def _wide_codec(body: bytes) -> str:
    marked = next((codec for mark, codec in _WIDE if body.startswith(mark)), "")
    if marked or len(body) < 4:
        return marked
    # Without a mark: the file begins with ASCII, and every other byte is nought.
    nought = [byte == 0 for byte in body[:4]]
    if nought == [False, True, False, True]:
        return "utf-16-le"
    return "utf-16-be" if nought == [True, False, True, False] else ""


def product(agent: str) -> str:
    """The name robots.txt knows an agent by: what stands before a version or a comment."""
    return agent.partition("/")[0].partition(" (")[0].strip().lower()


def _fields(body: bytes) -> Iterator[tuple[int, str, str]]:
    """Line number, known field and value. The text is latin-1: each character is one byte of the file."""
    for number, raw in enumerate(_lines(body), 1):
        line = raw.partition(b"#")[0].decode("latin-1").strip(" \t\v\f")
        name, colon, value = line.partition(":")
        if not colon:
            words = line.split()
            if len(words) != 2:
                continue
            name, value = words
        field = _FIELDS.get(name.strip(" \t").lower())
        if field:
            yield number, field, value.strip(" \t\v\f")


def _lines(body: bytes) -> list[bytes]:
    start = 0
    while start < len(_BOM) and body[start : start + 1] == _BOM[start : start + 1]:
        start += 1
    return _LINE_END.split(body[start:])


def _agents(value: str) -> Iterator[str]:
    """A product token is letters, "_" and "-"; names with digits occur, so the whole first word counts too."""
    if value[:1] == "*" and not value[1:2].strip():
        yield "*"
        return
    token = _TOKEN.match(value)
    word = value.split(maxsplit=1)[0].partition("/")[0] if value else ""
    for name in (token[0] if token else "", word):
        if name and name != "*":
            yield name.lower()


def _seconds(value: str) -> float:
    try:
        seconds = float(value)
    except ValueError:
        return 0.0
    return seconds if isfinite(seconds) else 0.0


def _escaped(value: str) -> str:
    text = _UNPRINTABLE.sub(lambda character: f"%{ord(character[0]):02X}", value)
    return _ESCAPE.sub(lambda escape: escape[0].upper(), text) if "%" in text else text


def _agent_rules(rules: Iterable[RobotsRule], crawl_delay: float | None) -> AgentRules:
    prefixes: dict[str, Verdict] = {}
    wildcards: dict[tuple[str, bool], _Wildcard] = {}
    for rule in rules:
        verdict = rule.verdict()
        for pattern in _spellings(rule):
            if "*" in pattern or pattern.endswith("$"):
                wildcards.setdefault((pattern, rule.allow), _wildcard(pattern, verdict))
                continue
            prefix = _literal(pattern)
            if rule.allow and prefix in prefixes and not prefixes[prefix].accepted:
                prefixes[prefix] = verdict
            else:
                prefixes.setdefault(prefix, verdict)
    lengths = tuple(sorted(set(map(len, prefixes)), reverse=True))
    ordered = sorted(wildcards.values(), key=lambda w: (-w.length, not w.verdict.accepted))
    return AgentRules(prefixes, lengths, tuple(ordered), crawl_delay)


def _spellings(rule: RobotsRule) -> set[str]:
    """The pattern as written and, where it differs, as a URL in normal form would have it."""
    if not rule.pattern:
        return set()
    spellings = {rule.pattern}
    if _CHANGED_BY_NORMALISING.search(rule.pattern) and not _DOT_SEGMENT.search(rule.pattern):
        site = "http://h" if rule.pattern[0] == "/" else "http://h/"
        url = normalise(site + rule.pattern)
        if isinstance(url, str) and not (rule.allow and url.count("%") < rule.pattern.count("%")):
            spellings.add(url.removeprefix(site))
    return spellings


def _wildcard(pattern: str, verdict: Verdict) -> _Wildcard:
    anchored = pattern.endswith("$")
    head, *rest = map(_literal, (pattern[:-1] if anchored else pattern).split("*"))
    inner = tuple(part for part in rest[:-1] if part)
    return _Wildcard(len(_literal(pattern)), head, inner, rest[-1] if rest else "", anchored, bool(rest), verdict)


def _literal(text: str) -> str:
    """Text without operators, with the two characters spelled out that a pattern has to escape."""
    return text.replace("%2A", "*").replace("%24", "$") if "%" in text else text


def _path(url: str) -> str:
    match = _PATH.match(url)
    path = match[1] if match else ""
    if path[:1] != "/":
        path = "/" + path
    return _literal(_ESCAPE.sub(lambda escape: escape[0].upper(), path)) if "%" in path else path
