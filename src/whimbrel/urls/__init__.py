"""Which page does this text name, and may it be followed?

Takes: text as a person or a page wrote it, and the URL it stood on. Gives: a `Url` in normal form with its
key, or a `Verdict` that says why not; filters and scopes that judge a `Url`. Promises: normalising twice
changes nothing, spellings of one URL have one normal form, user info never survives, and no text makes it
raise. Never: opens a connection, resolves a name or fetches anything.
"""
