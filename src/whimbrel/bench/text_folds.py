"""Main texts by models that never saw the group a page belongs to, and the model that is shipped.

`python -m whimbrel.bench.text_folds FOLDER` writes the shipped model to stdout, from all pages of the folder.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from textwrap import wrap

from msgspec.json import encode
from msgspec.structs import replace

from whimbrel.bench.machine import Say
from whimbrel.bench.text_pages import MainText, html_of, shares, truths, words
from whimbrel.bench.text_training import Marked, learn, marked, scores_of, with_names
from whimbrel.parse.block_traits import said_by
from whimbrel.parse.blocks import blocks_of
from whimbrel.parse.document import tree_of
from whimbrel.parse.main_part import Model, beside, kept, said_once

_HEAD = '''"""What `main_part` goes by: a model in JSON, as `python -m whimbrel.bench.text_folds` writes it.

Learned from the pages of WCXB at hand (M. Foley 2026, CC-BY-4.0: https://creativecommons.org/licenses/by/4.0/).
"""

# fmt: off
MODEL = (
'''


def marked_pages(folder: Path, pages: Sequence[MainText]) -> list[Marked]:
    found = []
    for page in pages:
        document, _ = tree_of(html_of(folder, page.id), "text/html; charset=utf-8")
        blocks, said = blocks_of(document), said_by(document)
        counts = [len(words(text)) for text in blocks.texts]
        of_page = marked(page.site, blocks, said, counts, shares(blocks.texts, page.main_text))
        found.append(replace(of_page, beside=beside(blocks, said)))
    return found


def texts(pages: Sequence[Marked], groups: Sequence[str], say: Say) -> tuple[list[str], list[str]]:
    """The main text of every page, and the quick one, by a model that learned from all other groups."""
    whole, quick = [""] * len(pages), [""] * len(pages)
    for group in sorted(set(groups)):
        say(f"learning without {group}")
        model = learn([page for page, other in zip(pages, groups, strict=True) if other != group])
        short = model.quick
        for at, page in enumerate(pages):
            if groups[at] == group:
                whole[at], quick[at] = _text(model, page), _text(short, page)
    return whole, quick


def _text(model: Model, page: Marked) -> str:
    scores = scores_of(model, with_names(page, model.worth)).tolist()
    chosen = said_once(page.blocks, kept(page.blocks, scores, model.spread))
    return "\n".join([*(page.blocks.texts[at] for at in chosen), *page.beside])


def main(folder: Path) -> None:
    model = learn(marked_pages(folder, truths(folder)))
    lines = wrap(encode(model).decode(), 116, break_on_hyphens=False)
    sys.stdout.write(_HEAD + "".join([f"    {line!r}\n" for line in lines]) + ")\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
