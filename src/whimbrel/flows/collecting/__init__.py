"""Which pages does a collection of fixed size hold?

Takes: the links of pages that were visited, kept or not, and what waits to be visited. Gives: the rank of each, which
of the kept pages matters least, and what is worth asking for next. Promises: a page is known with its links after it
has left. Never: fetches, or writes to the repository.
"""
