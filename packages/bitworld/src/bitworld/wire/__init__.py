"""The bytes between a server and its clients: sprites, buttons, chat, rewards."""
