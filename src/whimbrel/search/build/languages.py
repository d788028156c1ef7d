"""Which language a page is in, told by its little words.

The page's own declaration comes first. Without one, the detector of the parser needs 0.1 ms a page and took more than
a quarter of 2,000 English pages of one site for Danish or French, since menus are no sentences; little words say
nothing where there are none.
"""

from collections import Counter

from whimbrel.parse.languages import TWO_LETTERS
from whimbrel.search.words import Spoken

SAMPLES, SAMPLE_WORDS, SAMPLE_BYTES = 10, 20, 140
"""From all over the page: it begins with menus, which are no sentences."""

LEAST_WORDS = 4
LEAST_LEAD = 1.5

_LITTLE = {
    "en": "the of and that this with for from are was which be been have not you it",
    "de": "der und das ist nicht mit auf ein eine dem den des sich auch wird werden zu",
    "fr": "le les des et une dans est pour sur qui pas au avec ce cette sont aux",
    "es": "el los las y del una por con para que se su como es lo más pero",
    "it": "il gli di che della per una è sono nel alla con dei delle questo più anche",
    "pt": "os as não uma do da em com para ao dos das é são mais pelo foi",
    "nl": "het een van en niet dat voor met zijn op aan ook te naar wordt deze bij",
    "sv": "och att det som på är inte för med av den till har ett om kan från",
    "da": "og at det som på er ikke med af den til har et kan fra blev også",
    "no": "og at det som på er ikke med av den til har et kan fra ble også",
    "fi": "ja on ei että se oli hän mutta kun myös ovat tai joka sen niin kuin",
    "ru": "и в не на что он как это по из но его для от так же",
}
_ENGLISH = frozenset(_LITTLE["en"].split())
_FOREIGN = frozenset(word for language, words in _LITTLE.items() if language != "en" for word in words.split())
_SPEAKERS: dict[str, tuple[str, ...]] = {
    word: tuple(language for language, words in _LITTLE.items() if word in words.split())
    for word in " ".join(_LITTLE.values()).split()
}


def language_of(text: Spoken, declared: str) -> str:
    """An ISO 639-1 code where there is one, else ISO 639-3; "" where neither page nor words tell."""
    primary = declared.strip().lower().replace("_", "-").partition("-")[0]
    if primary.isascii() and primary.isalpha() and 2 <= len(primary) <= 3 and primary not in ("und", "mul", "zxx"):
        return TWO_LETTERS.get(primary, primary)
    for samples in (SAMPLES // 2, SAMPLES):
        little = list(filter(_SPEAKERS.__contains__, _sample(text, samples)))
        english = sum(map(_ENGLISH.__contains__, little))
        if english >= max(LEAST_WORDS, LEAST_LEAD * sum(map(_FOREIGN.__contains__, little))):
            return "en"  # ahead of all others together: most pages, and sooner
    votes = dict.fromkeys(_LITTLE, 0)
    for word, count in Counter(little).items():
        for language in _SPEAKERS[word]:
            votes[language] += count
    first = max(votes, key=votes.__getitem__)
    most = votes.pop(first)
    return first if most >= LEAST_WORDS and most >= LEAST_LEAD * max(votes.values()) else ""


def _sample(text: Spoken, samples: int) -> list[str]:
    if isinstance(text, list):
        return text[:: len(text) // (samples * SAMPLE_WORDS) + 1]
    step = len(text) // samples
    if step > SAMPLE_BYTES:
        text = b" ".join([text[at : at + SAMPLE_BYTES] for at in range(0, step * samples, step)])
    return text.decode("latin-1").split()
