"""Which pages answer, in which order, and why?

Takes: a question as it was typed, and an index. Gives: an `Answer`. Promises: any text gets an answer. Never: writes.
"""
