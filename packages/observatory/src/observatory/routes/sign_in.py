"""The pages of the browser: sign in, join, hand a token or a code to a command line, home."""

from __future__ import annotations

import functools
import uuid
from datetime import timedelta
from typing import Annotated

import anyio.to_thread
from fastapi import Form, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from observatory.accounts import repository, service
from observatory.accounts.callbacks import checked_callback, local_page, with_parameter
from observatory.accounts.github import GitHub, GitHubError
from observatory.accounts.passwords import MIN_PASSWORD_LENGTH, hash_password, is_outdated, password_matches
from observatory.clock import Now
from observatory.database import DatabaseDep, SessionDep
from observatory.errors import ObservatoryError, TooManyRequests
from observatory.http.deps import KeysDep, SettingsDep
from observatory.http.plain_pages import field, form, hidden, page, paragraph, secret_box
from observatory.http.routing import Router
from observatory.http.visitors import Visitor, VisitorDep
from observatory.routes import home
from observatory.settings import Settings
from observatory.signing import Signer
from observatory.tokens import hash_token

__all__ = ["router"]

router = Router(tags=["pages"], include_in_schema=False, default_response_class=HTMLResponse)

GITHUB_STATE_SECONDS = 600

Text = Annotated[str, Form(max_length=4000)]
OptionalText = Annotated[str, Form(max_length=4000)]


@router.get("/sign-in")
def sign_in_page(visitor: VisitorDep, settings: SettingsDep, next: str = "") -> Response:
    """Name and password, or GitHub where it is configured."""
    if visitor.user is not None:
        return RedirectResponse(local_page(next), 303)
    return visitor.keep(_sign_in(visitor, settings, next))


@router.post("/sign-in")
async def sign_in(
    request: Request,
    visitor: VisitorDep,
    settings: SettingsDep,
    database: DatabaseDep,
    csrf: Text = "",
    email: Text = "",
    password: Text = "",
    next: Text = "",
) -> Response:
    """Begin a session."""
    try:
        visitor.check(csrf)
        request.app.state.rate_limits.sign_in(request, email)
    except ObservatoryError as refusal:
        return _refused(_sign_in(visitor, settings, next, error=refusal.message), refusal)
    user = await database.query(lambda session: repository.user_by_email(session, email))
    stored = None if user is None else user.password_hash
    matches = await anyio.to_thread.run_sync(password_matches, password, stored)
    request.app.state.metrics.sign_ins.labels("ok" if matches else "refused").inc()
    if user is None or not matches or user.disabled_at is not None:
        return visitor.keep(_sign_in(visitor, settings, next, error="The name or the password is wrong", status=401))
    if stored is not None and is_outdated(stored):
        renewed = await anyio.to_thread.run_sync(hash_password, password)
        await database.write(lambda session: service.renew_password_hash(session, user.id, stored, renewed))
    return visitor.sign_in(RedirectResponse(local_page(next), 303), user)


@router.post("/sign-out")
def sign_out(visitor: VisitorDep, session: SessionDep, now: Now, csrf: Text = "") -> Response:
    """End the session of this browser."""
    try:
        visitor.check(csrf)
    except ObservatoryError as refusal:
        return page("Sign out", error=refusal.message, status=refusal.status)
    return visitor.sign_out(RedirectResponse("/sign-in", 303), session, now)


@router.get("/join")
def join_page(visitor: VisitorDep, session: SessionDep, now: Now, invitation: str = "") -> Response:
    """Show the form of an invitation."""
    row = repository.invitation(session, hash_token(invitation), now)
    if row is None:
        return page("Join", error="This link was used already, or has expired; ask for a new one", status=404)
    return visitor.keep(_join(visitor, invitation, email=row.user.email if row.user else None))


@router.post("/join")
def join(
    visitor: VisitorDep,
    session: SessionDep,
    now: Now,
    csrf: Text = "",
    invitation: Text = "",
    email: Text = "",
    password: Text = "",
) -> Response:
    """Make the account, or set its new password, and begin a session."""
    row = repository.invitation(session, hash_token(invitation), now)
    existing = row.user.email if row is not None and row.user is not None else None
    try:
        visitor.check(csrf)
        user = service.accept_invitation(session, invitation, email=email, name=None, password=password, now=now)
    except ObservatoryError as refusal:
        return _join(visitor, invitation, email=existing, error=refusal.message, status=refusal.status)
    return visitor.sign_in(RedirectResponse("/observatory/home", 303), user)


