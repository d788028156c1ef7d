"""The room that talks to servers.

Takes: a URL in normal form, validators, settings. Gives: a `Response` as the server sent it, a `Failure` that
says what went wrong, or a `Verdict` that says why the server was not asked. Promises: every address is vetted
before a connection is made to it and pinned for that request; size, header, time and stall caps hold while
bytes arrive; a host is never asked more often than it allows. Never: follows a redirect, looks into a
document, keeps a cookie, or sends a credential to a host it was not meant for.
"""
