"""Drawing helpers for games in Python."""

import numpy as np
import pytest

from bitworld import canvas
from bitworld.art import font
from bitworld.picture import blank


def test_every_printable_character_has_its_own_shape() -> None:
    glyphs = font()
    assert set(glyphs) == {chr(code) for code in range(0x20, 0x7F)}
    shapes = {(glyph.shape, glyph.tobytes()) for glyph in glyphs.values()}
    assert len(shapes) == len(glyphs)
    assert all(glyph.shape[0] == canvas.FONT_HEIGHT and 1 <= glyph.shape[1] <= 5 for glyph in glyphs.values())


def test_text_covers_the_width_it_reports() -> None:
    picture = blank()
    end = canvas.draw_text(picture, 3, 5, "Hello", 8)
    rows, columns = np.nonzero(picture)
    assert (columns.min(), columns.max() + 1) == (3, 3 + canvas.text_width("Hello"))
    assert end == 3 + canvas.text_width("Hello") + 1
    assert rows.min() == 5 and rows.max() < 5 + canvas.FONT_HEIGHT
    assert set(np.unique(picture)) == {0, 8}


def test_a_character_outside_ascii_appears_as_a_question_mark() -> None:
    unknown, known = blank(), blank()
    canvas.draw_text(unknown, 0, 0, "\u00e9", 2)
    canvas.draw_text(known, 0, 0, "?", 2)
    assert (unknown == known).all()


@pytest.mark.parametrize("x", [-200, -3, 60, 126, 300])
@pytest.mark.parametrize("y", [-200, -2, 60, 127, 300])
def test_drawing_is_clipped_at_the_edges(x: int, y: int) -> None:
    sprite = canvas.read_sprites("= arrow\n.3.\n333\n.9.\n")["arrow"]
    large = np.zeros((800, 800), np.uint8)
    picture = blank()
    for target, offset in ((picture, 0), (large, 320)):
        canvas.draw_sprite(target, sprite, x + offset, y + offset, flip=True, colours={3: 14})
        canvas.draw_rectangle(target, x + offset + 2, y + offset + 2, 9, 5, 7)
        canvas.draw_text(target, x + offset, y + offset, "Edge", 2)
    assert (picture == large[320:448, 320:448]).all()


def test_a_sprite_with_a_short_row_is_refused() -> None:
    with pytest.raises(ValueError, match="'broken'"):
        canvas.read_sprites("= broken\n..1\n.1\n")
