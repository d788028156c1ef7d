"""Pages made to exhaust the parser: cut, said, and never much slower than an ordinary page of their size."""

import random
import subprocess
import sys
import textwrap
from time import process_time

import pytest

from whimbrel.parse import hostile
from whimbrel.parse.html import read
from whimbrel.parse.nesting import FORMATTING
from whimbrel.parse.reading import main_text, paragraphs
from whimbrel.parse.tree import tag_sequence, tree

MANY = 100_000


def varied(pattern: bytes, count: int = MANY) -> bytes:
    return b"".join(pattern % number for number in range(count))


TOO_DEEP = "nested deeper than 512"
LEFT_OPEN = "formatting elements left open"
HOSTILE = {
    "blocks": (b"<div>" * MANY, TOO_DEEP),
    "blocks, closed": (b"<div>" * MANY + b"x" + b"</div>" * MANY, TOO_DEEP),
    "unknown elements": (b"<x-y>" * MANY, TOO_DEEP),
    "tables": (b"<table><tr><td>" * MANY, TOO_DEEP),
    "tables without rows": (b"<table>" * MANY, TOO_DEEP),
    "lists": (b"<ul><li>" * MANY, TOO_DEEP),
    "drawings": (b"<svg>" * MANY, TOO_DEEP),
    "formulas": (b"<math><mi>" * MANY, TOO_DEEP),
    "links around tables": (b"<a href=x><table><tr><td>t" * MANY, TOO_DEEP),
    "blocks in closed links": (b"<a><div></a>" * MANY, TOO_DEEP),
    "blocks in closed bold": (b"<b><div></b>" * MANY, TOO_DEEP),
    "bold": (b"<b>" * MANY, LEFT_OPEN),
    "bold, each different": (varied(b"<b id=%d>"), LEFT_OPEN),
    "bold in paragraphs": (varied(b"<p><b id=%d>"), LEFT_OPEN),
    "fonts around paragraphs": (varied(b"<font x=%d><p>"), LEFT_OPEN),
    "bold in a table outside its cells": (b"<table>" + varied(b"<b id=%d><tr>"), LEFT_OPEN),
    "bold, then paragraphs": (b"<p>" + varied(b"<b id=%d>", 500) + b"<p>x" * 20_000, LEFT_OPEN),
    "attributes": (b"<div " + varied(b"a%d=1 ", 1_000_000) + b">x", "attributes on a tag"),
    "equal attributes": (b"<div " + b"a " * 1_000_000 + b">x", "attributes on a tag"),
    "attributes of html": (varied(b"<html a%d=1>"), "<html>"),
    "attributes of body": (varied(b"<body a%d=1>"), "<html>"),
    "tags": (b"<p>x" * 600_000, "more than 500000 tags"),
}
HARMLESS = {
    "unclosed comment": b"<!--" + b"- " * MANY,
    "many comments": b"<!-- " * MANY,
    "plaintext": b"<plaintext>" + b"<x>" * MANY,
    "NUL bytes": b"\0" * 5 * MANY,
    "NUL in tags": b"<\0>" * MANY,
    "less-than signs": b"<" * 5 * MANY,
    "ampersands": b"&" * 5 * MANY,
    "references": b"&notinva" * MANY,
    "one long number": b"&#x" + b"1" * 5 * MANY,
    "open quotes": b'<a href="' * MANY,
    "tags without end": b"<a " * MANY,
    "script in script": b"<script>" + b"<!--<script>" * MANY,
    "almost closed title": b"<title>" + b"</titl" * MANY,
    "cells in one row": b"<table>" + b"<td>x" * MANY,
    "ragged table": b"<table><tr>" + b"<td>x" * 10_000 + b"<tr><td>y" * 10_000,
    "quotations": b"<blockquote>" * 400 + b"x<br>" * MANY,
    "templates": b"<template><a href=x>" * MANY,
    "one line of text": b"word " * 5 * MANY,
    "misnested": b"<b><i></b></i>" * MANY,
    "end tags": b"</p></b></x>" * MANY,
}


