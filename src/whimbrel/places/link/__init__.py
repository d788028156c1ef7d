"""What home and a place share: keys and credentials, the code of an invitation, subjects, connections and lines.

Takes: bytes. Gives: bytes, in order and once. Promises: a cut link costs time only. Never: knows either side's books.
"""
