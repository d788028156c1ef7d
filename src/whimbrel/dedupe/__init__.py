"""Which pages are one page?

Takes: bodies, texts, and where two pages stand. Gives: digests and the survivor of a group of twins.
Promises: the answer does not depend on the order in which pages arrived. Never: drops anything itself.
"""
