"""Which pages are one page?

Takes: bodies, texts, URLs, and where two pages stand. Gives: digests, sketches, likeness with its reason, rules for
URLs, the survivor of a group. Promises: exact twins do not depend on the order in which pages arrived. Never: drops
anything itself.
"""
