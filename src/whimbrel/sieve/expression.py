"""An expression in CEL (Common Expression Language) over a page. It runs in the filters' own process alone."""

import re
from datetime import UTC, datetime
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from whimbrel.records.sifting import Facts
from whimbrel.sieve.names import place, wrong_name
from whimbrel.sieve.wire import Sifted

if TYPE_CHECKING:
    from cel import Program

SAMPLE: Facts = {
    "url": "https://example.org/a/page?x=1", "host": "example.org", "path": "/a/page", "query": "x=1", "depth": 1,
    "status": 200, "type": "text/html", "bytes": 2000, "title": "A page", "text": "Some words of a page.",
    "language": "en", "words": 5, "headings": ["A page"], "links": ["https://example.org/"],
    "pictures": 1, "data": ["Article"],
    "date": 1577836800.0,
}  # fmt: skip
"""On it an expression is tried before any page is looked at."""

_WHERE = re.compile(r"<input>:(\d+):(\d+): (?:Syntax error: )?([^\n]*)")
_EXPECTED = re.compile(r" expecting \{.*")
_ADVICE = re.compile(r"\s*(?:Check that|Check function|Ensure|Supported|This may).*", re.DOTALL)


class UnusableExpression(Exception):
    """The message says what is wrong, and where."""


class Expression:
    """One expression, ready to be asked."""

    def __init__(self, source: str, cel: ModuleType) -> None:
        self._source = source
        self._program = _compiled(source, cel)
        said = self._program.references()
        if wrong := wrong_name(source, said["variables"], said["functions"]):
            raise UnusableExpression(wrong)
        result = self._result(SAMPLE)
        if isinstance(result, Sifted):
            raise UnusableExpression(result.reason)
        if not isinstance(result, bool):
            raise UnusableExpression(f"it gives {_kind(result)}, not true or false")

    def judge(self, facts: Facts) -> Sifted:
        result = self._result(facts)
        if isinstance(result, Sifted):
            return result
        if not isinstance(result, bool):
            return Sifted(False, f"the expression gives {_kind(result)}, not true or false", True)
        return Sifted(result, "" if result else f"not {' '.join(self._source.split())}")

    def _result(self, facts: Facts) -> object:
        try:
            return self._program.execute({"page": _told(facts)})
        except KeyError as error:
            return Sifted(False, f"the page has no {str(error).strip(chr(39))}, which the expression asks for")
        except MemoryError:
            raise
        except Exception as error:  # what a library of expressions raises is as varied as expressions
            return Sifted(False, f"the expression fails: {_ADVICE.sub('', str(error)).strip()}", True)


def _told(facts: Facts) -> dict[str, object]:
    written = facts.get("date")
    return {**facts, "date": datetime.fromtimestamp(written, UTC)} if isinstance(written, float) else {**facts}


def load_cel() -> ModuleType:
    """The extension module alone. Its package brings a command line along, which takes longer than the rest."""
    package = find_spec("cel")
    places = package.submodule_search_locations if package is not None else None
    found = sorted(Path(places[0]).glob("cel.*.so")) if places else []
    spec = spec_from_file_location("cel.cel", found[0]) if found else None
    if spec is None or spec.loader is None:
        raise ImportError("the extension module of common-expression-language is not where it should be")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _compiled(source: str, cel: ModuleType) -> "Program":
    try:
        program: Program = cel.compile(source)
        return program
    except ValueError as error:
        raise UnusableExpression(_located(source, str(error))) from error
    except BaseException as error:
        # A panic in the library is no Exception; whatever it is, this is not an expression.
        if isinstance(error, KeyboardInterrupt | SystemExit | MemoryError):
            raise
        raise UnusableExpression("it cannot be read as an expression in CEL") from error


def _located(source: str, said: str) -> str:
    found = _WHERE.search(said)
    if found is None:
        return said[-300:]
    line, character = int(found[1]), int(found[2])
    lines = source.split("\n")
    at = sum(len(one) + 1 for one in lines[: line - 1]) + character - 1
    if "Recursion limit" in found[3]:
        return f"{place(source, at)}: it is nested too deeply"
    words = _EXPECTED.sub("", found[3]).replace("mismatched input '<EOF>'", "something is missing at the end")
    return f"{place(source, at)}: {words}"


def _kind(value: object) -> str:
    named = {"str": "a text", "int": "a number", "float": "a number", "list": "a list", "NoneType": "nothing"}
    return named.get(type(value).__name__, f"a {type(value).__name__}")
