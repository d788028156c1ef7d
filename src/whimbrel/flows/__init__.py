"""Where the stages of a visit meet.

Takes: tasks, responses, pages, visits. Gives: a `Visit` where the page is, a `Plan` at home. Promises: every task
ends as a value that says what became of it. Never: keeps state that a restart would miss.

`visit` is one visit, where the migrant is; `gather` what home makes of many; `refresh` what a visit to a kept page
means, and which pages are visited again; `twins` follows what is kept and finds pages that say the same; `telling`
words what became of pages for whoever asks. Beside them stands what several of them share.
"""
