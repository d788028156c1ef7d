"""When is a page worth another visit?

Takes: what earlier visits found (`history.PageHistory`), how far sitemaps, feeds and headers can be believed
(`trust.Witness`), how much may be spent. Gives: which pages to visit now (`plan.choose`), how long one may rest
(`classes.INTERVALS`), whether a signal may spare a visit (`trust.may_skip`), whether a page is gone (`gone.after`)
and a site away (`outage.after_silence`).
Promises: the same arguments give the same plan; a page that was not visited is never called gone. Never: fetches,
keeps, or looks at a clock.
"""
