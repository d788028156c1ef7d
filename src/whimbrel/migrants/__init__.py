"""Who goes out, with what in hand, and how do we hear of them?

Takes: itineraries of tasks and a brief. Gives: parcels of visits. Promises: a migrant ends when home does; what it
sent and home did not acknowledge is done again by another. Never: lets a migrant write to the repository.
"""
