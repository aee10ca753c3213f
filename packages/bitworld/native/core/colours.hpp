// Colours that all games share, as indexes of the palette.
#pragma once

#include <array>
#include <cstdint>

namespace bitworld {

// The colours of the players, by slot.
inline constexpr uint8_t kSlotColours[16] = {3, 7, 8, 14, 4, 11, 13, 15, 1, 2, 5, 6, 9, 10, 12, 0};

// Each colour in the shadow.
inline constexpr std::array<uint8_t, 16> kShadow = {0, 12, 9, 5, 5, 0, 5, 5, 5, 12, 9, 9, 0, 12, 12, 9};

}  // namespace bitworld
