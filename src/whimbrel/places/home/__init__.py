"""Home's side: which places were invited and what they may, the server they dial, and how journeys reach them.

Takes: journeys. Gives: channels, and what is known of each place. Promises: only invited places are heard, and only for
their sites. Never: crawls.
"""
