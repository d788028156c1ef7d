"""A difference as a web page of its own, without scripts and without anything from elsewhere."""

from collections.abc import Iterable
from html import escape

from whimbrel.flows.telling.differing import Difference, DifferingPlace
from whimbrel.flows.telling.wording import WordRun

_STYLE = """
body{font:16px/1.5 system-ui,sans-serif;max-width:48rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}
h1{font-size:1.3rem;overflow-wrap:anywhere}h2{font-size:1.1rem;margin-top:2rem}
div{margin:.6rem 0;padding:.2rem .6rem;border-left:3px solid #ccc}p{margin:.1rem 0;overflow-wrap:anywhere}
.added{border-color:#2a7d2a}.removed{border-color:#b02020}.changed{border-color:#b58900}.moved{border-color:#2a6d9d}
.same,.noise{color:#666}ins{background:#d8f3d8;text-decoration:none}del{background:#f8d7d7}
small{color:#666;display:block}
@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}ins{background:#1e4620}del{background:#5a1f1f}
small,.same,.noise{color:#aaa}div{border-color:#555}}
"""
_ELEMENTS = {" ": ("", ""), "-": ("<del>", "</del>"), "+": ("<ins>", "</ins>")}


def page(url: str, names: tuple[str, str], found: Difference, *, everything: bool = False) -> str:
    heading = f"{escape(url)}: {escape(names[0])} and {escape(names[1])}"
    parts = [*map(_place, found.counted)]
    if found.note:
        parts.append(f"<p>{escape(found.note)}</p>")
    if found.held:
        parts += ["<h2>Held for noise</h2>", *map(_place, found.held)]
    if everything and found.stayed:
        parts.append("<h2>As it was</h2>")
        parts += (f'<div class="same"><small>{escape(one.place)}</small><p>{escape(one.text)}</p></div>'
                  for one in found.stayed)  # fmt: skip
    return (
        f'<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>{heading}</title>'
        '<meta name="viewport" content="width=device-width">'
        f"<style>{_STYLE}</style>\n<h1>{heading}</h1>\n" + "\n".join(parts) + "\n</html>\n"
    )


def _place(place: DifferingPlace) -> str:
    spot = place.spot
    reason = f": {spot.reason}" if spot.reason else ""
    rows = "".join(
        f"<p>{escape(part.what) + ': ' if part.what != 'words' else ''}{marked(part.words)}</p>" for part in place.parts
    )
    name = "noise" if spot.reason else spot.what
    return f'<div class="{name}"><small>{escape(f"{spot.what} {spot.place}{reason}")}</small>{rows}</div>'


def marked(words: Iterable[WordRun]) -> str:
    """As HTML."""
    return " ".join(f"{_ELEMENTS[run.sign][0]}{escape(run.text)}{_ELEMENTS[run.sign][1]}" for run in words)
