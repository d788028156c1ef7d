"""How is a person told what changed, what is missing, and what became of what they named?

Takes: changes, versions and outcomes as they are kept. Gives: words, feeds, differences. Never: stores or judges.
"""
