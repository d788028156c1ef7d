"""Texts in pieces, and what the encoder makes of them, beside the definition written out number by number."""

import math
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from small_encoder import HEADS, LAYERS, SPECIAL, Tensors, tensors_of, write_tensors

from whimbrel.search.meaning.encoder import BATCH_PIECES, Encoder
from whimbrel.search.meaning.passages import FEWEST_CHARACTERS, MOST_SECTIONS, Passage, passages
from whimbrel.search.meaning.sense import installed
from whimbrel.search.meaning.tensors import read_tensors
from whimbrel.search.meaning.wordpieces import WordPieces

SIZE, WORDS = 8, 40
Exact = NDArray[np.float64]


@pytest.fixture
def tensors() -> Tensors:
    chance = np.random.default_rng(7)
    return tensors_of(chance.normal(0, 1, (WORDS, SIZE)).astype(np.float32), chance)


def by_definition(tensors: Tensors, text: list[int]) -> Exact:
    """BERT's encoder a piece and a head at a time, in double precision, with GELU as it is defined."""
    given = {name: numbers.astype(np.float64) for name, numbers in tensors.items()}

    def norm(name: str, rows: Exact) -> Exact:
        rows = rows - rows.mean(1, keepdims=True)
        rows = rows / np.sqrt((rows**2).mean(1, keepdims=True) + 1e-12)
        return rows * given[f"{name}.weight"] + given[f"{name}.bias"]

    def dense(name: str, rows: Exact) -> Exact:
        return rows @ given[f"{name}.weight"].T + given[f"{name}.bias"]

    state = given["embeddings.word_embeddings.weight"][text]
    state = state + given["embeddings.position_embeddings.weight"][: len(text)]
    state = norm("embeddings.LayerNorm", state + given["embeddings.token_type_embeddings.weight"][0])
    wide = SIZE // HEADS
    for at in range(LAYERS):
        layer = f"encoder.layer.{at}."
        asked, offered, told = (dense(f"{layer}attention.self.{part}", state) for part in ("query", "key", "value"))
        seen = np.zeros_like(state)
        for head in range(HEADS):
            own = slice(head * wide, (head + 1) * wide)
            for piece in range(len(text)):
                weights = np.exp([asked[piece, own] @ other / math.sqrt(wide) for other in offered[:, own]])
                seen[piece, own] = weights @ told[:, own] / weights.sum()
        state = norm(f"{layer}attention.output.LayerNorm", dense(f"{layer}attention.output.dense", seen) + state)
        inner = dense(f"{layer}intermediate.dense", state)
        inner = inner * (1 + np.vectorize(math.erf)(inner / math.sqrt(2))) / 2
        state = norm(f"{layer}output.LayerNorm", dense(f"{layer}output.dense", inner) + state)
    mean: Exact = state.mean(0)
    return mean / np.linalg.norm(mean)


def test_a_vector_is_what_the_definition_says(tensors: Tensors) -> None:
    chance = np.random.default_rng(8)
    texts = [chance.integers(0, WORDS, length).tolist() for length in (1, 2, 5, 17, 60)]
    found = Encoder(tensors, HEADS).encode(texts)
    for text, vector in zip(texts, found, strict=True):
        assert vector @ by_definition(tensors, text) > 0.9999


def test_a_vector_does_not_depend_on_what_else_is_encoded(tensors: Tensors) -> None:
    encoder, chance = Encoder(tensors, HEADS), np.random.default_rng(9)
    texts = [chance.integers(0, WORDS, length).tolist() for length in [3, 90, 40] * (1 + BATCH_PIECES // 100)]
    together = encoder.encode(texts)
    for text, vector in zip(texts, together, strict=True):
        np.testing.assert_allclose(encoder.encode([text])[0], vector, atol=1e-5)
    assert encoder.encode([]).shape == (0, SIZE)


def test_weights_are_read_as_they_lie(tmp_path: Path, tensors: Tensors) -> None:
    write_tensors(tmp_path / "weights", tensors)
    found = read_tensors(tmp_path / "weights")
    assert found.keys() == tensors.keys()
    for name, numbers in tensors.items():
        np.testing.assert_array_equal(found[name], numbers)


PIECES = WordPieces(
    {
        piece: at
        for at, piece in enumerate((*SPECIAL, "wader", "##s", "wad", "##er", "un", "##wad", "'", "-", "鷸", "cafe"))
    }
)


# As BERT's own tokenizer takes them apart.
@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("Waders", "wader ##s"),
        ("unwaders", "un ##wad ##er ##s"),
        ("wader's wad-wad", "wader ' [UNK] wad - wad"),
        ("CAFÉ caf\u00e9 cafe\u0301", "cafe cafe cafe"),
        ("wader鷸wader", "wader 鷸 wader"),
        ("wa\u00adder\u200bs\tunknown", "wader ##s [UNK]"),
        ("x" * 101, "[UNK]"),
        ("", ""),
    ],
)
def test_texts_in_pieces(text: str, pieces: str) -> None:
    names = (*SPECIAL, "wader", "##s", "wad", "##er", "un", "##wad", "'", "-", "鷸", "cafe")
    assert [names[number] for number in PIECES.of(text, 64)] == ["[CLS]", *pieces.split(), "[SEP]"]


def test_a_long_text_is_read_to_a_limit() -> None:
    assert len(PIECES.of("waders " * 100, 16)) == 16


SAID = "Something that takes forty characters at least to say here."


def test_a_page_is_read_at_its_beginning_and_under_its_headings() -> None:
    lines = ["Contents", "Eggs", "Nests", "Before.", "Eggs ¶", SAID, "Nests¶", SAID, "more", "Empty", "Short", "few"]
    found = passages("Birds", ["Eggs ¶", "Nests ¶", "Empty ¶", "Short ¶"], lines)
    assert found == [
        Passage(f"Birds\nContents Nests Before. Eggs {SAID} Nests {SAID} more Short few", True),
        Passage(f"Birds: Eggs\n{SAID}", False),
        Passage(f"Birds: Nests\n{SAID} more", False),
    ]


def test_one_section_is_its_page_and_nothing_is_nothing() -> None:
    assert [one.opens for one in passages("Birds", ["Eggs"], ["Eggs", SAID])] == [True]
    assert passages("", [], [""]) == []
    assert len(SAID) >= FEWEST_CHARACTERS


def test_so_many_sections_are_read_and_no_more() -> None:
    headings = [f"Part {at}" for at in range(2 * MOST_SECTIONS)]
    lines = [line for heading in headings for line in (heading, SAID)]
    assert len(passages("Birds", headings, lines)) == 1 + MOST_SECTIONS


def test_the_weights_of_the_extra_are_those_of_its_model() -> None:
    """The nearness of these sentences is what its authors' own library gives."""
    real = installed()
    if real is None:
        pytest.skip("the weights are an extra: requirements/install.py meaning")
    said = ("That is a happy person", "That is a happy dog", "That is a very happy person", "Today is a sunny day")
    person, *others = (real.of_question(one.split()) for one in said)
    assert [round(float(person @ one), 2) for one in others] == [0.69, 0.94, 0.26]
