"""Where is it kept, and will it still be there?

Takes: a `Plan`, decided elsewhere. Gives: rows, bodies, and a sequence number for every commit.
Promises: what `commit` has returned from survives `kill -9` and power loss; a folder has one writer.
Never: judges a page, deletes what was not asked to be deleted, retries a failed fsync.
"""
