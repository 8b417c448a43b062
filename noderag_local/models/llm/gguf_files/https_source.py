"""Downloads a model file from a web server and resumes interrupted downloads."""

from __future__ import annotations

import http.client
import re
import socket
import ssl
import time
import urllib.error
import urllib.request
from email.message import Message
from typing import IO
from urllib.parse import urlsplit

from noderag_local.domain.errors import DownloadError
from noderag_local.models.llm.gguf_files.catalog import HttpsSource
from noderag_local.models.llm.gguf_files.part_file import PartFile, Reporter

READ_BYTES = 1 << 18
TRIES = 4
"""Maximum consecutive tries that bring nothing."""
FRUITFUL_BYTES = 1 << 16
"""A try that brings at least this many bytes does not count as one of these."""
ALL_TRIES = 100
PAUSE_SECONDS = 1.0
"""Seconds before the second try, doubled before each further one."""
TIMEOUT_SECONDS = 30.0
"""Maximum seconds for connecting, and without data while reading."""
WORTH_ANOTHER_TRY = {408, 425, 429, 500, 502, 503, 504}


class _CutOff(Exception):
    """The connection failed in a way that another try may fix."""


def fetch_https(
    source: HttpsSource,
    part: PartFile,
    size_bytes: int,
    reporter: Reporter,
    *,
    hash_known: bool,
    timeout_seconds: float = TIMEOUT_SECONDS,
    pause_seconds: float = PAUSE_SECONDS,
) -> None:
    """Downloads into `part` until it has `size_bytes`.

    Uses the proxies of the environment and the certificates of the system. With `hash_known`, bytes from any source are kept,
    since the caller verifies the whole file; otherwise only bytes of the same file on the same server are kept.

    Raises:
        DownloadError: the server cannot be reached, does not have the file, or has one of another size.
        OSError: the file cannot be written.
    """
    if not hash_known and not _validator(source.url, part):
        part.cut_to(0)
    fruitless = 0
    for _ in range(ALL_TRIES):
        before = part.size
        try:
            _fetch_once(source.url, part, size_bytes, reporter, timeout_seconds)
            return
        except _CutOff as error:
            fruitless = 0 if part.size - before >= FRUITFUL_BYTES else fruitless + 1
            if fruitless >= TRIES:
                raise DownloadError(f"{source.url}: {error}, {TRIES} times in a row") from error
            time.sleep(pause_seconds * 2 ** max(fruitless - 1, 0))
    raise DownloadError(f"{source.url}: the connection broke {ALL_TRIES} times")


def _fetch_once(url: str, part: PartFile, size_bytes: int, reporter: Reporter, timeout_seconds: float) -> None:
    with _open(url, part, size_bytes, timeout_seconds) as response:
        if response.status == 206:
            _check_range(response.headers, url, part, size_bytes)
        else:
            # The server does not support resuming, or its file has changed.
            part.cut_to(0)
        _check_length(response.headers, url, part.size, size_bytes)
        part.write_note({"url": url, "etag": response.headers.get("ETag", "")})
        while part.size < size_bytes:
            data = _read(response, min(READ_BYTES, size_bytes - part.size))
            if not data:
                raise _CutOff(f"the connection ended after {part.size:,} of {size_bytes:,} bytes")
            if part.size == 0 and data[:4] != b"GGUF"[: len(data)]:
                raise DownloadError(f"{url}: the response is not a GGUF file; it may be the login page of a network")
            part.append(data)
            reporter.progress("downloading", part.size, size_bytes)


def _open(url: str, part: PartFile, size_bytes: int, timeout_seconds: float) -> http.client.HTTPResponse:
    request = urllib.request.Request(url, headers=_headers(url, part, size_bytes))
    try:
        response: http.client.HTTPResponse = _opener(url).open(request, timeout=timeout_seconds)
        return response
    except urllib.error.HTTPError as error:
        error.close()
        if error.code == 416:
            part.cut_to(0)
            raise _CutOff("the server cannot resume the download") from error
        if error.code in WORTH_ANOTHER_TRY:
            raise _CutOff(f"the server answered {error.code} {error.reason}") from error
        raise DownloadError(f"{url}: the server answered {error.code} {error.reason}") from error
    except urllib.error.URLError as error:
        if isinstance(error.reason, (socket.gaierror, ssl.SSLCertVerificationError)):
            raise DownloadError(f"{url}: {error.reason}") from error
        raise _CutOff(f"cannot be reached: {error.reason}") from error
    except (OSError, http.client.HTTPException) as error:
        raise _CutOff(f"cannot be reached: {error}") from error


def _headers(url: str, part: PartFile, size_bytes: int) -> dict[str, str]:
    headers = {"User-Agent": "noderag-local", "Accept-Encoding": "identity"}
    if part.size >= size_bytes:
        part.cut_to(0)
    if part.size:
        headers["Range"] = f"bytes={part.size}-"
        if validator := _validator(url, part):
            headers["If-Range"] = validator
    return headers


def _validator(url: str, part: PartFile) -> str:
    """Returns the strong ETag that this address sent with the bytes so far; empty if there is none."""
    note = part.note
    etag = note.get("etag", "")
    return etag if note.get("url") == url and etag.startswith('"') else ""


def _check_range(headers: Message, url: str, part: PartFile, size_bytes: int) -> None:
    found = re.fullmatch(r"bytes (\d+)-\d+/(\d+|\*)", headers.get("Content-Range", ""))
    validator = _validator(url, part)
    if not found or int(found[1]) != part.size or (validator and headers.get("ETag", validator) != validator):
        part.cut_to(0)
        raise _CutOff("the server resumed at the wrong place or with another file")
    if found[2] not in ("*", str(size_bytes)):
        raise DownloadError(f"{url}: the file there has {int(found[2]):,} bytes, the catalogue's {size_bytes:,}")


def _check_length(headers: Message, url: str, have_bytes: int, size_bytes: int) -> None:
    length = headers.get("Content-Length", "")
    if length.isdigit() and have_bytes + int(length) != size_bytes:
        there = have_bytes + int(length)
        raise DownloadError(f"{url}: the file there has {there:,} bytes, the catalogue's {size_bytes:,}")


def _read(response: http.client.HTTPResponse, length: int) -> bytes:
    try:
        return response.read(length)
    except (OSError, http.client.HTTPException) as error:
        raise _CutOff(f"the connection broke: {error}") from error


def _opener(url: str) -> urllib.request.OpenerDirector:
    handlers: list[urllib.request.BaseHandler] = [_EncryptedRedirects()]
    if urlsplit(url).scheme == "https":
        import truststore

        handlers.append(urllib.request.HTTPSHandler(context=truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)))
    return urllib.request.build_opener(*handlers)


class _EncryptedRedirects(urllib.request.HTTPRedirectHandler):
    """Follows redirects, but never from an encrypted address to an unencrypted one."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Message, newurl: str
    ) -> urllib.request.Request | None:
        if req.type == "https" and urlsplit(newurl).scheme != "https":
            raise urllib.error.HTTPError(newurl, 403, "redirects to an address without encryption", headers, fp)
        return super().redirect_request(req, fp, code, msg, headers, newurl)  # type: ignore[arg-type]
