"""The native artist of a map: it draws the pictures of all games on the map."""

from functools import lru_cache

from bitworld._native import AmongThemArtist
from bitworld.games.among_them import art
from bitworld.games.among_them.map import GameMap
from bitworld.games.among_them.native import native_map

__all__ = ["artist_of"]


@lru_cache(maxsize=8)
def artist_of(game_map: GameMap) -> AmongThemArtist:
    """Return the artist of a map. Games on the same map share it; it never changes, so threads can use it."""
    return AmongThemArtist(
        map=native_map(game_map),
        floor=game_map.floor,
        sprites=art.sprites(),
        glyphs=art.glyphs(),
        backdrop=art.backdrop(),
    )
