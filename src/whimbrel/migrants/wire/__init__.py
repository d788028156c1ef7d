"""What do home and a migrant say to each other, and what carries it?

Takes: messages. Gives: the same messages at the other end, in order, or the end of the channel. Promises: an itinerary
that was altered, meant for another or sent before is refused. Never: knows either side.
"""
