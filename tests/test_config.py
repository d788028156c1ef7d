"""Settings: layers, units, and refusals that name the place."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whimbrel.config import ConfigError, Settings, default_user_agent, describe, load, remember
from whimbrel.config.values import REPEATED
from whimbrel.records.deed import Action

DOCUMENT = Path(__file__).parents[1] / "docs" / "settings.md"


@pytest.fixture
def written(tmp_path: Path):
    def write(toml: str) -> Path:
        path = tmp_path / "whimbrel.toml"
        path.write_text(toml, encoding="utf-8")
        return path

    return write


def test_nothing_given_means_the_defaults(written):
    assert load(written(""), {}, {}) == Settings()


def test_each_layer_replaces_the_one_below(written):
    stored = {"crawl": {"limit": 1, "depth": 1, "migrants": 2, "seeds": ["https://a.example/"]}}
    file = written("[crawl]\nlimit = 2\ndepth = 2\nmigrants = 3")
    settings = load(file, {"WHIMBREL_CRAWL_LIMIT": "3", "WHIMBREL_CRAWL_DEPTH": "3"}, {"crawl.limit": 4}, stored)
    crawl = settings.crawl
    assert (crawl.limit, crawl.depth, crawl.migrants, crawl.seeds) == (4, 3, 3, ("https://a.example/",))


def test_a_flag_not_given_replaces_nothing(written):
    file = written('[crawl]\nlimit = 2\ninclude = ["a"]')
    crawl = load(file, {"WHIMBREL_CRAWL_DEPTH": ""}, {"crawl.limit": None, "crawl.include": ()}).crawl
    assert (crawl.limit, crawl.include, crawl.depth) == (2, ("a",), None)


def test_none_takes_a_limit_away(written):
    file = written("[crawl]\nlimit = 2")
    assert load(file, {"WHIMBREL_CRAWL_LIMIT": "none"}, {}).crawl.limit is None


def test_the_default_file_is_read_from_the_current_folder(written, monkeypatch):
    monkeypatch.chdir(written("[crawl]\nlimit = 7").parent)
    assert load(None, {}, {}).crawl.limit == 7


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("30s", 30), ("5m", 300), ("2h", 7200), ("250ms", 0.25), ("1.5", 1.5), (" 1 d ", 86400)],
)
def test_durations(written, text, seconds):
    assert load(written(f'[fetch]\ndelay_seconds = "{text}"'), {}, {}).fetch.delay_seconds == seconds


@pytest.mark.parametrize(
    ("text", "size"), [("10MB", 10_000_000), ("10 MiB", 10 << 20), ("1.5kB", 1500), ("7", 7), ("1gib", 1 << 30)]
)
def test_sizes(written, text, size):
    assert load(written(""), {}, {"fetch.max_size_bytes": text}).fetch.max_size_bytes == size
    assert load(written(""), {"WHIMBREL_FETCH_MAX_SIZE_BYTES": text}, {}).fetch.max_size_bytes == size


def test_lists_and_tables_from_the_environment(written):
    environ = {
        "WHIMBREL_CRAWL_TYPES": "html pdf",
        "WHIMBREL_CRAWL_EXCLUDE": '["a b", "c"]',
        "WHIMBREL_FETCH_HEADERS": '{"X-Key" = "v"}',
        "WHIMBREL_CRAWL_ASSETS": "true",
        "WHIMBREL_VENV": "/elsewhere",
        "PATH": "/bin",
    }
    settings = load(written(""), environ, {})
    assert settings.crawl.types == ("html", "pdf")
    assert settings.crawl.exclude == ("a b", "c")
    assert settings.crawl.assets is True
    assert settings.fetch.headers == {"X-Key": "v"}


def test_search_settings(written):
    search = load(
        written('[search]\nlink_weight = 0\nmemory_bytes = "64MB"'), {"WHIMBREL_SEARCH_CANDIDATES": "50"}, {}
    ).search
    assert (search.link_weight, search.memory_bytes, search.candidates) == (0, 64_000_000, 50)
    assert search.freshness_half_life_days == 180


def test_site_tables(written):
    text = '[[site]]\nhost = "a.example"\ndelay_seconds = "2s"\n[[site]]\nprefix = "https://b.example/x"\nlimit = 5'
    first, second = load(written(text), {}, {}).site
    assert (first.host, first.delay_seconds, first.limit) == ("a.example", 2, None)
    assert (second.prefix, second.limit, second.delay_seconds) == ("https://b.example/x", 5, None)


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        ("[crawl]\nlimt = 3", '[crawl] limt: unknown key "limt"; did you mean "limit"?'),
        ("[fetch]\nlimit = 3", '[fetch] limit: "limit" belongs in [crawl]'),
        ("[fetch]\nrobots = false", 'did you mean "robots_off_hosts"?'),
        ("[crawll]\nlimit = 3", 'unknown table "crawll"; did you mean "crawl"?'),
        ("crawl = 3", "expected a table [crawl], got 3"),
        ('[crawl]\nlimit = "3"', "[crawl] limit: expected a whole number of at least 0 or \"none\", got '3'"),
        ("[crawl]\nlimit = true", "got True"),
        ("[crawl]\nlimit = -1", "got -1"),
        ("[crawl]\nmigrants = 0", "expected a whole number of at least 1 or text, got 0"),
        ('[crawl]\nscope = "hots"', 'expected "host" or "domain"'),
        ('[crawl]\ninclude = "a"', "expected a list of text, got 'a'"),
        ('[crawl]\ninclude = ["("]', '"(" is not a regular expression'),
        ("[fetch]\ndelay_seconds = nan", "got nan"),
        ("[fetch]\ndelay_seconds = inf", "got inf"),
        ("[fetch]\ndelay_seconds = -1", "got -1"),
        ("[fetch]\ntotal_seconds = 0", "got 0"),
        ("[search]\nlink_weight = -1", "[search] link_weight: expected a number of at least 0, got -1"),
        ("[search]\nfreshness_half_life_days = 0", "expected a number, got 0"),
        ('[search]\nmemory_bytes = "1MB"', "expected bytes or text like"),
        ('[fetch]\nmax_size_bytes = "10 parsecs"', "expected bytes or text like \"32MB\", got '10 parsecs'"),
        ('[fetch]\nallow_networks = ["10.1.2.3/8"]', "expected a network like 10.1.0.0/16"),
        ('[fetch]\nrobots_off_hosts = ["*"]', "robots.txt cannot be turned off for all"),
        ('[fetch]\nuser_agent = "a\\r\\nX: y"', "expected printable ASCII text"),
        ('[fetch.headers]\nX = "a\\r\\nb"', "expected header names and printable values"),
        ("[[site]]\ndelay_seconds = 3", "[[site]] 1: expected either a host or a prefix"),
        ('[[site]]\nhost = "a"\nlimi = 3', 'did you mean "limit"?'),
        ("[site]\nlimit = 3", "expected [[site]] tables"),
        ("[crawl", "not valid TOML"),
    ],
)
def test_a_refusal_names_the_place_and_the_remedy(written, toml, said):
    file = written(toml)
    with pytest.raises(ConfigError) as refusal:
        load(file, {}, {})
    assert str(refusal.value).startswith(str(file))
    assert said in str(refusal.value)


def test_a_bad_value_is_refused_even_where_a_later_layer_replaces_it(written):
    with pytest.raises(ConfigError, match="limit"):
        load(written('[crawl]\nlimit = "many"'), {}, {"crawl.limit": 3})


@pytest.mark.parametrize(
    ("environ", "said"),
    [
        ({"WHIMBREL_CRAWL_LIMT": "7"}, 'did you mean "WHIMBREL_CRAWL_LIMIT"?'),
        ({"WHIMBREL_CRAWL_LIMIT": "x"}, "environment, WHIMBREL_CRAWL_LIMIT: expected a whole number"),
        ({"WHIMBREL_CRAWL_SEEDS": "["}, "not a valid TOML value"),
    ],
)
def test_refusals_of_the_environment(written, environ, said):
    with pytest.raises(ConfigError) as refusal:
        load(written(""), environ, {})
    assert said in str(refusal.value)


def test_refusals_of_flags(written):
    with pytest.raises(ConfigError, match=r"^--delay: expected seconds"):
        load(written(""), {}, {"fetch.delay_seconds": "soon"})


def test_a_secret_is_not_repeated(written):
    with pytest.raises(ConfigError) as refusal:
        load(written('[[site]]\nhost = "a.example"\nauth = ["me", "hunter2"]'), {}, {})
    assert "hunter2" not in str(refusal.value)


def test_a_missing_file_says_so(tmp_path):
    with pytest.raises(ConfigError, match=r"none\.toml: cannot be read .* --config"):
        load(tmp_path / "none.toml", {}, {})


def test_what_is_remembered_loads_again_without_secrets(written):
    text = (
        '[crawl]\nlimit = 5\ntypes = ["html"]\n[fetch]\nproxy = "env:PROXY"\n'
        'contact = "me@a.example"\n[[site]]\nhost = "a.example"\nlower_path = true'
        '\n[[site]]\nhost = "b.example"\nauth = "env:B"\ncookies = "file:c"\nheaders = {X-Key = "env:K"}'
    )
    settings = load(written(text), {}, {})
    kept = remember(settings)
    again = load(written(""), {}, {}, kept)
    assert (again.crawl, again.site, again.fetch.contact) == (settings.crawl, settings.site[:1], "me@a.example")
    assert again.fetch.proxy == "env:PROXY"  # the name of what holds it
    assert "b.example" not in str(kept)  # the folder keeps credentials by site, see `api.credentials`


@given(limit=st.none() | st.integers(0, 1 << 40), delay=st.none() | st.floats(0, 1e6), depth=st.integers(0, 99))
def test_remembering_and_loading_is_a_round_trip(tmp_path_factory, limit, delay, depth):
    empty = tmp_path_factory.getbasetemp() / "empty.toml"
    empty.touch()
    settings = load(empty, {}, {"crawl.limit": limit, "fetch.delay_seconds": delay, "crawl.depth": depth})
    assert load(empty, {}, {}, remember(settings)) == settings


@given(st.text())
def test_any_text_is_a_value_or_a_refusal(tmp_path_factory, text):
    empty = tmp_path_factory.getbasetemp() / "empty.toml"
    empty.touch()
    try:
        outcome = load(empty, {"WHIMBREL_CRAWL_LIMIT": text}, {}).crawl.limit
    except ConfigError as refusal:
        outcome = str(refusal)
    assert outcome is None or "WHIMBREL_CRAWL_LIMIT" in str(outcome) or int(outcome) >= 0


def test_the_user_agent_names_product_and_contact():
    assert default_user_agent("0.1.0", "https://a.example/bot") == "whimbrel/0.1 (+https://a.example/bot)"
    assert default_user_agent("0.1.0", None) == "whimbrel/0.1"


@pytest.mark.parametrize("setting", describe(), ids=lambda setting: f"{setting.section}.{setting.key}")
def test_every_setting_is_documented_as_it_is(setting):
    row = f"| `{setting.key}` | {setting.type} | {setting.default} | {setting.help} |"
    section = f"[[{setting.section}]]" if setting.section in REPEATED else f"[{setting.section}]"
    chapter = DOCUMENT.read_text(encoding="utf-8").split(f"\n## {section}\n")[1].split("\n## ")[0]
    assert row in chapter


def test_thresholds_of_actions_are_by_their_names(written):
    settings = load(written("[readers]\nthresholds = {copy = 2, active = 60}\ntop_queries = 5"), {}, {}).readers
    mining = settings.mining
    assert (mining.least[Action.COPY], mining.least[Action.ACTIVE], mining.top_queries) == (2, 60, 5)
    assert mining.least[Action.STARS] == 4
    with pytest.raises(ConfigError, match='unknown action "copi"; did you mean "copy"'):
        load(written("[readers]\nthresholds = {copi = 2}"), {}, {})
    with pytest.raises(ConfigError, match="copy: expected a number above 0"):
        load(written("[readers]\nthresholds = {copy = -1}"), {}, {})
