"""What does a document say that is no web page?

Takes: the bytes of a PDF, a Word, PowerPoint or OpenDocument file, a feed or plain text, and what was said about
them. Gives: a `DocumentText`, or an `Unreadable` with its kind and the reason. Promises: whatever the document does,
the answer comes within the time allowed, and only a helper process dies of it. `papers` keeps what was read, by the
digest of the bytes. Never: follows a link in a document, writes a file while reading one, imports a document library
into the calling process.
"""

from whimbrel.documents.contract import DocumentLimits, DocumentText, Unreadable, UnreadableKind
from whimbrel.documents.extractor import Extractor
from whimbrel.documents.kinds import kind_of
from whimbrel.documents.wording import title_called

__all__ = ["DocumentLimits", "DocumentText", "Extractor", "Unreadable", "UnreadableKind", "kind_of", "title_called"]
