// MiniGrid's worlds of equal rooms, side by side and one above the other, with doors in the middle
// of their walls: Unlock, UnlockPickup, BlockedUnlockPickup, KeyCorridor, ObstructedMaze.
#include <algorithm>
#include <cstdlib>

#include "redqueen/arena/environments/catalog.h"
#include "redqueen/arena/environments/minigrid/grid_world.h"

namespace redqueen::arena::minigrid {
namespace {

// Sides of a room, and directions of the agent: 0 right, 1 down, 2 left, 3 up.
constexpr int kSides = 4;

// Which room; `column` comes first, as in the original.
struct RoomIndex {
  int column = 0;
  int row = 0;
};

class RoomGrid : public GridWorld {
 public:
  // `rooms`: how many there are in a row and in a column, each `side` cells wide, walls included.
  RoomGrid(std::string_view id, std::string_view task, Cell rooms, int side, int max_steps)
      : GridWorld({.id = id,
                   .size = {rooms.x * (side - 1) + 1, rooms.y * (side - 1) + 1},
                   .max_steps = max_steps,
                   .task = task}),
        columns_(rooms.x),
        rows_(rooms.y),
        side_(side) {}

 protected:
  struct Room {
    Cell top;
    std::array<Cell, kSides> door_cell;
    std::array<bool, kSides> has_neighbour{};
    std::array<bool, kSides> is_open{};  // by a door or because the wall is gone
    bool locked = false;                 // by the last door that was added from here
  };

  // What must be picked up for success carries this mark.
  static constexpr std::uint8_t kTarget = 1;

  int rows() const { return rows_; }

  Room& room(RoomIndex index) {
    return rooms_[static_cast<std::size_t>(index.row * columns_ + index.column)];
  }

  static RoomIndex neighbour(RoomIndex index, int side) {
    constexpr std::array<Cell, kSides> kSteps{Cell{1, 0}, Cell{0, 1}, Cell{-1, 0}, Cell{0, -1}};
    const Cell step = kSteps[static_cast<std::size_t>(side)];
    return {index.column + step.x, index.row + step.y};
  }

  // Walls of all rooms and the places of their doors; the agent in the middle of the middle room.
  void build_rooms() {
    rooms_.assign(static_cast<std::size_t>(columns_ * rows_), Room{});
    for_each_room([&](RoomIndex index) {
      room(index).top = {index.column * (side_ - 1), index.row * (side_ - 1)};
      wall_rectangle(room(index).top, {side_, side_});
    });
    for_each_room([&](RoomIndex index) { draw_doors(index); });
    put_agent({columns_ / 2 * (side_ - 1) + side_ / 2, rows_ / 2 * (side_ - 1) + side_ / 2}, 0);
  }

  // Opens a door of this colour, and tells where.
  Cell add_door(RoomIndex index, int side, Colour colour, bool locked) {
    Room& here = room(index);
    here.locked = locked;
    const Cell cell = here.door_cell[side];
    set(cell, door(colour, locked ? DoorState::kLocked : DoorState::kClosed));
    open_side(index, side);
    return cell;
  }

  void remove_wall(RoomIndex index, int side) {
    const Cell top = room(index).top;
    const int last = side_ - 1;
    for (int i = 1; i < last; ++i) {
      if (side == 0) set({top.x + last, top.y + i}, kNothing);
      if (side == 1) set({top.x + i, top.y + last}, kNothing);
      if (side == 2) set({top.x, top.y + i}, kNothing);
      if (side == 3) set({top.x + i, top.y}, kNothing);
    }
    open_side(index, side);
  }

  // Somewhere in the room, not beside the agent.
  void place_in_room(RoomIndex index, const Item& item) {
    place(item, room(index).top, {side_, side_}, [&](Cell cell) {
      return std::abs(agent().x - cell.x) + std::abs(agent().y - cell.y) < 2;
    });
  }

  // Somewhere in the room, looking at nothing or at a wall.
  void place_agent_in(RoomIndex index) {
    do {
      place_agent(room(index).top, {side_, side_});
    } while (!at(front()).empty() && at(front()).kind != Kind::kWall);
  }

  // Adds doors of any colour until every room can be reached.
  void connect_all(RoomIndex start) {
    while (count_reachable(start) < rooms_.size()) {
      const int column = draw(0, columns_);
      const RoomIndex index{column, draw(0, rows_)};
      const int side = draw(0, kSides);
      if (!room(index).has_neighbour[side] || room(index).is_open[side]) continue;
      if (room(index).locked || room(neighbour(index, side)).locked) continue;
      add_door(index, side, draw_colour(), false);
    }
  }

