"""Did the page change, how much, and where?

Takes: two versions of a page, and what its history and its neighbours show to be noise. Gives: a `Change`.
Promises: equal pages never differ. Never: fetches or keeps anything.
"""
