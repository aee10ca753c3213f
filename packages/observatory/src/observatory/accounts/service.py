"""Rules for accounts. A token is returned in plain text once; only its hash is stored."""

from __future__ import annotations

import re
import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urlencode

from sqlalchemy.orm import Session

from observatory import events
from observatory.accounts import audit, repository
from observatory.accounts.github import GitHubUser
from observatory.accounts.passwords import hash_password, password_problem
from observatory.database.tables.accounts import AuthCode, Invitation, Player, Token, User
from observatory.errors import BadRequest, Conflict, Gone, NotFound, Unprocessable
from observatory.events import Change, ChangeKind
from observatory.tokens import WRITE, TokenKind, hash_token, mint_token, new_player_id, new_user_id, preview
from softmax.wire import UserRow

__all__ = [
    "Minted",
    "accept_invitation",
    "create_player",
    "create_user",
    "exchange_code",
    "invitation_url",
    "invite",
    "issue_code",
    "log_in_player",
    "mint_credential",
    "mint_user_token",
    "mint_worker_token",
    "renew_password_hash",
    "revoke",
    "update_user",
    "user_from_github",
    "user_row",
]

CODE_MINUTES = 5
PLAYER_SESSION_HOURS = 24
CLI_TOKEN_DAYS = 365
MAX_PLAYERS = 100
MAX_TOKENS = 200
MIN_CODE_CHARACTERS = 20

_EMAIL = re.compile(r"[^\s@\x00-\x1f]+(@[^\s@\x00-\x1f]+)?")


@dataclass(frozen=True)
class Minted:
    """A new token: its row, and the only copy of the text."""

    row: Token
    text: str


def user_row(user: User, *, with_email: bool = False) -> UserRow:
    """Return a user for a response; with the address only for themselves."""
    return UserRow(id=user.id, name=user.name, email=user.email if with_email else None, created_at=user.created_at)


def create_user(
    session: Session,
    *,
    email: str,
    now: datetime,
    name: str | None = None,
    is_admin: bool = False,
    password: str | None = None,
    github: GitHubUser | None = None,
) -> User:
    """Create an account with its default player. The address is the sign-in name; no mail is sent to it."""
    email = email.strip().lower()
    if len(email) > 255 or _EMAIL.fullmatch(email) is None:
        raise Unprocessable("The name of an account looks like an e-mail address, without spaces")
    if repository.user_by_email(session, email) is not None:
        raise Conflict(f"There is an account {email} already")
    user = User(
        id=new_user_id(),
        email=email,
        name=name or email.partition("@")[0],
        password_hash=None if password is None else hash_password(password),
        is_admin=is_admin,
        github_id=None if github is None else github.id,
        github_login=None if github is None else github.login,
        session_version=1,
        created_at=now,
    )
    session.add(user)
    _changed(session)
    create_player(session, user, name=user.name or "player", now=now)
    return user


def update_user(
    session: Session, user: User, *, now: datetime, is_admin: bool | None = None, disabled: bool | None = None
) -> None:
    """Change what an account may do. There is always an administrator left."""
    loses_admin = user.is_admin and user.disabled_at is None and (is_admin is False or disabled)
    if loses_admin and repository.admin_count(session) <= 1:
        raise Conflict("This is the only administrator; make another one first")
    if is_admin is not None:
        user.is_admin = is_admin
    if disabled is not None:
        user.disabled_at = now if disabled else None
        user.session_version += 1
    _changed(session)


def user_from_github(session: Session, profile: GitHubUser, *, now: datetime, may_join: bool) -> User | None:
    """Return the account of a user signed in with GitHub. Create it if they may join; return None if they may not.

    A matching email address never links to an existing account: GitHub may not have verified it.
    """
    user = repository.user_by_github_id(session, profile.id)
    if user is not None:
        user.github_login = profile.login
        _changed(session)
        return user if user.disabled_at is None else None
    if not may_join:
        return None
    email = profile.email or ""
    if _EMAIL.fullmatch(email) is None or repository.user_by_email(session, email) is not None:
        email = f"{profile.id}+{profile.login}@users.noreply.github.com"
    return create_user(session, email=email, name=profile.name or profile.login, now=now, github=profile)


def mint_user_token(
    session: Session, user: User, *, now: datetime, name: str = "token", expires_in: timedelta | None = None
) -> str:
    """Create a token with which a program acts as the user."""
    kind, scopes = TokenKind.PERSONAL, [WRITE]
    return mint(session, kind, name, now=now, expires_in=expires_in, user=user, scopes=scopes).text


def mint_worker_token(session: Session, name: str, *, now: datetime, expires_in: timedelta | None = None) -> Minted:
    """Create a token for a worker."""
    return mint(session, TokenKind.WORKER, name, now=now, expires_in=expires_in)


def mint_credential(
    session: Session, player: Player, *, name: str, scopes: list[str], now: datetime, expires_in: timedelta | None
) -> Minted:
    """Create a named token of a player."""
    return mint(
        session,
        TokenKind.PLAYER_CREDENTIAL,
        name,
        now=now,
        expires_in=expires_in,
        user=player.user,
        player=player,
        scopes=scopes,
    )


def log_in_player(session: Session, player: Player, *, now: datetime) -> Minted:
    """Create a session as a player: for a day, with the scope `write`, because the user has just requested it."""
    return mint(
        session,
        TokenKind.PLAYER_SESSION,
        "session",
        now=now,
        expires_in=timedelta(hours=PLAYER_SESSION_HOURS),
        user=player.user,
        player=player,
        scopes=[WRITE],
    )


