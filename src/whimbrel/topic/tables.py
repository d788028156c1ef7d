"""The papers' three tables of a topic (P4 §2.5 to 2.7).

The D-table has the terms of the seed pages, stop words left out, each with its share of all of them. The combination
table has, for a keyword, the words that stand for it or go with it. The keyword table has the words that were asked
for, the most frequent terms of the D-table, and what the combination table adds to them; it travels with the migrant.

The paper adds all that is related. A word of many meanings would bring all of them along, so beside the words that were
asked for only what the seed pages say themselves is added.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from whimbrel.topic.counting import WordCounter

KEYWORDS = 20
"""The papers' n: terms of the D-table that become keywords."""
RELATED_MOST = 6
"""Words of one keyword, at most."""
RELATED_WEIGHT = 0.3
"""What a related word counts beside the word that was asked for."""
SHOWN_WEIGHT = 0.5
"""The same of the most frequent term of the seed pages."""

Relations = Callable[[str], "GoesWith"]


class GoesWith(Struct, frozen=True):
    """What goes with a word: `same` stands for it in its commonest meaning, `near` in another, or goes with it."""

    same: tuple[str, ...] = ()
    near: tuple[str, ...] = ()


class DTerm(Struct, frozen=True, array_like=True):
    """A term of the seed pages as words are compared, as it is written, its share of all, and the pages that say it."""

    form: str
    word: str
    frequency: float
    pages: int


class Keyword(Struct, frozen=True, array_like=True):
    """A row of the keyword table. `weight` is from 0 to 1, 1 for what was asked for; `of` is the keyword that it is
    related to, "" for a keyword itself."""

    form: str
    word: str
    weight: float
    of: str = ""


class TopicTables(Struct, frozen=True):
    """A topic in words: what was asked, in which language, and the three tables."""

    topic: str
    language: str
    d_table: tuple[DTerm, ...]
    combination: Mapping[str, tuple[str, ...]]
    keywords: tuple[Keyword, ...]

    @property
    def asked(self) -> tuple[str, ...]:
        return tuple(one.form for one in self.keywords if one.weight >= 1 and not one.of)


def d_table(texts: Sequence[str], counter: WordCounter) -> tuple[DTerm, ...]:
    """The most frequent first."""
    counted: Counter[str] = Counter()
    pages: Counter[str] = Counter()
    written: dict[str, Counter[str]] = {}
    for text in texts:
        spelt = counter.spellings(text)
        for form, spelling in spelt.items():
            counted[form] += spelling.total()
            written.setdefault(form, Counter()).update(spelling)
        pages.update(spelt.keys())
    whole = counted.total()
    terms = [DTerm(form, _commonest(written[form]), count / whole, pages[form]) for form, count in counted.items()]
    return tuple(sorted(terms, key=lambda term: (-term.frequency, term.form)))


def tables(
    topic: str, texts: Sequence[str], counter: WordCounter, relations: Relations, most: int = KEYWORDS
) -> TopicTables:
    """The tables of a topic by the texts of its seed pages, of which there may be none."""
    shown = d_table(texts, counter)
    spelt = {form: _commonest(how) for form, how in counter.spellings(topic).items()}
    asked = [Keyword(form, spelt[form], 1.0) for form in dict.fromkeys(counter.forms(topic)) if form in spelt]
    known = {one.form for one in asked}
    highest = shown[0].frequency if shown else 1.0
    frequent = [
        Keyword(term.form, term.word, SHOWN_WEIGHT * term.frequency / highest)
        for term in shown[:most]
        if term.form not in known
    ]
    keywords = [*asked, *frequent]
    combination = _combination(asked, frequent, shown, counter, relations)
    own = {one.form for one in keywords}
    for keyword, words in combination.items():
        for word in words:
            forms = counter.forms(word)
            if len(forms) == 1 and forms[0] not in own:
                own.add(forms[0])
                keywords.append(Keyword(forms[0], word, RELATED_WEIGHT, keyword))
    return TopicTables(topic, counter.language, shown, combination, tuple(keywords))


def _combination(
    asked: Sequence[Keyword], frequent: Sequence[Keyword], shown: Sequence[DTerm], counter: WordCounter,
    relations: Relations,
) -> dict[str, tuple[str, ...]]:  # fmt: skip
    said = {term.form for term in shown}

    def is_said(word: str) -> bool:
        return bool(said.intersection(counter.forms(word)))

    table = {}
    for one in (*asked, *frequent):
        related = relations(one.word)
        same = [word for word in related.same if not one.of and (one.weight >= 1 or is_said(word))]
        words = dict.fromkeys([*same, *filter(is_said, related.near)])
        words.pop(one.word, None)
        if words:
            table[one.word] = tuple(words)[:RELATED_MOST]
    return table


def _commonest(spelt: Counter[str]) -> str:
    return min(spelt, key=lambda word: (-spelt[word], word))
