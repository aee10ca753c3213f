"""Dependencies of endpoints, besides the database and the time."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request

from observatory.keys import Keys
from observatory.settings import Settings
from observatory.store import Store

__all__ = ["KeysDep", "SettingsDep", "StoreDep"]


def _settings(request: Request) -> Settings:
    settings: Settings = request.app.state.settings
    return settings


def _store(request: Request) -> Store:
    store: Store = request.app.state.store
    return store


def _keys(request: Request) -> Keys:
    keys: Keys = request.app.state.keys
    return keys


SettingsDep = Annotated[Settings, Depends(_settings)]
StoreDep = Annotated[Store, Depends(_store)]
KeysDep = Annotated[Keys, Depends(_keys)]
