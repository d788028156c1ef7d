"""Where a link, a form or a picture leads, without the marks of a visit, a campaign or a build."""

import re
from functools import lru_cache
from urllib.parse import parse_qsl, unquote, urljoin, urlsplit

from whimbrel.change.tokens import is_token, without_hashes
from whimbrel.urls.normal import Rewrites, normalise, rewrite
from whimbrel.urls.scope import registrable_domain

# What names a visit, a campaign or a permission for some hours, and never a page.
_OF_THE_VISIT = re.compile(
    r"""(?: (?:php|j|asp)?_?sess(?:ion)?_?(?:id)? | aspsessionid\w* | cfid | cftoken
    | (?:x?csrf|xsrf)[-_]?\w* | _?token | authenticity_token | \w*nonce | form_?key
    | utm_\w+ | [gdmfy]s?cl(?:k)?id | fbclid | msclkid | (?:tw|tt|ir)cl(?:ick)?id | [gw]braid | igshid | mc_[ce]id
    | _g[al] | ref_src | _hs(?:enc|mi) | hsa_\w+ | mkt_tok | (?:pk|mtm|piwik|matomo)_\w+ | oly_\w+_id | li_fat_id
    | expires? | sig(?:nature)? | hmac | key-pair-id | policy | x-(?:amz|goog)-\w+
    | cb | cache_?bust(?:er)? | no_?cache | rnd | rand(?:om)? | _ | ts | timestamp )""",
    re.VERBOSE | re.IGNORECASE,
)
_OF_THE_BUILD = re.compile(r"v|ver|version|rev|hash|build|cv", re.IGNORECASE)
# Of a session, unless it is a number: then it is a story or a section.
_SESSION = re.compile(r"sid=(?!\d+$).*", re.IGNORECASE)
_SESSION_IN_PATH = re.compile(r";jsessionid=[^/?#]*|/\(S\([0-9a-z]+\)\)|/form_?key/[^/?#]+", re.IGNORECASE)
_NUMBERED = re.compile(r"[0-9a-f]*\d\w*")
# Tools number the places of a page from its top ("#a98"), and one more shifts all that follow.
_COUNTED_PLACE = re.compile(r"([A-Za-z_.-]{0,12})\d+")
_HOST = re.compile(r"((?:https?:)?//)([^/?#:@]+)(?=[/?#:]|$)", re.IGNORECASE)
_DIGITS = re.compile(r"\d+")
_NUMBERED_PART = re.compile(r"(?<=[?&])([^=&#]+)=(\d+)(?=[&#]|$)")


_NOWHERE = "http://page.invalid/"
_ENDINGS = Rewrites(drop_trailing_slash=True, drop_default_document=True)


@lru_cache(maxsize=4096)
def destination(link: str, page: str) -> str:
    """Where a link leads, however it is written: in full or from the page on, by http or https, with "www", a slash
    or "index.html" or without, its parameters in any order. "" where it leads nowhere; a place on its own page as it is
    written."""
    if link in ("", "#") or link[:11].lower() == "javascript:":
        return ""
    url = normalise(link, page or _NOWHERE) if not link.startswith("#") else None
    if not isinstance(url, str):
        return link
    rest, mark, query = rewrite(url, _ENDINGS).partition("?")
    parameters = "&".join(sorted(part for part in query.split("&") if part))
    _, hash_sign, fragment = link.partition("#")
    host = rest.partition("://")[2].removeprefix("www.").rstrip("/")
    return f"//{host}" + mark * bool(parameters) + parameters + hash_sign + fragment


@lru_cache(maxsize=4096)
def lasting_link(address: str) -> str:
    if address.startswith("#"):
        return _NUMBERED.sub("0", address)
    rest, hash_sign, fragment = of_any_twin(address).partition("#")
    path, mark, query = rest.partition("?")
    path = _SESSION_IN_PATH.sub("", path)
    if mark:
        query = "&".join(_without_token(part) for part in query.split("&") if not _is_of_the_visit(part))
    fragment = _COUNTED_PLACE.sub(r"\g<1>0", fragment) if _COUNTED_PLACE.fullmatch(fragment) else fragment
    return path + (f"?{query}" if query else "") + hash_sign + fragment


@lru_cache(maxsize=4096)
def lasting_file(address: str) -> str:
    """Of a picture or another file: also without the hash in its name and its version."""
    path, mark, query = lasting_link(address).partition("?")
    folder, slash, name = path.rpartition("/")
    parts = [part for part in query.split("&") if not _OF_THE_BUILD.fullmatch(part.partition("=")[0])] if mark else []
    # A query of one bare number or word is a version as well ("logo.png?20240503").
    parts = [part for part in parts if "=" in part]
    # Without an ending it is no file of a build: the name of a film is as random as a hash.
    return folder + slash + (without_hashes(name) if "." in name else name) + ("?" + "&".join(parts) if parts else "")


def _is_of_the_visit(part: str) -> bool:
    return _OF_THE_VISIT.fullmatch(part.partition("=")[0]) is not None or _SESSION.fullmatch(part) is not None


def _without_token(part: str) -> str:
    name, equals, value = part.partition("=")
    return f"{name}{equals}#" if is_token(value) else part


def of_any_twin(address: str) -> str:
    """The address at whichever of its numbered twins: sites spread files over `0.`, `1.`, `2.example.org` by lot.

    Twins are hosts of one registrable domain whose other labels differ in digits alone.
    """
    found = _HOST.match(address)
    if found is None or not _DIGITS.search(found[2]):
        return address
    name = found[2].lower()
    domain = registrable_domain(name)
    labels = name.removesuffix(domain)
    return found[1] + _DIGITS.sub("0", labels) + domain + address[found.end() :]


def without_revision(link: str, page: str, text: str) -> str:
    """A link to a revision of the page it stands on, without the number of the revision; any other link as it is.

    It names the page by its path or another parameter and adds a number. Where the number is all that it adds, as
    lists and shops name other pages, it is the page's own only if it stands written out in the text.
    """
    bare = _NUMBERED_PART.sub(r"\1=#", link)
    if not page or bare == link:
        return link
    named, here = urlsplit(urljoin(page, bare)), urlsplit(page)
    if named.netloc != here.netloc:
        return link
    said = {part for part in parse_qsl(named.query) if part[1] != "#"}
    if named.path == here.path:
        asked = set(parse_qsl(here.query))
        own = said >= asked if asked else link in text
    else:
        own = unquote(here.path.rpartition("/")[2]) in {value for _, value in said} - {""}
    return bare if own else link
