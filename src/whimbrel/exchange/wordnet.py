"""Makes the table of `topic.thesaurus` from WordNet's files, as Debian's package `wordnet-base` brings them:
`python -m whimbrel.exchange.wordnet /usr/share/wordnet wordnet.zst`."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import zstandard

KINDS = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}
RELATIONS = ("@", "&", "+")
"""Wider, similar, derived."""
MEANINGS = 4
_WORD = re.compile(r"[a-z]{2,}")

Synset = tuple[str, str]


def table(folder: Path) -> Iterator[str]:
    """The lines of the table, in the order of WordNet's files."""
    ranks = _ranks(folder)
    sets = {(kind, fields[0]): fields for name, kind in KINDS.items() for fields in _fields(folder / f"data.{name}")}
    words = {key: _words(fields, key, ranks) for key, fields in sets.items()}
    kept = {key: at for at, key in enumerate(key for key, some in words.items() if some)}
    for key in kept:
        wider = sorted({kept[other] for other in _related(sets[key]) if other in kept})
        yield f"{' '.join(words[key])}\t{' '.join(map(str, wider))}"


def _ranks(folder: Path) -> dict[tuple[str, Synset], int]:
    """Of each word's meanings, the one that texts use most first."""
    tagged: dict[tuple[str, str, int], int] = {}
    for line in (folder / "cntlist.rev").read_text("ascii").splitlines():
        key, place, count = line.split()
        word, _, sense = key.partition("%")
        tagged[word, "nvara"[int(sense[0]) - 1], int(place)] = int(count)
    meanings: dict[str, list[tuple[int, int, Synset]]] = {}
    for name, kind in KINDS.items():
        for fields in _fields(folder / f"index.{name}"):
            word, offsets = fields[0], fields[-int(fields[2]) :]
            for number, offset in enumerate(offsets, 1):
                ranked = (-tagged.get((word, kind, number), 0), number, (kind, offset))
                meanings.setdefault(word, []).append(ranked)
    return {
        (word, synset): rank for word, some in meanings.items() for rank, (_, _, synset) in enumerate(sorted(some), 1)
    }


def _fields(path: Path) -> Iterator[list[str]]:
    for line in path.read_text("ascii").splitlines():
        if not line.startswith(" "):
            yield line.partition(" | ")[0].split()


def _words(fields: list[str], key: Synset, ranks: dict[tuple[str, Synset], int]) -> list[str]:
    count = int(fields[3], 16)
    written = [fields[4 + 2 * at].partition("(")[0] for at in range(count)]
    ranked = [(word, ranks.get((word, key), MEANINGS + 1)) for word in written if _WORD.fullmatch(word)]
    return [f"{word}{rank if rank > 1 else ''}" for word, rank in ranked if rank <= MEANINGS]


def _related(fields: list[str]) -> Iterator[Synset]:
    at = 4 + 2 * int(fields[3], 16)
    for pointer in range(int(fields[at])):
        symbol, offset, kind, _ = fields[at + 1 + 4 * pointer : at + 5 + 4 * pointer]
        if symbol in RELATIONS:
            yield ("a" if kind == "s" else kind, offset)


if __name__ == "__main__":
    lines = "\n".join(table(Path(sys.argv[1])))
    Path(sys.argv[2]).write_bytes(zstandard.ZstdCompressor(22).compress(lines.encode()))
