// MiniGrid's worlds of objects that a mission names: Fetch, GoToDoor, GoToObject, PutNear,
// Playground, RedBlueDoors.
#include <algorithm>
#include <cstdlib>

#include "redqueen/arena/environments/catalog.h"
#include "redqueen/arena/environments/minigrid/grid_world.h"

namespace redqueen::arena::minigrid {
namespace {

constexpr std::array kObjects{Kind::kKey, Kind::kBall, Kind::kBox};

// An object and where it was put.
struct Placed {
  Item item;
  Cell cell;
};

bool look_alike(const Item& a, const Item& b) { return a.kind == b.kind && a.colour == b.colour; }

bool holds(const std::vector<Placed>& list, const Item& item) {
  return std::ranges::any_of(list, [&](const Placed& p) { return look_alike(p.item, item); });
}

class Fetch final : public GridWorld {
 public:
  Fetch(std::string_view id, int side, int objects)
      : GridWorld({.id = id,
                   .size = {side, side},
                   .max_steps = 5 * side * side,
                   .see_through_walls = true,
                   .task = "Pick up the object that the mission names; any other ends the episode "
                           "without pay."}),
        objects_(objects) {}

 private:
  void build() override {
    wall_rectangle({0, 0}, {width(), height()});
    std::vector<Item> objects;
    for (int i = 0; i < objects_; ++i) {
      const Kind kind = draw_from(std::array{Kind::kKey, Kind::kBall});
      objects.push_back(object(kind, draw_colour()));
      place(objects.back());
    }
    place_agent();
    target_ = draw_from(objects);
    constexpr std::array<std::string_view, 5> kWords{"get a", "go get a", "fetch a", "go fetch a",
                                                     "you must fetch a"};
    say(fmt::format("{} {}", draw_from(kWords), describe(target_)));
  }

  void play(int action, Transition& out) override {
    GridWorld::play(action, out);
    if (carried().empty()) return;
    if (look_alike(carried(), target_)) {
      succeed(out);
    } else {
      fail(out);
    }
  }

  int objects_;
  Item target_;
};

// Worlds that end with the action "done", which pays beside a target.
class GoToWorld : public GridWorld {
 public:
  using GridWorld::GridWorld;

 protected:
  void aim_at(Cell target) { target_ = target; }

 private:
  void play(int action, Transition& out) override {
    GridWorld::play(action, out);
    if (action == kToggle) out.terminated = true;
    if (action != kDone) return;
    out.terminated = true;
    if (are_neighbours(agent(), target_)) succeed(out);
  }

  Cell target_;
};

class GoToDoor final : public GoToWorld {
 public:
  GoToDoor(std::string_view id, int side)
      : GoToWorld({.id = id,
                   .size = {side, side},
                   .max_steps = 4 * side * side,
                   .see_through_walls = true,
                   .task =
                       "A room with a door in each wall. Stand beside the door that the mission "
                       "names and take the action done; done elsewhere, or toggle, ends the "
                       "episode without pay."}) {}

 private:
  void build() override {
    const int right = draw(5, width() + 1) - 1;
    const int bottom = draw(5, height() + 1) - 1;
    wall_rectangle({0, 0}, {right + 1, bottom + 1});
    std::array<Cell, 4> doors;
    doors[0] = {draw(2, right - 1), 0};
    doors[1] = {draw(2, right - 1), bottom};
    doors[2] = {0, draw(2, bottom - 1)};
    doors[3] = {right, draw(2, bottom - 1)};
    std::vector<Colour> colours;
    while (colours.size() < doors.size()) {
      const Colour colour = draw_colour();
      if (std::ranges::find(colours, colour) == colours.end()) colours.push_back(colour);
    }
    for (std::size_t i = 0; i < doors.size(); ++i) set(doors[i], door(colours[i]));
    place_agent({0, 0}, {right + 1, bottom + 1});
    const std::size_t target = random().choice(doors.size());
    aim_at(doors[target]);
    say(fmt::format("go to the {} door", name(colours[target])));
  }
};

class GoToObject final : public GoToWorld {
 public:
  GoToObject(std::string_view id, int side, int objects)
      : GoToWorld({.id = id,
                   .size = {side, side},
                   .max_steps = 5 * side * side,
                   .see_through_walls = true,
                   .task =
                       "Stand beside the object that the mission names and take the action done; "
                       "done elsewhere, or toggle, ends the episode without pay."}),
        objects_(static_cast<std::size_t>(objects)) {}

 private:
  void build() override {
    wall_rectangle({0, 0}, {width(), height()});
    std::vector<Placed> objects;
    while (objects.size() < objects_) {
      const Kind kind = draw_from(kObjects);
      const Item item = object(kind, draw_colour());
      if (!holds(objects, item)) objects.push_back({item, place(item)});
    }
    place_agent();
    const Placed target = draw_from(objects);
    aim_at(target.cell);
    say("go to the " + describe(target.item));
  }

  std::size_t objects_;
};

class PutNear final : public GridWorld {
 public:
  PutNear(std::string_view id, int side, int objects)
      : GridWorld({.id = id,
                   .size = {side, side},
                   .max_steps = 5 * side,
                   .see_through_walls = true,
                   .task =
                       "Pick up the object that the mission names and drop it on a cell next to "
                       "the other one, diagonals count. Picking up another, or dropping it "
                       "elsewhere, ends the episode without pay."}),
        objects_(static_cast<std::size_t>(objects)) {}

