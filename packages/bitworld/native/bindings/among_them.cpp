// Among Them as Python objects: map, config and a game in progress.
#include "among_them/session.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "bindings/faults.hpp"
#include "bindings/parts.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace bitworld::among_them {

namespace {

using Mask = nb::ndarray<const uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Place = std::tuple<int32_t, int32_t, int32_t, int32_t>;
using VentPlace = std::tuple<int32_t, int32_t, int32_t, int32_t, int32_t, int32_t>;

Rect rect(const Place& place) {
  const auto [x, y, w, h] = place;
  return {x, y, w, h};
}

std::shared_ptr<const Map> make_map(const Mask& walk, const Mask& wall, const Place& button, std::tuple<int32_t, int32_t> home,
                                    const std::vector<Place>& tasks, const std::vector<VentPlace>& vents) {
  if (walk.shape(0) != wall.shape(0) || walk.shape(1) != wall.shape(1)) {
    throw nb::value_error("the masks must have the same size");
  }
  if (walk.size() == 0 || walk.shape(0) > 4096 || walk.shape(1) > 4096) {
    throw nb::value_error("a map has 1 to 4096 pixels on each side");
  }
  if (tasks.size() > kMostTasks) {
    throw nb::value_error(("a map has at most " + std::to_string(kMostTasks) + " task stations").c_str());
  }
  auto map = std::make_shared<Map>();
  map->height = static_cast<int32_t>(walk.shape(0));
  map->width = static_cast<int32_t>(walk.shape(1));
  map->walk.assign(walk.data(), walk.data() + walk.size());
  map->wall.assign(wall.data(), wall.data() + wall.size());
  map->button = rect(button);
  map->home = {std::get<0>(home), std::get<1>(home)};
  if (!map->is_inside(map->home.x, map->home.y)) throw nb::value_error("the home is outside the map");
  for (const Place& task : tasks) map->tasks.push_back(rect(task));
  for (const auto& [x, y, w, h, group, index] : vents) {
    const Vent vent{{x, y, w, h}, group, index};
    const Point centre = vent.place.centre();
    if (!map->is_inside(centre.x, centre.y)) throw nb::value_error("a vent is outside the map");
    map->vents.push_back(vent);
  }
  return map;
}

Player& player_of(Session& session, int32_t player) {
  if (player < 0 || player >= session.state().players_len) {
    throw nb::index_error(("there is no player " + std::to_string(player)).c_str());
  }
  return session.state().players[player];
}

template <class Value>
std::vector<Value> listed(const Value* values, int32_t length) {
  return {values, values + length};
}

// The fields of the state in the words of the published recordings, for tests, viewers and messages.
nb::dict describe(const Session& session) {
  const State& s = session.state();
  nb::list players, assigned, bodies, done;
  for (int32_t i = 0; i < s.players_len; ++i) {
    const Player& p = s.players[i];
    players.append(std::vector<int64_t>{p.x,
                                        p.y,
                                        p.home_x,
                                        p.home_y,
                                        p.vel_x,
                                        p.vel_y,
                                        p.carry_x,
                                        p.carry_y,
                                        p.faces_left,
                                        static_cast<int64_t>(p.role),
                                        p.is_alive,
                                        p.kill_cooldown,
                                        p.slot,
                                        p.colour,
                                        p.task_progress,
                                        p.active_task,
                                        p.vent_cooldown,
                                        p.button_calls_used,
                                        p.last_chat_tick,
                                        p.reward});
    assigned.append(listed(p.tasks, p.tasks_len));
  }
  for (int32_t i = 0; i < s.bodies_len; ++i) {
    bodies.append(std::vector<int32_t>{s.bodies[i].x, s.bodies[i].y, s.bodies[i].colour});
  }
  for (int32_t task = 0; task < static_cast<int32_t>(session.map().tasks.size()); ++task) {
    for (int32_t player = 0; player < std::min(s.done_len, kMostPlayers); ++player) {
      if (s.has_done(task, player)) done.append(std::vector<int32_t>{task, player});
    }
  }
  nb::dict fields;
  fields["tick"] = s.tick;
  fields["phase"] = static_cast<int32_t>(s.phase);
  fields["winner"] = static_cast<int32_t>(s.winner);
  fields["gameOverTimer"] = s.game_over_timer;
  fields["roleRevealTimer"] = s.role_reveal_timer;
  fields["gameStartTick"] = s.game_start_tick;
  fields["startWaitTimer"] = s.start_wait_timer;
  fields["timeLimitReached"] = s.time_limit_reached;
  fields["needsReregister"] = s.needs_reregister;
  fields["nextJoinOrder"] = s.next_join_order;
  fields["players"] = players;
  fields["assigned"] = assigned;
  fields["bodies"] = bodies;
  fields["done"] = done;
  fields["doneLen"] = s.done_len;
  fields["votes"] = listed(s.votes, s.votes_len);
  fields["cursor"] = listed(s.cursors, s.cursors_len);
  fields["resultTimer"] = s.result_timer;
  fields["voteTimer"] = s.vote_timer;
  fields["ejected"] = s.ejected;
  fields["tasksRemaining"] = tasks_remaining(s);
  fields["chat"] = s.chat_len;
  fields["rng"] = std::tuple(s.random.a, s.random.b);
  return fields;
}

// [(slot, text)], oldest first.
std::vector<std::tuple<int32_t, std::string>> chat_lines(const Session& session) {
  std::vector<std::tuple<int32_t, std::string>> lines;
  for (int32_t i = 0; i < session.state().chat_len; ++i) {
    const ChatLine& line = session.state().chat[i];
    lines.emplace_back(line.slot, std::string(line.text, static_cast<std::size_t>(line.length)));
  }
  return lines;
}

// [(name, values)], the values in the order of the reward protocol.
std::vector<std::tuple<std::string, std::vector<int64_t>>> accounts(const Session& session) {
  std::vector<std::tuple<std::string, std::vector<int64_t>>> rows;
  for (std::size_t i = 0; i < session.names().size(); ++i) {
    const Account& a = session.accounts()[i];
    rows.emplace_back(session.names()[i], std::vector<int64_t>{a.reward, a.wins_imposter, a.wins_crewmate, a.games_imposter,
                                                               a.games_crewmate, a.kills, a.tasks});
  }
  return rows;
}

void bind_config(nb::module_& module) {
  nb::class_<Slot>(module, "AmongThemSlot")
      .def(nb::init<>())
      .def_rw("name", &Slot::name)
      .def_rw("token", &Slot::token)
      .def_rw("colour", &Slot::colour)
      .def_prop_rw(
          "role", [](const Slot& self) { return self.has_role ? static_cast<int32_t>(self.role) : -1; },
          [](Slot& self, int32_t role) {
            self.has_role = role >= 0;
            self.role = role > 0 ? Role::kImposter : Role::kCrewmate;
          });
  nb::class_<Config>(module, "AmongThemConfig")
      .def(nb::init<>())
      .def_rw("seed", &Config::seed)
      .def_rw("motion_scale", &Config::motion_scale)
      .def_rw("accel", &Config::accel)
      .def_rw("friction_num", &Config::friction_num)
      .def_rw("friction_den", &Config::friction_den)
      .def_rw("max_speed", &Config::max_speed)
      .def_rw("stop_threshold", &Config::stop_threshold)
      .def_rw("kill_range", &Config::kill_range)
      .def_rw("vent_range", &Config::vent_range)
      .def_rw("report_range", &Config::report_range)
      .def_rw("kill_cooldown_ticks", &Config::kill_cooldown_ticks)
      .def_rw("role_reveal_ticks", &Config::role_reveal_ticks)
      .def_rw("task_complete_ticks", &Config::task_complete_ticks)
      .def_rw("vote_result_ticks", &Config::vote_result_ticks)
      .def_rw("start_wait_ticks", &Config::start_wait_ticks)
      .def_rw("vote_timer_ticks", &Config::vote_timer_ticks)
      .def_rw("message_cooldown_ticks", &Config::message_cooldown_ticks)
      .def_rw("game_over_ticks", &Config::game_over_ticks)
      .def_rw("max_ticks", &Config::max_ticks)
      .def_rw("min_players", &Config::min_players)
      .def_rw("imposter_count", &Config::imposter_count)
      .def_rw("auto_imposter_count", &Config::auto_imposter_count)
      .def_rw("tasks_per_player", &Config::tasks_per_player)
      .def_rw("button_calls", &Config::button_calls)
      .def_rw("max_games", &Config::max_games)
      .def_rw("show_task_arrows", &Config::show_task_arrows)
      .def_rw("show_task_bubbles", &Config::show_task_bubbles)
      .def_rw("show_player_labels", &Config::show_player_labels)
      .def_rw("slots", &Config::slots)
      .def("imposters_among", &imposters_among, "players"_a);
}

}  // namespace

}  // namespace bitworld::among_them

