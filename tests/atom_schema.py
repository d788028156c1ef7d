"""A RELAX NG grammar for Atom feeds, written after the productions that RFC 4287 gives element by element (§3 and §4).

It is ours and a part of the RFC's (appendix B): elements and attributes of other vocabularies are left out, and so
are sources and XHTML. So what it takes, the RFC's takes as well.
"""

from lxml import etree

_NOT_EMPTY = '<data type="string"><param name="pattern">\\s*\\S+\\s*</param></data>'
_MOMENT = '<data type="dateTime"/>'
_TEXT_CONSTRUCT = (
    '<optional><attribute name="type"><choice><value>text</value><value>html</value></choice></attribute></optional>'
    "<text/>"
)
_PERSON = (
    '<interleave><element name="name"><text/></element><optional><element name="uri"><text/></element></optional>'
    '<optional><element name="email"><data type="string"><param name="pattern">.+@.+</param></data></element>'
    "</optional></interleave>"
)
_LINK = (
    f'<attribute name="href">{_NOT_EMPTY}</attribute><optional><attribute name="rel"><text/></attribute></optional>'
    '<optional><attribute name="type"><data type="string"><param name="pattern">.+/.+</param></data></attribute>'
    '</optional><optional><attribute name="title"><text/></attribute></optional><empty/>'
)
_CATEGORY = (
    '<attribute name="term"><text/></attribute><optional><attribute name="scheme"><text/></attribute></optional>'
    '<optional><attribute name="label"><text/></attribute></optional><empty/>'
)


def _element(name: str, inside: str) -> str:
    return f'<element name="{name}">{inside}</element>'


def _optional(name: str, inside: str) -> str:
    return f"<optional>{_element(name, inside)}</optional>"


def _any(name: str, inside: str) -> str:
    return f"<zeroOrMore>{_element(name, inside)}</zeroOrMore>"


_COMMON = (
    _any("author", _PERSON)
    + _any("category", _CATEGORY)
    + _any("contributor", _PERSON)
    + _element("id", _NOT_EMPTY)
    + _any("link", _LINK)
    + _optional("rights", _TEXT_CONSTRUCT)
    + _element("title", _TEXT_CONSTRUCT)
    + _element("updated", _MOMENT)
)
_ENTRY = (
    f"<interleave>{_COMMON}{_optional('content', _TEXT_CONSTRUCT)}{_optional('summary', _TEXT_CONSTRUCT)}"
    f"{_optional('published', _MOMENT)}</interleave>"
)
_FEED = (
    f"<interleave>{_COMMON}{_optional('generator', '<text/>')}{_optional('subtitle', _TEXT_CONSTRUCT)}"
    f"{_optional('icon', _NOT_EMPTY)}{_optional('logo', _NOT_EMPTY)}</interleave>{_any('entry', _ENTRY)}"
)
SCHEMA = etree.RelaxNG(
    etree.fromstring(
        '<grammar xmlns="http://relaxng.org/ns/structure/1.0" ns="http://www.w3.org/2005/Atom" '
        'datatypeLibrary="http://www.w3.org/2001/XMLSchema-datatypes">'
        f"<start>{_element('feed', _FEED)}</start></grammar>"
    )
)


def faults(feed: bytes) -> list[str]:
    """What the grammar has against a feed."""
    document = etree.fromstring(feed)
    return [] if SCHEMA.validate(document) else [str(error) for error in SCHEMA.error_log]
