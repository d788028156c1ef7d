"""How do kept pages come into the index?

Takes: the repository's events. Gives: the word index and its book. Promises: one writer a folder; a kill
costs only work.
"""
