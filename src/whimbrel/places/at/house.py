"""What this place is: its folder and key, what its owner allows, and what left it."""

import time
from collections.abc import Callable

from whimbrel.migrants.wire.channel import HouseRules
from whimbrel.places.at.dead_links import MissingBook
from whimbrel.places.at.diary import Diary
from whimbrel.places.at.joining import PlaceFolder
from whimbrel.places.at.resident import SHOWN
from whimbrel.places.at.terms import PlaceTerms, TermsError, load_terms, open_at, size
from whimbrel.places.link.keys import KeyPair


class House:
    """`say` hears what an owner may want to read."""

    def __init__(self, folder: PlaceFolder, say: Callable[[str], None], version: str) -> None:
        self.folder = folder
        self.version = version
        self.say = say
        self.key: KeyPair = folder.key()
        self.terms: PlaceTerms = load_terms(folder.path)
        self.diary = Diary(folder.path)
        self.missing = MissingBook(folder.path)
        self.spent: dict[str, str] = {}
        """On which day a home had so much that the next parcel would be too much."""
        self._homes = max(1, len(folder.memberships()))
        self._terms_at = 0

    def reread_terms(self) -> None:
        try:
            at = (self.folder.path / "place.toml").stat().st_mtime_ns
            if at != self._terms_at:
                self.terms, self._terms_at = load_terms(self.folder.path), at
        except (OSError, TermsError) as error:
            self.say(f"{error}; what was allowed before still holds")

    def why_not(self, home: str) -> str:
        """Why no migrant of this home may work here now, by the owner's terms; empty where one may."""
        terms = self.terms.of(home)
        if terms is None:
            return "the owner's place.toml names this home no more"
        if self.folder.paused:
            return "the owner has paused it"
        now = time.time()
        local = time.localtime(now)
        if not open_at(self.terms.place.hours, 60 * local.tm_hour + local.tm_min):
            when = time.strftime("%H:%M", local)
            return f"the owner allows work {self.terms.place.hours_said}; it is {when}"
        whole = self.diary.today(home, now) >= size("bytes_a_day", terms.bytes_a_day)
        if whole or self.spent.get(home) == today():
            return f"the {terms.bytes_a_day} that may leave a day have left"
        return ""

    def rules(self, home: str, ahead_seconds: float) -> HouseRules:
        """What a migrant of this home, which may work here, has to keep to."""
        place, terms = self.terms.place, self.terms.of(home)
        assert terms is not None, "asked before"
        return HouseRules(
            sites=tuple(terms.sites),
            delay_seconds=1.0 / terms.requests_per_second,
            held=str(self.folder.held(home)),
            held_bytes=size("disk", place.disk) // self._homes,
            ahead_seconds=ahead_seconds,
            memory_bytes=size("memory", place.memory) // place.migrants,
            folders=tuple((folder.url, folder.path) for folder in self.terms.folder),
            shown=str(self.folder.path / SHOWN),
        )

    def limits(self, home: str) -> dict[str, float | str]:
        """As homes are told them."""
        place, terms = self.terms.place, self.terms.of(home)
        limits: dict[str, float | str] = {
            "cpu": place.cpu, "memory": place.memory, "disk": place.disk, "hours": place.hours,
        }  # fmt: skip
        if terms is not None:
            limits |= {"requests_per_second": terms.requests_per_second, "bytes_a_day": terms.bytes_a_day}
        return limits


def today() -> str:
    return time.strftime("%Y-%m-%d")
