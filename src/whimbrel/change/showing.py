"""What a person is shown of a place that differs: its words, and beside them links, pictures, elements and looks."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from whimbrel.change.blocks import Block
from whimbrel.records.change import Aspect


def aspects(before: Block, after: Block) -> list[Aspect]:
    """Everything in which two blocks differ, what a reader sees first standing first; at least one."""
    return [*_seen(before, after)] or [Aspect("looks", _worn(before), _worn(after))]


def _seen(before: Block, after: Block) -> Iterator[Aspect]:
    if before.text != after.text:
        yield Aspect("words", before.text, after.text)
    if before.links != after.links:
        yield Aspect("links", *_unlike(before.links, after.links))
    if before.images != after.images:
        yield from _pictures(before, after)
    if before.path != after.path:
        yield Aspect("elements", before.path, after.path)


def _pictures(before: Block, after: Block) -> Iterator[Aspect]:
    """Each beside that in whose place it stands, where as many went as came."""
    gone, come = _without(before.images, after.images), _without(after.images, before.images)
    if gone and len(gone) == len(come):
        yield from (Aspect("pictures", _listed([was]), _listed([now])) for was, now in zip(gone, come, strict=True))
    else:
        yield Aspect("pictures", *_unlike(before.images, after.images))


def _worn(block: Block) -> str:
    return " ".join(f"{block.classes} {block.dress}".split())


def _unlike(was: Sequence[object], now: Sequence[object]) -> tuple[str, str]:
    """What only one side has; both in full where they differ in order alone."""
    gone, come = _without(was, now), _without(now, was)
    return (_listed(gone), _listed(come)) if gone or come else (_listed(was), _listed(now))


def _without(these: Sequence[object], those: Sequence[object]) -> list[object]:
    left = Counter(these) - Counter(those)
    return [one for one in dict.fromkeys(these) if left[one]]


def _listed(things: Iterable[object]) -> str:
    return " ".join(" ".join(one).strip() if isinstance(one, tuple) else str(one) for one in things)


def elements(was: Sequence[str], now: Sequence[str]) -> Aspect:
    """Elements without text that came or went; where only their order differs, all of them."""
    gone, come = Counter(was) - Counter(now), Counter(now) - Counter(was)
    if not gone and not come:
        return Aspect("elements", " ".join(was), " ".join(now))
    return Aspect("elements", _counted(gone), _counted(come))


def _counted(tags: Counter[str]) -> str:
    return " ".join(f"<{tag}>" if count == 1 else f"{count} × <{tag}>" for tag, count in sorted(tags.items()))
