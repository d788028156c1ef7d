"""A user's program runs in WebAssembly, whatever it tries."""

from collections.abc import Iterator

import pytest

from whimbrel.records.sifting import Facts, PageFilter
from whimbrel.sieve.asking import Sieve, SieveError
from whimbrel.sieve.program import fault_in
from whimbrel.sieve.wire import SieveLimits

PAGE: Facts = {"url": "https://example.org/a", "text": "bread and wine", "words": 3, "date": 1_600_000_000.0}
LIMITS = SieveLimits(cpu_seconds=60.0, fuel=500_000_000)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("def keep(page):\n  return page.words >", "line 2, character 22: invalid syntax"),
        ("def kept(page): return True", "it has no function `keep`"),
        ("x = 1\0", "null bytes"),
        ("def keep(page): return True", ""),
    ],
)
def test_what_is_wrong_with_a_program_is_said_without_running_it(source: str, words: str) -> None:
    fault = fault_in(source)
    assert words in fault if words else not fault


@pytest.fixture
def sieves() -> Iterator[list[Sieve]]:
    opened: list[Sieve] = []
    yield opened
    for sieve in opened:
        sieve.close()


@pytest.mark.long
def test_a_program_keeps_and_drops_and_says_why(sieves: list[Sieve]) -> None:
    source = (
        "import re\nWORD = re.compile('wine')\n"
        "def keep(page):\n  if page.date.year != 2020: return 'too old'\n  return bool(WORD.search(page.text))\n"
    )
    sieves.append(sieve := Sieve(PageFilter("page.words == 3", source), LIMITS))
    sieve.check()
    assert sieve.judge(PAGE).accepted
    assert sieve.judge({**PAGE, "text": "water"}).reason == "the program says no"
    assert sieve.judge({**PAGE, "date": 0.0}).reason == "too old"
    assert "not page.words == 3" in sieve.judge({**PAGE, "words": 4}).reason


@pytest.mark.long
@pytest.mark.parametrize(
    ("doing", "words"),
    [
        ("while True: pass", "did not come to an end"),
        ("return bytearray(10 ** 9)", "MemoryError"),
        ("a = []\n  while True: a.append('x' * 10 ** 6)", "MemoryError"),
        ("return open('/etc/passwd').read()", "outside"),
        ("import os\n  return os.listdir('/')", "outside"),
        ("import socket\n  return socket.create_connection(('127.0.0.1', 80))", "fails"),
        ("import subprocess\n  return subprocess.run(['id'])", "fails"),
        ("return page.nothing", "AttributeError"),
    ],
)
def test_one_that_misbehaves_fails_on_that_page_alone(sieves: list[Sieve], doing: str, words: str) -> None:
    source = f"def keep(page):\n  if page.words == 3: return True\n  {doing}\n"
    sieves.append(sieve := Sieve(PageFilter("", source), LIMITS))
    verdict = sieve.judge({**PAGE, "words": 4})
    assert not verdict.accepted
    assert words in verdict.reason
    assert sieve.judge(PAGE).accepted


@pytest.mark.long
def test_the_sandbox_has_no_environment_and_no_way_out(sieves: list[Sieve], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_OF_HOME", "1")
    source = "def keep(page):\n  import os\n  return 'SECRET_OF_HOME' not in os.environ\n"
    sieves.append(sieve := Sieve(PageFilter("", source), LIMITS))
    assert sieve.judge(PAGE).accepted


@pytest.mark.long
def test_a_program_that_breaks_when_it_is_loaded_is_refused(sieves: list[Sieve]) -> None:
    sieves.append(sieve := Sieve(PageFilter("", "1 / 0\ndef keep(page): return True\n"), LIMITS))
    with pytest.raises(SieveError, match="ZeroDivisionError"):
        sieve.check()
