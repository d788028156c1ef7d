"""The queue's order, told by its numbers."""

from hypothesis import given
from hypothesis import strategies as st

from whimbrel.frontier.order import Order, band, newest_first

DEPTHS = st.integers(0, 10_000)
SEQS = st.integers(0, 2**60)


def sort_key(order: Order, depth: int, seq: int, asset: bool = False) -> tuple[int, int]:
    """As the queue sorts: by band, and in it by number, rising or falling."""
    return band(order, depth, asset), -seq if newest_first(order) else seq


@given(DEPTHS, DEPTHS, SEQS, SEQS)
def test_breadth_first_takes_the_nearest_and_then_the_oldest(a: int, b: int, one: int, other: int) -> None:
    assert (sort_key(Order.BREADTH, a, one) < sort_key(Order.BREADTH, b, other)) == ((a, one) < (b, other))


@given(DEPTHS, DEPTHS, SEQS, SEQS)
def test_depth_first_takes_the_farthest_and_then_the_newest(a: int, b: int, one: int, other: int) -> None:
    assert (sort_key(Order.DEPTH, a, one) < sort_key(Order.DEPTH, b, other)) == ((a, one) > (b, other))


@given(st.sampled_from(Order), DEPTHS, SEQS, SEQS)
def test_assets_stand_between_the_pages_of_their_depth_and_the_next(
    order: Order, depth: int, seq: int, other: int
) -> None:
    following = depth - 1 if newest_first(order) else depth + 1
    asset = sort_key(order, depth, seq, asset=True)
    assert sort_key(order, depth, other) < asset < sort_key(order, following, other)


def test_depth_first_is_a_stack() -> None:
    tree = {"": ["a", "b"], "a": ["aa", "ab"], "b": ["ba", "bb"], "bb": ["bba"]}
    queue, seq, visited = [(sort_key(Order.DEPTH, 0, 0), "")], 0, []
    while queue:
        queue.sort()
        _, page = queue.pop(0)
        visited.append(page)
        for child in tree.get(page, []):
            seq += 1
            queue.append((sort_key(Order.DEPTH, len(child), seq), child))
    assert visited == ["", "b", "bb", "bba", "ba", "a", "ab", "aa"]
