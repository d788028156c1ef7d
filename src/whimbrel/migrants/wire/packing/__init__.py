"""How do messages cross a link on which bytes are dear?

Takes: messages of the wire. Gives: packets that the other side makes the same messages of. Promises: what both sides
hold, or can work out, does not travel; a packet that is not the next one, was altered, or would grow beyond its bounds
is refused. Never: opens a connection, or decides what is worth sending.
"""
