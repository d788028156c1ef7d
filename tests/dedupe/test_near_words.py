"""When two texts are one page, and when they only look like it."""

import pytest
from wordy import edited, prose

from whimbrel.dedupe.near import ALIKE, ALIKE_AS_A_WHOLE, LEAST_WORDS, compare, compare_whole, is_short
from whimbrel.dedupe.template import COMMON_PAGES, SAMPLED_PAGES, Own, Template, is_number, subject_of

TEXT = prose(1, 200)


@pytest.mark.parametrize("share", [0.0, 0.01, 0.02, 0.05])
def test_edited_copies_are_twins(share: float) -> None:
    likeness = compare(Own(TEXT), Own(edited(TEXT, share)))
    assert likeness.twins, likeness
    assert likeness.similarity >= ALIKE
    assert likeness.reason == ("same words" if share == 0 else "nearly the same words")


def test_other_texts_are_not() -> None:
    likeness = compare(Own(TEXT), Own(prose(2, 200)))
    assert (likeness.twins, likeness.reason) == (False, "too little in common")


def test_a_paragraph_more_is_the_same_page() -> None:
    assert compare(Own(TEXT), Own(TEXT + "\n" + prose(5, 30))).twins


@pytest.mark.parametrize("words", [0, 3, LEAST_WORDS - 1])
def test_short_pages_have_no_near_twins(words: int) -> None:
    text = prose(1, words) if words else ""
    likeness = compare(Own(text), Own(text))
    assert not likeness.twins
    assert "fewer than" in likeness.reason


@pytest.mark.parametrize(
    ("one", "other"),
    [("version 3.11.2", "version 3.12.0"), ("EUR 19.90", "EUR 24.90"), ("order 1048", "order 1049 of 3")],
)
def test_pages_that_differ_in_numbers_only_stay_two(one: str, other: str) -> None:
    likeness = compare(Own(f"{TEXT}\n{one}"), Own(f"{TEXT}\n{other.removesuffix(' of 3')}"))
    assert (likeness.twins, likeness.reason) == (False, "only numbers differ")


def test_a_number_that_all_of_a_site_has_does_not_tell_pages_apart() -> None:
    one = Own(f"{TEXT}\nmanual v1.16", usual=frozenset(["v1.16"]))
    other = Own(f"{TEXT}\nmanual v1.17", usual=frozenset(["v1.17"]))
    assert compare(one, other).twins


def test_one_name_in_the_place_of_another_makes_another_page() -> None:
    text = f"class IntHolder\n{TEXT}\nconstructs a new IntHolder object\n{prose(3, 40)}\nthe value of IntHolder itself"
    likeness = compare(Own(text), Own(text.replace("IntHolder", "LongHolder")))
    assert not likeness.twins
    assert likeness.reason == "one says intholder where the other says longholder"


def test_a_name_that_comes_as_often_in_other_places_makes_another_page_too() -> None:
    one = f"IntHolder 1\n{TEXT}\nnow 1 IntHolder\n{prose(3, 40)}\nIntHolder 3 times"
    other = f"LongHolder 2\n{TEXT}\nnow 2 LongHolder\n{prose(3, 40)}\nLongHolder 4 times"
    assert compare(Own(one), Own(other)).reason == "one says intholder where the other says longholder"


def test_other_titles_make_other_pages_and_longer_ones_do_not() -> None:
    def titled(*words: str, usual: tuple[str, ...] = ()) -> Own:
        return Own(TEXT, frozenset(words), frozenset(usual))

    assert "titles differ" in compare(titled("numpy.max"), titled("numpy.min")).reason
    assert compare(titled("drain"), titled("drain", "print", "view")).twins
    assert compare(titled("drain"), titled()).twins
    one, other = titled("drain", usual=("1.16",)), Own(edited(TEXT, 0.05), frozenset(["drain"]), frozenset(["1.17"]))
    assert compare(one, other).twins
    assert not compare(one, Own(other.text, frozenset(["uses", "of", "drain"]))).twins
    assert not compare(one, Own(other.text, frozenset(["drain"]), frozenset(["uses", "of", "1.16"]))).twins


def test_a_word_changed_twice_among_many_edits_is_an_edit() -> None:
    """A release of a long manual renames something in two places of many that differ."""
    text = prose(4, 3000).split()
    new = edited(" ".join(text), 0.02).split()
    for at in (500, 1500):
        text[at], new[at] = "presplit", "unsplit"
    title, renamed = frozenset(["coroutines"]), "one says presplit where the other says unsplit"
    assert compare(Own(" ".join(text), title), Own(" ".join(new), title)).twins
    assert compare(Own(" ".join(text)), Own(" ".join(new))).reason == renamed
    only = " ".join("unsplit" if word == "presplit" else word for word in text)
    assert compare(Own(" ".join(text), title), Own(only, title)).reason == renamed


