"""Send one notice by e-mail or to a webhook. Nothing here reads or writes the database.

A failure says whether the receiver can have got the notice. Only one that it cannot have got is sent again.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import http.client
import json
import smtplib
import socket
import ssl
import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from email.message import EmailMessage
from email.utils import format_datetime, make_msgid, parseaddr

from observatory.notices.addresses import ForbiddenAddress, parse_target, resolve
from observatory.settings import Settings

__all__ = ["Letter", "NotSent", "has_mail", "send_mail", "send_webhook", "signature", "webhook_body"]

SECONDS = 15.0
"""for one message in all"""
SIGNATURE = "X-League-Signature"


class NotSent(Exception):
    """A message was not accepted. `is_final`: another attempt would not help, or might deliver it twice."""

    def __init__(self, message: str, *, is_final: bool = False) -> None:
        super().__init__(message)
        self.is_final = is_final


@dataclass(frozen=True)
class Letter:
    """An e-mail."""

    to: str
    subject: str
    text: str
    unsubscribe_url: str | None = None
    id: str | None = None


def has_mail(settings: Settings) -> bool:
    """Return whether the operator has configured e-mail."""
    return settings.smtp_host is not None and settings.mail_from is not None


def send_mail(settings: Settings, letter: Letter, now: datetime) -> None:
    """Hand an e-mail to the operator's SMTP server."""
    message = _message(settings, letter, now)
    sender = parseaddr(settings.mail_from or "")[1]
    data = message.as_bytes(policy=message.policy.clone(linesep="\r\n"))
    try:
        server = _connect(settings)
    except (OSError, smtplib.SMTPException) as problem:
        raise NotSent(f"The mail server did not accept the connection: {_reason(problem)}") from None
    try:
        try:
            for code, answer in (server.mail(sender), server.rcpt(letter.to)):
                if code not in (250, 251):
                    text = answer.decode("utf-8", "replace")
                    raise NotSent(f"The mail server refused: {code} {text}", is_final=code >= 500)
        except (OSError, smtplib.SMTPException) as problem:
            raise NotSent(f"The mail server ended the connection: {_reason(problem)}") from None
        try:
            code, answer = server.data(data)
        except smtplib.SMTPDataError as problem:
            raise NotSent(f"The mail server refused the message: {_reason(problem)}") from None
        except (OSError, smtplib.SMTPException) as problem:
            unknown = f"The connection ended while the message was sent, so it may have arrived: {_reason(problem)}"
            raise NotSent(unknown, is_final=True) from None
        if code != 250:
            text = answer.decode("utf-8", "replace")
            raise NotSent(f"The mail server refused the message: {code} {text}", is_final=code >= 500)
    finally:
        _quietly(server.quit)


def _connect(settings: Settings) -> smtplib.SMTP:
    host = settings.smtp_host or ""
    if settings.smtp_security == "tls":
        context = ssl.create_default_context()
        server: smtplib.SMTP = smtplib.SMTP_SSL(host, settings.smtp_port, timeout=SECONDS, context=context)
    else:
        server = smtplib.SMTP(host, settings.smtp_port, timeout=SECONDS)
    try:
        if settings.smtp_security == "starttls":
            server.starttls(context=ssl.create_default_context())
        server.ehlo_or_helo_if_needed()
        if settings.smtp_user is not None and settings.smtp_password is not None:
            server.login(settings.smtp_user, settings.smtp_password.get_secret_value())
    except BaseException:
        server.close()
        raise
    return server


def _message(settings: Settings, letter: Letter, now: datetime) -> EmailMessage:
    message = EmailMessage()
    message["From"] = settings.mail_from or ""
    message["To"] = letter.to
    message["Subject"] = " ".join(letter.subject.split())
    message["Date"] = format_datetime(now)
    domain = parseaddr(settings.mail_from or "")[1].partition("@")[2] or "localhost"
    message["Message-ID"] = make_msgid(domain=domain) if letter.id is None else f"<{letter.id}@{domain}>"
    message["Auto-Submitted"] = "auto-generated"
    if letter.unsubscribe_url is not None:
        message["List-Unsubscribe"] = f"<{letter.unsubscribe_url}>"
        message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    message.set_content(letter.text)
    return message


def webhook_body(*, id: uuid.UUID, kind: str, title: str, text: str, url: str, events: int, at: datetime) -> bytes:
    """Return the JSON document that a webhook gets."""
    document = {
        "id": str(id),
        "kind": kind,
        "title": title,
        "text": text,
        "url": url,
        "events": events,
        "created_at": at.isoformat(),
    }
    return json.dumps(document, ensure_ascii=False).encode()


def signature(secret: str, body: bytes, seconds: int) -> str:
    """Return the signature of a body: `t=<unix time>,v1=<HMAC-SHA256 of "<unix time>.<body>">`."""
    mac = hmac.new(secret.encode(), f"{seconds}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={seconds},v1={mac}"


def send_webhook(settings: Settings, url: str, secret: str, body: bytes, *, notice_id: uuid.UUID) -> None:
    """Post a signed body to the address of a user."""
    target = parse_target(url)
    try:
        address = resolve(target, allow_private=settings.webhook_private_addresses)
        sock = socket.create_connection(address, timeout=SECONDS)
    except ForbiddenAddress as problem:
        raise NotSent(str(problem), is_final=True) from None
    except OSError as problem:
        raise NotSent(f"The webhook does not accept connections: {_reason(problem)}") from None
    # Timeouts of sockets are for single reads; this one is for all of them.
    watchdog = threading.Timer(SECONDS, lambda: _quietly(lambda: sock.shutdown(socket.SHUT_RDWR)))
    watchdog.daemon = True
    watchdog.start()
    try:
        if target.is_secure:
            try:
                sock = ssl.create_default_context().wrap_socket(sock, server_hostname=target.host)
            except OSError as problem:
                raise NotSent(f"The webhook has no valid certificate: {_reason(problem)}") from None
        default = 443 if target.is_secure else 80
        connection = http.client.HTTPConnection(target.host, target.port, timeout=SECONDS)
        connection.sock = sock
        headers = {
            "Host": _authority(target.host, target.port, default),
            "Content-Type": "application/json",
            "User-Agent": "alignment-league",
            "X-League-Notice": str(notice_id),
            SIGNATURE: signature(secret, body, int(time.time())),
        }
        try:
            connection.request("POST", target.path, body, headers)
            status = connection.getresponse().status
        except (OSError, http.client.HTTPException) as problem:
            unknown = f"The webhook gave no response, so the notice may have arrived: {_reason(problem)}"
            raise NotSent(unknown, is_final=True) from None
    finally:
        watchdog.cancel()
        _quietly(sock.close)
    if 300 <= status < 400 or status == 410:
        raise NotSent(f"The webhook responded with {status}; redirects are not followed", is_final=True)
    if not 200 <= status < 300:
        raise NotSent(f"The webhook responded with {status}")


def _authority(host: str, port: int, default: int) -> str:
    name = f"[{host}]" if ":" in host else host
    return name if port == default else f"{name}:{port}"


def _reason(problem: Exception) -> str:
    return (str(problem) or type(problem).__name__)[:300]


def _quietly(action: Callable[[], object]) -> None:
    with contextlib.suppress(OSError, smtplib.SMTPException):
        action()
