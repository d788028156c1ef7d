"""Who gets what to do, and what of that which came back is true?

Takes: an open repository, a brief, and a carrier that opens channels. Gives: sealed itineraries, commits, and how it
goes. Promises: what was not acknowledged is done again; a page that ends migrants is given up. Never: starts or kills
a process, or knows what carries its words.
"""
