"""Error pages that answer 200 ("soft 404"), told by asking a site for what it cannot have.

A site answers what it does not know by rules of its own, which differ from one form of address to another: one program
may answer /wiki/…, another ?id=…. So for each form at which pages stand that could be error pages an address is asked
for whose last part is a word that nobody would have used. Where that is no error, the pages of the form that show the
same, or lead to the same place, are no pages either. What a query has no say in is told by the page without it.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import TypeAlias
from urllib.parse import unquote

from msgspec import Struct
from xxhash import xxh3_64_hexdigest

from whimbrel.flows.packing import unpack
from whimbrel.records.url import Url
from whimbrel.records.visit import Outcome
from whimbrel.repository.contract import NothingThere
from whimbrel.repository.port.reader import Reader
from whimbrel.repository.views import ListedUrl, Selection, Site
from whimbrel.revisit.gone import SAME, likeness
from whimbrel.urls.normal import origin

SoftPages: TypeAlias = Mapping[Url, str]
"""Pages that are none, with what shows it."""
MOST_PROBES = 20
"""A site, those first where most pages have the title of another, which error pages have."""
_LAST_VALUE = re.compile(r"(?<==)[^&=]*$")
_LAST_PART = re.compile(r"(?<=/)[^/?]+?(?=(?:\.[A-Za-z0-9]{1,6})?/?(?:\?.*)?$)")
_KEPT = (Outcome.FETCHED, Outcome.UNCHANGED, Outcome.DUPLICATE)
_LOOKED_AT = (*_KEPT, Outcome.REDIRECTED, Outcome.REFUSED)
_KEPT_BACK = ("noindex", "noarchive")


class UrlForm(Struct, frozen=True):
    """An address with a part left open. `probe` is one of this form that cannot exist, `without` the same address with
    no query, None where the open part is in its path."""

    form: str
    probe: Url
    without: Url | None


def form_of(url: Url) -> tuple[UrlForm, str] | None:
    """With what stands in the open part; None where there is no part to leave open."""
    in_query = _LAST_VALUE.search(url) if "?" in url else None
    found = in_query or _LAST_PART.search(url, len(origin(url)))
    if found is None or not found[0]:
        return None
    form = f"{url[: found.start()]}*{url[found.end() :]}"
    probe = form.replace("*", f"no-such-page-{xxh3_64_hexdigest(form.encode())}", 1)
    return UrlForm(form, Url(probe), Url(url.partition("?")[0]) if in_query is not None else None), found[0]


def probes(reader: Reader, site: Site | None) -> list[Url]:
    """What to ask for, each with the page without its query where it has one."""
    alike: defaultdict[str, Counter[UrlForm]] = defaultdict(Counter)
    titles: dict[tuple[str, str], int] = {}
    for listed in _pages(reader, site):
        found = form_of(listed.url)
        if found is not None:
            title = (found[0].form, listed.title)
            titles[title] = titles.get(title, 0) + 1
            alike[origin(listed.url)][found[0]] += 1 if titles[title] == 1 else 1_000
    chosen = [form for forms in alike.values() for form, _ in forms.most_common(MOST_PROBES)]
    return [url for form in chosen for url in (form.probe, form.without) if url is not None]


def soft_pages(reader: Reader, elsewhere: Reader, site: Site | None) -> dict[Url, str]:
    """Pages that are answered as an address is that cannot exist; `elsewhere` holds what the probes were answered."""
    found: dict[Url, str] = {}
    probed: dict[UrlForm, _Probed | None] = {}
    alive: set[UrlForm] = set()
    for listed in _pages(reader, site):
        formed = form_of(listed.url)
        if formed is None:
            continue
        form, part = formed
        if form not in probed:
            probed[form] = _probed(elsewhere, form)
        answer = probed[form]
        reason = answer.says_of(listed, part, reader) if answer is not None else ""
        if reason:
            found[listed.url] = reason
        elif listed.outcome in _KEPT:
            alive.add(form)
    # Where all of a form is answered so, by a login or by a wish, nobody can say what is behind it.
    return {url: reason for url, reason in found.items() if _tells_by_itself(url, probed, alive)}


def _tells_by_itself(url: Url, probed: Mapping[UrlForm, "_Probed | None"], alive: set[UrlForm]) -> bool:
    formed = form_of(url)
    answer = probed.get(formed[0]) if formed is not None else None
    return answer is not None and formed is not None and (bool(answer.text) or formed[0] in alive)


class _Probed(Struct, frozen=True):
    """What an address that cannot exist was answered: a page, a redirect, or a page that asks not to be kept."""

    text: str = ""
    target: Url | None = None
    rule: str = ""

    def says_of(self, listed: ListedUrl, part: str, reader: Reader) -> str:
        if self.target is not None:
            same = listed.outcome == Outcome.REDIRECTED and _end(reader, listed.url) == self.target
            return "redirected to where an address that cannot exist is redirected to" if same else ""
        if self.rule:
            same = listed.outcome == Outcome.REFUSED and listed.rule == self.rule and listed.status == 200
            return f"answered 200 with {self.rule}, as an address that cannot exist is" if same else ""
        if listed.outcome not in _KEPT:
            return ""
        alike = likeness(_masked(_text(reader, listed.url), part), self.text)
        return f"{alike:.0%} the text of an address that cannot exist" if alike >= SAME else ""


def _probed(elsewhere: Reader, form: UrlForm) -> "_Probed | None":
    """None where the site says that there is no such page, or was not asked, or where the part has no say."""
    listed = elsewhere.one(form.probe)
    if listed is None:
        return None
    if listed.outcome == Outcome.REDIRECTED:
        return _Probed(target=_end(elsewhere, form.probe))
    if listed.outcome == Outcome.REFUSED and listed.rule in _KEPT_BACK:
        return _Probed(rule=listed.rule)
    if listed.outcome not in _KEPT:
        return None
    found = form_of(form.probe)
    text = _masked(_text(elsewhere, form.probe), found[1] if found is not None else "")
    if form.without is not None and likeness(_text(elsewhere, form.without), text) >= SAME:
        return None
    return _Probed(text=text)


def _pages(reader: Reader, site: Site | None) -> Iterator[ListedUrl]:
    return (one for one in reader.urls(Selection(outcomes=_LOOKED_AT, site=site, assets=False)) if one.visited_at)


def _text(reader: Reader, url: Url) -> str:
    try:
        packed = reader.detail(url).reading
    except NothingThere:
        return ""
    return unpack(packed).text if packed else ""


def _masked(text: str, part: str) -> str:
    """Error pages say what they were asked for, in the spelling of the address or in that of a title."""
    named = unquote(part)
    spelled = {named, part, re.sub(r"[_+-]", " ", named)} - {"", " "}
    return (
        re.sub("|".join(re.escape(one) for one in sorted(spelled, key=len, reverse=True)), "*", text, flags=re.I)
        if spelled
        else text
    )


def _end(reader: Reader, url: Url) -> Url:
    end = url
    for _ in range(12):
        try:
            target = reader.detail(end).target
        except NothingThere:
            break
        if target is None:
            break
        end = target
    return end
