import json
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict, refused
from whimbrel.urls.filters import (
    All,
    Any,
    Domain,
    Extension,
    Filter,
    Not,
    Pattern,
    Plugin,
    Prefix,
    Protocol,
    from_table,
    load,
    to_table,
)

URL = Url("https://docs.example.org/a/2024/guide.PDF?v=1.html")


def takes_documents(url: str) -> bool:
    return "/docs/" in url


def says_why(url: str) -> Verdict:
    return refused("mine", f"{len(url)} characters")


def breaks(url: str) -> bool:
    raise KeyError(url)


NOT_A_FUNCTION = 3


@pytest.mark.parametrize(
    ("table", "accepted"),
    [
        ({"domain": "example.org"}, True),
        ({"domain": "*.example.org"}, True),
        ({"domain": ["other.org", "docs.example.org"]}, True),
        ({"domain": "ample.org"}, False),
        ({"prefix": "HTTPS://docs.example.org:443/a"}, True),
        ({"prefix": "http://docs.example.org/a"}, False),
        ({"protocol": "https"}, True),
        ({"protocol": ["http"]}, False),
        ({"pattern": r"/\d{4}/"}, True),
        ({"pattern": [r"^/\d", "guide"]}, True),
        ({"pattern": r"^/a/"}, False),
        ({"extension": ".pdf"}, True),
        ({"extension": ["html", ""]}, False),
        ({"not": {"extension": "pdf"}}, False),
        ({"any": [{"extension": "html"}, {"domain": "example.org"}]}, True),
        ({"any": []}, False),
        ({"all": []}, True),
        ({"all": [{"extension": "pdf"}, {"domain": "other.org"}]}, False),
        ({"extension": "pdf", "domain": "example.org"}, True),
        ({"extension": "pdf", "domain": "other.org"}, False),
    ],
)
def test_judge(table: dict[str, object], accepted: bool) -> None:
    assert from_table(table).judge(URL).accepted is accepted


def test_a_page_without_an_extension() -> None:
    assert from_table({"extension": ""}).judge(Url("http://h.org/a.b/c")).accepted
    assert not from_table({"extension": "org"}).judge(Url("http://h.org/")).accepted


def test_a_unicode_domain_is_its_ascii_spelling() -> None:
    assert from_table({"domain": "Bücher.example"}) == Domain(("xn--bcher-kva.example",))


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"domain": "other.org"}, ["domain", "docs.example.org", "other.org"]),
        ({"not": {"pattern": "guide"}}, ["not", "pattern", "guide"]),
        ({"any": [{"extension": "html"}, {"domain": "other.org"}]}, ["any", "html", "other.org"]),
        ({"all": [{"extension": "pdf"}, {"protocol": "http"}]}, ["protocol", "https", "http"]),
    ],
)
def test_a_refusal_names_the_filter(table: dict[str, object], words: list[str]) -> None:
    verdict = from_table(table).judge(URL)
    assert verdict.rule == "filter"
    assert all(word in verdict.reason for word in words)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"domian": "example.org"}, 'did you mean "domain"'),
        ({"all": [{"extention": "pdf"}]}, 'did you mean "extension"'),
        ({}, "empty"),
        ({"domain": 3}, "takes a text"),
        ({"domain": []}, "takes a text"),
        ({"domain": "  "}, "not a domain"),
        ({"prefix": "example.org"}, "no scheme"),
        ({"pattern": "(a"}, "not a regular expression"),
        ({"protocol": "gopher"}, "choose from http, https"),
        ({"not": [{"domain": "a"}]}, "one filter table"),
        ({"any": {"domain": "a"}}, "list of filter tables"),
        ({"any": ["domain"]}, "a filter is a table"),
        ({"plugin": "no_such_module_here:f"}, "cannot be loaded"),
        ({"plugin": f"{__name__}:no_such_function"}, "cannot be loaded"),
        ({"plugin": f"{__name__}:NOT_A_FUNCTION"}, "not a function"),
        ({"plugin": "no-such-entry-point"}, "no filter plugin"),
        ({"plugin": ["a:b", "c:d"]}, "takes one"),
    ],
)
def test_a_mistake_is_explained(table: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match="^.*" + message):
        from_table(table)


def test_declared_in_toml() -> None:
    text = """
    [filter]
    domain = "example.org"
    not = { any = [{ extension = ["zip", "gz"] }, { pattern = '[?&]print=' }] }
    """
    declared = from_table(tomllib.loads(text)["filter"])
    assert declared == All((Domain(("example.org",)), Not(Any((Extension(("zip", "gz")), Pattern(("[?&]print=",)))))))


names = st.lists(st.sampled_from(["example.org", "bücher.example", "pdf", "a-b"]), min_size=1, max_size=3)
leaves: st.SearchStrategy[Filter] = st.one_of(
    names.map(tuple).map(Domain),
    names.map(tuple).map(Extension),
    names.map(tuple).map(Pattern),
    st.sampled_from([("http",), ("https",), ("http", "https")]).map(Protocol),
    names.map(lambda hosts: Prefix(tuple(f"http://{name}/%7e" for name in hosts))),
    st.just(Plugin(f"{__name__}:takes_documents")),
)


def joined(members: st.SearchStrategy[Filter]) -> st.SearchStrategy[Filter]:
    several = st.lists(members, max_size=3).map(tuple)
    return st.one_of(several.map(All), several.map(Any), members.map(Not))


@given(st.recursive(leaves, joined, max_leaves=8))
def test_the_printed_form_reads_back_as_an_equal_filter(filter_: Filter) -> None:
    printed = json.dumps(to_table(filter_))
    assert from_table(json.loads(printed)) == filter_


@given(st.recursive(leaves, joined, max_leaves=8))
def test_not_is_the_opposite(filter_: Filter) -> None:
    assert Not(filter_).judge(URL).accepted is not filter_.judge(URL).accepted


def test_a_function_of_the_user() -> None:
    plugin = load(f"{__name__}:takes_documents")
    assert plugin.judge(Url("http://h/docs/a")).accepted
    verdict = plugin.judge(Url("http://h/a"))
    assert verdict == refused("filter", f"plugin {__name__}:takes_documents said no")


def test_a_function_may_give_its_own_reason() -> None:
    assert load(f"{__name__}:says_why").judge(Url("http://h/")) == refused("mine", "9 characters")


def test_a_function_that_raises_refuses_that_url_and_says_so() -> None:
    verdict = load(f"{__name__}:breaks").judge(Url("http://h/"))
    assert not verdict.accepted
    assert "failed: KeyError" in verdict.reason
