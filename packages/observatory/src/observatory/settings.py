"""All settings, read from the environment: `OBSERVATORY_PORT=8100` sets `port`."""

from __future__ import annotations

import ipaddress
import re
from pathlib import Path
from typing import Literal

import platformdirs
from pydantic import Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

__all__ = ["Settings"]

MEGABYTE = 1024 * 1024
_DATABASES = ("postgresql://", "postgres://", "postgresql+psycopg://", "sqlite:///")


class Settings(BaseSettings):
    """The settings of a server. The defaults fit a single user on one machine."""

    model_config = SettingsConfigDict(env_prefix="OBSERVATORY_", env_ignore_empty=True, extra="ignore")

    # Where it is
    host: str = "127.0.0.1"
    port: int = 8000
    public_url: str | None = None
    """address by which others reach the server; by default the one it listens on"""
    peer_url: str | None = None
    """address by which the other servers of the same database reach this one; by default the one it listens on"""
    games_url: str | None = None
    """address of this server under another host name, from which game pages come; by default they come from the same
    host, in an opaque origin"""

    # What it keeps
    data_dir: Path = Field(default_factory=lambda: Path(platformdirs.user_data_dir("observatory", appauthor=False)))
    """database, files and keys"""
    database_url: SecretStr | None = None
    """`postgresql://user:password@host/name`; by default a SQLite file in the data folder"""
    database_timeout_seconds: float = 15.0
    """how long a request waits for its turn to write"""
    secret_key: SecretStr | None = None
    """signs cookies and URLs; by default generated on the first start and stored in the data folder"""
    master_key: SecretStr | None = None
    """encrypts the policies' secrets: 32 bytes in base64; by default generated and stored like `secret_key`"""
    seed_seasons: bool = True
    """put the documented seasons into an empty database"""

    # The store
    store: Literal["folder", "s3"] = "folder"
    s3_bucket: str | None = None
    s3_prefix: str = ""
    s3_endpoint_url: str | None = None
    """of an S3-compatible store other than Amazon's"""
    s3_public_url: str | None = None
    """the same store as browsers and workers reach it, for signed URLs; by default `s3_endpoint_url`"""
    upload_url_seconds: int = 3600
    download_url_seconds: int = 3600

    # Limits
    max_bundle_bytes: int = 500 * MEGABYTE
    max_policy_file_bytes: int = 100 * MEGABYTE
    """of a policy that is a file"""
    max_image_bytes: int = 10 * 1024 * MEGABYTE
    """of all layers of a container image together"""
    image_push_seconds: int = 12 * 3600
    """how long the credentials for a push are valid"""
    max_artifact_bytes: int = 1024 * MEGABYTE
    """of a replay or another file of a job"""
    min_free_bytes: int = 512 * MEGABYTE
    """room on the disk of the store below which no job is given to a worker"""
    max_body_bytes: int = 64 * MEGABYTE
    """of a request that is not an upload; most routes accept 64 kB"""
    max_policies_per_user: int = 1000
    max_versions_per_policy: int = 1000
    max_pending_uploads_per_user: int = 50
    max_active_assays_per_user: int = 20
    max_diagnoses_per_day: int = 10
    """that a user may start from the page of a policy"""
    max_requested_episodes_per_user: int = 1000
    """episodes on request that are not over yet"""

    # Models that policies may call
    model_gateway_hosts: list[str] = Field(default_factory=list)
    """hosts to which a policy with USE_BEDROCK may connect"""

    # Signing in with GitHub
    github_client_id: str | None = None
    github_client_secret: SecretStr | None = None
    github_url: str = "https://github.com"
    github_api_url: str = "https://api.github.com"
    github_sign_up: bool = True
    """whether a GitHub user without an account here gets one on sign-in"""

    # Workers and jobs
    local_workers: int | None = None
    """workers that `observatory serve` starts; by default the number of cores less one, at least one"""
    worker_token_file: Path | None = None
    """file with a token of 32 characters or more that the server accepts from workers: a secret of a deployment"""
    sandbox: str = "landlock"
    """weakest isolation in which local workers play policies: none, landlock, namespaces, bubblewrap or container"""
    lease_seconds: float = 60.0
    """a worker without a heartbeat for this long loses its job"""
    job_time_limit_seconds: float = 3 * 3600.0
    max_job_attempts: int = 3
    """lost leases after which a job fails"""

    # Seasons
    play_seasons: bool = True
    """whether matches are scheduled; without it only queued jobs are played"""
    max_outstanding_matches: int = Field(default=50, ge=1)
    """of a season, queued or running"""
    play_rounds: bool = True
    """whether rounds of leagues are played; without it only queued jobs are"""
    first_matches: int = Field(default=10, ge=0)
    """a version with fewer matches than this in a competition comes before the others"""

    # Leagues whose commissioner is a program
    commissioner_tick_seconds: float = Field(default=60.0, ge=0)
    """how often a commissioner is asked for rounds"""
    commissioner_lifetime_seconds: float = Field(default=600.0, gt=0)
    """how long a commissioner may be silent while no episode is played for it"""

    # Games that people join
    max_hosted_games: int = Field(default=16, ge=0)
    """of the server at the same time; 0 hosts none"""
    max_hosted_games_per_user: int = Field(default=3, ge=0)
    """of a user at the same time"""
    hosted_games_per_hour: int = Field(default=30, ge=0)
    """that a user may start"""
    hosted_start_seconds: float = Field(default=20.0, ge=0)
    """after the last person has joined a play session, its game starts; the game's own players take the free seats"""
    hosted_open_seconds: float = Field(default=3600.0, gt=0)
    """how long a play session or a lobby waits for its start"""
    hosted_idle_seconds: float = Field(default=300.0, gt=0)
    """how long a hosted game runs that no page and no program uses"""
    hosted_lifetime_seconds: float = Field(default=3600.0, gt=0)
    """how long a hosted game runs at most"""
    max_hosted_sockets: int = Field(default=64, ge=1)
    """connections to one game at the same time; a seat has at most 8 of them"""

    # Guests: visitors without an account
    guest_games: list[str] = Field(default_factory=list)
    """Coworlds that guests may play, each `name` or `name:variant`, in the order of the front page; by default none"""
    max_guest_games: int = Field(default=4, ge=0)
    """of all guests at the same time; they count as hosted games too"""
    max_guest_games_per_address: int = Field(default=2, ge=0)
    """of the guests of one address at the same time"""
    guest_games_per_hour: int = Field(default=20, ge=0)
    """that the guests of one address may start"""
    guest_lifetime_seconds: float = Field(default=900.0, gt=0)
    """how long the game of a guest runs at most"""

    # Notices by e-mail and webhook
    smtp_host: str | None = None
    """the mail server for notices; without it no e-mail is sent"""
    smtp_port: int = Field(default=587, ge=1, le=65535)
    smtp_security: Literal["starttls", "tls", "none"] = "starttls"
    smtp_user: str | None = None
    smtp_password: SecretStr | None = None
    mail_from: str | None = None
    """the sender of e-mail, such as `Alignment League <league@example.com>`"""
    webhooks: bool = True
    """whether users may have notices posted to an address"""
    webhook_private_addresses: bool = False
    """whether webhooks may call addresses of private networks and of this machine"""
    keep_notices_days: int = Field(default=90, ge=1)

    # Friendly matches
    friendly_missions: list[str] = Field(default_factory=lambda: ["arena"])
    """missions for friendly matches, besides those of the public seasons; `arena:8` has 8 agents, `arena` has 4"""
    max_open_friendlies_per_user: int = Field(default=5, ge=0)
    """challenges that are not answered and matches that are not played yet; 0 allows none"""
    friendlies_per_day: int = Field(default=50, ge=0)
    """that a user may ask for"""
    friendly_answer_days: float = Field(default=7.0, gt=0)
    """how long a challenge may wait for its answer"""

    # Connections
    max_connections: int | None = Field(default=None, ge=1)
    """by default as many as the limit of open files allows"""
    max_connections_per_address: int = Field(default=256, ge=1)
    """beyond it, the connection of the address that has waited longest is closed"""
    header_timeout_seconds: float = Field(default=10.0, gt=0)
    """how long the headers of a request may take"""
    body_timeout_seconds: float = Field(default=20.0, gt=0)
    """how long a body may take, and one second more for each 8 kB"""
    response_timeout_seconds: float = Field(default=30.0, gt=0)
    """how long a client may leave a response unread, and one second more for each 8 kB that it reads"""
    trusted_proxies: list[str] = Field(default_factory=list)
    """addresses or networks of proxies whose X-Forwarded-For names the caller; by default none"""

    # Rates, per minute
    anonymous_rate: float = 600.0
    """of an address without a valid token"""
    user_rate: float = 3000.0
    sign_in_rate: float = 10.0
    """attempts to sign in, of an address and for an account"""

    # Matches that people watch while they are played
    max_live_watchers: int = Field(default=1000, ge=0)
    """at the same time; 0 for none"""
    max_live_watchers_per_address: int = Field(default=120, ge=1)
    max_live_bytes: int = 64 * MEGABYTE
    """of one match, kept while it is played; a longer match is shown after its end"""

    # Streams of events
    max_event_streams: int = 1000
    max_event_streams_per_address: int = 40
    event_stream_seconds: float = 1800.0
    """after which a browser has to reconnect and authenticate again"""

    # How long files are kept, in days
    keep_logs_days: float = Field(default=30.0, gt=0)
    """what policies wrote"""
    keep_replays_days: float = Field(default=365.0, gt=0)
    """replays, and what policies did; a season may say otherwise: `rolling: { keep_replays_days: 90 }`"""

    # Quotas of a user
    max_uploads_per_day: int = 200
    max_stored_bytes_per_user: int = 20 * 1024 * MEGABYTE
    """bundles, images, the logs of policies, and the files of episodes that the user requested"""

    # Logs
    log_style: Literal["json", "plain"] = "json"
    log_level: str = "INFO"

    @field_validator("database_url")
    @classmethod
    def _is_known_database(cls, url: SecretStr | None) -> SecretStr | None:
        if url is not None and not url.get_secret_value().startswith(_DATABASES):
            raise ValueError("must begin with postgresql:// or sqlite:///")
        return url

    @field_validator("games_url")
    @classmethod
    def _is_origin(cls, url: str | None) -> str | None:
        if url is not None and not re.fullmatch(r"https?://[A-Za-z0-9.\-]+(:[0-9]{1,5})?/?", url):
            raise ValueError("must be http:// or https:// and the name of a host")
        return url

    @field_validator("trusted_proxies")
    @classmethod
    def _are_networks(cls, names: list[str]) -> list[str]:
        for name in names:
            ipaddress.ip_network(name, strict=False)
        return names

    def local_url(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"

    def base_url(self) -> str:
        """Return the public address, without a slash at its end."""
        return (self.public_url or self.local_url()).rstrip("/")

    def as_path(self, url: str) -> str:
        """Return a URL of this server as a path, because clients may use another host name; other URLs unchanged."""
        base = self.base_url()
        return url[len(base) :] if url.startswith(f"{base}/") else url

    @property
    def uses_sqlite(self) -> bool:
        return self.sqlalchemy_url().startswith("sqlite")

    def sqlalchemy_url(self) -> str:
        """Return the database URL in SQLAlchemy's form."""
        if self.database_url is None:
            return f"sqlite:///{self.data_dir.absolute() / 'observatory.db'}"
        url = self.database_url.get_secret_value()
        for prefix in ("postgres://", "postgresql://"):
            if url.startswith(prefix):
                return "postgresql+psycopg://" + url.removeprefix(prefix)
        return url
