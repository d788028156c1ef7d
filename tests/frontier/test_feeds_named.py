"""Feeds of a site are told from feeds of one page."""

from whimbrel.frontier.feeds import FeedsNamed


def test_what_two_pages_or_a_seed_name_speaks_of_the_site() -> None:
    named = FeedsNamed()
    posts, remarks = 1, 2
    assert named.speak_of_the_site([posts], 10, at_the_door=True) == [posts]
    assert named.speak_of_the_site([posts, remarks], 11, at_the_door=False) == []
    assert named.speak_of_the_site([posts, remarks], 11, at_the_door=False) == []  # the same page once more
    assert named.speak_of_the_site([posts, 3], 12, at_the_door=False) == [posts]
