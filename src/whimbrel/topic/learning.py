"""Which links lead to pages of a topic, learned from what lay behind others that look alike.

What shows at a link: its words, those around it, the words and folders of its URL, its place in the page, how surely
the page that it stands on is relevant, and how near to the topic all of that sounds. The learner is that of
`structure.leads`, which says of a link whether its page is wanted and what that page in turn leads to: so a crawl goes
through pages that are not relevant towards such that are (tunnelling: Bergmark and others, 2002; Rennie and McCallum,
1999). Before anything was learned, what sounds near is believed to be near, as shark search does; experience takes its
place.
"""

from collections.abc import Sequence

import xxhash
from msgspec import Struct

from whimbrel.records.url import Url
from whimbrel.structure.leads import SLOTS, Leads, LinkTraits, Noticing, Traits
from whimbrel.topic.counting import WordCounter
from whimbrel.topic.strategies import REMEMBERED, JudgedPage, SeenLink, Sounding

STEPS = 4
"""In which nearness and relevance are told apart."""
BELIEVED = {"words": 1.0, "around": 0.3, "address": 0.7, "from": 0.8}
"""What one step more is believed to add to the logit of a link, before the first lesson; chosen without data."""
MOST_AROUND = 8
SAMPLED = 24
"""Of a page's new links so many say what it promises."""


class LinkSound(Struct, frozen=True, gc=False):
    """A text as slots: how near it sounds as the words of a link, as those around one, and its first words."""

    as_words: int
    as_around: int
    near: tuple[int, ...]


class LearnedLinks:
    """Learns from every page that is judged; remembers the traits of what was met and not fetched yet."""

    def __init__(self, counter: WordCounter, nearness: Sounding, learnt: bytes = b"") -> None:
        self._counter = counter
        self._near = nearness
        self._leads = Leads.from_bytes(learnt) if learnt else Leads()
        self._noticing = Noticing()
        self._slots: dict[str, int] = {}
        self._sounds: dict[str, LinkSound] = {}
        self._addresses: dict[Url, tuple[int, str]] = {}
        self._from = [self._slot(f"from {step}") for step in range(STEPS + 1)]
        self._often = [self._slot(f"often {step}") for step in range(STEPS + 1)]
        self._traits: dict[int, Traits] = {}
        self._best: dict[int, tuple[int, int]] = {}
        """Of a link, the relevance of the best page that it stands on, in steps, and how many such it is on."""
        self._fetched: set[int] = set()
        if not learnt:
            self._believe()

    def take_in(self, page: JudgedPage, links: Sequence[SeenLink]) -> None:
        step = round(STEPS * page.strength)
        new: list[int] = []
        for link in links:
            if link.key not in self._fetched:
                self._meet(page, link, step)
                new.append(link.key)
        sample = new[:: 1 + len(new) // SAMPLED]
        outcome = (page.strength if page.relevant else 0.0, self._leads.promise(map(self._whole, sample)))
        traits = self._traits.pop(page.key, None)
        if traits is not None:
            self._leads.learn(self._with_sources(traits, page.key), *outcome)
        self._best.pop(page.key, None)
        if len(self._fetched) >= REMEMBERED:
            self._fetched.clear()
        self._fetched.add(page.key)

    def promise(self, key: int, url: Url) -> float:
        traits = self._traits.get(key)
        if traits is not None:
            return self._leads.score(traits, self._sources(key))
        return self._leads.score(self._noticing.traits(LinkTraits(url, "", "", 0)))

    def learnt(self) -> bytes:
        return self._leads.to_bytes()

    def _meet(self, page: JudgedPage, link: SeenLink, step: int) -> None:
        if link.key not in self._traits:
            if len(self._traits) >= REMEMBERED:
                self._traits.clear()
                self._best.clear()
            self._traits[link.key] = self._noticed(page, link)
        best, often = self._best.get(link.key, (0, 0))
        self._best[link.key] = (max(best, step), min(STEPS, often + page.relevant))

    def _whole(self, key: int) -> Traits:
        return self._with_sources(self._traits[key], key)

    def _with_sources(self, traits: Traits, key: int) -> Traits:
        return Traits(traits.slots + self._sources(key), traits.sorts)

    def _sources(self, key: int) -> tuple[int, int]:
        best, often = self._best.get(key, (0, 0))
        return self._from[best], self._often[often]

    def _noticed(self, page: JudgedPage, link: SeenLink) -> Traits:
        url, text, place, relevant = link.url, link.words, link.place, page.relevant
        plain = self._noticing.traits(LinkTraits(url, text, place, 0))
        words = self._sounds.get(text) or self._sound(text)
        beside = link.around
        around = self._sounds.get(beside) or self._sound(beside)
        address, folder = self._addresses.get(url) or self._address(url)
        slots = (
            *plain.slots, words.as_words, around.as_around, address,
            self._slot(f"beside {folder == page.url.rpartition('/')[0]} {relevant}"),
            self._slot(f"at {place.rpartition('>')[2]} {relevant}"),
            *around.near,
        )  # fmt: skip
        return Traits(tuple(dict.fromkeys(slots)), plain.sorts)

    def _sound(self, text: str) -> LinkSound:
        """What a text shows at a link. Links repeat theirs on every page of a site, so it is worked out once."""
        forms = self._counter.forms(text)
        step = self._step(self._near.of_forms(forms))
        near = tuple(self._slot(f"near {form}") for form in forms[:MOST_AROUND])
        if len(self._sounds) >= SLOTS:
            self._sounds.clear()
        sound = self._sounds[text] = LinkSound(self._slot(f"words {step}"), self._slot(f"around {step}"), near)
        return sound

    def _address(self, url: Url) -> tuple[int, str]:
        if len(self._addresses) >= SLOTS:
            self._addresses.clear()
        slot = self._slot(f"address {self._step(self._near.of_url(url))}")
        shown = self._addresses[url] = slot, url.rpartition("/")[0]
        return shown

    def _believe(self) -> None:
        for name, each in BELIEVED.items():
            for step in range(1, STEPS + 1):
                self._leads.believe(self._slot(f"{name} {step}"), each * step)

    @staticmethod
    def _step(nearness: float) -> int:
        return round(STEPS * nearness)

    def _slot(self, trait: str) -> int:
        slot = self._slots.get(trait)
        if slot is None:
            if len(self._slots) >= 4 * SLOTS:
                self._slots.clear()
            slot = self._slots[trait] = xxhash.xxh3_64_intdigest(f"topic {trait}".encode()) % SLOTS
        return slot
