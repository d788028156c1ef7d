"""Where the links to a page stand: pages that look alike and are listed apart are of two kinds."""

from random import Random

from structure_site import pages

from whimbrel.records.outline import Step
from whimbrel.structure.ground import Ground
from whimbrel.structure.likeness import KindLikeness
from whimbrel.structure.roles import MOST_ROLES, Roles
from whimbrel.structure.shape import Shape, Shaper
from whimbrel.structure.templates import kinds_among

COMMANDS = ("ul.commands>li>a>", "dt>a>>code.command", "p.see>a.command>", "li.toctree-command>a>")
VARIABLES = ("table.variables>td>a>", "dt>a>>code.variable", "p.see>a.variable>", "li.toctree-variable>a>")


def entry(chance: Random) -> list[Step]:
    """What authors write stands in it as often as not, whatever the page is about."""
    own: list[Step] = [(4, tag, "") for tag in ("p", "ul", "pre", "table", "dl", "ol") if chance.random() < 0.5]
    return [(0, "html", ""), (1, "body", ""), (2, "main", "entry"), (3, "h1", ""), (3, "div", "text"), *own]


def reference(each: int, seed: int) -> list[tuple[str, Shape]]:
    """Pages of one template, half of them listed as commands and half as variables, most in several places."""
    chance, shaper, roles = Random(seed), Shaper(), Roles()
    made = []
    for number in range(2 * each):
        kind, places = ("command", COMMANDS) if number % 2 else ("variable", VARIABLES)
        for standing in ("nav>a>", places[0], *chance.sample(places, 3)):
            roles.take(number, standing)
        made.append((kind, shaper.shape(entry(chance)).in_roles(roles.of(number))))
    return made


def test_the_same_place_is_the_same_role_whatever_its_number() -> None:
    roles = Roles()
    roles.take(1, "ul.list-1>li>a>")
    roles.take(2, "ul.list-22>li>a>")
    roles.take(3, "ol>li>a>")
    assert roles.of(1) == roles.of(2) != roles.of(3)
    assert roles.of(4) == frozenset()


def test_a_page_that_is_linked_from_everywhere_has_so_many_roles() -> None:
    roles = Roles()
    for letter in range(2 * MOST_ROLES):
        roles.take(1, chr(0x4E00 + letter))
    assert len(roles.of(1)) == MOST_ROLES


def test_roles_come_and_go_and_are_no_elements() -> None:
    shape = pages(each=1)[0][1]
    roles = Roles()
    roles.take(1, COMMANDS[0])
    with_roles = shape.in_roles(roles.of(1))
    assert with_roles.has_roles
    assert not shape.has_roles
    assert with_roles.elements == shape.elements
    assert with_roles.without_roles() == shape
    assert shape.in_roles(frozenset()) is shape


def test_kinds_of_one_template_are_told_by_where_they_are_listed() -> None:
    background, judged = reference(each=30, seed=1), reference(each=30, seed=2)
    ground = Ground([shape for _, shape in background])
    for kind in ("command", "variable"):
        examples = [shape for own, shape in reference(each=3, seed=3) if own == kind]
        likeness = KindLikeness(examples, ground)
        told = [(own == kind, likeness.judge(shape).alike) for own, shape in judged]
        assert sum(own == alike for own, alike in told) >= 0.95 * len(told)
        unlinked = KindLikeness([shape.without_roles() for shape in examples], ground)
        told = [(own == kind, unlinked.judge(shape).alike) for own, shape in judged]
        assert sum(own == alike for own, alike in told) <= 0.65 * len(told)
    kinds = kinds_among(ground)
    mixed = {frozenset(own for own, shape in judged if kinds.place(shape).kind == at) for at in range(len(kinds))}
    assert mixed == {frozenset({"command"}), frozenset({"variable"})}


def test_examples_to_which_no_link_is_known_are_held_against_looks_alone() -> None:
    made = pages(each=30, seed=4)
    roles = Roles()
    for number, (kind, _) in enumerate(made):
        roles.take(number, f"ul.{kind}>li>a>")
    linked = [(kind, shape.in_roles(roles.of(number))) for number, (kind, shape) in enumerate(made)]
    examples = [shape for kind, shape in pages(each=3, seed=5) if kind == "list"]
    on_linked = KindLikeness(examples, [shape for _, shape in linked])
    on_bare = KindLikeness(examples, [shape for _, shape in made])
    assert [on_linked.judge(shape) for _, shape in linked] == [on_bare.judge(shape) for _, shape in made]
    assert {kind for kind, shape in linked if on_linked.judge(shape).alike} == {"list"}