  void pay_for_target(int action, Transition& out) const {
    if (action == kPickUp && carried().mark == kTarget) succeed(out);
  }

 private:
  template <typename Visitor>
  void for_each_room(Visitor&& visit) {
    for (int row = 0; row < rows_; ++row) {
      for (int column = 0; column < columns_; ++column) visit(RoomIndex{column, row});
    }
  }

  // A door's place on the right and on the lower side; the others are those of the neighbours.
  void draw_doors(RoomIndex index) {
    Room& here = room(index);
    const Cell top = here.top;
    const int last = side_ - 1;
    if (index.column + 1 < columns_) {
      here.has_neighbour[0] = true;
      here.door_cell[0] = {top.x + last, draw(top.y + 1, top.y + last)};
    }
    if (index.row + 1 < rows_) {
      here.has_neighbour[1] = true;
      here.door_cell[1] = {draw(top.x + 1, top.x + last), top.y + last};
    }
    for (const int side : {2, 3}) {
      if (side == 2 ? index.column == 0 : index.row == 0) continue;
      here.has_neighbour[side] = true;
      here.door_cell[side] = room(neighbour(index, side)).door_cell[side - 2];
    }
  }

  void open_side(RoomIndex index, int side) {
    room(index).is_open[side] = true;
    room(neighbour(index, side)).is_open[(side + 2) % kSides] = true;
  }

  std::size_t count_reachable(RoomIndex start) {
    std::vector<bool> reached(rooms_.size());
    std::vector<RoomIndex> open{start};
    while (!open.empty()) {
      const RoomIndex index = open.back();
      open.pop_back();
      auto seen = reached[static_cast<std::size_t>(index.row * columns_ + index.column)];
      if (seen) continue;
      seen = true;
      for (int side = 0; side < kSides; ++side) {
        if (room(index).is_open[side]) open.push_back(neighbour(index, side));
      }
    }
    return static_cast<std::size_t>(std::ranges::count(reached, true));
  }

  int columns_;
  int rows_;
  int side_;
  std::vector<Room> rooms_;  // row by row
};

class Unlock final : public RoomGrid {
 public:
  explicit Unlock(std::string_view id)
      : RoomGrid(id, "Pick up the key and open the locked door.", {2, 1}, 6, 8 * 36) {}

 private:
  void build() override {
    build_rooms();
    const Colour colour = draw_colour();
    door_ = add_door({0, 0}, 0, colour, true);
    place_in_room({0, 0}, object(Kind::kKey, colour));
    place_agent_in({0, 0});
    say("open the door");
  }

  void play(int action, Transition& out) override {
    GridWorld::play(action, out);
    if (action == kToggle && at(door_).door == DoorState::kOpen) succeed(out);
  }

  Cell door_;
};

class UnlockPickup final : public RoomGrid {
 public:
  UnlockPickup(std::string_view id, bool blocked)
      : RoomGrid(id,
                 blocked
                     ? "Move the ball that blocks the door, pick up the key, unlock the door and "
                       "pick up the box behind it."
                     : "Pick up the key, unlock the door and pick up the box behind it.",
                 {2, 1}, 6, (blocked ? 16 : 8) * 36),
        blocked_(blocked) {}

 private:
  void build() override {
    build_rooms();
    const Item box{.kind = Kind::kBox, .colour = draw_colour(), .mark = kTarget};
    place_in_room({1, 0}, box);
    const Colour colour = draw_colour();
    const Cell door = add_door({0, 0}, 0, colour, true);
    if (blocked_) set({door.x - 1, door.y}, object(Kind::kBall, draw_colour()));
    place_in_room({0, 0}, object(Kind::kKey, colour));
    place_agent_in({0, 0});
    say("pick up the " + describe(box));
  }

  void play(int action, Transition& out) override {
    GridWorld::play(action, out);
    pay_for_target(action, out);
  }

  bool blocked_;
};

class KeyCorridor final : public RoomGrid {
 public:
  KeyCorridor(std::string_view id, int side, int rows)
      : RoomGrid(
            id,
            "Rooms lie to the left and to the right of a corridor. The ball that the mission "
            "names is in a locked room on the right, the key in a room on the left. Pick up the "
            "ball; you can carry one thing at a time.",
            {3, rows}, side, 30 * side * side) {}

