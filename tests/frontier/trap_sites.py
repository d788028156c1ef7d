"""Small sites made by rule, and a crawl of them in memory."""

import hashlib
from collections import deque
from collections.abc import Callable, Iterable
from itertools import count
from random import Random
from urllib.parse import urljoin

from whimbrel.frontier.patterns import shape
from whimbrel.frontier.traps import TrapSettings
from whimbrel.frontier.watch import FirstVisit, Watch
from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict

ROOT = Url("http://site.test/")
Content = tuple[str, list[str]]
Site = Callable[[str], Content | None]
"""Gives text and links of a path with its query, or nothing where there is no page."""

_WORDS = ("ash", "birch", "elm", "fir", "hazel", "larch", "maple", "oak", "pine", "rowan", "spruce", "yew")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "June", "July", "Aug", "Sep", "Oct", "Nov", "Dec")
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def words(number: int, length: int = 12) -> str:
    """A text of its own for every number."""
    digest = hashlib.sha256(str(number).encode()).digest()
    return " ".join(_WORDS[byte % len(_WORDS)] for byte in digest[:length])


class Crawled:
    def __init__(self) -> None:
        self.visited: list[str] = []
        self.refused: dict[str, Verdict] = {}
        self.runs: dict[str, int] = {}

    def under(self, prefix: str) -> list[str]:
        return [path for path in self.visited if path.startswith(prefix)]


def crawl(
    site: Site,
    seeds: Iterable[str] = ("/",),
    most: int = 6000,
    newest_first: bool = False,
    shuffled: Random | None = None,
    settings: TrapSettings | None = None,
    watch: Watch | None = None,
) -> Crawled:
    """Crawl until nothing is left or `most` pages were visited; judge on discovery and on departure.

    `shuffled` takes the pages of a depth in any order, as answers do arrive.
    """
    settings = settings or TrapSettings()
    watch = watch or Watch(settings)
    result = Crawled()
    queue = deque((urljoin(ROOT, seed), 0, 0) for seed in seeds)
    known = {url for url, _, _ in queue}
    bodies: set[str] = set()
    while queue and len(result.visited) < most:
        if shuffled:
            at = shuffled.randrange(sum(waiting[1] == queue[0][1] for waiting in queue))
            queue[0], queue[at] = queue[at], queue[0]
        url, depth, run = queue.pop() if newest_first else queue.popleft()
        path = url.removeprefix(ROOT[:-1])
        verdict = watch.judge(Url(url), depth, run)
        if not verdict.accepted:
            result.refused[path] = verdict
            continue
        content = site(path)
        if content is None:
            continue
        text, links = content
        result.visited.append(path)
        result.runs[path] = run
        found = [Url(link) for link in dict.fromkeys(urljoin(url, link) for link in links) if link not in known]
        known.update(found)
        onward = watch.visit(FirstVisit(Url(url), depth, run, shape(text), text in bodies, found))
        bodies.add(text)
        for link in found:
            verdict = watch.judge(link, depth + 1, onward)
            if verdict.accepted:
                queue.append((link, depth + 1, onward))
            else:
                result.refused[link.removeprefix(ROOT[:-1])] = verdict
    return result


def real_pages(site: Site, pages: int = 60) -> Site:
    """Put `site` beside an ordinary one: `/` links to `/doc/<word>` pages, each to the next and to the site."""
    names = ["/doc/" + words(number, 3).replace(" ", "-") + chr(97 + number % 26) for number in range(pages)]

    def both(path: str) -> Content | None:
        if path == "/":
            return "Welcome home", [*names[:5], "/start"]
        if path == "/start":
            return "The entrance", _entrance(site)
        if path in names:
            at = names.index(path)
            return words(10_000 + at), [*names[at + 1 : at + 3], "/", "/start"]
        return site(path)

    return both


def real_names(pages: int = 60) -> set[str]:
    return {"/doc/" + words(number, 3).replace(" ", "-") + chr(97 + number % 26) for number in range(pages)}


def _entrance(site: Site) -> list[str]:
    entered = site("/entrance")
    assert entered is not None
    return entered[1]


def _query(path: str) -> dict[str, str]:
    return dict(pair.split("=", 1) for pair in path.partition("?")[2].split("&") if "=" in pair)


def counter(path: str) -> Content | None:
    if path == "/entrance":
        return "", ["/clock?time=101"]
    time = int(_query(path).get("time", "0"))
    return f"It is {time} now", [f"/clock?time={time + 1}"]


