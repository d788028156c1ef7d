"""How much does a page weigh, and what does each reason add?

Takes: links between pages as pairs of numbers, and the parts of a score. Gives: PageRank, HITS, and one score with its
parts. Promises: ranks sum to one, parts add up to the score. Never: reads a page, a file or a clock.
"""
