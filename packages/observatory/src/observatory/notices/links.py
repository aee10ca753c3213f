"""Signed links in e-mails, and the secret of a webhook. All follow from the server's key; none is stored."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from observatory.keys import Keys
from observatory.signing import Signer

__all__ = ["Links", "Mailbox"]

CONFIRM_SECONDS = 7 * 86400.0
UNSUBSCRIBE_SECONDS = 10 * 365 * 86400.0


@dataclass(frozen=True)
class Mailbox:
    """An address of a user."""

    user_id: str
    email: str


@dataclass(frozen=True)
class Links:
    """Writes and reads the links of one server."""

    keys: Keys
    base_url: str

    def confirm(self, box: Mailbox) -> str:
        """Return the link with which the owner of an address agrees to get notices there."""
        return self._link("confirm", box, CONFIRM_SECONDS)

    def unsubscribe(self, box: Mailbox) -> str:
        """Return the link that ends all e-mail to an address, without signing in."""
        return self._link("unsubscribe", box, UNSUBSCRIBE_SECONDS)

    def read(self, purpose: str, token: str) -> Mailbox | None:
        """Return the address in a link; None for one that is not valid."""
        content = self._signer(purpose).read(token)
        return None if content is None else Mailbox(str(content["user"]), str(content["email"]))

    def webhook_secret(self, user_id: str, nonce: str) -> str:
        """Return the secret that signs what a webhook of a user gets."""
        return "whsec_" + Signer(self.keys.secret, "notice webhook").mac(f"{user_id}:{nonce}")

    def _link(self, purpose: str, box: Mailbox, seconds: float) -> str:
        token = self._signer(purpose).sign({"user": box.user_id, "email": box.email}, seconds=seconds)
        return f"{self.base_url}/notices/{purpose}?{urlencode({'token': token})}"

    def _signer(self, purpose: str) -> Signer:
        return Signer(self.keys.secret, f"notice {purpose}")
