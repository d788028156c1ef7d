"""A form with a file in it (RFC 7578), read by the standard library's reader of parts."""

from email.parser import BytesParser
from email.policy import HTTP

KIND = "multipart/form-data"


def is_upload(content_type: str) -> bool:
    return content_type.partition(";")[0].strip().lower() == KIND


def uploaded(body: bytes, content_type: str) -> dict[str, bytes]:
    """The parts by their names; none where it is no such form."""
    if not is_upload(content_type) or "\r" in content_type or "\n" in content_type:
        return {}
    whole = BytesParser(policy=HTTP).parsebytes(b"Content-Type: " + content_type.encode("latin-1") + b"\r\n\r\n" + body)
    if not whole.is_multipart():
        return {}
    parts = {}
    for part in whole.iter_parts():
        name = part.get_param("name", header="content-disposition")
        content = part.get_payload(decode=True)
        if isinstance(name, str) and isinstance(content, bytes):
            parts[name] = content
    return parts
