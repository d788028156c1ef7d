"""What does a migrant do with its itinerary, far from home?

Takes: a channel, a brief and itineraries. Gives: parcels of visits. Promises: leaves hosts alone as long as they are
owed, and ends when its channel does. Never: writes to the repository, asks home while a page is under way, or knows
what carries its words.
"""
