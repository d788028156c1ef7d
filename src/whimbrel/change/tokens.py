"""Whether a name or a word was drawn at random: identifiers of sessions, hashes of builds, generated classes."""

import re
from itertools import pairwise

_FEWEST = 12
_FEWEST_HEX = 8
_SURELY_HEX = 16
_FEWEST_GENERATED = 5
_TURNS = 0.4
_PARTS = re.compile(r"[A-Za-z0-9]+")
_HEX = re.compile(r"[0-9a-f]+|[0-9A-F]+")
# A capital and the small letters after it are one word, as in CamelCase.
_RUNS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+")
# Libraries that name classes by a hash of their rules, after their documentation.
_GENERATORS = re.compile(r"(?:sc|css|jsx|jss|svelte|emotion|astro|data-v|ng-tns-c\d+)-(\w{5,})")


def is_token(word: str) -> bool:
    """Of a word of twelve characters or more: whether it is nobody's word, number, date or name of a product."""
    bare = word.replace("-", "").replace("_", "").rstrip("=")
    if len(bare) < _FEWEST or not bare.isalnum() or bare.isdigit() or bare.isalpha():
        return False
    return _is_hex(bare) or _turns(bare) >= _TURNS


def is_hash(part: str) -> bool:
    """Of a part of a file's name, between dots, dashes and underscores: whether a build put it there."""
    if len(part) >= _FEWEST_HEX and (part.isdigit() or _is_hex(part)):
        return True
    if part.isdigit() or len(part) < _FEWEST_HEX:
        return False
    return _turns(part) >= _TURNS


def without_hashes(name: str) -> str:
    return _PARTS.sub(lambda part: "0" if is_hash(part[0]) else part[0], name)


def is_generated(name: str) -> bool:
    """Of a class: whether a tool invented it."""
    if _GENERATORS.fullmatch(name):
        return True
    last = name.replace("-", "_").rpartition("_")[2]
    if len(last) < _FEWEST_GENERATED:
        return False
    digits = any(character.isdigit() for character in last)
    return _turns(last) > _TURNS and (digits or len(last) > _FEWEST_GENERATED)


def lasting_class(name: str) -> str:
    """A class without what a tool added to it: "Card_body__3xK9d" is "Card_body"."""
    if not is_generated(name):
        return name
    return name.replace("-", "_").rpartition("_")[0].rstrip("_") if not _GENERATORS.fullmatch(name) else ""


def _is_hex(word: str) -> bool:
    """Letters and digits alternate as they do not in words, dates or numbers of parts."""
    if word.isdigit() or not _HEX.fullmatch(word):
        return False
    if word.isalpha():
        return False
    return len(word) >= _SURELY_HEX or sum(a.isdigit() != b.isdigit() for a, b in pairwise(word)) >= 2


def _turns(word: str) -> float:
    """How often letters, capitals and digits take turns, of the places where they might."""
    return (len(_RUNS.findall(word)) - 1) / max(1, len(word) - 1)
