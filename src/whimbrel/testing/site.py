"""A generated site: the same numbers give the same pages."""

from random import Random

from whimbrel.testing.reply import Page, Reply, redirect

WORDS = tuple(
    """
    wader shore tide estuary mudflat curlew feather migrate coast marsh heath moor bill flight season north south
    island chick nest grass berry crab worm flock call whistle wing route winter summer sand reed lagoon
    """.split()  # noqa: SIM905
)


def site(
    pages: int = 20,
    links: int = 5,
    seed: int = 1,
    *,
    duplicates: int = 0,
    redirects: int = 0,
    missing: int = 0,
) -> dict[str, Page]:
    """Every page can be reached from "/". `duplicates` are further addresses of a page's very bytes, `redirects`
    lead to a page, `missing` links lead nowhere (404): each is linked from some page."""
    chance = Random(seed)
    paths = ["/", *(f"/page/{number}.html" for number in range(1, pages))]
    out: list[list[str]] = [[] for _ in range(pages)]
    for number in range(1, pages):
        out[chance.randrange(number)].append(paths[number])
    extra: dict[str, Page] = {}
    copied = [chance.randrange(pages) for _ in range(duplicates)]
    for number in range(duplicates):
        out[chance.randrange(pages)].append(f"/copy/{number}.html")
    for number in range(redirects):
        extra[f"/moved/{number}"] = redirect(chance.choice(paths), 301)
        out[chance.randrange(pages)].append(f"/moved/{number}")
    for number in range(missing):
        out[chance.randrange(pages)].append(f"/missing/{number}.html")
    for targets in out:
        while len(targets) < links and pages > 1:
            targets.append(chance.choice(paths))
    bodies = [_page(number, targets, chance) for number, targets in enumerate(out)]
    built: dict[str, Page] = {
        path: _reply(body, seed, n) for n, (path, body) in enumerate(zip(paths, bodies, strict=True))
    }
    built.update((f"/copy/{number}.html", _reply(bodies[of], seed, of)) for number, of in enumerate(copied))
    return built | extra


def _reply(body: str, seed: int, number: int) -> Reply:
    return Reply(body.encode(), etag=f'"{seed}-{number}"')


def _page(number: int, targets: list[str], chance: Random) -> str:
    title = f"Page {number}: {' '.join(chance.choices(WORDS, k=3))}"
    paragraphs = "\n".join(f"<p>{' '.join(chance.choices(WORDS, k=40))}.</p>" for _ in range(3))
    items = "\n".join(f'<li><a href="{target}">{chance.choice(WORDS)} {target}</a></li>' for target in targets)
    return (
        f'<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>{title}</title></head>\n'
        f"<body>\n<h1>{title}</h1>\n{paragraphs}\n<ul>\n{items}\n</ul>\n</body>\n</html>\n"
    )
