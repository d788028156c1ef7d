"""Content codings, streamed and capped."""

import gzip
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whimbrel.fetch.decode import decoder_for
from whimbrel.records.response import Failure, FailureKind
from whimbrel.testing.reply import bomb, encode

NAMES = ["gzip", "deflate", "raw-deflate", "br", "zstd"]


def named(codings):
    return ", ".join("deflate" if coding == "raw-deflate" else coding for coding in codings)


def decode(content_encoding, chunks, cap=1 << 20):
    decoder = decoder_for(content_encoding, cap)
    assert decoder is not None
    for chunk in chunks:
        failure = decoder.feed(chunk)
        if failure is not None:
            return failure
    return decoder.finish()


@given(st.binary(max_size=3000), st.lists(st.sampled_from(NAMES), min_size=1, max_size=3), st.integers(1, 400))
def test_decoding_undoes_encoding_however_it_is_cut(body, codings, size):
    encoded = encode(body, tuple(codings))
    chunks = [encoded[at : at + size] for at in range(0, len(encoded), size)]
    assert decode(named(codings), chunks) == body


@given(st.binary(min_size=1, max_size=300), st.sampled_from(["gzip", "deflate", "br", "zstd"]))
def test_any_bytes_decode_or_fail_with_a_kind(body, coding):
    outcome = decode(coding, [body])
    assert isinstance(outcome, bytes) or outcome.kind in (FailureKind.ENCODING, FailureKind.CUT, FailureKind.TOO_LARGE)


@pytest.mark.parametrize("coding", NAMES)
def test_a_body_that_ends_too_early_is_cut(coding):
    encoded = encode(bytes(range(256)) * 40, (coding,))
    outcome = decode(named([coding]), [encoded[:-1] if coding in ("br", "raw-deflate") else encoded[:-6]])
    assert isinstance(outcome, Failure)
    assert outcome.kind is FailureKind.CUT


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
def test_bombs_stop_at_the_cap(coding):
    wrapped = bomb(coding, 64).body
    outcome = decode(coding, [wrapped[at : at + 16384] for at in range(0, len(wrapped), 16384)])
    assert isinstance(outcome, Failure)
    assert outcome.kind is FailureKind.TOO_LARGE


def test_a_bomb_inside_a_small_coding_stops():
    inner = bomb("gzip", 64).body
    outcome = decode("gzip, br", [encode(inner, ("br",))])
    assert isinstance(outcome, Failure)
    assert outcome.kind is FailureKind.TOO_LARGE


def test_gzip_members_are_joined_and_what_follows_them_is_ignored():
    two = gzip.compress(b"one") + gzip.compress(b"two")
    assert decode("gzip", [two]) == b"onetwo"
    assert decode("x-gzip", [two + b"\0\0padding"]) == b"onetwo"
    assert decode("gzip", [two[:20], two[20:21], two[21:]]) == b"onetwo"


def test_zstd_frames_are_joined():
    assert decode("zstd", [encode(b"one", ("zstd",)) + encode(b"two", ("zstd",))]) == b"onetwo"


def test_an_empty_body_has_nothing_to_decode():
    assert decode("gzip", []) == b""
    assert decode("br, zstd, deflate", []) == b""


@pytest.mark.parametrize("name", ["", "identity", "rot13", "gzip, rot13", "gzip,gzip,gzip,gzip,gzip", " , "])
def test_what_is_not_decoded(name):
    assert decoder_for(name, 10) is None


def test_names_are_read_in_any_case():
    assert decode(" GZip , identity", [zlib.compress(b"x", wbits=31)]) == b"x"
