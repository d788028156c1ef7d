"""SimRank: two pages are alike when pages that are alike link to them.

    sim(x, x) = 1,    sim(x, y) = c / (|I(x)| |I(y)|) · Σ Σ sim(i, j)    over i linking to x and j linking to y

Jeh and Widom, "SimRank: a measure of structural-context similarity" (KDD 2002). All pairs of ten thousand pages do not
fit where a crawl has to; they are not needed. With P the matrix of stepping back along a link and D a diagonal one,

    S = Σ c^k (Pᵀ)^k D P^k

so sums and single columns take a few passes over the links (Maehara, Kusumoto and Kawarabayashi, "Efficient SimRank
computation via linearization", 2014). D holds, for each page, the chance that two readers who step back from it at
random, each pair going on with chance c, never meet again. What the first step brings is known; from there on pairs are
sent out. Few pages are worked out exactly.
"""

import numpy as np

from whimbrel.rank.graph import Numbers, Shares, distinct

DECAY = 0.8
"""c: Jeh and Widom's own choice."""

PAIRS = 128
"""Sent out from each page: their mean is off by less than .035, and a sum over many pages by much less."""

EXACT_PAGES = 300
_LEAST = 1e-4
"""Steps that weigh less are not made."""


class SimRank:
    """Of pages 0 … count−1 with links among them; `chance` decides where pairs of readers go, unless there are only
    `exact_up_to` pages."""

    def __init__(
        self, sources: Numbers, targets: Numbers, count: int, chance: np.random.Generator, decay: float = DECAY,
        exact_up_to: int = EXACT_PAGES,
    ) -> None:  # fmt: skip
        sources, targets = distinct(sources, targets, count)
        by_target = np.argsort(targets, kind="stable")
        self._count, self._decay = count, decay
        self._parents: Numbers = sources[by_target]
        self._children: Numbers = targets[by_target]
        self._links_in: Numbers = np.bincount(targets, minlength=count)
        self._starts: Numbers = np.cumsum(self._links_in) - self._links_in
        self._steps = int(np.ceil(np.log(_LEAST) / np.log(decay)))
        self._never_again = self._exactly() if count <= exact_up_to else self._estimated(chance)

    def sums(self) -> Shares:
        """For each page the sum of its likeness to all, itself included."""
        return self._summed(np.ones(self._count))

    def sums_behind(self) -> Shares:
        """For each page what it lends to those that it links to: a page beside these that is linked from them alone
        sums up, over all of these, to c times the mean of what they lend."""
        return self._summed(self._back(np.ones(self._count)))

    def to(self, page: int) -> Shares:
        """How alike each page is to this one."""
        alone: Shares = np.zeros(self._count)
        alone[page] = 1.0
        return self._summed(alone)

    def _summed(self, weights: Shares) -> Shares:
        """S · weights, from the longest way to the shortest."""
        ways = [weights]
        for _ in range(self._steps):
            ways.append(self._back(ways[-1]))
        total: Shares = np.zeros(self._count)
        for way in reversed(ways):
            total = self._never_again * way + self._decay * self._forth(total)
        return total

    def _back(self, weights: Shares) -> Shares:
        """P · weights: each page gives what it has to those that link to it, in equal shares."""
        share = weights / np.maximum(self._links_in, 1)
        return np.bincount(self._parents, weights=share[self._children], minlength=self._count).astype(np.float64)

    def _forth(self, weights: Shares) -> Shares:
        """Pᵀ · weights: each page takes the mean of those that link to it."""
        taken = np.bincount(self._children, weights=weights[self._parents], minlength=self._count)
        mean: Shares = taken / np.maximum(self._links_in, 1)
        return mean

    def _exactly(self) -> Shares:
        """By the definition, all pairs at once."""
        step = np.zeros((self._count, self._count))
        step[self._parents, self._children] = 1.0 / np.maximum(self._links_in, 1)[self._children]
        alike = np.eye(self._count)
        met = np.zeros(self._count)
        for _ in range(self._steps):
            alike = self._decay * (step.T @ alike @ step)
            met = alike.diagonal().copy()
            np.fill_diagonal(alike, 1.0)
        never: Shares = 1.0 - met
        return never

    def _estimated(self, chance: np.random.Generator) -> Shares:
        links_in = np.maximum(self._links_in, 1)
        # Both take the same link of n with chance 1/n: that need not be tried.
        at_once = np.where(self._links_in > 0, self._decay / links_in, 0.0)
        pages = np.repeat(np.flatnonzero(self._links_in > 1), PAIRS)
        one = chance.integers(0, self._links_in[pages])
        other = (one + chance.integers(1, self._links_in[pages])) % self._links_in[pages]
        one, other = self._parents[self._starts[pages] + one], self._parents[self._starts[pages] + other]
        later = np.zeros(self._count)
        weight = self._decay
        for _ in range(self._steps):
            going = (self._links_in[one] > 0) & (self._links_in[other] > 0)
            pages, one, other = pages[going], self._stepped(one[going], chance), self._stepped(other[going], chance)
            weight *= self._decay
            met = one == other
            later += weight * np.bincount(pages[met], minlength=self._count)
            pages, one, other = pages[~met], one[~met], other[~met]
        never: Shares = 1.0 - at_once - (1.0 - 1.0 / links_in) * later / PAIRS
        return never

    def _stepped(self, pages: Numbers, chance: np.random.Generator) -> Numbers:
        """Each back along one of its links."""
        stepped: Numbers = self._parents[self._starts[pages] + chance.integers(0, self._links_in[pages])]
        return stepped