 private:
  static bool near(Cell a, Cell b) { return std::abs(a.x - b.x) <= 1 && std::abs(a.y - b.y) <= 1; }

  void build() override {
    wall_rectangle({0, 0}, {width(), height()});
    std::vector<Placed> objects;
    const auto beside_another = [&](Cell cell) {
      return std::ranges::any_of(objects, [&](const Placed& p) { return near(cell, p.cell); });
    };
    while (objects.size() < objects_) {
      const Kind kind = draw_from(kObjects);
      const Item item = object(kind, draw_colour());
      if (holds(objects, item)) continue;
      objects.push_back({item, place(item, {}, kWhole, beside_another)});
    }
    place_agent();
    const std::size_t moved = random().choice(objects.size());
    std::size_t target = moved;
    while (target == moved) target = random().choice(objects.size());
    moved_ = objects[moved].item;
    target_ = objects[target].cell;
    say(fmt::format("put the {} near the {}", describe(moved_), describe(objects[target].item)));
  }

  void play(int action, Transition& out) override {
    const bool was_carrying = !carried().empty();
    GridWorld::play(action, out);
    if (action == kPickUp && !carried().empty() && !look_alike(carried(), moved_)) {
      out.terminated = true;
    }
    if (action == kDrop && was_carrying) {
      out.terminated = true;
      if (carried().empty() && near(front(), target_)) succeed(out);
    }
  }

  std::size_t objects_;
  Item moved_;
  Cell target_;
};

class Playground final : public GridWorld {
 public:
  explicit Playground(std::string_view id)
      : GridWorld({.id = id,
                   .size = {19, 19},
                   .max_steps = 100,
                   .task = "Nine rooms with doors between them and twelve objects. There is no "
                           "mission and no pay."}) {}

 private:
  void build() override {
    wall_rectangle({0, 0}, {width(), height()});
    const int room = width() / 3;
    for (int top = 0; top < 3 * room; top += room) {
      for (int left = 0; left < 3 * room; left += room) {
        if (left < 2 * room) {
          vertical_wall({left + room, top}, room);
          const int y = draw(top + 1, top + room - 1);
          set({left + room, y}, door(draw_colour()));
        }
        if (top < 2 * room) {
          horizontal_wall({left, top + room}, room);
          const int x = draw(left + 1, left + room - 1);
          set({x, top + room}, door(draw_colour()));
        }
      }
    }
    place_agent();
    for (int i = 0; i < 12; ++i) {
      const Kind kind = draw_from(kObjects);
      place(object(kind, draw_colour()));
    }
    say("");
  }
};

class RedBlueDoors final : public GridWorld {
 public:
  RedBlueDoors(std::string_view id, int side)
      : GridWorld({.id = id,
                   .size = {2 * side, side},
                   .max_steps = 20 * side * side,
                   .task =
                       "A room with a red door on its left and a blue door on its right. Open the "
                       "red one, then the blue one; the blue one first ends the episode without "
                       "pay."}) {}

 private:
  void build() override {
    const int side = height();
    wall_rectangle({0, 0}, {2 * side, side});
    wall_rectangle({side / 2, 0}, {side, side});
    place_agent({side / 2, 0}, {side, side});
    red_ = {side / 2, draw(1, side - 1)};
    set(red_, door(Colour::kRed));
    blue_ = {side / 2 + side - 1, draw(1, side - 1)};
    set(blue_, door(Colour::kBlue));
    say("open the red door then the blue door");
  }

  bool is_open(Cell cell) const { return at(cell).door == DoorState::kOpen; }

  void play(int action, Transition& out) override {
    const bool red_was_open = is_open(red_);
    GridWorld::play(action, out);
    if (!is_open(blue_)) return;
    if (red_was_open) {
      succeed(out);
    } else {
      fail(out);
    }
  }

  Cell red_;
  Cell blue_;
};

constexpr std::array kEntries{
    CatalogEntry{"MiniGrid-Fetch-5x5-N2-v0", make_world<Fetch, 5, 2>},
    CatalogEntry{"MiniGrid-Fetch-6x6-N2-v0", make_world<Fetch, 6, 2>},
    CatalogEntry{"MiniGrid-Fetch-8x8-N3-v0", make_world<Fetch, 8, 3>},
    CatalogEntry{"MiniGrid-GoToDoor-5x5-v0", make_world<GoToDoor, 5>},
    CatalogEntry{"MiniGrid-GoToDoor-6x6-v0", make_world<GoToDoor, 6>},
    CatalogEntry{"MiniGrid-GoToDoor-8x8-v0", make_world<GoToDoor, 8>},
    CatalogEntry{"MiniGrid-GoToObject-6x6-N2-v0", make_world<GoToObject, 6, 2>},
    CatalogEntry{"MiniGrid-GoToObject-8x8-N2-v0", make_world<GoToObject, 8, 2>},
    CatalogEntry{"MiniGrid-Playground-v0", make_world<Playground>},
    CatalogEntry{"MiniGrid-PutNear-6x6-N2-v0", make_world<PutNear, 6, 2>},
    CatalogEntry{"MiniGrid-PutNear-8x8-N3-v0", make_world<PutNear, 8, 3>},
    CatalogEntry{"MiniGrid-RedBlueDoors-6x6-v0", make_world<RedBlueDoors, 6>},
    CatalogEntry{"MiniGrid-RedBlueDoors-8x8-v0", make_world<RedBlueDoors, 8>},
};

}  // namespace

std::span<const CatalogEntry> object_entries() { return kEntries; }

}  // namespace redqueen::arena::minigrid