@router.get("/cli-login")
def cli_login_page(request: Request, visitor: VisitorDep, callback: str = "") -> Response:
    """Ask whether a command line may have a token."""
    return _cli_page(request, visitor, callback, kind="token")


@router.post("/cli-login")
def cli_login(
    visitor: VisitorDep, session: SessionDep, now: Now, csrf: Text = "", callback: Text = "", show: Text = ""
) -> Response:
    """Make a token, and send it to the command line or show it."""
    refusal = _cli_refusal(visitor, csrf, callback)
    if refusal is not None or visitor.user is None:
        return refusal or RedirectResponse("/sign-in", 303)
    token = service.mint_user_token(
        session,
        visitor.user,
        now=now,
        name=service.cli_token_name(now),
        expires_in=timedelta(days=service.CLI_TOKEN_DAYS),
    )
    return _hand_over(callback, show, "token", token)


@router.get("/cli-auth")
def cli_auth_page(request: Request, visitor: VisitorDep, callback: str = "") -> Response:
    """Ask whether a command line may have a code, which it will exchange for a token."""
    return _cli_page(request, visitor, callback, kind="code")


@router.post("/cli-auth")
def cli_auth(
    visitor: VisitorDep, session: SessionDep, now: Now, csrf: Text = "", callback: Text = "", show: Text = ""
) -> Response:
    """Make a code, and send it to the command line or show it."""
    refusal = _cli_refusal(visitor, csrf, callback)
    if refusal is not None or visitor.user is None:
        return refusal or RedirectResponse("/sign-in", 303)
    return _hand_over(callback, show, "code", service.issue_code(session, visitor.user, now=now))


@router.get("/github/sign-in")
def github_sign_in(settings: SettingsDep, keys: KeysDep, visitor: VisitorDep, next: str = "") -> Response:
    """Redirect to GitHub, with a state that is bound to this browser."""
    github = _github(settings)
    if github is None:
        return page("Sign in", error="Signing in with GitHub is not configured here", status=404)
    content = {"nonce": visitor.nonce, "next": local_page(next)}
    state = Signer(keys.secret, "github state").sign(content, seconds=GITHUB_STATE_SECONDS)
    return visitor.keep(RedirectResponse(github.sign_in_url(redirect_uri=_github_return(settings), state=state), 303))


@router.get("/github/callback")
async def github_callback(
    request: Request,
    settings: SettingsDep,
    keys: KeysDep,
    visitor: VisitorDep,
    database: DatabaseDep,
    now: Now,
    code: str = "",
    state: str = "",
) -> Response:
    """Handle the redirect from GitHub: fetch the user and begin a session."""
    github = _github(settings)
    content = Signer(keys.secret, "github state").read(state)
    if github is None or content is None or content["nonce"] != visitor.nonce or not code:
        return page("Sign in", error="This sign-in was not begun in this browser; start again", status=403)
    try:
        github_user = await anyio.to_thread.run_sync(
            functools.partial(github.user, code, redirect_uri=_github_return(settings))
        )
    except GitHubError as problem:
        return page("Sign in", error=str(problem), status=502)
    user = await database.write(
        lambda session: service.user_from_github(session, github_user, now=now, may_join=settings.github_sign_up)
    )
    request.app.state.metrics.sign_ins.labels("refused" if user is None else "ok").inc()
    if user is None:
        return page("Sign in", error="There is no account for you here; ask for an invitation", status=403)
    return visitor.sign_in(RedirectResponse(content["next"], 303), user)


@router.get("/observatory/home")
def home_page(request: Request, visitor: VisitorDep, session: SessionDep, now: Now) -> Response:
    """Show the signed-in user's page."""
    if visitor.user is None:
        return RedirectResponse(f"/sign-in?next={request.url.path}", 303)
    return home.home_page(session, visitor.user, visitor.csrf, now)


