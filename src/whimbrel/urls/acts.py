"""Links that act: with a session, following them logs out, deletes or votes.

No list of them is kept anywhere that could be used: this one is short, and a setting replaces it. It looks at the last
part of a path and at parameters, where applications name what is to be done; a page that only speaks of it has the word
among others.
"""

import re
from collections.abc import Iterable

from whimbrel.records.url import Url
from whimbrel.records.verdict import ACCEPTED, Verdict, refused

RULE = "avoid"
_VERBS = (
    "delete|remove|destroy|trash|vote|upvote|downvote|like|unlike|unsubscribe|subscribe|watch|unwatch|follow|unfollow|"
    "approve|reject|ban|unban|block|unblock|rollback|revert|undo|purge|markread|mark_read"
)
DEFAULT = (
    # /logout, /users/sign_out, ?action=logout, Special:UserLogout, /ucp.php?mode=logout
    r"(?i)[/=:._-](?:user)?(?:log|sign)[-_]?(?:out|off)(?:\.[a-z]+)?(?=[/?&;]|$)",
    # /posts/7/delete, ?do=upvote
    rf"(?i)(?:/|[?&;][^=&;]+=)(?:{_VERBS})/?(?=[?&;]|$)",
    # the parameters by which applications know that a link was theirs
    r"(?i)[?&;](?:[\w-]*nonce|[\w-]*csrf[\w-]*|[\w-]*xsrf[\w-]*|authenticity_token|sesskey|form_?key|form_token|token)=",
)

_HIDDEN = re.compile(rb"<(?:input|meta)\b[^>]*>", re.IGNORECASE)
_VALUE = re.compile(rb"""\b(?:value|content)\s*=\s*["']?([A-Za-z0-9+/_=.:|-]{8,})["'\s>]""", re.IGNORECASE)
_QUERY_VALUE = re.compile(r"[?&;][^=&;]+=([^&;]{8,})")


class Acts:
    """For each beginning of URLs the patterns of which one may match none."""

    def __init__(self, avoid: Iterable[tuple[str, Iterable[str]]]) -> None:
        self._avoid = [(prefix, [re.compile(pattern) for pattern in patterns]) for prefix, patterns in avoid]

    def judge(self, url: Url) -> Verdict:
        for prefix, patterns in self._avoid:
            if url.startswith(prefix):
                for pattern in patterns:
                    if found := pattern.search(url, len(prefix) - 1):
                        return refused(RULE, f"not followed with a session: {found[0]!r} looks like an act")
        return ACCEPTED


def one_time_values(body: bytes) -> frozenset[str]:
    """What hidden fields and meta elements hold that looks random: a form's proof that it was ours."""
    hidden = (tag for tag in _HIDDEN.findall(body) if b"hidden" in tag.lower() or tag[:5].lower() == b"<meta")
    values = (found[1].decode() for tag in hidden if (found := _VALUE.search(tag)))
    return frozenset(value for value in values if _is_random(value))


def carries(url: Url, values: frozenset[str]) -> bool:
    return any(found[1] in values for found in _QUERY_VALUE.finditer(url))


def _is_random(text: str) -> bool:
    return any(c.isdigit() for c in text) and any(c.isalpha() for c in text)
