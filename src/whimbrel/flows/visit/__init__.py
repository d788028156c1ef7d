"""What happens to one task, where the migrant is?

Takes: a task and the tools of a visit. Gives: a `Visit`. Promises: writes nothing but the shelf. Never: knows home.
"""
