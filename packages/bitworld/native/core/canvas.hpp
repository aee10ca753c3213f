// Drawing on a picture of 128 x 128 pixels, one byte each. Everything outside of the picture is clipped; nothing allocates.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace bitworld {

inline constexpr int32_t kSide = 128;
inline constexpr std::size_t kPixels = std::size_t{kSide} * kSide;
inline constexpr uint8_t kClear = 255;  // the value of a transparent pixel of a sprite

// The replacement of each colour of a sprite.
using Tint = std::array<uint8_t, 16>;

inline constexpr Tint kPlain = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

// A small image, ready to be drawn: colours, and 255 where it covers the picture.
struct Stamp {
  static constexpr int32_t kMost = 16;

  int32_t width = 0, height = 0;
  uint8_t colour[kMost][kMost] = {};
  uint8_t cover[kMost][kMost] = {};

  void set(int32_t x, int32_t y, uint8_t value) {
    colour[y][x] = value;
    cover[y][x] = 255;
  }
  bool covers(int32_t x, int32_t y) const { return x >= 0 && y >= 0 && x < width && y < height && cover[y][x] != 0; }

  // `pixels` [height][width], with kClear where nothing is drawn. Colours are replaced; the image may be mirrored.
  static Stamp of(const uint8_t* pixels, int32_t width, int32_t height, const Tint& tint = kPlain, bool is_mirrored = false) {
    Stamp stamp;
    stamp.width = width;
    stamp.height = height;
    for (int32_t y = 0; y < height; ++y) {
      for (int32_t x = 0; x < width; ++x) {
        const uint8_t value = pixels[y * width + (is_mirrored ? width - 1 - x : x)];
        if (value != kClear) stamp.set(x, y, tint[value & 15]);
      }
    }
    return stamp;
  }

  // The same image with a line of one colour around it; one pixel larger on every side.
  Stamp outlined(uint8_t line) const {
    Stamp stamp;
    stamp.width = width + 2;
    stamp.height = height + 2;
    for (int32_t y = 0; y < stamp.height; ++y) {
      for (int32_t x = 0; x < stamp.width; ++x) {
        if (covers(x - 1, y - 1)) {
          stamp.set(x, y, colour[y - 1][x - 1]);
        } else if (covers(x, y - 1) || covers(x - 2, y - 1) || covers(x - 1, y) || covers(x - 1, y - 2)) {
          stamp.set(x, y, line);
        }
      }
    }
    return stamp;
  }
};

// Printable ASCII characters. Bit x of a row is column x.
struct Font {
  static constexpr int32_t kHeight = 7;
  static constexpr char kFirst = 0x20;
  static constexpr std::size_t kCount = 0x7f - 0x20;

  uint8_t widths[kCount] = {};
  uint8_t rows[kCount][kHeight] = {};

  static std::size_t index(char c) { return c >= 0x20 && c < 0x7f ? static_cast<std::size_t>(c - kFirst) : '?' - kFirst; }
  int32_t width(char c) const { return widths[index(c)]; }
  // Without the gap after the last character.
  int32_t width(std::string_view text) const {
    int32_t sum = 0;
    for (const char c : text) sum += width(c) + 1;
    return std::max(sum - 1, 0);
  }
};

class Canvas {
 public:
  // `pixels` [kSide][kSide]
  explicit Canvas(uint8_t* pixels) : pixels_(pixels) {}

  uint8_t* row(int32_t y) { return pixels_ + y * kSide; }

  void dot(int32_t x, int32_t y, uint8_t colour) {
    if (x >= 0 && y >= 0 && x < kSide && y < kSide) row(y)[x] = colour;
  }

  void fill(int32_t x, int32_t y, int32_t width, int32_t height, uint8_t colour) {
    const int32_t left = std::max(x, 0);
    const int32_t right = std::min(x + width, kSide);
    if (left >= right) return;
    for (int32_t line = std::max(y, 0); line < std::min(y + height, kSide); ++line) {
      std::memset(row(line) + left, colour, static_cast<std::size_t>(right - left));
    }
  }

  // The outline of a rectangle, one pixel wide, inside of its edges.
  void frame(int32_t x, int32_t y, int32_t width, int32_t height, uint8_t colour) {
    fill(x, y, width, 1, colour);
    fill(x, y + height - 1, width, 1, colour);
    fill(x, y, 1, height, colour);
    fill(x + width - 1, y, 1, height, colour);
  }

  void stamp(const Stamp& image, int32_t x, int32_t y) {
    const int32_t top = std::max(-y, 0);
    const int32_t bottom = std::min(image.height, kSide - y);
    if (x >= 0 && x + Stamp::kMost <= kSide) {
      for (int32_t line = top; line < bottom; ++line) {
        uint8_t* target = row(y + line) + x;
        for (std::size_t i = 0; i < Stamp::kMost; ++i) {
          target[i] = static_cast<uint8_t>((target[i] & ~image.cover[line][i]) | image.colour[line][i]);
        }
      }
      return;
    }
    const int32_t left = std::max(-x, 0);
    const int32_t right = std::min(image.width, kSide - x);
    for (int32_t line = top; line < bottom; ++line) {
      for (int32_t i = left; i < right; ++i) {
        if (image.cover[line][i] != 0) row(y + line)[x + i] = image.colour[line][i];
      }
    }
  }

  // Draws a line of text; returns the x where more text continues.
  int32_t text(const Font& font, int32_t x, int32_t y, std::string_view text, uint8_t colour) {
    for (const char c : text) {
      const std::size_t glyph = Font::index(c);
      for (int32_t line = 0; line < Font::kHeight; ++line) {
        for (int32_t i = 0; i < font.widths[glyph]; ++i) {
          if (font.rows[glyph][line] >> i & 1) dot(x + i, y + line, colour);
        }
      }
      x += font.widths[glyph] + 1;
    }
    return x;
  }

  void text_centred(const Font& font, int32_t y, std::string_view line, uint8_t colour) {
    text(font, (kSide - font.width(line)) / 2, y, line, colour);
  }

 private:
  uint8_t* pixels_;
};

// Two pixels in a byte, the left one in the low half. `pixels` [kPixels], `packed` [kPixels / 2].
inline void pack(const uint8_t* pixels, uint8_t* packed) {
  for (std::size_t i = 0; i < kPixels / 2; ++i) {
    packed[i] = static_cast<uint8_t>((pixels[2 * i] & 15) | pixels[2 * i + 1] << 4);
  }
}

}  // namespace bitworld