@pytest.mark.parametrize(("edits", "twins"), [(0.01, True), (0.05, False)])
def test_other_numbers_in_a_title_want_texts_more_alike(edits: float, twins: bool) -> None:
    chapter, moved = frozenset(["24", "metaparse"]), frozenset(["22", "metaparse"])
    assert compare(Own(TEXT, chapter), Own(edited(TEXT, edits), moved)).twins == twins
    assert compare(Own(TEXT, chapter), Own(edited(TEXT, edits), chapter)).twins


@pytest.mark.parametrize(("word", "number"), [("24", True), ("v1.16", True), ("2019-04", True), ("log10", False),
                                              ("2to3", False), ("gfx9_dst", False), ("v", False)])  # fmt: skip
def test_names_with_digits_are_no_numbers(word: str, number: bool) -> None:
    assert is_number(word) == number


def test_what_a_title_names() -> None:
    assert subject_of("numpy.log10 — NumPy v1.16 Manual") == subject_of("numpy.log10 — NumPy v1.17 Manual")
    assert subject_of("numpy.log10") != subject_of("numpy.log2")
    assert subject_of("404") == "404"
    assert subject_of(" — ") == ""


FRAME = prose(70, 150)


def short(text: str, *title: str, usual: tuple[str, ...] = (), left_out: str = "") -> Own:
    return Own(text, frozenset(title), frozenset(usual), left_out)


def test_short_pages_are_compared_whole_where_their_titles_agree() -> None:
    note = "gives the real part of an array"
    one, other = short(note, "real", usual=("v1.16", "manual")), short(note, "real", usual=("v1.17", "manual"))
    assert is_short(one)
    likeness = compare_whole(one, other, f"{note} {FRAME} v1.16", f"{note} {FRAME} v1.17")
    assert likeness.twins
    assert ALIKE_AS_A_WHOLE <= likeness.similarity < 1
    assert not compare_whole(one, other, f"{note} {FRAME}", f"{note} {prose(71, 150)}").twins
    assert not compare_whole(one, short(note, "imag"), f"{note} {FRAME}", f"{note} {FRAME}").twins
    assert not compare_whole(one, short(note, "real", "uses"), f"{note} {FRAME}", f"{note} {FRAME}").twins
    assert not compare_whole(short(note), short(note), f"{note} {FRAME}", f"{note} {FRAME}").twins


def test_a_short_answer_under_the_same_title_is_another_page() -> None:
    one, other = short("thanks a lot", "re", "hello"), short("i do not agree", "re", "hello")
    likeness = compare_whole(one, other, f"thanks a lot {FRAME}", f"i do not agree {FRAME}")
    assert likeness.similarity >= ALIKE_AS_A_WHOLE
    assert (likeness.twins, likeness.reason) == (False, "few words of its own, and those differ")


def test_a_title_that_all_pages_have_wants_the_same_main_text_and_no_other_name() -> None:
    one = short("", usual=("my", "shop"), left_out="comments are closed")
    assert compare_whole(one, one, f"visit 17 {FRAME}", f"visit 18 {FRAME}").twins
    renamed = compare_whole(one, one, f"home lamp {FRAME}", f"home chair {FRAME}")
    assert renamed.reason == "one says lamp where the other says chair"
    other = short("", usual=("my", "shop"), left_out="comments are open")
    assert not compare_whole(one, other, FRAME, FRAME).twins


def test_what_all_pages_of_a_site_say_is_left_out() -> None:
    footer, template = prose(99, 80), Template()
    for seed in range(COMMON_PAGES):
        template.learn(f"Page {seed} of Site", f"{prose(seed, 60)}\n{footer}")
    own = template.own("Other of Site", f"{prose(50, 60)}\n{footer}")
    assert own.text == prose(50, 60)
    assert (own.title, own.usual) == ({"other"}, {"page", "of", "site"} & {"of", "site"})
    stub = compare(template.own("", f"No usage of X\n{footer}"), template.own("", f"No usage of Y\n{footer}"))
    assert not stub.twins
    assert compare(Own(f"No usage of X\n{footer}"), Own(f"No usage of Y\n{footer}")).twins  # so it would be without


def test_a_line_of_the_template_with_another_number_hides_no_sibling() -> None:
    footer, template = "Copyright 1993 Oracle Parkway, all rights reserved", Template()
    for seed in range(COMMON_PAGES):
        template.learn("", f"{prose(seed, 60)}\n{footer}")
    one = template.own("", f"{TEXT}\nvolume 7\n{footer}")
    other = template.own("", f"{TEXT}\nvolume 8\n{footer.replace('1993', '2003')}")
    assert one.left_out == footer
    assert compare(one, other).reason == "only numbers differ"


def test_a_template_is_learned_from_some_pages_and_then_small() -> None:
    template = Template()
    for seed in range(SAMPLED_PAGES):
        assert template.learn("", f"line {seed}\nfooter")
    assert len(template.met) == 1
    assert not template.learn("", "one more")
    assert template.own("", "line 3\nfooter").text == "line 3"
