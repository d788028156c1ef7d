"""Paragraphs out of the XML of office documents, whatever they call them."""

from collections.abc import Iterator

from lxml import etree
from msgspec import Struct


class Grammar(Struct, frozen=True):
    """Names of elements, as lxml spells them.

    `text`: those whose own text counts, None for all inside a paragraph. `spaces`: what stands for white space.
    `skipped`: what is left out with all that it holds.
    """

    paragraphs: frozenset[str]
    text: frozenset[str] | None
    spaces: dict[str, str]
    skipped: frozenset[str] = frozenset()


def paragraphs(root: object, grammar: Grammar) -> Iterator[str]:
    """Every paragraph, once: what a paragraph holds in a box or a note is a paragraph of its own, before it."""
    open_ones: list[list[str]] = []
    tags = etree.iterwalk(root, events=("start", "end"))
    for event, element in tags:
        if event == "start":
            if element.tag in grammar.skipped:
                tags.skip_subtree()
            elif element.tag in grammar.paragraphs:
                open_ones.append([_inside(element, grammar)])
            elif open_ones:
                open_ones[-1].append(_inside(element, grammar))
            continue
        if element.tag in grammar.paragraphs:
            yield "".join(open_ones.pop())
        if open_ones and grammar.text is None:
            open_ones[-1].append(element.tail or "")


def _inside(element: etree._Element, grammar: Grammar) -> str:
    space = grammar.spaces.get(str(element.tag), "")
    if grammar.text is None or element.tag in grammar.text:
        return space + (element.text or "")
    return space
