"""What a curl error code means for us."""

import pycurl

from whimbrel.records.response import Failure, FailureKind

E_HTTP2 = 16  # pycurl has no names for these
E_HTTP2_STREAM = 92
E_PROXY = 97
E_SSL_CLIENTCERT = 98
E_TOO_LARGE = 100

KINDS: dict[int, FailureKind] = {
    pycurl.E_COULDNT_RESOLVE_HOST: FailureKind.DNS,
    pycurl.E_COULDNT_RESOLVE_PROXY: FailureKind.PROXY,
    E_PROXY: FailureKind.PROXY,
    pycurl.E_COULDNT_CONNECT: FailureKind.CONNECT,
    pycurl.E_INTERFACE_FAILED: FailureKind.CONNECT,
    pycurl.E_SEND_ERROR: FailureKind.CONNECT,
    pycurl.E_RECV_ERROR: FailureKind.CONNECT,
    pycurl.E_GOT_NOTHING: FailureKind.CONNECT,
    pycurl.E_AGAIN: FailureKind.CONNECT,
    pycurl.E_NO_CONNECTION_AVAILABLE: FailureKind.CONNECT,
    pycurl.E_PARTIAL_FILE: FailureKind.CUT,
    E_HTTP2: FailureKind.CUT,
    E_HTTP2_STREAM: FailureKind.CUT,
    pycurl.E_OPERATION_TIMEDOUT: FailureKind.TIMEOUT,
    pycurl.E_SSL_CONNECT_ERROR: FailureKind.TLS,
    pycurl.E_PEER_FAILED_VERIFICATION: FailureKind.TLS,
    pycurl.E_SSL_ENGINE_NOTFOUND: FailureKind.TLS,
    pycurl.E_SSL_ENGINE_SETFAILED: FailureKind.TLS,
    pycurl.E_SSL_ENGINE_INITFAILED: FailureKind.TLS,
    pycurl.E_SSL_CERTPROBLEM: FailureKind.TLS,
    pycurl.E_SSL_CIPHER: FailureKind.TLS,
    pycurl.E_SSL_CACERT_BADFILE: FailureKind.TLS,
    pycurl.E_SSL_SHUTDOWN_FAILED: FailureKind.TLS,
    pycurl.E_SSL_CRL_BADFILE: FailureKind.TLS,
    pycurl.E_SSL_ISSUER_ERROR: FailureKind.TLS,
    pycurl.E_SSL_PINNEDPUBKEYNOTMATCH: FailureKind.TLS,
    pycurl.E_SSL_INVALIDCERTSTATUS: FailureKind.TLS,
    E_SSL_CLIENTCERT: FailureKind.TLS,
    pycurl.E_USE_SSL_FAILED: FailureKind.TLS,
    pycurl.E_FILESIZE_EXCEEDED: FailureKind.TOO_LARGE,
    E_TOO_LARGE: FailureKind.HEADERS_TOO_LARGE,
    pycurl.E_BAD_CONTENT_ENCODING: FailureKind.ENCODING,
    pycurl.E_TOO_MANY_REDIRECTS: FailureKind.REDIRECT,
}
"""Every other code is a server, or a URL, that does not keep to the protocol."""


def failure_of(code: int, message: str, proxied: bool) -> Failure:
    answered = code == pycurl.E_PEER_FAILED_VERIFICATION
    return Failure(_kind(code, message.lower(), proxied), one_line(message) or f"curl error {code}", answered=answered)


def _kind(code: int, message: str, proxied: bool) -> FailureKind:
    """curl gives one code to different things; then its words decide."""
    if proxied and (code == pycurl.E_COULDNT_CONNECT or "connect tunnel" in message):
        return FailureKind.PROXY
    if code == pycurl.E_OPERATION_TIMEDOUT and "too slow" in message:
        return FailureKind.SLOW
    if code == pycurl.E_RECV_ERROR and "header" in message and "large" in message:
        return FailureKind.HEADERS_TOO_LARGE
    if code == pycurl.E_RECV_ERROR and "chunk" in message:
        return FailureKind.PROTOCOL
    return KINDS.get(code, FailureKind.PROTOCOL)


def one_line(text: str) -> str:
    """Server text may reach a terminal: control characters become spaces."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())[:300]
