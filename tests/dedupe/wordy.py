"""Texts of words that nobody wrote, and edits of them."""

from random import Random

VOCABULARY = [f"{first}{second}" for first in ("ka", "lo", "mi", "ru", "te", "so", "vun", "pa") for second in (
    "ra", "len", "dor", "mis", "tak", "no", "vel", "shi", "gar", "um", "bis", "tol", "fen", "qua", "yes", "zo",
)]  # fmt: skip


def prose(seed: int, words: int = 300, line: int = 12) -> str:
    chance = Random(seed)
    said = [chance.choice(VOCABULARY) + chance.choice(VOCABULARY) for _ in range(words)]
    return "\n".join(" ".join(said[at : at + line]) for at in range(0, words, line))


def edited(text: str, share: float, seed: int = 1) -> str:
    chance = Random(seed)
    lines = [line.split(" ") for line in text.split("\n")]
    places = [(row, column) for row, line in enumerate(lines) for column in range(len(line))]
    for row, column in chance.sample(places, round(share * len(places))):
        lines[row][column] = chance.choice(VOCABULARY) + chance.choice(VOCABULARY)
    return "\n".join(" ".join(line) for line in lines)
