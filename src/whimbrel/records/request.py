"""What somebody asks for: pages of some kind, shown by examples; and the judge that was fitted to it."""

from msgspec import Struct

RULE = "structure"
"""By this name pages are refused that are of no kind asked for."""


class Request(Struct, frozen=True, array_like=True):
    """Pages of this kind are wanted: the outlines of the examples, and their names. `number` is its row at home.

    `wanted` is the judge that an earlier crawl fitted to `fitted_on` pages; `known` of home's `pages` were kept for it.
    """

    number: int
    names: list[str]
    examples: list[list[tuple[int, str, str]]]
    wanted: bytes = b""
    fitted_on: int = 0
    known: int = 0
    pages: int = 0


class Fitted(Struct, frozen=True, array_like=True):
    """The judge of a request after so many pages, for whoever goes on with it."""

    number: int
    wanted: bytes
    fitted_on: int
