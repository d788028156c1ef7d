"""What of a block lasts: its words and where it leads, without what passes and without how it happens to be written."""

from collections.abc import Sequence

from whimbrel.change.address import destination, lasting_file, lasting_link, without_revision
from whimbrel.change.blocks import Block
from whimbrel.change.letters import as_typed
from whimbrel.change.mask import timeless, unstamped
from whimbrel.change.moments import with_moments
from whimbrel.change.passing import lasting


def as_written(block: Block) -> tuple[object, ...]:
    return block.text, block.links, block.images, block.dress


def as_read(block: Block, address: str) -> tuple[object, ...]:
    return as_typed(block.text), _destinations(block.links, address), block.images, dress_of(block)


def _destinations(links: Sequence[str], address: str) -> tuple[str, ...]:
    return tuple(place for link in links if (place := destination(link, address)))


def as_lasts(block: Block, address: str) -> tuple[object, ...]:
    text = with_moments(block.text, block.moments)
    links = [without_revision(link, address, text) for link in block.links]
    for link, bare in zip(block.links, links, strict=True):
        if link != bare:
            text = text.replace(link, bare)
    return (
        as_typed(timeless(lasting(text))),
        tuple(lasting_link(link) for link in _destinations(links, address)),
        tuple((lasting_file(address), says) for address, says in block.images),
        dress_of(block),
    )


def lasting_words(text: str) -> str:
    """A text without what another look finds changed anyway. Random strings stay: there they are what is looked for."""
    return unstamped(lasting(text))


def dress_of(block: Block) -> list[str]:
    return [_style(part) if part.startswith("style=") else part for part in block.dress.split("\n")]


def _style(declarations: str) -> str:
    parts = ("".join(part.split()) for part in declarations.removeprefix("style=").split(";"))
    return ";".join(sorted(part for part in parts if part))


def parameters_apart(before: Block, after: Block) -> set[tuple[str, str]] | None:
    """The parameters in whose values links differ, each with where its link leads; None where more differs."""
    if before.text != after.text or len(before.links) != len(after.links):
        return None
    if [lasting_file(address) for address, _ in before.images] != [
        lasting_file(address) for address, _ in after.images
    ]:
        return None
    found = set[tuple[str, str]]()
    for was, now in zip(before.links, after.links, strict=True):
        (path, old), (other_path, new) = _parameters(was), _parameters(now)
        if path != other_path or [name for name, _ in old] != [name for name, _ in new]:
            return None
        found |= {(path, name) for (name, value), (_, other) in zip(old, new, strict=True) if value != other}
    return found


def _parameters(link: str) -> tuple[str, list[tuple[str, str]]]:
    path, _, query = link.partition("?")
    parts = (part.partition("=") for part in query.split("&") if part)
    return path, [(name, value) for name, _, value in parts]