def ordinary(size: int) -> bytes:
    part = b'<div class="c"><p>Some words of <b>text</b> and <a href="/x/y.html">a link</a> or more.</p></div>\n'
    return part * (size // len(part) + 1)


def seconds(body: bytes) -> float:
    start = process_time()
    read(body, "text/html")
    return process_time() - start


@pytest.fixture(scope="module")
def seconds_a_byte() -> float:
    """What an ordinary page costs on this machine."""
    body = ordinary(500_000)
    return min(seconds(body) for _ in range(3)) / len(body)


# A hostile page is all tags, three bytes each, an ordinary one has twenty bytes a tag. What is quadratic goes
# beyond a thousand here.
SMALL_MULTIPLE = 60


def costs_little(body: bytes, seconds_a_byte: float) -> bool:
    """The quickest of three, as for the ordinary page: whoever else works on the machine only adds."""
    return any(seconds(body) < SMALL_MULTIPLE * seconds_a_byte * len(body) for _ in range(3))


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_cut_is_said_and_costs_little(name: str, seconds_a_byte: float) -> None:
    body, what = HOSTILE[name]
    assert costs_little(body, seconds_a_byte)
    assert any(what in note for note in read(body, "text/html").cut)


@pytest.mark.parametrize("name", HARMLESS)
def test_what_looks_bad_but_is_linear_costs_little(name: str, seconds_a_byte: float) -> None:
    assert costs_little(HARMLESS[name], seconds_a_byte)


def test_text_around_what_was_cut_stays() -> None:
    body = b"<p>before</p>" + b"<div>" * MANY + b"inside" + b"</div>" * MANY + b"<p>after <a href=x>link</a></p>"
    page = read(body, "text/html")
    assert page.text == "before inside after link"
    assert [anchor.href for anchor in page.anchors] == ["x"]


def test_markup_in_scripts_is_not_counted() -> None:
    script = b"<script>var t = '" + b"<div><b id=1>" * MANY + b"';</script>"
    page = read(script + b"<p>" * 10 + b"text", "text/html")
    assert (page.cut, page.text) == ((), "text")


@pytest.mark.parametrize(
    "careless",
    [
        b"<tr><td><font color=red>x",
        b"<tr><td><span><b>x",
        b"<li>x",
        b"<p>x<br>",
        b"<dt>a<dd>b",
        b"<div><span>x</div>",
        b"<a href=x>x",
        b"<option>x",
        b"<ruby>x<rt>y</ruby>",
    ],
)
def test_careless_markup_is_not_hostile(careless: bytes) -> None:
    body = b"<table>" * careless.startswith(b"<tr>") + careless * 30_000
    assert hostile._pruned(body) == (body, [])


def test_long_attributes_are_not_many() -> None:
    path = b"<svg><path d='" + b"L 10 20 " * 50_000 + b"'/></svg><img src='data:image/png;base64," + b"A" * MANY + b"'>"
    assert hostile.cut(path) == (path, ())


def test_a_giant_page_is_cut_at_its_end() -> None:
    body = b"x" * (hostile.MAX_BYTES + 7)
    kept, notes = hostile.cut(body)
    assert len(kept) == hostile.MAX_BYTES
    assert notes == (f"longer than {hostile.MAX_BYTES} bytes: 7 bytes left out",)


def test_tags_are_cut_at_the_limit() -> None:
    kept, _ = hostile.cut(b"<p>x" * (hostile.MAX_TAGS + 3))
    assert kept == b"<p>x" * hostile.MAX_TAGS


def test_the_kept_copy_of_a_hostile_page_can_be_read_too() -> None:
    for body in (b"<div>" * 20_000 + b"deep", b"<b>" * 20_000 + b"deep", b"<table><tr><td>" * 2_000 + b"deep"):
        assert "deep" in main_text(body, "text/html")
        assert paragraphs(body, "text/html")
        assert len(tag_sequence(body, "text/html")) > 10
        assert tree(body, "text/html").tag == "html"


FUZZ = textwrap.dedent("""
    import random, sys
    from whimbrel.parse.html import read
    from whimbrel.parse.hostile import _pruned
    from whimbrel.parse.tree import tree
    dice = random.Random(int(sys.argv[1]))
    tags = b"<table> <td> <b> </b> <a\\thref=x> </a> <p> <svg> </svg> <math> <template> </template> <select> \
        <option> <script> <!-- --> <plaintext> \\0 \\xff &#0; <foreignObject> <desc> <form> <button> <nobr> \
        <noscript> <iframe> <font\\ta=1> <frameset>".split()
    for _ in range(400):
        body = b"".join(dice.choices(tags, k=dice.randrange(300))) + dice.randbytes(dice.randrange(200))
        read(body, "text/html", assets=True)
        read(_pruned(body)[0], "text/html")
        tree(body, "text/html")
    print("done")
""")


def test_random_markup_does_not_end_the_interpreter() -> None:
    seed = str(random.Random(11).randrange(10**6))
    run = subprocess.run([sys.executable, "-c", FUZZ, seed], capture_output=True, text=True, timeout=300, check=False)
    assert (run.returncode, run.stdout) == (0, "done\n"), run.stderr


def test_every_formatting_element_is_counted_in_any_case() -> None:
    for name in FORMATTING:
        for written in (name, name.upper()):
            assert hostile._FORMATTING_TAG.findall((b"<%s>" % written).lower()) == [name]
            body = b"<p>" + b"".join(b"<%s id=%d>" % (written, number) for number in range(100)) + b"<p>x" * 9_000
            assert hostile.cut(body)[1] == ("more than 16 formatting elements left open: 84 tags left out",)