namespace bitworld {

void bind_among_them(nb::module_& module) {
  using namespace among_them;
  module.attr("AMONG_THEM_PLAYERS") = kMostPlayers;
  nb::class_<Map>(module, "AmongThemMap")
      .def_ro("width", &Map::width)
      .def_ro("height", &Map::height)
      .def(
          "home_of",
          [](const Map& self, int32_t slot, int32_t total) {
            if (slot < 0 || total < 1) throw nb::value_error("slots start at 0 and the circle has at least one place");
            const Point home = home_of(self, slot, total);
            return std::tuple(home.x, home.y);
          },
          "slot"_a, "total"_a);
  module.def("among_them_map", &make_map, "walk"_a, "wall"_a, "button"_a, "home"_a, "tasks"_a, "vents"_a);
  bind_config(module);
  nb::enum_<Refusal>(module, "Refusal")
      .value("NONE", Refusal::kNone)
      .value("NOT_IN_LOBBY", Refusal::kNotInLobby)
      .value("FULL", Refusal::kFull)
      .value("SAME_NAME", Refusal::kSameName)
      .value("SLOT_TAKEN", Refusal::kSlotTaken)
      .value("WRONG_NAME", Refusal::kWrongName)
      .value("WRONG_TOKEN", Refusal::kWrongToken);
  nb::class_<Session>(module, "AmongThemSession")
      .def(nb::init<Config, std::shared_ptr<const Map>>(), "config"_a, "map"_a)
      .def(
          "join",
          [](Session& self, std::string_view name, int32_t slot, std::string_view token) {
            if (slot < -1 || slot >= kMostPlayers) throw nb::value_error("slots are 0 to 15, or -1 for any");
            return self.join(name, slot, token);
          },
          "name"_a, "slot"_a, "token"_a)
      .def(
          "leave",
          [](Session& self, int32_t player) {
            player_of(self, player);
            self.leave(player, true);
          },
          "player"_a)
      .def(
          "leave_unrepaired",
          [](Session& self, int32_t player) {
            player_of(self, player);
            self.leave(player, false);
          },
          "player"_a)
      .def(
          "chat",
          [](Session& self, int32_t player, const nb::bytes& text) {
            player_of(self, player);
            return self.chat(player, {text.c_str(), text.size()});
          },
          "player"_a, "text"_a)
      .def(
          "step",
          [](Session& self, const nb::bytes& masks) {
            self.step(reinterpret_cast<const uint8_t*>(masks.c_str()), masks.size());
          },
          "masks"_a)
      .def("rejoin_done", [](Session& self) { self.state().needs_reregister = 0; })
      .def("start_meeting", [](Session& self) { self.start_meeting(); })
      .def("hash", &Session::hash)
      .def("snapshot",
           [](const Session& self) {
             const std::string bytes = self.snapshot();
             return nb::bytes(bytes.data(), bytes.size());
           })
      .def(
          "restore", [](Session& self, const nb::bytes& bytes) { raise_fault(self.restore({bytes.c_str(), bytes.size()})); },
          "snapshot"_a)
      .def("describe", &describe)
      .def("chat_lines", &chat_lines)
      .def("accounts", &accounts)
      .def_prop_ro("players",
                   [](const Session& self) {
                     std::vector<std::tuple<std::string, int32_t>> rows;
                     for (int32_t i = 0; i < self.state().players_len; ++i) {
                       const Player& player = self.state().players[i];
                       rows.emplace_back(self.name_of(player), player.slot);
                     }
                     return rows;
                   })
      .def_prop_ro("tick", [](const Session& self) { return self.state().tick; })
      .def_prop_ro("phase", [](const Session& self) { return static_cast<int32_t>(self.state().phase); })
      .def_prop_ro("games_finished", [](const Session& self) { return self.state().games_finished; })
      .def_prop_ro("needs_reregister", [](const Session& self) { return self.state().needs_reregister != 0; })
      .def(
          "has_won", [](Session& self, int32_t player) { return has_won(self.state(), player_of(self, player)); }, "player"_a)
      .def("account_of", [](Session& self, int32_t player) { return player_of(self, player).identity; }, "player"_a);
}

}  // namespace bitworld
