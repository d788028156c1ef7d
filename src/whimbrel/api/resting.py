"""What was said of a URL rests on settings: which, and what to judge anew when they have changed."""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import msgspec

from whimbrel.config import Settings
from whimbrel.config.layers import load_stored
from whimbrel.records.entry import ENTRY_RULE
from whimbrel.records.picturing import IMAGES_RULE, SMALL_RULE
from whimbrel.records.sifting import KEEP_RULE
from whimbrel.repository.contract import KnownUrl
from whimbrel.repository.port.writer import Writer
from whimbrel.urls.normal import host

JUDGED_UNDER = "judged under"
"""By this name the folder keeps the settings that its verdicts rest on; of a secret only that there is one."""

SEEDS = "seeds"
_WAYS = ("fetch.proxy",)
_PATIENCE = ("fetch.connect_seconds", "fetch.total_seconds", "fetch.stall_seconds", *_WAYS)
_CREDENTIALS = (
    "fetch.headers", "fetch.user_agent", "fetch.contact", "site.auth", "site.headers", "site.cookies",
    "site.login", "site.login_fields", "site.login_secrets",
)  # fmt: skip

_DIRECTIVES = ("noindex", "noarchive", "nofollow")

RESTS_ON: Mapping[str, tuple[str, ...]] = {
    "scope": ("crawl.scope", SEEDS),
    "filter": ("crawl.include", "crawl.exclude", "crawl.filter", "site.include", "site.exclude"),
    KEEP_RULE: ("crawl.keep", "crawl.keep_program"),
    IMAGES_RULE: ("crawl.only",),
    ENTRY_RULE: ("places.entries_first",),
    SMALL_RULE: ("crawl.only",),
    "depth": ("crawl.depth", "site.depth"),
    "site_limit": ("site.limit",),
    "collection": ("crawl.collection",),
    "type": ("crawl.types",),
    "too_large": ("fetch.max_size_bytes",),
    "address": ("fetch.allow_networks", SEEDS, *_WAYS),
    "robots": ("fetch.robots_off_hosts", "fetch.user_agent"),
    "tls": ("fetch.ca_file", *_WAYS),
    "dns": _WAYS,
    "proxy": _WAYS,
    "connect": _PATIENCE,
    "cut": _PATIENCE,
    "slow": _PATIENCE,
    "timeout": _PATIENCE,
    # What a site hides from strangers it often says is not there.
    "http_401": _CREDENTIALS,
    "http_403": _CREDENTIALS,
    "http_404": _CREDENTIALS,
    "http_407": _WAYS,
    **dict.fromkeys(_DIRECTIVES, ("fetch.directives_off_hosts",)),
}
"""The settings that a rule's verdict would be another without. A rule that is not here rests on none."""

LETS_IN = ("scope", "filter", "depth")
"""Rules by which a URL may also leave the queue."""

_SECRET = frozenset({"auth", "headers", "cookies", "login_fields", "login_secrets"})
_REFERENCE = re.compile(r"(?:[^:\s]+:)?(?:env|file):\S+")
_USER_INFO = re.compile(r"//[^/?#]*@")


def terms_of(settings: Settings) -> dict[str, object]:
    """The settings that verdicts rest on, by their names. Of a secret only where it is kept, or that there is one."""
    values = msgspec.to_builtins(settings)
    sites = values["site"]
    terms: dict[str, object] = {}
    for name in sorted({name for names in RESTS_ON.values() for name in names} - {SEEDS}):
        section, _, key = name.partition(".")
        if section == "site":
            said = [[site["host"] or site["prefix"], _shown(key, site[key])] for site in sites if site.get(key)]
            terms[name] = sorted(said, key=str)
        else:
            terms[name] = _shown(key, values[section].get(key))
    as_kept: dict[str, object] = json.loads(json.dumps(terms))
    return as_kept


def _shown(key: str, value: object) -> object:
    if key == "keep_program" and isinstance(value, str):
        return _content(value)
    if key == "proxy" and isinstance(value, str):
        return _USER_INFO.sub("//", value)
    if key not in _SECRET or not value:
        return value or None
    if isinstance(value, dict):
        return sorted(value)
    return value if isinstance(value, str) and _REFERENCE.fullmatch(value) else True


def _content(file: str) -> str:
    """The program itself counts, whatever its file is called."""
    try:
        return hashlib.sha256(Path(file).expanduser().read_bytes()).hexdigest()
    except OSError:
        return file


def to_judge_anew(store: Writer, settings: Settings, new_seeds: bool) -> list[str]:
    """The rules whose verdicts rest on something that is other than it was."""
    before = store.recall(JUDGED_UNDER)
    if not isinstance(before, dict):
        before = _terms_before(store)
        if before is None:
            return []
    now = terms_of(settings)
    changed = {name for name in now if before.get(name) != now[name]} | ({SEEDS} if new_seeds else set())
    return resting_on(changed)


def concerned(settings: Settings) -> Callable[[KnownUrl], bool]:
    """Whether a change can matter to a URL at all: what pages ask for is passed over on some hosts only."""
    off = frozenset(settings.fetch.directives_off_hosts)
    return lambda row: row.rule not in _DIRECTIVES or host(row.url) in off


def resting_on(names: Iterable[str]) -> list[str]:
    changed = set(names)
    return [rule for rule, names in RESTS_ON.items() if changed.intersection(names)]


def _terms_before(store: Writer) -> dict[str, object] | None:
    """Folders made before remember the settings of their last crawl."""
    stored = store.recall("settings")
    return terms_of(load_stored(stored)) if isinstance(stored, dict) else None
