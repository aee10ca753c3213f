"""Pixel games over a socket: a game owns its rules and its pictures; a player sees a picture and presses buttons."""
