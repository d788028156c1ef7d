"""Where the stages of a visit meet: in `crawl` at the migrant's, in `gather` at home.

Takes: tasks, responses, pages, visits. Gives: a `Visit` where the page is, a `Plan` at home. Promises: every task
ends as a value that says what became of it. Never: keeps state that a restart would miss.
"""
