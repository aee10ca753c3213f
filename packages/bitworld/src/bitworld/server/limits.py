"""What one client may use, so that no client stops the game or changes what others see."""

MAX_CONNECTIONS = 256
"""open sockets of all kinds, requests without an answer included"""
MAX_PLAYERS = 64
"""players and those who wait for a seat"""
MAX_WATCHERS = 64
"""map viewers and readers of rewards"""

MAX_HEAD_BYTES = 8192
"""of an HTTP request"""
MAX_MESSAGE_BYTES = 4096
"""of a WebSocket message; a larger one closes its connection"""
MESSAGES_PER_SECOND = 240
"""of one client; the server reads further messages later"""
OUTBOX_MESSAGES = 8
"""messages that wait for a slow client; then it loses pictures"""
SECONDS_TO_REQUEST = 10.0
SECONDS_BETWEEN_PINGS = 20.0

MAX_NAME = 64
MAX_TOKEN = 256
CHATS_PER_TICK = 2
MAX_CHAT = 1024
"""characters of a chat message; a game may cut it further"""
