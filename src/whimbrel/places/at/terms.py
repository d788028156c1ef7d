"""The owner's terms: place.toml, read anew whenever it has changed. What is not said there is not allowed."""

import os
import re
import tomllib
from pathlib import Path

import msgspec
from msgspec import Struct, field

FILE = "place.toml"
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([kKMGT]?)i?B?")
_UNITS = {"": 1, "k": 1000, "K": 1000, "M": 1000**2, "G": 1000**3, "T": 1000**4}
_HOURS = re.compile(r"(\d{1,2})(?::(\d{2}))?\s*-\s*(\d{1,2})(?::(\d{2}))?")


class TermsError(ValueError):
    """place.toml cannot be used; the message says where and what to write instead."""


class MachineTerms(Struct, frozen=True, forbid_unknown_fields=True):
    """What all homes together may take of this machine."""

    cpu: float = 1.0
    memory: str = "1GB"
    disk: str = "1GB"
    hours: str = "0-24"
    migrants: int = 2

    @property
    def cores_said(self) -> str:
        if self.cpu == 1:
            return "one core"
        return f"{self.cpu:g} of a core" if self.cpu < 1 else f"{self.cpu:g} cores"

    @property
    def hours_said(self) -> str:
        first, last = hours("[place] hours", self.hours)
        return "at any hour" if first == last or (first, last) == (0, 24 * 60) else f"at {self.hours} o'clock"


class HomeTerms(Struct, frozen=True, forbid_unknown_fields=True):
    """What one home may. `key` is home's public key, by which it is known."""

    name: str
    key: str
    sites: list[str]
    requests_per_second: float = 5.0
    bytes_a_day: str = "1GB"


class MappedFolder(Struct, frozen=True, forbid_unknown_fields=True):
    """Pages of a site that can be read from a folder here instead of asking the web server."""

    url: str
    path: str


class PlaceTerms(Struct, frozen=True, forbid_unknown_fields=True):
    place: MachineTerms = MachineTerms()
    home: list[HomeTerms] = field(default_factory=list)
    folder: list[MappedFolder] = field(default_factory=list)

    def of(self, key: str) -> HomeTerms | None:
        return next((home for home in self.home if home.key == key), None)


def load_terms(folder: Path) -> PlaceTerms:
    path = folder / FILE
    try:
        terms = msgspec.convert(tomllib.loads(path.read_text()), PlaceTerms)
        check(terms)
    except FileNotFoundError:
        raise TermsError(f"there is no {path}; `whimbrel place join` writes one") from None
    except (tomllib.TOMLDecodeError, msgspec.ValidationError, UnicodeDecodeError) as error:
        raise TermsError(f"{path}: {error}") from error
    return terms


def check(terms: PlaceTerms) -> None:
    """Says which value cannot be used."""
    size("[place] memory", terms.place.memory)
    size("[place] disk", terms.place.disk)
    hours("[place] hours", terms.place.hours)
    if terms.place.cpu <= 0 or terms.place.migrants < 1:
        raise TermsError("[place] cpu and migrants have to be more than 0; `whimbrel place pause` stops all work")
    for home in terms.home:
        size(f"[[home]] {home.name} bytes_a_day", home.bytes_a_day)
        if home.requests_per_second <= 0:
            raise TermsError(f"[[home]] {home.name} requests_per_second has to be more than 0")


def size(where: str, text: str) -> int:
    found = _SIZE.fullmatch(text.strip())
    if found is None:
        raise TermsError(f'{where}: expected text like "500MB", got {text!r}')
    return int(float(found[1]) * _UNITS[found[2]])


def hours(where: str, text: str) -> tuple[int, int]:
    """From and to, in minutes of the day; from after to goes over midnight."""
    found = _HOURS.fullmatch(text.strip())
    if found is None:
        raise TermsError(f'{where}: expected hours like "22-6" or "0-24", got {text!r}')
    first, last = (int(found[i]) * 60 + int(found[i + 1] or 0) for i in (1, 3))
    if max(first, last) > 24 * 60:
        raise TermsError(f"{where}: a day has 24 hours, got {text!r}")
    return first, last


def open_at(text: str, minute: int) -> bool:
    """Whether work is allowed in this minute of the day."""
    first, last = hours("hours", text)
    return first <= minute < last if first < last else minute >= first or minute < last


def write_terms(folder: Path, terms: PlaceTerms) -> None:
    part = folder / f"{FILE}.part"
    part.write_text(_toml(terms))
    part.replace(folder / FILE)


def _toml(terms: PlaceTerms) -> str:
    place = terms.place
    lines = [
        "# What this machine allows. `whimbrel place run` reads it again whenever it has changed.",
        "[place]",
        f"cpu = {place.cpu:g}          # cores or parts of one, for all homes together",
        f'memory = "{place.memory}"   # for all crawling processes together',
        f'disk = "{place.disk}"     # for what waits until a home has it',
        f'hours = "{place.hours}"   # by the clock of this machine, when anything is asked for',
        f"migrants = {place.migrants}     # crawling processes at once",
    ]
    for home in terms.home:
        lines += [
            "", "[[home]]", f"name = {_text(home.name)}", f"key = {_text(home.key)}",
            f"sites = [{', '.join(map(_text, home.sites))}]   # nothing else is asked for",
            f"requests_per_second = {home.requests_per_second:g}   # to each site",
            f'bytes_a_day = "{home.bytes_a_day}"       # that leave this machine',
        ]  # fmt: skip
    for folder in terms.folder:
        lines += ["", "[[folder]]", f"url = {_text(folder.url)}", f"path = {_text(folder.path)}"]
    return "\n".join(lines) + "\n"


def _text(value: str) -> str:
    return msgspec.json.encode(value).decode()


def default_folder() -> Path:
    data = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(data) / "whimbrel-place"
