"""How is a document of this kind read? Only the helper process imports these.

Takes: the kind, the content type, the bytes and the limits. Gives: a `Draft`, or an `Unreadable`; what a library raises
over a damaged document passes through. Never: opens anything but those bytes.
"""
