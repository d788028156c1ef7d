"""Whole texts are made into the tokens that their words have one by one."""

from hypothesis import given
from hypothesis import strategies as st

from whimbrel.parse.words import LONGEST_WORD, Analyser, Analysers, split, spoken
from whimbrel.search.build.bodies import Bodies
from whimbrel.search.build.stems import MOST_BYTES, Stems

LETTERS = "abstehißéÀ9 \t.,-"
TEXTS = st.lists(
    st.tuples(st.sampled_from(("en", "de", "xx", "")), st.text(LETTERS, max_size=300) | st.text(max_size=80)),
    max_size=8,
)


def plain(text: str) -> bytes:
    said = spoken(text)
    assert isinstance(said, bytes)
    return said


@given(TEXTS)
def test_a_text_has_the_tokens_of_its_words(texts: list[tuple[str, str]]) -> None:
    found = Bodies(Analysers()).tokens([(language, spoken(text)) for language, text in texts])
    one_by_one = [Analysers().of(language).joined(split(text)).split() for language, text in texts]
    assert [tokens.split() for tokens in found] == one_by_one


@given(st.lists(st.text(LETTERS, max_size=60), max_size=20), st.integers(1, 30))
def test_a_memo_that_is_full_begins_anew(texts: list[str], most_words: int) -> None:
    stems, analyser = Stems(Analyser("en").meet, most_words), Analyser("en")
    for text in texts:
        assert stems.tokens([plain(text), plain(text)]) == stems.tokens([plain(text)]) * 2
        assert stems.tokens([plain(text)])[0].split() == analyser.tokens(text).split()


def test_words_of_every_length_stay_apart() -> None:
    words = [f"{'x' * length}{end}" for length in range(LONGEST_WORD) for end in "yz"]
    assert Stems(str).tokens([" ".join(words).encode()])[0].split() == words


def test_more_words_than_the_table_had_room_for() -> None:
    words = [f"w{number}" for number in range(70_000)]
    stems = Stems(str)
    for at in range(0, len(words), 1_000):
        stems.tokens([" ".join(words[at : at + 1_000]).encode()])
    assert stems.tokens([" ".join(words).encode()])[0].split() == words


def test_a_long_text_is_taken_in_pieces_between_words() -> None:
    text = b"curlew  bill " * (3 * MOST_BYTES // 12)
    assert Stems(str).tokens([b"one", text, b"two"])[1].split() == text.decode().split()


def test_of_an_endless_word_only_the_beginning_is_read() -> None:
    assert Stems(str).tokens([b"x" * (2 * MOST_BYTES) + b" y"])[0].split() == ["x" * LONGEST_WORD, "y"]


def test_each_word_is_met_once() -> None:
    met: list[str] = []
    stems = Stems(lambda word: met.append(word) or word)  # type: ignore[func-returns-value]
    stems.tokens([b"to be or not to be", b"to be"])
    stems.tokens([b"not to be"])
    assert sorted(met) == ["be", "not", "or", "to"]
