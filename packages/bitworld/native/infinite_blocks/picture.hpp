// The picture of infinite blocks: 32 x 32 cells of 4 pixels around its piece.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/colours.hpp"
#include "infinite_blocks/world.hpp"

namespace bitworld::infinite_blocks {

inline constexpr int kScreen = 128;
inline constexpr int kCell = 4;
inline constexpr int kCellsShown = kScreen / kCell;
inline constexpr int kRowsAbove = 6;  // between the upper edge and the piece

// Colours by kind, and of the lower and right edges of their cells.
inline constexpr std::array<std::uint8_t, kShapes> kColours = {14, 8, 13, 11, 3, 4, 7};
inline constexpr std::array<std::uint8_t, kShapes> kEdges = {12, 6, 12, 10, 9, 9, 6};
inline constexpr std::uint8_t kSky = 0, kWhite = 2, kShade = 5, kBrick = 6, kDot = 12, kFrame = 13;

// Digits of 3 x 5 pixels; the highest of 15 bits is the top-left one.
inline constexpr std::array<std::uint16_t, 10> kDigits = {
    0b111101101101111, 0b010110010010111, 0b111001111100111, 0b111001111001111, 0b101101111001001,
    0b111100111001111, 0b111100111101111, 0b111001010010010, 0b111101111101111, 0b111101111001111};

class Picture {
 public:
  explicit Picture(std::uint8_t* pixels) : pixels_(pixels) {}

  void draw(const World& world, int player_index) {
    const Player& player = world.players()[static_cast<std::size_t>(player_index)];
    aim(world.field(), player);
    draw_field(world.field());
    if (player.pause == 0) draw_landing(world, player);
    for (const Player& other : world.players()) {
      if (other.pause == 0) draw_piece(other, &other == &player);
    }
    draw_number(2, 2, player.score);
    draw_next(player.next);
  }

  // Draws the cells of an area at the top-left corner of an image `stride` pixels wide, for the map viewer.
  static void draw_cell(std::uint8_t* image, int stride, std::uint8_t value) {
    const auto kind = static_cast<std::size_t>(value - 1);
    bevel(image, stride, kColours[kind], kEdges[kind]);
  }

 private:
  // The camera shows a narrow field whole, and never what lies beside a wide one.
  void aim(const Field& field, const Player& player) {
    left_ = field.width() < kCellsShown ? (field.width() - kCellsShown) / 2
                                        : std::clamp(player.x + kBox / 2 - kCellsShown / 2, 0, field.width() - kCellsShown);
    const int lowest = field.height() + 1 - kCellsShown;  // shows one row of the ground
    top_ = std::min(std::max(player.y - kRowsAbove, std::min(0, lowest)), lowest);
  }

  void draw_field(const Field& field) {
    for (int row = 0; row < kCellsShown; ++row) {
      for (int column = 0; column < kCellsShown; ++column) {
        const int x = left_ + column;
        const int y = top_ + row;
        std::uint8_t* cell = pixels_ + row * kCell * kScreen + column * kCell;
        if (x < 0 || x >= field.width() || y >= field.height()) {
          bevel(cell, kScreen, kBrick, kShade, kBrick);
        } else if (y < 0 || field.at(x, y) == 0) {
          bevel(cell, kScreen, kSky, kSky, kSky);
          cell[(kCell - 1) * kScreen + kCell - 1] = kDot;
        } else {
          draw_cell(cell, kScreen, field.at(x, y));
        }
      }
    }
  }

  void draw_landing(const World& world, const Player& player) {
    const int row = world.landing_row(player);
    for (const Cell cell : kRotations[static_cast<std::size_t>(player.kind)][static_cast<std::size_t>(player.rotation)]) {
      if (std::uint8_t* pixels = cell_at(player.x + cell.x, row + cell.y)) bevel(pixels, kScreen, kShade, kSky, kShade);
    }
  }

  void draw_piece(const Player& player, bool is_own) {
    const std::uint8_t edge = is_own ? kWhite : kSlotColours[player.slot];
    for (const Cell cell : kRotations[static_cast<std::size_t>(player.kind)][static_cast<std::size_t>(player.rotation)]) {
      if (std::uint8_t* pixels = cell_at(player.x + cell.x, player.y + cell.y)) {
        bevel(pixels, kScreen, kColours[static_cast<std::size_t>(player.kind)], edge);
      }
    }
  }

  void draw_number(int x, int y, int number) {
    std::array<int, 10> digits{};
    int count = 0;
    do {
      digits[static_cast<std::size_t>(count++)] = number % 10;
      number /= 10;
    } while (number > 0);
    fill(x - 1, y - 1, 4 * count + 1, 7, kSky);
    for (int place = 0; place < count; ++place) {
      const std::uint16_t bits = kDigits[static_cast<std::size_t>(digits[static_cast<std::size_t>(count - 1 - place)])];
      for (int bit = 0; bit < 15; ++bit) {
        if (bits >> (14 - bit) & 1) fill(x + 4 * place + bit % 3, y + bit / 3, 1, 1, kColours[1]);
      }
    }
  }

  void draw_next(int kind) {
    constexpr int kWidth = 4 * kCell + 4;
    constexpr int kHeight = 2 * kCell + 4;
    constexpr int kLeft = kScreen - kWidth - 1;
    fill(kLeft, 1, kWidth, kHeight, kFrame);
    fill(kLeft + 1, 2, kWidth - 2, kHeight - 2, kSky);
    for (const Cell cell : kRotations[static_cast<std::size_t>(kind)][0]) {
      std::uint8_t* pixels = pixels_ + (3 + cell.y * kCell) * kScreen + kLeft + 2 + cell.x * kCell;
      draw_cell(pixels, kScreen, static_cast<std::uint8_t>(kind + 1));
    }
  }

  // Three by three pixels of a colour with a light corner, and darker edges below and to the right.
  static void bevel(std::uint8_t* pixels, int stride, std::uint8_t colour, std::uint8_t edge, std::uint8_t corner = kWhite) {
    for (int y = 0; y < kCell; ++y) {
      for (int x = 0; x < kCell; ++x) pixels[y * stride + x] = x == kCell - 1 || y == kCell - 1 ? edge : colour;
    }
    pixels[0] = corner;
  }

  void fill(int x, int y, int width, int height, std::uint8_t colour) {
    for (int row = y; row < y + height; ++row) std::fill_n(pixels_ + row * kScreen + x, width, colour);
  }

  std::uint8_t* cell_at(int x, int y) {
    const int column = x - left_;
    const int row = y - top_;
    if (column < 0 || column >= kCellsShown || row < 0 || row >= kCellsShown) return nullptr;
    return pixels_ + row * kCell * kScreen + column * kCell;
  }

  std::uint8_t* pixels_;  // [kScreen, kScreen]
  int left_ = 0;          // cell in the top-left corner
  int top_ = 0;
};

}  // namespace bitworld::infinite_blocks
