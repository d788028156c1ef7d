"""A user's program in its sandbox. It runs in the filters' own process alone, within fuel and memory."""

import ast
import json
from pathlib import Path

from whimbrel.records.sifting import Facts
from whimbrel.sieve.sandbox import COMPILED, engine
from whimbrel.sieve.wire import SieveLimits, Sifted


class UnusableProgram(Exception):
    """The message says what is wrong, and where."""


def fault_in(source: str) -> str:
    """What is wrong with a program to look at; "" where nothing is. Nothing of it runs."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        where = f"line {error.lineno}, character {error.offset}: " if isinstance(error, SyntaxError) else ""
        return f"{where}{error.msg if isinstance(error, SyntaxError) else error}"
    if not any(isinstance(one, ast.FunctionDef) and one.name == "keep" for one in tree.body):
        return "it has no function `keep`; write `def keep(page):`"
    return ""


class SandboxedProgram:
    """One program, loaded. After it broke, the next page gets a new instance: nothing is left of the broken one."""

    def __init__(self, source: str, place: Path, limits: SieveLimits) -> None:
        from wasmtime.component import Component, Linker

        if fault := fault_in(source):
            raise UnusableProgram(fault)
        self._source, self._limits = source, limits
        self._engine = engine()
        self._component = Component.deserialize_file(self._engine, str(place / COMPILED))
        self._linker = Linker(self._engine)
        self._begin()

    def _begin(self) -> None:
        from wasmtime import Store, WasmtimeError

        self._store = store = Store(self._engine)
        store.set_limits(memory_size=self._limits.memory_bytes)
        store.set_fuel(self._limits.fuel)
        self._broken = False
        try:
            instance = self._linker.instantiate(store, self._component)
            self._load, self._keep = instance.get_func(store, "load"), instance.get_func(store, "keep")
            said = self._called(self._load, self._source)
        except WasmtimeError as error:
            raise UnusableProgram(self._obituary(error)) from error
        if said is not None:
            raise UnusableProgram(str(said))

    def judge(self, facts: Facts) -> Sifted:
        from wasmtime import WasmtimeError

        try:
            if self._broken:
                self._begin()
            self._store.set_fuel(self._limits.fuel)
            said = self._called(self._keep, json.dumps(facts))
        except (WasmtimeError, UnusableProgram) as error:
            self._broken = True
            reason = self._obituary(error) if isinstance(error, WasmtimeError) else str(error)
            return Sifted(False, f"the program fails: {reason}", True)
        ended = getattr(said, "tag", "ok")
        words = str(getattr(said, "payload", said))
        if ended == "err":
            self._broken = "MemoryError" in words
            return Sifted(False, f"the program fails: {words[:300]}", True)
        return Sifted(not words, words[:300])

    def _called(self, function: object, argument: str) -> object:
        said = function(self._store, argument)  # type: ignore[operator]
        function.post_return(self._store)  # type: ignore[attr-defined]
        return said

    def _obituary(self, error: Exception) -> str:
        words = str(error)
        if "fuel" in words:
            return f"it did not come to an end within {self._limits.fuel:,} instructions"
        if "unreachable" in words:
            return "it tried to reach outside (a file, the network, the clock), or broke"
        return words.strip().splitlines()[-1][:200] if words.strip() else "it broke"
