"""The place's side: the owner's terms, joining a home, and the program that runs migrants within those terms.

Takes: an invitation, calls of its homes. Gives: migrants that work here. Promises: nothing beyond the owner's terms,
and a line in the diary for all that leaves. Never: opens a port.
"""