@router.post("/home/tokens/{token_id}/revoke")
def revoke_token(token_id: uuid.UUID, visitor: VisitorDep, session: SessionDep, now: Now, csrf: Text = "") -> Response:
    """Revoke one of the user's tokens."""
    if visitor.user is None:
        return RedirectResponse("/sign-in", 303)
    try:
        visitor.check(csrf)
        service.revoke_token(session, token_id, user_id=visitor.user.id, now=now)
    except ObservatoryError as refusal:
        return page("Home", error=refusal.message, status=refusal.status)
    return RedirectResponse("/observatory/home", 303)


def _github(settings: Settings) -> GitHub | None:
    if settings.github_client_id is None or settings.github_client_secret is None:
        return None
    secret = settings.github_client_secret.get_secret_value()
    return GitHub(settings.github_client_id, secret, settings.github_url, settings.github_api_url)


def _github_return(settings: Settings) -> str:
    return f"{settings.base_url()}/github/callback"


def _sign_in(
    visitor: Visitor, settings: Settings, next: str, *, error: str | None = None, status: int = 200
) -> HTMLResponse:
    fields = (
        field("email", "Name or e-mail address", autocomplete="username"),
        field("password", "Password", kind="password", autocomplete="current-password"),
        hidden("next", local_page(next)),
    )
    parts = [form("/sign-in", "Sign in", *fields, csrf=visitor.csrf)]
    if settings.github_client_id is not None:
        link = with_parameter("/github/sign-in", "next", local_page(next))
        parts.append(f'<p><a href="{link}">Sign in with GitHub</a></p>')
    parts.append(paragraph("No account yet? Ask the operator of this server for an invitation."))
    return page("Sign in", *parts, error=error, status=status)


def _refused(response: Response, refusal: ObservatoryError) -> Response:
    response.status_code = refusal.status
    if isinstance(refusal, TooManyRequests):
        response.headers.update(refusal.headers)
    return response


def _join(
    visitor: Visitor, invitation: str, *, email: str | None, error: str | None = None, status: int = 200
) -> HTMLResponse:
    password = field(
        "password", f"Password, {MIN_PASSWORD_LENGTH} characters or more", kind="password", autocomplete="new-password"
    )
    fields = [password, hidden("invitation", invitation)]
    if email is None:
        title, button = "Make an account", "Make the account"
        fields.insert(0, field("email", "Name or e-mail address", autocomplete="username"))
        parts = []
    else:
        title, button = "Choose a password", "Set the password"
        parts = [paragraph(f"This is for the account {email}.")]
    return page(title, *parts, form("/join", button, *fields, csrf=visitor.csrf), error=error, status=status)


def _cli_page(request: Request, visitor: Visitor, callback: str, *, kind: str) -> Response:
    title = "Sign in to the command line"
    try:
        checked_callback(callback)
    except ValueError as problem:
        return page(title, error=str(problem), status=400)
    if visitor.user is None:
        here = with_parameter(request.url.path, "callback", callback) if callback else request.url.path
        return visitor.keep(RedirectResponse(with_parameter("/sign-in", "next", here), 303))
    text = f"A command line on your machine asks to act as {visitor.user.email}."
    show = form(
        request.url.path, f"Show the {kind}", hidden("show", "yes"), hidden("callback", callback), csrf=visitor.csrf
    )
    if not callback:
        return page(title, paragraph(text), show)
    send = form(request.url.path, "Sign in", hidden("callback", callback), csrf=visitor.csrf)
    other = paragraph(f"If the command line is on another machine, take the {kind} there by hand.")
    return page(title, paragraph(text), send, other, show)


def _cli_refusal(visitor: Visitor, csrf: str, callback: str) -> Response | None:
    try:
        visitor.check(csrf)
        checked_callback(callback)
    except ObservatoryError as refusal:
        return page("Sign in to the command line", error=refusal.message, status=refusal.status)
    except ValueError as problem:
        return page("Sign in to the command line", error=str(problem), status=400)
    return None


def _hand_over(callback: str, show: str, kind: str, value: str) -> Response:
    """Redirect the browser to the command line; the page also shows the value for pasting."""
    response = page(
        "Sign in to the command line",
        secret_box(f"Copy this {kind} and paste it where the command line asks for it. It is shown only now.", value),
    )
    if callback and not show:
        response.status_code = 303
        response.headers["location"] = with_parameter(callback, kind, value)
    return response
