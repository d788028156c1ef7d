"""What flows between the rooms.

Takes: nothing. Gives: frozen records. Promises: a record never changes after it was made, and the ones
that travel to a migrant or home encode to msgpack as they are. Never: does I/O or decides anything.
"""
