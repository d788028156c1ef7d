"""Which URL is next, which is known already, and which leads nowhere.

Takes: URLs, depths, what a visit found (text shape, duplicate or not, new links). Gives: places in the queue
(`order`), the links home has not met (`cache`), verdicts on spider traps (`watch`, `traps`, `patterns`).
Promises: a verdict of rule "trap" names the pattern and the evidence; a page found on a page that brought
something new is refused only for its form, its session id or a limit; every state is a small record that can
be stored and handed back. Never: keeps the queue itself, which lives in the repository, or reads a clock.
"""
