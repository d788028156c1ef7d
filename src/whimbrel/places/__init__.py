"""Where migrants work on machines that are not home's: what joins the two ends, home's side of it, and the place's.

Takes: journeys to a place. Gives: channels to migrants there. Promises: what crosses is numbered, acknowledged and sent
again until it arrives; a place sees its own subjects only. Never: is the only holder of anything.
"""