def mint(
    session: Session,
    kind: TokenKind,
    name: str,
    *,
    now: datetime,
    expires_in: timedelta | None = None,
    user: User | None = None,
    player: Player | None = None,
    scopes: list[str] | None = None,
) -> Minted:
    if user is not None and kind is not TokenKind.PLAYER_SESSION:
        valid = [row for row in repository.tokens(session, user_id=user.id, kind=kind) if _is_valid(row, now)]
        if len(valid) >= MAX_TOKENS:
            raise Conflict(f"There are {MAX_TOKENS} tokens of this kind already; revoke one first")
    text = mint_token(kind.prefix)
    row = Token(
        kind=kind,
        name=name,
        token_hash=hash_token(text),
        token_preview=preview(text),
        user_id=None if user is None else user.id,
        player_id=None if player is None else player.id,
        scopes=scopes or [],
        created_at=now,
        expires_at=None if expires_in is None else now + expires_in,
    )
    session.add(row)
    _changed(session)
    return Minted(row, text)


def revoke(session: Session, row: Token, *, now: datetime) -> None:
    row.revoked_at = now
    _changed(session)


def create_player(session: Session, user: User, *, name: str, now: datetime) -> Player:
    """Create a player; a user's first is the default."""
    existing = repository.players(session, user.id)
    if any(player.name == name for player in existing):
        raise Conflict(f"You have a player {name!r} already")
    if len(existing) >= MAX_PLAYERS:
        raise Conflict(f"You have {MAX_PLAYERS} players, which is the maximum")
    player = Player(id=new_player_id(), user_id=user.id, name=name, is_default=not existing, created_at=now)
    player.user = user
    session.add(player)
    _changed(session)
    return player


def invite(
    session: Session,
    *,
    user: User | None,
    is_admin: bool,
    now: datetime,
    expires_in: timedelta,
    created_by: str | None = None,
    note: str = "",
    max_uses: int = 1,
) -> tuple[Invitation, str]:
    """Create an invitation to new accounts or to a new password; return its row and the only copy of its text."""
    if user is not None and max_uses != 1:
        raise Unprocessable("A link for a new password works once")
    text = mint_token("inv_")
    row = Invitation(
        token_hash=hash_token(text),
        user_id=None if user is None else user.id,
        is_admin=is_admin,
        note=note,
        created_by=created_by,
        max_uses=max_uses,
        uses=0,
        created_at=now,
        expires_at=now + expires_in,
    )
    session.add(row)
    session.flush()
    return row, text


def revoke_invitation(session: Session, invitation_id: uuid.UUID, *, now: datetime) -> Invitation:
    """Make a link useless; accounts that were made with it stay."""
    row = session.get(Invitation, invitation_id)
    if row is None:
        raise NotFound("There is no such invitation")
    if row.revoked_at is None:
        row.revoked_at = now
    session.flush()
    return row


def invitation_url(base_url: str, text: str) -> str:
    """Return the link of an invitation; its text is in the query, which no log keeps."""
    return f"{base_url}/join?{urlencode({'invitation': text})}"


def accept_invitation(
    session: Session, text: str, *, email: str, name: str | None, password: str, now: datetime
) -> User:
    """Create the account of an invitation, or set its new password; return the account."""
    invitation = repository.invitation(session, hash_token(text), now)
    if invitation is None:
        raise NotFound("This link was used already, or has expired; ask for a new one")
    problem = password_problem(password)
    if problem is not None:
        raise BadRequest(problem)
    user = invitation.user
    if user is None:
        user = create_user(session, email=email, name=name, now=now, is_admin=invitation.is_admin, password=password)
    else:
        user.password_hash = hash_password(password)
        user.session_version += 1
    invitation.uses += 1
    if invitation.uses >= invitation.max_uses:
        invitation.used_at = now
    audit.record(session, user.id, "invitation.accept", now=now, account=user.email, invitation=str(invitation.id))
    _changed(session)
    return user


def renew_password_hash(session: Session, user_id: str, old: str, new: str) -> None:
    """Replace the hash of a password by a stronger one of the same password; browser sessions stay valid."""
    user = repository.user(session, user_id)
    if user is not None and user.password_hash == old:
        user.password_hash = new


def issue_code(session: Session, user: User, *, now: datetime) -> str:
    """Create a code that a command line can exchange for a token, once, within minutes."""
    text = mint_token("code_")
    row = AuthCode(
        code_hash=hash_token(text), user_id=user.id, created_at=now, expires_at=now + timedelta(minutes=CODE_MINUTES)
    )
    session.add(row)
    session.flush()
    return text


def exchange_code(session: Session, code: str, *, now: datetime) -> str:
    """Exchange a code for a token."""
    if len(code) < MIN_CODE_CHARACTERS or not code.isascii():
        raise BadRequest("This is not a code from the sign-in page")
    row = repository.auth_code(session, hash_token(code))
    user = None if row is None else repository.user(session, row.user_id)
    if row is None or user is None or user.disabled_at is not None or row.used_at is not None or row.expires_at <= now:
        raise Gone("The code was used already, or has expired; sign in again")
    row.used_at = now
    return mint_user_token(session, user, now=now, name=cli_token_name(now), expires_in=timedelta(days=CLI_TOKEN_DAYS))


def cli_token_name(now: datetime) -> str:
    """Return the name for a token of the sign-in page."""
    return f"Command line, {now:%Y-%m-%d %H:%M}"


def revoke_token(session: Session, token_id: uuid.UUID, *, user_id: str | None, now: datetime) -> Token:
    """Revoke a token; with `user_id` only one of that user."""
    row = repository.token(session, token_id, user_id=user_id)
    if row is None:
        raise NotFound("There is no such token")
    revoke(session, row, now=now)
    return row


def _is_valid(row: Token, now: datetime) -> bool:
    return row.expires_at is None or row.expires_at > now


def _changed(session: Session) -> None:
    session.flush()
    events.note(session, Change(ChangeKind.ACCOUNT))