 private:
  void build() override {
    build_rooms();
    for (int row = 1; row < rows(); ++row) remove_wall({1, row}, 3);
    const int locked = draw(0, rows());
    const Colour colour = draw_colour();
    add_door({2, locked}, 2, colour, true);
    const Item ball{.kind = Kind::kBall, .colour = draw_colour(), .mark = kTarget};
    place_in_room({2, locked}, ball);
    place_in_room({0, draw(0, rows())}, object(Kind::kKey, colour));
    place_agent_in({1, rows() / 2});
    connect_all({1, rows() / 2});
    say("pick up the " + describe(ball));
  }

  void play(int action, Transition& out) override {
    GridWorld::play(action, out);
    pay_for_target(action, out);
  }
};

// The two forms of ObstructedMaze: in v0 a key is hidden when its door is made, in v1 when both
// doors of a room have been made, so that a ball cannot fall onto it.
class ObstructedMaze : public RoomGrid {
 public:
  ObstructedMaze(std::string_view id, Cell rooms, int rooms_visited)
      : RoomGrid(id,
                 "Pick up the blue ball. Doors between the rooms may be locked or blocked by green "
                 "balls, and keys may be hidden in grey boxes, which open by toggle. You can carry "
                 "one thing at a time.",
                 rooms, 6, 4 * rooms_visited * 36) {}

 protected:
  struct Obstacles {
    bool key_in_box = false;
    bool blocked = false;
  };

  void begin_maze() {
    build_rooms();
    std::vector<Colour> colours(kColours.begin(), kColours.end());
    for (Colour& colour : door_colours_) {
      colour = draw_from(colours);
      std::erase(colours, colour);
    }
    say("pick up the blue ball");
  }

  void finish_maze(RoomIndex ball, RoomIndex agent) {
    place_in_room(ball, {.kind = Kind::kBall, .colour = Colour::kBlue, .mark = kTarget});
    place_agent_in(agent);
  }

  // The i-th of the drawn colours, cyclically; i >= -1.
  Colour door_colour(int i) const { return door_colours_[static_cast<std::size_t>((i + 6) % 6)]; }

  void add_locked_door(RoomIndex index, int side, Colour colour, bool blocked) {
    const Cell door = add_door(index, side, colour, true);
    if (!blocked) return;
    const RoomIndex step = neighbour({0, 0}, side);
    set({door.x - step.column, door.y - step.row}, object(Kind::kBall, Colour::kGreen));
  }

  void hide_key(RoomIndex index, Colour colour, bool in_box) {
    if (!in_box) {
      place_in_room(index, object(Kind::kKey, colour));
      return;
    }
    place_in_room(index, {.kind = Kind::kBox,
                          .colour = Colour::kGrey,
                          .inside = Kind::kKey,
                          .inside_colour = colour});
  }

 private:
  void play(int action, Transition& out) override {
    GridWorld::play(action, out);
    pay_for_target(action, out);
  }

  std::array<Colour, 6> door_colours_{};
};

class ObstructedMaze1 final : public ObstructedMaze {
 public:
  ObstructedMaze1(std::string_view id, bool key_in_box, bool blocked)
      : ObstructedMaze(id, {2, 1}, 2), key_in_box_(key_in_box), blocked_(blocked) {}

 private:
  void build() override {
    begin_maze();
    add_locked_door({0, 0}, 0, door_colour(0), blocked_);
    hide_key({0, 0}, door_colour(0), key_in_box_);
    finish_maze({1, 0}, {0, 0});
  }

  bool key_in_box_;
  bool blocked_;
};

class ObstructedMazeFull final : public ObstructedMaze {
 public:
  ObstructedMazeFull(std::string_view id, int version, bool starts_in_middle, bool key_in_box,
                     bool blocked, int quarters, int rooms_visited)
      : ObstructedMaze(id, {3, 3}, rooms_visited),
        version_(version),
        agent_room_(starts_in_middle ? RoomIndex{1, 1} : RoomIndex{2, 1}),
        key_in_box_(key_in_box),
        blocked_(blocked),
        quarters_(quarters) {}

