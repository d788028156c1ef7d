"""Where is it kept, and will it still be there?

Takes: a `Plan`, decided elsewhere. Gives: rows, bodies, and a sequence number for every commit.
Promises: what `commit` has returned from survives `kill -9` and power loss (in memory: as long as the process); a
repository has one writer.
Others see `port` and open a repository by `engines`; which engine keeps it is the location's to say.
Never: judges a page, deletes what was not asked to be deleted, retries a failed fsync.
"""
