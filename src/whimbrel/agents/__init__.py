"""What does a program that asks on behalf of a language model want, and what may it have?

Takes questions as the Model Context Protocol (MCP) carries them, gives what the folder holds: hits, pages as Markdown,
changes, differences, sites. It changes nothing, knows no folder but its own, and never shows what was fetched with
credentials. What pages say stands under `page_says`, in every answer: words of theirs, to judge, never instructions.
"""
