"""The words that a newcomer cannot know, each in one sentence: shown below the help that uses them, and in
docs/glossary.md."""

import re
import textwrap

GLOSSARY = {
    "asset": "A style sheet, script, font or picture that a page is shown with.",
    "authority": "A page that many hubs link to.",
    "brief": "What a migrant is told when it starts: settings, limits, what to look for.",
    "home": "The process you started: it gives work to migrants and alone writes the folder.",
    "hub": "A page that links to many authorities.",
    "index entry": "What stands for a page in searches while its body stays at a place: its title, what it says of "
    "itself, and the words that stand out in it with their weights.",
    "itinerary": "The list of URLs that home gives to a migrant, signed.",
    "kind of page": "Pages made from one template, such as all product pages of a shop.",
    "lane": "The queue of one web site's URLs; whoever holds it keeps that site's pace.",
    "migrant": "A crawling process: it goes to a site, reads and judges pages there and sends home what to keep.",
    "near-twin": "A page that says almost the same as another one.",
    "noise": "What differs between two visits though nobody edited the page: a counter, a date, a random token.",
    "parcel": "What a migrant sends home at once: some visits and the pages they brought.",
    "scope": "How far from the seeds a crawl may go.",
    "seed": "A URL from which a crawl starts.",
    "shelf": "A cache of pages that one search for a kind of page fetched and another may want.",
    "slice": "A part of a lane, where a site may be asked several things at a time.",
    "survivor": "The one of several twins that is kept as the page.",
    "template": "What all pages of one kind have in common, as if they were filled into one form.",
    "trap": "A corner of a site that goes on for ever without anything new, such as a calendar.",
    "twin": "A page that says the same as another one; one of them is kept, the others are known as its twins.",
    "version": "A state of a page that is kept; a page that changed has several.",
    "WACZ": "A file that holds a web archive with its index, for viewers such as ReplayWeb.page.",
    "WARC": "The standard file format of web archives (ISO 28500).",
    "webhook": "An address to which changes are posted as they are found.",
}
_PLURALS = {
    "index entry": "index entries",
    "kind of page": "kinds of pages",
    "authority": "authorities",
    "itinerary": "itineraries",
}
_BESIDE = {"home": r"home page|at home|home\.", "version": r"--version|versions? of (?:Python|Whimbrel)"}
"""Where a word of ours means what it means everywhere."""


def uses(text: str, term: str) -> re.Match[str] | None:
    """The first place where a text uses a term, also in the plural; a near-twin is no twin, a flag no term."""
    either = "|".join(map(re.escape, (_PLURALS.get(term, f"{term}s"), term)))
    blanked = re.sub(_BESIDE.get(term, r"(?!)"), lambda found: "·" * len(found[0]), text)
    return re.search(rf"(?<![\w/.-])(?:{either})(?![\w/-]|\.\w)", blanked, re.IGNORECASE)


def words_of(text: str) -> str:
    """The words that a help text uses, explained, as one more paragraph; "" where it uses none."""
    terms = [term for term in GLOSSARY if uses(text, term)]
    width = max(map(len, terms), default=0) + 4
    lines = (
        textwrap.fill(GLOSSARY[term], 78, initial_indent=f"  {term}".ljust(width), subsequent_indent=" " * width)
        for term in terms
    )
    return "\n".join(("\b", "Words:", *lines)) if terms else ""
