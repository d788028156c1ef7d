"""What a page or its headers ask of robots: noindex, nofollow, noarchive and the like."""

import re

from turbohtml import Element

NO_DIRECTIVES: frozenset[str] = frozenset()
OUR_NAMES = frozenset({"robots", "whimbrel"})

# Directives that carry a value after a colon: what stands before the colon is not an agent's name.
_WITH_VALUE = frozenset({"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"})
_AGENT = re.compile(r"\s*([A-Za-z0-9_.*-]+)\s*:\s*(.*)", re.DOTALL)


def names_us(name: str) -> bool:
    """Whether the name of a `<meta>` is "robots" or ours."""
    return name.strip().lower() in OUR_NAMES


def meta_directives(meta: Element) -> frozenset[str]:
    """The directives of a `<meta>` whose name is such a one."""
    return _spelt_out((meta.attr("content") or "").lower().split(","))


def header_directives(value: str, agent_token: str) -> frozenset[str]:
    """The directives of an X-Robots-Tag that concern the agent.

    "otherbot: noindex, nofollow" binds otherbot alone, up to the next name. Repeated headers arrive joined by
    commas, so a header without a name cannot be told from the going on of a named one before it; crawlers
    that join them read it as the latter, and so does this.
    """
    if not value:
        return NO_DIRECTIVES
    ours, concerned = [], True
    agent = agent_token.lower()
    for part in value.lower().split(","):
        named = _AGENT.fullmatch(part)
        if named and named[1] not in _WITH_VALUE:
            concerned = named[1] in (agent, "*", "robots")
            part = named[2]
        if concerned:
            ours.append(part)
    return _spelt_out(ours)


def _spelt_out(parts: list[str]) -> frozenset[str]:
    found = {part.strip() for part in parts} - {""}
    if "none" in found:
        found |= {"noindex", "nofollow"}
    return frozenset(found)
