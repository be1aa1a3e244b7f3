#include "redqueen/arena/environments/minigrid/grid_world.h"

#include <algorithm>
#include <cstdlib>

namespace redqueen::arena::minigrid {
namespace {

constexpr int kView = 7;
constexpr std::array<Cell, 4> kDirections{Cell{1, 0}, Cell{0, 1}, Cell{-1, 0}, Cell{0, -1}};

Cell direction_vector(int direction) { return kDirections[static_cast<std::size_t>(direction)]; }

// The view: [column][row], the agent in the middle of the last row, looking up.
using View = std::array<std::array<Item, kView>, kView>;
using Mask = std::array<std::array<bool, kView>, kView>;

// Which cells of the view light reaches, row by row away from the agent, to the right and then to
// the left (Grid.process_vis).
Mask visible_cells(const View& view) {
  Mask mask{};
  mask[kView / 2][kView - 1] = true;
  for (int j = kView - 1; j >= 0; --j) {
    const auto spread = [&](int i, int step) {
      if (!mask[i][j] || view[i][j].is_opaque()) return;
      mask[i + step][j] = true;
      if (j > 0) {
        mask[i + step][j - 1] = true;
        mask[i][j - 1] = true;
      }
    };
    for (int i = 0; i < kView - 1; ++i) spread(i, 1);
    for (int i = kView - 1; i >= 1; --i) spread(i, -1);
  }
  return mask;
}

SimulatorCard world_card(const WorldSettings& settings) {
  SimulatorCard card{.id = std::string(settings.id),
                     .max_episode_steps = settings.max_steps,
                     .versions = {{"gymnasium", "1.3.0"}, {"minigrid", "3.1.0"}}};
  card.description = fmt::format(
      "{} The world is a grid of {} x {} cells. You see the 7 x 7 cells in front of you: "
      "image[x][y] is "
      "[object, colour, state], you stand at x = 3, y = 6 and look towards y = 0; what you carry "
      "is "
      "shown where you stand. Objects: 0 unseen, 1 empty, 2 wall, 3 floor, 4 door, 5 key, 6 ball, "
      "7 "
      "box, 8 goal, 9 lava. Colours: 0 red, 1 green, 2 blue, 3 purple, 4 yellow, 5 grey. States of "
      "a "
      "door: 0 open, 1 closed, 2 locked. Direction: 0 right, 1 down, 2 left, 3 up. Actions: 0 turn "
      "left, 1 turn right, 2 forward{}. Success pays 1 - 0.9 * steps / {}; after {} steps the "
      "episode "
      "ends.",
      settings.task, settings.size.x, settings.size.y,
      settings.actions == 7 ? ", 3 pick up, 4 drop, 5 toggle (open, unlock), 6 done" : "",
      settings.max_steps, settings.max_steps);
  const Box image{
      .type = ElementType::kUint8, .shape = {kView, kView, 3}, .low = {0}, .high = {255}};
  card.observation_space = {
      DictSpace{{{"image", Space{image}},
                 {"direction", Space{Discrete{.n = 4}}},
                 {"mission", Space{Text{.min_length = 0, .max_length = 256}}}}}};
  card.action_space = {Discrete{.n = settings.actions}};
  return card;
}

}  // namespace

std::string_view name(Kind kind) {
  constexpr std::array<std::string_view, 10> kNames{"unseen", "empty", "wall", "floor", "door",
                                                    "key",    "ball",  "box",  "goal",  "lava"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view name(Colour colour) {
  constexpr std::array<std::string_view, 6> kNames{"red",    "green",  "blue",
                                                   "purple", "yellow", "grey"};
  return kNames[static_cast<std::size_t>(colour)];
}

bool are_neighbours(Cell a, Cell b) { return std::abs(a.x - b.x) + std::abs(a.y - b.y) == 1; }

std::string describe(const Item& item) {
  return fmt::format("{} {}", name(item.colour), name(item.kind));
}

GridWorld::GridWorld(const WorldSettings& settings)
    : NativeSimulator(world_card(settings)),
      width_(settings.size.x),
      height_(settings.size.y),
      max_steps_(settings.max_steps),
      see_through_walls_(settings.see_through_walls) {}

const Item& GridWorld::at(Cell cell) const {
  if (cell.x < 0 || cell.x >= width_ || cell.y < 0 || cell.y >= height_) return kWall;
  return cells_[static_cast<std::size_t>(cell.y * width_ + cell.x)];
}

void GridWorld::set(Cell cell, const Item& item) {
  cells_[static_cast<std::size_t>(cell.y * width_ + cell.x)] = item;
}

void GridWorld::horizontal_wall(Cell from, int length, const Item& item) {
  if (length < 0) length = width_ - from.x;
  for (int i = 0; i < length; ++i) set({from.x + i, from.y}, item);
}

void GridWorld::vertical_wall(Cell from, int length, const Item& item) {
  if (length < 0) length = height_ - from.y;
  for (int i = 0; i < length; ++i) set({from.x, from.y + i}, item);
}

void GridWorld::wall_rectangle(Cell top, Cell size) {
  horizontal_wall(top, size.x);
  horizontal_wall({top.x, top.y + size.y - 1}, size.x);
  vertical_wall(top, size.y);
  vertical_wall({top.x + size.x - 1, top.y}, size.y);
}

std::optional<Cell> GridWorld::try_place(const Item& item, Cell top, Cell size,
                                         const Reject& reject, int max_tries) {
  top = {std::max(top.x, 0), std::max(top.y, 0)};
  const Cell end{std::min(top.x + size.x, width_), std::min(top.y + size.y, height_)};
  for (int tries = 0; tries <= max_tries; ++tries) {
    const int x = draw(top.x, end.x);
    const Cell cell{x, draw(top.y, end.y)};
    if (!at(cell).empty() || cell == agent_ || (reject && reject(cell))) continue;
    set(cell, item);
    return cell;
  }
  return std::nullopt;
}

void GridWorld::place_agent(Cell top, Cell size) {
  agent_ = {-1, -1};
  agent_ = place(kNothing, top, size);
  direction_ = draw(0, 4);
}

Cell GridWorld::front() const {
  const Cell step = direction_vector(direction_);
  return {agent_.x + step.x, agent_.y + step.y};
}

void GridWorld::start(Value& observation) {
  cells_.assign(static_cast<std::size_t>(width_ * height_), kNothing);
  agent_ = {-1, -1};
  direction_ = 0;
  carried_ = kNothing;
  build();
  observe(observation);
}

void GridWorld::advance(const Value& action, Transition& out) {
  play(static_cast<int>(std::get<std::int64_t>(action.form)), out);
  observe(out.observation);
}

void GridWorld::play(int action, Transition& out) {
  const Cell ahead = front();
  const Item item = at(ahead);
  if (action == kLeft) direction_ = (direction_ + 3) % 4;
  if (action == kRight) direction_ = (direction_ + 1) % 4;
  if (action == kForward) {
    if (item.empty() || item.can_overlap()) agent_ = ahead;
    if (item.kind == Kind::kGoal) succeed(out);
    if (item.kind == Kind::kLava) fail(out);
  }
  if (action == kPickUp && item.can_pick_up() && carried_.empty()) {
    carried_ = item;
    set(ahead, kNothing);
  }
  if (action == kDrop && item.empty() && !carried_.empty()) {
    set(ahead, carried_);
    carried_ = kNothing;
  }
  if (action == kToggle) toggle(ahead);
}

void GridWorld::toggle(Cell cell) {
  Item item = at(cell);
  if (item.kind == Kind::kBox) {
    set(cell, item.inside == Kind::kEmpty ? kNothing : object(item.inside, item.inside_colour));
  }
  if (item.kind != Kind::kDoor) return;
  if (item.door == DoorState::kLocked) {
    if (carried_.kind != Kind::kKey || carried_.colour != item.colour) return;
    item.door = DoorState::kOpen;
  } else {
    item.door = item.door == DoorState::kOpen ? DoorState::kClosed : DoorState::kOpen;
  }
  set(cell, item);
}

void GridWorld::observe(Value& observation) const {
  const Cell ahead = direction_vector(direction_);
  const Cell right{-ahead.y, ahead.x};
  View view;
  for (int i = 0; i < kView; ++i) {
    for (int j = 0; j < kView; ++j) {
      const int forward = kView - 1 - j;
      const int aside = i - kView / 2;
      view[i][j] = at({agent_.x + ahead.x * forward + right.x * aside,
                       agent_.y + ahead.y * forward + right.y * aside});
    }
  }
  Mask mask;
  if (see_through_walls_) {
    for (auto& column : mask) column.fill(true);
  } else {
    mask = visible_cells(view);
  }
  view[kView / 2][kView - 1] = carried_;
  auto& parts = std::get<Value::Dict>(observation.form);
  auto out = elements<std::uint8_t>(parts[0].second).begin();
  for (int i = 0; i < kView; ++i) {
    for (int j = 0; j < kView; ++j) {
      const Item& item = view[i][j];
      const bool seen = mask[i][j];
      *out++ = seen ? static_cast<std::uint8_t>(item.kind) : std::uint8_t{0};
      *out++ = seen ? static_cast<std::uint8_t>(item.colour) : std::uint8_t{0};
      *out++ = seen ? static_cast<std::uint8_t>(item.door) : std::uint8_t{0};
    }
  }
  parts[1].second.form = std::int64_t{direction_};
  std::get<std::string>(parts[2].second.form) = mission_;
}

}  // namespace redqueen::arena::minigrid