def path_counter(path: str) -> Content | None:
    if path == "/entrance":
        return "", ["/n/1"]
    at = int(path.rsplit("/", 1)[1])
    return f"Number {at}", [f"/n/{at + 1}", "/"]


def calendar(path: str) -> Content | None:
    """Months to come and gone without end; the text changes in month names and figures only."""
    if path == "/entrance":
        return "", ["/cal?y=2024&m=5"]
    asked = _query(path)
    month = int(asked["y"]) * 12 + int(asked["m"]) - 1
    grid = " ".join(str(day) for day in range(1, 29 + month % 3))
    links = [f"/cal?y={other // 12}&m={other % 12 + 1}" for other in (month - 1, month + 1)]
    return f"{_MONTHS[month % 12]} {month // 12} {' '.join(_DAYS)} {grid}", links


def calendar_with_days(path: str) -> Content | None:
    """Months that link to each of their days and to an export; days that link to their month and neighbours."""
    if path == "/entrance":
        return "", ["/month/2024/5"]
    parts = path.strip("/").split("/")
    if parts[0] == "export":
        return None
    month = int(parts[1]) * 12 + int(parts[2]) - 1
    here = f"{month // 12}/{month % 12 + 1}"
    if parts[0] == "day":
        day = int(parts[3])
        text = f"{_DAYS[(month * 30 + day) % 7]} {day} {_MONTHS[month % 12]}: no events"
        return text, [f"/day/{here}/{day % 28 + 1}", f"/month/{here}"]
    months = [f"/month/{other // 12}/{other % 12 + 1}" for other in (month - 1, month + 1)]
    days = [f"/day/{here}/{day}" for day in range(1, 29)]
    return f"{_MONTHS[month % 12]} {month // 12}", [*months, *days, f"/export/{here}.ics"]


def sessions(name: str, pages: int = 20, spelled: str = "?{name}={token}") -> Site:
    """A site whose every link carries a session id of its own."""
    tickets = count()

    def signed(page: int) -> str:
        token = hashlib.md5(str(next(tickets)).encode()).hexdigest()
        return f"/shop/{'abcdefghijklmnopqrstuvwxyz'[page]}.html" + spelled.format(name=name, token=token)

    def site(path: str) -> Content | None:
        if path == "/entrance":
            return "", [signed(0)]
        page = "abcdefghijklmnopqrstuvwxyz".index(path.removeprefix("/shop/")[0])
        return words(page), [signed(other) for other in range(pages)]

    return site


def session_folders(path: str) -> Content | None:
    """Session numbers as a folder: every link opens a new one."""
    if path == "/entrance":
        return "", ["/session/1/a"]
    _, _, number, page = path.split("/")
    links = [f"/session/{int(number) * 5 + at + 1}/{other}" for at, other in enumerate("abcde")]
    return words(ord(page)), links


def growth(names: list[str]) -> Site:
    """Relative links without a slash before them, on a server that answers every path alike."""

    def site(path: str) -> Content | None:
        if path == "/entrance":
            return "", ["/grow/"]
        return "The same page under any name", [name + "/" for name in names]

    return site


def facets(names: str, values: int) -> Site:
    """Products filtered by every combination of parameters; 40 products with pages of their own."""

    def site(path: str) -> Content | None:
        if path == "/entrance":
            return "", ["/goods"]
        if path.startswith("/product/"):
            return words(int(path.rsplit("/", 1)[1])), ["/goods"]
        chosen = _query(path)
        links = []
        for name in names:
            for value in range(values):
                pairs = {**chosen, name: f"v{value}"}
                links.append("/goods?" + "&".join(f"{key}={pairs[key]}" for key in sorted(pairs)))
        shown = [number for number in range(40) if hash_of(path, number) % (1 + len(chosen)) == 0]
        text = " ".join(words(number, 3) for number in shown)
        return text, [*links, *(f"/product/{number}" for number in shown)]

    return site


def hash_of(path: str, number: int) -> int:
    return hashlib.md5(f"{path} {number}".encode()).digest()[0]


def numbered(template: str, pages: int) -> Site:
    """`pages` pages in a line, each with words of its own: pagination, articles, archives."""

    def address(number: int) -> str:
        year, month, day = 2000 + number // 336, number // 28 % 12 + 1, number % 28 + 1
        return template.format(number=number, year=year, month=month, day=day)

    numbers = {address(number): number for number in range(pages)}

    def site(path: str) -> Content | None:
        if path == "/entrance":
            return "", [address(0)]
        number = numbers.get(path)
        if number is None:
            return None
        links = [address(other) for other in (number - 1, number + 1) if 0 <= other < pages]
        return f"Page {number}. " + words(number), links

    return site
