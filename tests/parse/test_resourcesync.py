"""ResourceSync (ANSI/NISO Z39.99): which of its lists are read, and what they say."""

from whimbrel.parse.sitemaps import Sitemap, read_sitemap
from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict

NOW = 1_800_000_000.0
HERE = Url("https://example.org/.well-known/resourcesync")
OPEN = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:rs="http://www.openarchives.org/rs/terms/">'


def read(body: str) -> Sitemap:
    found = read_sitemap(f'<?xml version="1.0"?>{OPEN}{body}</urlset>'.encode(), HERE, NOW)
    assert isinstance(found, Sitemap)
    return found


def test_a_description_leads_to_lists_and_not_to_pages() -> None:
    found = read(
        '<rs:ln rel="describedby" href="https://example.org/info.xml"/><rs:md capability="description"/>'
        '<url><loc>https://example.org/capabilities.xml</loc><rs:md capability="capabilitylist"/></url>'
        '<url><loc>https://example.org/dump.xml</loc><rs:md capability="resourcedump"/></url>'
    )
    assert found.kind == "index"
    assert [one.url for one in found.urls] == ["https://example.org/capabilities.xml"]
    assert any("other kinds" in note for note in found.notes)


def test_a_list_of_changes_says_when_each_page_changed_last() -> None:
    found = read(
        '<rs:md capability="changelist" from="2026-01-01T00:00:00Z"/>'
        "<url><loc>https://example.org/a</loc><lastmod>2026-01-02T00:00:00Z</lastmod>"
        '<rs:md change="created" datetime="2026-01-03T00:00:00Z"/></url>'
        "<url><loc>https://example.org/b</loc><lastmod>2026-01-02T00:00:00Z</lastmod>"
        '<rs:md change="deleted"/></url>'
        "<url><loc>https://example.org/a</loc><lastmod>2026-01-02T00:00:00Z</lastmod>"
        '<rs:md change="updated" datetime="2026-01-05T00:00:00Z"/></url>'
    )
    assert found.kind == "urlset"
    assert {one.url: one.lastmod for one in found.urls} == {
        "https://example.org/a": 1_767_571_200.0,
        "https://example.org/b": 1_767_312_000.0,
    }
    assert not found.notes


def test_lists_of_packed_copies_are_refused() -> None:
    body = f'{OPEN}<rs:md capability="resourcedump"/><url><loc>https://example.org/all.zip</loc></url></urlset>'
    found = read_sitemap(body.encode(), HERE, NOW)
    assert isinstance(found, Verdict)
    assert "resourcedump" in found.reason


def test_an_md_of_somebody_else_changes_nothing() -> None:
    found = read("<url><loc>https://example.org/a</loc><x:md xmlns:x='urn:x'>words</x:md></url>")
    assert [one.url for one in found.urls] == ["https://example.org/a"]
