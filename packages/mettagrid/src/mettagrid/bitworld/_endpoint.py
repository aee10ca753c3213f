"""The addresses of a server."""

from urllib.parse import quote

from pydantic import BaseModel, ConfigDict, Field

PLAYER_PATH = "/player"
GLOBAL_PATH = "/global"
REWARD_PATH = "/reward"


class BitWorldEndpoint(BaseModel):
    model_config = ConfigDict(frozen=True)

    address: str = Field(min_length=1)
    port: int = Field(ge=1, le=65535)
    scheme: str = Field(default="ws", pattern=r"^wss?$")

    def websocket_url(self, path: str, player_name: str | None = None) -> str:
        """Return the address of a socket; a player without a name gets one from the server."""
        host = f"[{self.address}]" if ":" in self.address and not self.address.startswith("[") else self.address
        url = f"{self.scheme}://{host}:{self.port}{path}"
        if player_name is None:
            return url
        if not player_name or any(character.isspace() for character in player_name):
            raise ValueError("BitWorld player names must not be empty or contain spaces")
        return f"{url}?name={quote(player_name, safe='')}"

    def player_url(self, player_name: str | None = None) -> str:
        return self.websocket_url(PLAYER_PATH, player_name)

    def global_url(self) -> str:
        return self.websocket_url(GLOBAL_PATH)

    def reward_url(self) -> str:
        return self.websocket_url(REWARD_PATH)
