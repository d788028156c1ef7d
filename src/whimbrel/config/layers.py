"""Merges the layers into one record."""

import os
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from whimbrel.config.settings import (
    Crawl,
    Fetch,
    Log,
    Migrants,
    NotifyTable,
    Places,
    PlaceTable,
    Refresh,
    Repository,
    Settings,
    SiteTable,
    Topic,
)
from whimbrel.config.values import HINTS, REPEATED, SECTIONS, ConfigError, checked, containers, unknown
from whimbrel.readers.contract import ReaderSettings
from whimbrel.search.contract import SearchSettings

DEFAULT_FILE = Path("whimbrel.toml")
ELSEWHERE = frozenset({"WHIMBREL_VENV"})
"""Variables that other parts of the house read."""
KEPT_APART = frozenset({"seeds", "auth", "cookies", "login", "login_fields", "login_secrets", "login_check"})
"""The folder keeps these by site: seeds in normal form, for as written they may hold a password; credentials by the
names of the variables and files that hold them."""


class Given(NamedTuple):
    """One value of one layer, already checked."""

    section: str
    key: str
    value: Any


def load(
    file: Path | None,
    environ: Mapping[str, str],
    flags: Mapping[str, object],
    stored: Mapping[str, object] | None = None,
) -> Settings:
    """Merges the layers, lowest first: `stored` (as `remember` gave it), the file, the environment, the flags.

    Without a file, `whimbrel.toml` in the current folder is read where there is one. Flags are named
    "section.key"; None and () mean that the flag was not given.
    """
    given = [
        *_from_table(stored or {}, "what the folder remembers"),
        *_from_file(file),
        *_from_environment(environ),
        *_from_flags(flags),
    ]
    values: dict[str, dict[str, Any]] = {section: {} for section in SECTIONS}
    several: dict[str, Any] = dict.fromkeys(REPEATED, ())
    for section, key, value in given:
        if section in REPEATED:
            several[section] = value
        else:
            values[section][key] = value
    return Settings(
        crawl=Crawl(**values["crawl"]),
        topic=Topic(**values["topic"]),
        fetch=Fetch(**values["fetch"]),
        refresh=Refresh(**values["refresh"]),
        repository=Repository(**values["repository"]),
        migrants=Migrants(**values["migrants"]),
        places=Places(**values["places"]),
        search=SearchSettings(**values["search"]),
        readers=ReaderSettings(**values["readers"]),
        log=Log(**values["log"]),
        **several,
    )


def load_stored(stored: Mapping[str, object]) -> Settings:
    """What the folder remembers, and nothing else."""
    return load(Path(os.devnull), {}, {}, stored)


def remember(settings: Settings) -> dict[str, object]:
    """What the next run on the same folder starts from: what differs from the defaults, without secrets."""
    return {
        "crawl": _differing(settings.crawl),
        "topic": _differing(settings.topic),
        "fetch": _differing(settings.fetch),
        "migrants": _differing(settings.migrants),
        "site": [kept for site in settings.site if len(kept := _differing(_bare(site))) > 1],
        "place": [_differing(place) for place in settings.place],
    }


def _bare(site: SiteTable) -> SiteTable:
    return replace(site, headers={})


def _differing(record: Struct) -> dict[str, object]:
    default = msgspec.to_builtins(type(record)())
    values: dict[str, object] = msgspec.to_builtins(record)
    return {key: value for key, value in values.items() if value != default[key] and key not in KEPT_APART}


def _from_file(file: Path | None) -> Iterator[Given]:
    path = file or DEFAULT_FILE
    if file is None and not path.is_file():
        return
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror}); name another with --config") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: not valid TOML: {error}") from error
    yield from _from_table(table, str(path))


def _from_table(table: Mapping[str, object], origin: str) -> Iterator[Given]:
    for section, content in table.items():
        if section in REPEATED:
            yield Given(section, "", _several(section, content, origin))
        elif section not in SECTIONS:
            raise ConfigError(f"{origin}: {unknown('table', section, [*SECTIONS, *REPEATED])}")
        elif not isinstance(content, Mapping):
            raise ConfigError(f"{origin}: expected a table [{section}], got {content!r}")
        else:
            for key, value in content.items():
                yield Given(section, key, checked(section, key, value, f"{origin}, [{section}] {key}"))


def _several(section: str, content: object, origin: str) -> tuple[Struct, ...]:
    if not isinstance(content, list) or not all(isinstance(one, Mapping) for one in content):
        raise ConfigError(f"{origin}: expected [[{section}]] tables, got {content!r}")
    return tuple(_one(section, one, f"{origin}, [[{section}]] {number}") for number, one in enumerate(content, 1))


def _one(section: str, table: Mapping[str, object], place: str) -> Struct:
    record = REPEATED[section](**{key: checked(section, key, value, f"{place} {key}") for key, value in table.items()})
    if isinstance(record, SiteTable) and (record.host is None) == (record.prefix is None):
        raise ConfigError(f"{place}: expected either a host or a prefix, to know which pages are meant")
    if isinstance(record, SiteTable) and bool(record.login) != bool(record.login_secrets):
        raise ConfigError(f"{place}: a login needs both the page (login) and its secret fields (login_secrets)")
    if isinstance(record, NotifyTable) and not record.to:
        raise ConfigError(f"{place}: expected `to`, where to tell of changes")
    if isinstance(record, PlaceTable) and not record.name:
        raise ConfigError(f"{place}: expected a name, by which migrants are sent there")
    return record


def _from_environment(environ: Mapping[str, str]) -> Iterator[Given]:
    names = {f"WHIMBREL_{section}_{key}".upper(): (section, key) for section in SECTIONS for key in HINTS[section]}
    for name, text in sorted(environ.items()):
        if not name.startswith("WHIMBREL_") or name in ELSEWHERE or not text:
            continue
        if name not in names:
            raise ConfigError(f"environment: {unknown('variable', name, [*names])}")
        section, key = names[name]
        value = _read_text(text, containers(HINTS[section][key]), name)
        yield Given(section, key, checked(section, key, value, f"environment, {name}", lax=True))


def _read_text(text: str, kinds: frozenset[object], name: str) -> object:
    """Lists are written with spaces, lists and tables also as in TOML."""
    if (tuple in kinds and text.startswith("[")) or (dict in kinds and text.startswith("{")):
        try:
            return tomllib.loads(f"value = {text}")["value"]
        except tomllib.TOMLDecodeError as error:
            raise ConfigError(f"environment, {name}: not a valid TOML value: {error}") from error
    return text.split() if tuple in kinds else text


def _from_flags(flags: Mapping[str, object]) -> Iterator[Given]:
    for name, value in flags.items():
        section, _, key = name.partition(".")
        if value is None or value == ():
            continue
        if section not in SECTIONS:
            raise ConfigError(f"flags: {unknown('table', section, [*SECTIONS])}")
        option = key.removesuffix("_seconds").removesuffix("_bytes").replace("_", "-")
        yield Given(section, key, checked(section, key, value, f"--{option}", lax=True))
