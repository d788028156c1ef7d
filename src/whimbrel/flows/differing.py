"""Two versions of a page side by side, paragraph by paragraph, for a person to read."""

from collections.abc import Iterator
from difflib import SequenceMatcher
from html import escape
from typing import Literal

from msgspec import Struct

from whimbrel.change.align import align
from whimbrel.change.version import Version

Sign = Literal["same", "added", "removed", "changed"]
_MOST_WORDS = 2_000


class Words(Struct, frozen=True):
    """A run of words that stands in both versions (" "), only in the old one ("-") or only in the new one ("+")."""

    sign: Literal[" ", "-", "+"]
    text: str


class Paragraph(Struct, frozen=True):
    """A paragraph, item, heading or cell; `place` says where it stands."""

    sign: Sign
    place: str
    words: tuple[Words, ...]


def paragraphs(before: Version, after: Version) -> Iterator[Paragraph]:
    """Every paragraph of both versions, in the order of the page."""
    if before.title != after.title:
        yield Paragraph("changed", "title", tuple(_words(before.title, after.title)))
    old, new = before.blocks, after.blocks
    for pair in align([block.text for block in old], [block.text for block in new]):
        if pair.before is None and pair.after is not None:
            block = new[pair.after]
            yield Paragraph("added", block.place, (Words("+", block.text),))
        elif pair.after is None and pair.before is not None:
            block = old[pair.before]
            yield Paragraph("removed", block.place, (Words("-", block.text),))
        elif pair.before is not None and pair.after is not None:
            was, now = old[pair.before], new[pair.after]
            if was.text == now.text:
                yield Paragraph("same", now.place, (Words(" ", now.text),))
            else:
                yield Paragraph("changed", now.place, tuple(_words(was.text, now.text)))


def _words(before: str, after: str) -> Iterator[Words]:
    old, new = before.split(), after.split()
    if len(old) + len(new) > _MOST_WORDS:
        yield from (Words("-", before), Words("+", after))
        return
    for tag, i, j, k, n in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            yield Words(" ", " ".join(old[i:j]))
            continue
        if i < j:
            yield Words("-", " ".join(old[i:j]))
        if k < n:
            yield Words("+", " ".join(new[k:n]))


_STYLE = """
body{font:16px/1.5 system-ui,sans-serif;max-width:48rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}
p{margin:.4rem 0;padding:.2rem .6rem;border-left:3px solid transparent}
p.added{border-color:#2a7d2a}p.removed{border-color:#b02020}p.changed{border-color:#b58900}p.same{color:#777}
ins{background:#d8f3d8;text-decoration:none}del{background:#f8d7d7}small{color:#888;display:block}
@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}ins{background:#1e4620}del{background:#5a1f1f}}
"""
_ELEMENTS = {" ": ("", ""), "-": ("<del>", "</del>"), "+": ("<ins>", "</ins>")}


def page(url: str, names: tuple[str, str], shown: list[Paragraph]) -> str:
    """The comparison as a web page of its own, without scripts and without anything from elsewhere."""
    rows = "\n".join(
        f'<p class="{one.sign}"><small>{escape(one.place)}</small>'
        + " ".join(f"{_ELEMENTS[w.sign][0]}{escape(w.text)}{_ELEMENTS[w.sign][1]}" for w in one.words)
        + "</p>"
        for one in shown
    )
    heading = f"{escape(url)}: {escape(names[0])} and {escape(names[1])}"
    return (
        f'<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>{heading}</title>'
        '<meta name="viewport" content="width=device-width">'
        f"<style>{_STYLE}</style>\n<h1>{heading}</h1>\n{rows or '<p>The words are the same.</p>'}\n</html>\n"
    )
