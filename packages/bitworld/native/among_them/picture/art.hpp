// Everything that is drawn, as read-only tables: sprites in all colours, font, floor. Made once for each map.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "among_them/map.hpp"
#include "among_them/picture/sight.hpp"
#include "core/canvas.hpp"
#include "core/colours.hpp"

namespace bitworld::among_them {

// Sprites show the colour of a player in place of kTinted, and its shadow in place of kTintedDark.
inline constexpr uint8_t kTinted = 3;
inline constexpr uint8_t kTintedDark = 9;

inline constexpr uint8_t kBlack = 0, kGray = 1, kWhite = 2, kRed = 3, kYellow = 8, kGreen = 10;

inline constexpr int32_t kSpriteSide = 12;

inline Tint tint_of(std::size_t colour) {
  Tint tint = kPlain;
  tint[kTinted] = static_cast<uint8_t>(colour);
  tint[kTintedDark] = kShadow[colour];
  return tint;
}

// [kSpriteSide][kSpriteSide], with kClear where nothing is drawn.
using Sprite = std::array<uint8_t, std::size_t{kSpriteSide} * kSpriteSide>;

struct Sprites {
  Sprite crew, ghost, body;  // face right
  Sprite kill, task, ghost_icon;
};

struct Art {
  // With an outline, so one pixel larger on every side than a sprite. [colour][faces left]
  std::array<std::array<Stamp, 2>, 16> crew, ghost;
  std::array<Stamp, 16> body;
  Stamp kill, kill_cooldown, task, ghost_icon;
  Font font;
  std::array<uint8_t, kPixels> backdrop;  // behind screens with text

  Art(const Sprites& sprites, const Font& text_font, const std::array<uint8_t, kPixels>& screen)
      : kill(stamp(sprites.kill, kPlain)),
        kill_cooldown(stamp(sprites.kill, kShadow)),
        task(stamp(sprites.task, kPlain)),
        ghost_icon(stamp(sprites.ghost_icon, kPlain)),
        font(text_font),
        backdrop(screen) {
    for (std::size_t colour = 0; colour < 16; ++colour) {
      // A black figure would vanish in a black line.
      const uint8_t line = colour == kBlack ? 5 : kBlack;
      for (std::size_t left = 0; left < 2; ++left) {
        crew[colour][left] = stamp(sprites.crew, tint_of(colour), left != 0).outlined(line);
        ghost[colour][left] = stamp(sprites.ghost, tint_of(colour), left != 0).outlined(line);
      }
      body[colour] = stamp(sprites.body, tint_of(colour)).outlined(line);
    }
  }

 private:
  static Stamp stamp(const Sprite& sprite, const Tint& tint, bool is_mirrored = false) {
    return Stamp::of(sprite.data(), kSpriteSide, kSpriteSide, tint, is_mirrored);
  }
};

// The floor with its margin. The low half of a byte is the colour in the light, the high half the colour in the shadow.
class Floor {
 public:
  // `colours` [map.height][map.width]
  Floor(const Map& map, const uint8_t* colours)
      : stride_(static_cast<std::size_t>(map.width + 2 * kMargin)),
        tones_(stride_ * static_cast<std::size_t>(map.height + 2 * kMargin), 0) {
    for (int32_t y = 0; y < map.height; ++y) {
      for (int32_t x = 0; x < map.width; ++x) {
        const std::size_t lit = colours[map.cell(x, y)] & 15;
        // Walls are never in the shadow.
        const std::size_t dark = map.is_wall(x, y) ? lit : kShadow[lit];
        tones_[offset(x, y)] = static_cast<uint8_t>(lit | dark << 4);
      }
    }
  }

  // Draws the window of a player at (x, y), a point of the map.
  void draw(int32_t x, int32_t y, const Sight& sight, uint8_t* pixels) const {
    const uint8_t* tones = &tones_[offset(x - kOriginX, y - kOriginY)];
    for (std::size_t row = 0; row < kSide; ++row, tones += stride_, pixels += kSide) {
      draw_half(tones, sight.rows[row][0], pixels);
      draw_half(tones + 64, sight.rows[row][1], pixels + 64);
    }
  }

  void draw_lit(int32_t x, int32_t y, uint8_t* pixels) const {
    const uint8_t* tones = &tones_[offset(x - kOriginX, y - kOriginY)];
    for (std::size_t row = 0; row < kSide; ++row, tones += stride_, pixels += kSide) {
      for (std::size_t column = 0; column < kSide; ++column) pixels[column] = tones[column] & 15;
    }
  }

 private:
  std::size_t offset(int32_t x, int32_t y) const {
    return static_cast<std::size_t>(y + kMargin) * stride_ + static_cast<std::size_t>(x + kMargin);
  }

  // Draws 64 pixels; bit i of `seen` is pixel i. Most halves of a row are dark, because a room is smaller than the window.
  static void draw_half(const uint8_t* tones, uint64_t seen, uint8_t* pixels) {
    if (seen == 0) {
      for (std::size_t i = 0; i < 64; ++i) pixels[i] = static_cast<uint8_t>(tones[i] >> 4);
    } else if (seen == ~uint64_t{0}) {
      for (std::size_t i = 0; i < 64; ++i) pixels[i] = tones[i] & 15;
    } else {
      constexpr uint64_t kLow = 0x0f0f0f0f0f0f0f0fULL;
      for (std::size_t i = 0; i < 64; i += 8) {
        const uint64_t lit = kMasks[seen >> i & 255];
        uint64_t both;
        std::memcpy(&both, tones + i, 8);
        const uint64_t drawn = ((both & lit) | (both >> 4 & ~lit)) & kLow;
        std::memcpy(pixels + i, &drawn, 8);
      }
    }
  }

  // A byte of ones for every bit that is set; the lowest bit is the first pixel.
  static constexpr auto kMasks = [] {
    std::array<uint64_t, 256> masks{};
    for (std::size_t bits = 0; bits < 256; ++bits) {
      for (std::size_t i = 0; i < 8; ++i) {
        if (bits >> i & 1) masks[bits] |= uint64_t{255} << 8 * i;
      }
    }
    return masks;
  }();

  std::size_t stride_;
  std::vector<uint8_t> tones_;
};

}  // namespace bitworld::among_them
