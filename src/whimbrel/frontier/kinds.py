"""Kinds of URLs that are not worth asking for: learned from a sample, page by page.

URLs of one *form* (host, number of steps in the path, names of the parameters) differ in their values. A part that
takes many values is free, like a title; one of a few belongs to the kind, like `action=edit`. So a kind is a form with
its few values fixed, and a new one among those makes a new kind, of which nothing is known yet.

Two kinds are not worth it. Of one, all that was asked for was refused (it asks not to be kept, or wants a login) and
nothing led to a page that is not reached otherwise; where the pages of a site would cost more than they may, fewer tell
it, and fewest where they are views of kept pages. The other has an id in its URLs that keeps changing, and its pages
repeat what others said: it may cost three requests for every page's worth of new words. What a list names one by one is
no such repetition, however alike the words are.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from whimbrel.frontier import patterns
from whimbrel.frontier.doubt import DOUBT, Agreeing, Agreement, Doubt
from whimbrel.frontier.forms import (
    ASKED,
    COUNTED,
    FEW,
    LATE,
    LEADING,
    NEW,
    NOTHING,
    SAMPLE,
    VIEWS,
    WORTH,
    Form,
    FormState,
    at_large,
    form_of,
    nothing,
    shown,
    sums,
    view,
)
from whimbrel.frontier.novelty import Novelty
from whimbrel.frontier.spending import REQUESTS_A_PAGE, Spending
from whimbrel.frontier.subjects import Subjects
from whimbrel.records.url import Url
from whimbrel.records.verdict import ACCEPTED, Verdict, refused

FRUITLESS = "fruitless"
REPEATED = "repeated"
_MOST_KINDS = 256
_MOST_ENTRIES = 100_000
_TWICE = 2
"""Views asked for before a kind of them is left out: the second waits until all else of the site is done, so it is not
judged by a site of which little was seen."""


class Trial(NamedTuple):
    """What a URL is tried as. Which parts are `free` says how the form is divided into kinds at the moment."""

    form: str
    free: tuple[bool, ...]
    kind: str
    with_id: bool


class UrlKinds:
    """States by form, kept like those of the watch: drained with each commit what changed, recalled when needed.
    `redeemed` says that a kind that was given up has turned out to be worth it."""

    def __init__(self, recall: Callable[[str], FormState | None] = lambda _: None, capacity: int = 5_000) -> None:
        self._recall = recall
        self._capacity = capacity
        self._forms: dict[str, Form] = {}
        self._changed: dict[str, None] = {}
        self._novelty = Novelty(capacity)
        self._spending = Spending()
        self._excused: set[Url] = set()
        self._entries: set[Url] = set()
        self._turned_away: set[Url] = set()
        self._subjects = Subjects()
        self._missing: dict[str, int] = {}
        self._agreement = Agreement()
        self._uncompared: set[str] = set()
        self.redeemed = False

    def visited(self, url: Url, kept: bool, words: bytes = b"", novel: bool = True, *, leads_on: bool = False) -> None:
        """One more was asked for. `words` are hashes of some of its words where an id is in its URL; a copy of another
        page is kept, but not novel. What is not kept `leads_on` where its links may be followed."""
        form, values = self._noted(url)
        state = form.state
        self._spending.asked(form.host, kept=kept and novel)
        if kept:
            self._subjects.kept(state.names, values)
        else:
            self._find_subjects(form)
        kind = form.kind(values)
        count = state.counts.get(kind)
        if count is None:
            count = state.counts[kind] = nothing()
        if kept:
            self._fruit(count)
            count[NEW] += self._novelty.of((form.key, kind), words) if novel else 0.0
        count[ASKED] += 1
        count[LEADING] += leads_on and not kept
        count[VIEWS] += not (kept or leads_on) and self._is_view(form, values)
        if len(state.counts) > _MOST_KINDS:
            rarest = min(state.counts, key=lambda kind: (state.counts[kind][WORTH] > 0, state.counts[kind][ASKED]))
            del state.counts[rarest]
        self._keep(form)

    def needed(self, url: Url) -> None:
        """It led to a page that was kept and is not known otherwise."""
        key, _, values = form_of(url)
        form = self._form(key)
        if form is not None:
            self._fruit(form.state.counts.setdefault(form.kind(values), nothing()))
            self._keep(form)

    def _fruit(self, count: list[float]) -> None:
        """Where it comes late, the kind may have been given up, and others may be like it."""
        if count[ASKED] and not count[WORTH]:
            self.redeemed = True
            count[LATE] += not count[LEADING]
        count[WORTH] += 1

    def listed(self, urls: Iterable[Url]) -> None:
        """Links of one page, in order. Those that differ in an id alone are its entries, each of which is asked for
        once: by the first link that names it."""
        named: set[str] = set()
        lists: dict[str, list[Url]] = {}
        for url in urls:
            if (ids := patterns.ids(url)) and named.isdisjoint(ids):
                named.update(ids)
                lists.setdefault(patterns.copies(url)[0], []).append(url)
        for entries in lists.values():
            if len(entries) >= FEW and len(self._entries) < _MOST_ENTRIES:
                self.redeemed |= not self._turned_away.isdisjoint(entries)
                self._turned_away.difference_update(entries)
                self._entries.update(entries)

    def judge(self, url: Url) -> Verdict:
        form, values = self._noted(url)
        if not form.divided or url in self._excused:
            return ACCEPTED
        state, kind = form.state, form.kind(values)
        count = state.counts.get(kind, NOTHING)
        untried = count[WORTH] or count[ASKED] < _TWICE
        evidence = "" if untried else self._in_vain_for(form, count, self._is_view(form, values))
        if evidence and (count[ASKED] >= SAMPLE or not self._spare(form.host)):
            return refused(FRUITLESS, f"{evidence} ({shown(state, form.host, kind.split(chr(10)))})")
        if url in self._entries or not patterns.copies(url)[0]:
            return ACCEPTED
        asked, new, wide = at_large(state, kind.split("\n"))
        if asked < SAMPLE + REQUESTS_A_PAGE * new:
            return ACCEPTED
        if len(self._turned_away) < _MOST_ENTRIES:
            self._turned_away.add(url)
        told = f"an id in it keeps changing: {asked:.0f} like it brought as much that is new as {new:.1f} pages"
        return refused(REPEATED, f"{told} ({shown(state, form.host, wide)})")

    def is_spared(self, url: Url) -> bool:
        """Enough were asked for to leave it out: it is only asked for because its site can bear it."""
        key, _, values = form_of(url)
        form = self._form(key)
        if form is None or url in self._excused or not form.divided:
            return False
        count = form.state.counts.get(form.kind(values), NOTHING)
        return not count[WORTH] and bool(self._in_vain_for(form, count, self._is_view(form, values)))

    def _in_vain_for(self, form: Form, count: Sequence[float], is_view: bool) -> str:
        """Why nothing is to be expected of a kind; "" where it has to be tried. What leads on is tried by itself. Of
        what does not, only whether all of its kind are alike is in doubt, and other kinds say how alike they are."""
        asked, views = count[ASKED], count[VIEWS] if is_view else 0
        told = f"{asked:.0f} like it were asked for: none could be kept, none led to a page not known otherwise"
        if asked >= SAMPLE:
            return told
        if count[LEADING] or asked < _TWICE:
            return ""
        pages, of_kept = self._doubt(form.host)
        if views >= _TWICE and REQUESTS_A_PAGE * of_kept.missed(views, self._spending.kept(form.host)) < 1:
            others = of_kept.kinds - 1
        elif asked >= FEW and pages.of(asked) <= DOUBT:
            others = pages.kinds - 1
        else:
            return ""
        return f"{told}, and {others} other kinds of this site are like that" if others else told

    def room_beyond(self, trial: Trial) -> int:
        """How many of a kind may be under way at once where enough of each were asked for."""
        return max(1, min(FEW, self._spare(_host(trial.form))))

    def _spare(self, host: str) -> int:
        """How many more of each kind may be asked for while the pages of the site cost no more than they may: as long
        as there are any, nothing less than a whole sample will do."""
        return self._spending.spare(host) // max(1, self._doubt(host)[0].kinds)

    def _doubt(self, host: str) -> tuple[Doubt, Doubt]:
        for changed in self._uncompared:
            if (form := self._forms.get(changed)) is not None:
                self._compare(form)
        self._uncompared = set()
        return self._agreement.doubts(host)

    def _is_view(self, form: Form, values: list[str]) -> bool:
        """It is about a page that is kept."""
        parts = zip(form.state.names, values, form.free, strict=True)
        return any(is_free and self._subjects.has(name, value) for name, value, is_free in parts)

    def _find_subjects(self, form: Form) -> None:
        """A part is free as soon as a few of its values name kept pages. So are numbers beside it of which there are as
        many as pages: the number of a version is no kind of view."""
        state = form.state
        parts = [at for at, is_free in enumerate(form.free) if not is_free]
        found = [at for at in parts if sum(self._subjects.has(state.names[at], v) for v in state.values[at]) >= FEW]
        pages = max((len(state.values[at]) for at in (*state.subjects, *found)), default=SAMPLE)
        found += [at for at in parts if at not in found and len(state.values[at]) >= pages and _are_numbers(state, at)]
        if found:
            state.subjects += found
            self._merge(form, found)
            self._keep(form)

    def _merge(self, form: Form, freed: list[int]) -> None:
        """Until now the values of these parts were told apart, so it is known which are views."""
        state = form.state
        for at in freed:
            for narrow, count in state.counts.items():
                if not count[WORTH] and self._subjects.has(state.names[at], narrow.split("\n")[at]):
                    count[VIEWS] = count[ASKED] - count[LEADING]
        form.merge()

    def missed(self, url: Url) -> None:
        """It was asked for and taught nothing: the page is missing, or did not come."""
        key = form_of(url)[0]
        self.paid(url)
        if len(self._missing) < self._capacity:
            self._missing[key] = self._missing.get(key, 0) + 1

    def paid(self, url: Url) -> None:
        """The site was asked for it, and no page came of that."""
        self._spending.asked(_host(form_of(url)[0]), kept=False)

    def trial(self, url: Url) -> Trial:
        """The kind a URL is tried as: parts with a few values count as free already. While none has, all of a form are
        one kind: that nothing is known of it must not make every URL a kind of its own."""
        key, _, values = form_of(url)
        form = self._form(key)
        with_id = bool(patterns.copies(url)[0])
        if form is None or True not in form.nearly:
            return Trial(key, (), "", with_id)
        kind = form.nearly_kind(values)
        return Trial(key, form.nearly, "\n".join(view(form.state, kind) if with_id else kind), with_id)

    def in_vain(self, trial: Trial) -> int:
        """How many of a kind were asked for where none was worth it; 0 where one was."""
        form = self._form(trial.form)
        if form is None or trial.with_id:
            return 0
        state = form.state
        count = sums(state, trial.kind.split("\n") if trial.free else ["*"] * len(state.names))
        return 0 if count[WORTH] else round(count[ASKED])

    def room(self, url: Url, trial: Trial) -> int | None:
        """How many of a kind may be under way at once while it is not known whether it is worth it; None where there
        is no doubt."""
        form = self._form(trial.form)
        # One tells whether more are worth it, unless it is missing.
        one = min(FEW, 1 + self._missing.get(trial.form, 0))
        if form is None or not trial.free:
            counts = form.state.counts.values() if form is not None and not trial.with_id else ()
            return None if any(count[WORTH] for count in counts) else one
        state = form.state
        if trial.with_id:
            own = form.nearly_kind(form_of(url)[2])
            widest = sums(state, trial.kind.split("\n"))
            asked, new, _ = at_large(state, own)
            both = ((asked, new), (widest[ASKED], widest[NEW]))
            return max(1, *(round(SAMPLE + REQUESTS_A_PAGE * n - a) for a, n in both))
        count = sums(state, trial.kind.split("\n"))
        if count[WORTH] or not count[ASKED]:
            return None if count[WORTH] else one
        self._find_subjects(form)
        if count[LEADING] or not form.divided:
            missing = SAMPLE - count[ASKED]
        elif self._spare(form.host) or self._is_view(form, form_of(url)[2]):
            missing = 1  # others are tried at the same time, and what they bring and cost decides as well
        else:
            missing = self._doubt(form.host)[0].missing(count[ASKED])
        return max(1, min(FEW, round(missing)))

    def excuse(self, urls: Iterable[Url]) -> None:
        """These are asked for all the same, so that it is noticed when their kind is worth it after all."""
        self._excused.update(urls)

    def is_due(self, url: Url) -> bool:
        """It need not wait for what others of its kind bring."""
        return url in self._excused or url in self._entries

    def drain(self) -> list[tuple[str, FormState]]:
        """The states that changed since the last drain."""
        changed = [(key, self._forms[key].state) for key in self._changed]
        self._changed = {}
        for key in list(self._forms)[: max(0, len(self._forms) - self._capacity)]:
            host = self._forms.pop(key).host
            self._uncompared.discard(key)
            self._agreement.forget(host)  # without it the others need more of their own again
        return changed

    def _noted(self, url: Url) -> tuple[Form, list[str]]:
        """The form of a URL with its values counted: also what is only known says which parts are free."""
        key, names, values = form_of(url)
        form = self._form(key)
        if form is None:
            form = self._forms[key] = Form(key, FormState(names, [[] for _ in names]))
        if freed := form.note(values):
            self._merge(form, freed)
        return form, values

    def _form(self, key: str) -> Form | None:
        form = self._forms.get(key)
        if form is None and (state := self._recall(key)) is not None:
            state.counts = {kind: [*count, *NOTHING][:COUNTED] for kind, count in state.counts.items()}
            form = self._forms[key] = Form(key, state)
            self._uncompared.add(key)
        return form

    def _compare(self, form: Form) -> None:
        counts = form.state.counts.values()
        shut = [count for count in counts if count[ASKED] and not count[WORTH] and not count[LEADING]]
        shut = shut if form.divided else []
        pages = Agreeing([count[ASKED] for count in shut], sum(count[LATE] for count in counts))
        late = sum(count[LATE] for count in counts if count[VIEWS])
        views = Agreeing([count[VIEWS] for count in shut if count[VIEWS]], late)
        self._agreement.hear(form.host, form.key, pages, views)

    def _keep(self, form: Form) -> None:
        self._forms.pop(form.key, None)
        self._forms[form.key] = form
        self._changed[form.key] = None
        self._uncompared.add(form.key)


def _are_numbers(state: FormState, part: int) -> bool:
    return all(value.isdigit() for value in state.values[part])


def _host(key: str) -> str:
    return key.split(" ")[1]
