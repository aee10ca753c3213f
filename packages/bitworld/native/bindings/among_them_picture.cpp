// Pictures of Among Them as Python objects.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "among_them/picture/artist.hpp"
#include "among_them/session.hpp"
#include "bindings/parts.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace bitworld::among_them {

namespace {

using Image = nb::ndarray<const uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Screen = nb::ndarray<uint8_t, nb::shape<kSide, kSide>, nb::c_contig, nb::device::cpu>;
using ConstScreen = nb::ndarray<const uint8_t, nb::shape<kSide, kSide>, nb::c_contig, nb::device::cpu>;
using Lit = nb::ndarray<nb::numpy, bool, nb::shape<kSide, kSide>, nb::c_contig>;

int32_t player_in(const Session& session, int32_t player) {
  if (player < 0 || player >= session.state().players_len) {
    throw nb::index_error(("there is no player " + std::to_string(player)).c_str());
  }
  return player;
}

Sprite sprite(const nb::dict& sprites, const char* name) {
  const auto image = nb::cast<Image>(sprites[name]);
  if (image.shape(0) != kSpriteSide || image.shape(1) != kSpriteSide) {
    throw nb::value_error((std::string("sprite ") + name + " must have 12 x 12 pixels").c_str());
  }
  Sprite pixels;
  std::copy_n(image.data(), pixels.size(), pixels.begin());
  return pixels;
}

// `glyphs` has an image of zeros and ones for each printable ASCII character, in their order.
Font make_font(const std::vector<Image>& glyphs) {
  if (glyphs.size() != Font::kCount) throw nb::value_error("the font must have all printable ASCII characters");
  Font font;
  for (std::size_t i = 0; i < Font::kCount; ++i) {
    const Image& glyph = glyphs[i];
    if (glyph.shape(0) != Font::kHeight || glyph.shape(1) > 8)
      throw nb::value_error("a character has 7 rows and at most 8 columns");
    font.widths[i] = static_cast<uint8_t>(glyph.shape(1));
    for (std::size_t y = 0; y < Font::kHeight; ++y) {
      for (std::size_t x = 0; x < glyph.shape(1); ++x) {
        if (glyph(y, x) != 0) font.rows[i][y] = static_cast<uint8_t>(font.rows[i][y] | 1 << x);
      }
    }
  }
  return font;
}

void make_artist(Artist* self, std::shared_ptr<const Map> map, const Image& floor, const nb::dict& sprites,
                 const std::vector<Image>& glyphs, const ConstScreen& backdrop) {
  if (floor.shape(0) != static_cast<std::size_t>(map->height) || floor.shape(1) != static_cast<std::size_t>(map->width)) {
    throw nb::value_error("the floor must have the size of the map");
  }
  std::array<uint8_t, kPixels> screen;
  std::copy_n(backdrop.data(), kPixels, screen.begin());
  const Sprites all{sprite(sprites, "crew"), sprite(sprites, "ghost"), sprite(sprites, "body"),
                    sprite(sprites, "kill"), sprite(sprites, "task"),  sprite(sprites, "ghost_icon")};
  auto art = std::make_unique<Art>(all, make_font(glyphs), screen);
  new (self) Artist(std::move(map), floor.data(), *art);
}

Lit lit_pixels(const Sight& sight) {
  auto* pixels = new bool[kPixels];
  nb::capsule owner(pixels, [](void* p) noexcept { delete[] static_cast<bool*>(p); });
  for (int32_t y = 0; y < kSide; ++y) {
    for (int32_t x = 0; x < kSide; ++x) pixels[y * kSide + x] = sight.sees(x, y);
  }
  return Lit(pixels, {}, owner);
}

// The view of a player in play, for sprite scenes.
nb::dict describe_view(const Artist& artist, const Session& session, int32_t player) {
  auto view = std::make_unique<View>();
  artist.look(session.state(), session.config(), player_in(session, player), *view);
  nb::dict fields;
  fields["camera"] = std::tuple(view->camera.x, view->camera.y);
  fields["players"] = std::vector<int32_t>(view->players, view->players + view->players_len);
  fields["bodies"] = std::vector<int32_t>(view->bodies, view->bodies + view->bodies_len);
  nb::list bubbles, arrows;
  for (int32_t i = 0; i < view->marks_len; ++i) {
    const TaskMark& mark = view->marks[i];
    (mark.is_arrow ? arrows : bubbles).append(std::tuple(mark.task, mark.place.x, mark.place.y));
  }
  fields["bubbles"] = bubbles;
  fields["arrows"] = arrows;
  fields["lit"] = view->sees_all ? nb::none() : nb::cast(lit_pixels(view->sight));
  return fields;
}

// The screen of a phase other than play without its texts and icons, and these: (text, x, y, is struck out) and (player, is
// body, x, y).
nb::tuple screen_of(const Artist& artist, const Session& session, int32_t player, const Screen& out) {
  if (session.state().phase == Phase::kPlaying) throw nb::value_error("the game is being played: there is no screen with text");
  ScreenItems items;
  artist.draw_screen(session.state(), session.config(), player == kNoViewer ? player : player_in(session, player), out.data(),
                     &items);
  nb::list texts, icons;
  for (const ScreenItems::Text& item : items.texts) texts.append(nb::make_tuple(item.text, item.x, item.y, item.is_struck));
  for (const ScreenItems::Icon& item : items.icons) {
    icons.append(nb::make_tuple(item.number, item.is_chat, item.is_body, item.colour, item.x, item.y));
  }
  return nb::make_tuple(texts, icons);
}

Lit lit(const Artist& artist, int32_t x, int32_t y) {
  if (!artist.map().is_inside(x, y)) throw nb::value_error("the point is outside the map");
  auto sight = std::make_unique<Sight>();
  artist.walls().look(x, y, *sight);
  return lit_pixels(*sight);
}

}  // namespace

}  // namespace bitworld::among_them

namespace bitworld {

void bind_among_them_picture(nb::module_& module) {
  using namespace among_them;
  nb::class_<Artist>(module, "AmongThemArtist")
      .def("__init__", &make_artist, "map"_a, "floor"_a, "sprites"_a, "glyphs"_a, "backdrop"_a)
      .def(
          "draw",
          [](const Artist& self, const Session& session, int32_t player, const Screen& out) {
            self.draw(session.state(), session.config(), player_in(session, player), out.data());
          },
          "session"_a, "player"_a, "out"_a)
      .def(
          "draw_waiting", [](const Artist& self, const Screen& out) { self.draw_waiting(out.data()); }, "out"_a)
      .def(
          "bubble",
          [](const Artist& self, std::size_t task, int64_t tick) {
            if (task >= self.map().tasks.size() || tick < 0) throw nb::index_error("there is no such task");
            const Point place = bubble_of(self.map().tasks[task], tick);
            return std::tuple(place.x, place.y);
          },
          "task"_a, "tick"_a)
      .def("screen", &screen_of, "session"_a, "player"_a, "out"_a)
      .def("view", &describe_view, "session"_a, "player"_a)
      .def("lit", &lit, "x"_a, "y"_a);
}

}  // namespace bitworld