 private:
  void build() override {
    constexpr RoomIndex kMiddle{1, 1};
    constexpr std::array<RoomIndex, 4> kCorners{RoomIndex{2, 0}, {2, 2}, {0, 2}, {0, 0}};
    begin_maze();
    for (int i = 0; i < quarters_; ++i) {
      add_door(kMiddle, i, door_colour(i), false);
      const RoomIndex side_room = neighbour(kMiddle, i);
      for (const int k : {-1, 1}) {
        add_locked_door(side_room, (i + k + kSides) % kSides, door_colour(i + k), blocked_);
        if (version_ == 0) hide_key(side_room, door_colour(i + k), key_in_box_);
      }
      if (version_ == 0) continue;
      for (const int k : {-1, 1}) hide_key(side_room, door_colour(i + k), key_in_box_);
    }
    const auto corner = static_cast<std::size_t>(draw(0, quarters_));
    finish_maze(kCorners[corner], agent_room_);
  }

  int version_;
  RoomIndex agent_room_;
  bool key_in_box_;
  bool blocked_;
  int quarters_;
};

constexpr std::array kEntries{
    CatalogEntry{"MiniGrid-BlockedUnlockPickup-v0", make_world<UnlockPickup, true>},
    CatalogEntry{"MiniGrid-KeyCorridorS3R1-v0", make_world<KeyCorridor, 3, 1>},
    CatalogEntry{"MiniGrid-KeyCorridorS3R2-v0", make_world<KeyCorridor, 3, 2>},
    CatalogEntry{"MiniGrid-KeyCorridorS3R3-v0", make_world<KeyCorridor, 3, 3>},
    CatalogEntry{"MiniGrid-KeyCorridorS4R3-v0", make_world<KeyCorridor, 4, 3>},
    CatalogEntry{"MiniGrid-KeyCorridorS5R3-v0", make_world<KeyCorridor, 5, 3>},
    CatalogEntry{"MiniGrid-KeyCorridorS6R3-v0", make_world<KeyCorridor, 6, 3>},
    CatalogEntry{"MiniGrid-ObstructedMaze-1Dl-v0", make_world<ObstructedMaze1, false, false>},
    CatalogEntry{"MiniGrid-ObstructedMaze-1Dlh-v0", make_world<ObstructedMaze1, true, false>},
    CatalogEntry{"MiniGrid-ObstructedMaze-1Dlhb-v0", make_world<ObstructedMaze1, true, true>},
    CatalogEntry{"MiniGrid-ObstructedMaze-2Dl-v0",
                 make_world<ObstructedMazeFull, 0, false, false, false, 1, 4>},
    CatalogEntry{"MiniGrid-ObstructedMaze-2Dlh-v0",
                 make_world<ObstructedMazeFull, 0, false, true, false, 1, 4>},
    CatalogEntry{"MiniGrid-ObstructedMaze-2Dlhb-v0",
                 make_world<ObstructedMazeFull, 0, false, true, true, 1, 4>},
    CatalogEntry{"MiniGrid-ObstructedMaze-2Dlhb-v1",
                 make_world<ObstructedMazeFull, 1, false, true, true, 1, 4>},
    CatalogEntry{"MiniGrid-ObstructedMaze-1Q-v0",
                 make_world<ObstructedMazeFull, 0, true, true, true, 1, 5>},
    CatalogEntry{"MiniGrid-ObstructedMaze-1Q-v1",
                 make_world<ObstructedMazeFull, 1, true, true, true, 1, 5>},
    CatalogEntry{"MiniGrid-ObstructedMaze-2Q-v0",
                 make_world<ObstructedMazeFull, 0, false, true, true, 2, 11>},
    CatalogEntry{"MiniGrid-ObstructedMaze-2Q-v1",
                 make_world<ObstructedMazeFull, 1, false, true, true, 2, 11>},
    CatalogEntry{"MiniGrid-ObstructedMaze-Full-v0",
                 make_world<ObstructedMazeFull, 0, true, true, true, 4, 25>},
    CatalogEntry{"MiniGrid-ObstructedMaze-Full-v1",
                 make_world<ObstructedMazeFull, 1, true, true, true, 4, 25>},
    CatalogEntry{"MiniGrid-Unlock-v0", make_world<Unlock>},
    CatalogEntry{"MiniGrid-UnlockPickup-v0", make_world<UnlockPickup, false>},
};

}  // namespace

std::span<const CatalogEntry> room_grid_entries() { return kEntries; }

}  // namespace redqueen::arena::minigrid
