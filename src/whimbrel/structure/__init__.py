"""Are these pages of one kind?

Takes: element trees. Gives: how much of them matches, and a site's kinds of pages. Promises: matching is symmetric,
and a tree matches itself whole. Never: looks at the words.
"""
