// MiniGrid's worlds in which the agent walks to a goal: Empty, DoorKey, FourRooms, DistShift,
// LavaGap, Crossing, Dynamic-Obstacles, LockedRoom, MultiRoom, Memory.
#include <algorithm>
#include <span>

#include "redqueen/arena/environments/catalog.h"
#include "redqueen/arena/environments/minigrid/grid_world.h"

namespace redqueen::arena::minigrid {
namespace {

constexpr std::string_view kReachGoal = "get to the green goal square";

class Empty final : public GridWorld {
 public:
  Empty(std::string_view id, int side, bool random_start)
      : GridWorld({.id = id,
                   .size = {side, side},
                   .max_steps = 4 * side * side,
                   .see_through_walls = true,
                   .task = "Walk through an empty room to the goal in its lower right corner."}),
        random_start_(random_start) {}

 private:
  void build() override {
    wall_rectangle({0, 0}, {width(), height()});
    set({width() - 2, height() - 2}, kGoal);
    if (random_start_) {
      place_agent();
    } else {
      put_agent({1, 1}, 0);
    }
    say(std::string(kReachGoal));
  }

  bool random_start_;
};

class DoorKey final : public GridWorld {
 public:
  DoorKey(std::string_view id, int side)
      : GridWorld({.id = id,
                   .size = {side, side},
                   .max_steps = 10 * side * side,
                   .task =
                       "A wall with a locked door parts the room. Pick up the key on your side, "
                       "unlock the door and walk to the goal in the lower right corner."}) {}

 private:
  void build() override {
    wall_rectangle({0, 0}, {width(), height()});
    set({width() - 2, height() - 2}, kGoal);
    const int split = draw(2, width() - 2);
    vertical_wall({split, 0});
    place_agent({0, 0}, {split, height()});
    set({split, draw(1, height() - 2)}, door(Colour::kYellow, DoorState::kLocked));
    place(object(Kind::kKey, Colour::kYellow), {0, 0}, {split, height()});
    say("use the key to open the door and then get to the goal");
  }
};

class FourRooms final : public GridWorld {
 public:
  explicit FourRooms(std::string_view id)
      : GridWorld({.id = id,
                   .size = {19, 19},
                   .max_steps = 100,
                   .task =
                       "Four rooms, with a gap in each wall between two of them; you and the goal "
                       "are anywhere. Find the goal."}) {}

 private:
  void build() override {
    wall_rectangle({0, 0}, {width(), height()});
    const int room = width() / 2;
    for (int top = 0; top <= room; top += room) {
      for (int left = 0; left <= room; left += room) {
        if (left == 0) {
          vertical_wall({room, top}, room);
          set({room, draw(top + 1, top + room)}, kNothing);
        }
        if (top == 0) {
          horizontal_wall({left, room}, room);
          set({draw(left + 1, left + room), room}, kNothing);
        }
      }
    }
    place_agent();
    place(kGoal);
    say("reach the goal");
  }
};

class DistShift final : public GridWorld {
 public:
  DistShift(std::string_view id, int second_strip)
      : GridWorld({.id = id,
                   .size = {9, 7},
                   .max_steps = 4 * 9 * 7,
                   .see_through_walls = true,
                   .task = "Walk around two strips of lava to the goal in the upper right corner; "
                           "lava ends the episode without pay."}),
        second_strip_(second_strip) {}

 private:
  void build() override {
    wall_rectangle({0, 0}, {width(), height()});
    set({width() - 2, 1}, kGoal);
    horizontal_wall({3, 1}, width() - 6, kLava);
    horizontal_wall({3, second_strip_}, width() - 6, kLava);
    put_agent({1, 1}, 0);
    say(std::string(kReachGoal));
  }

  int second_strip_;
};

class LavaGap final : public GridWorld {
 public:
  LavaGap(std::string_view id, int side)
      : GridWorld({.id = id,
                   .size = {side, side},
                   .max_steps = 4 * side * side,
                   .task =
                       "A wall of lava with one gap parts the room. Walk through the gap to the "
                       "goal in the lower right corner; lava ends the episode without pay."}) {}

 private:
  void build() override {
    wall_rectangle({0, 0}, {width(), height()});
    put_agent({1, 1}, 0);
    set({width() - 2, height() - 2}, kGoal);
    const int x = draw(2, width() - 2);
    const Cell gap{x, draw(1, height() - 1)};
    vertical_wall({x, 1}, height() - 2, kLava);
    set(gap, kNothing);
    say("avoid the lava and get to the green goal square");
  }
};

// Walls or lava from side to side, each with one opening, so that a way leads to the goal.
class Crossing final : public GridWorld {
 public:
  Crossing(std::string_view id, int side, int crossings, bool lava)
      : GridWorld(
            {.id = id,
             .size = {side, side},
             .max_steps = 4 * side * side,
             .task = lava ? "Streams of lava with one opening each cross the room. Find the way "
                            "to the goal in the lower right corner; lava ends the episode "
                            "without pay."
                          : "Walls with one opening each cross the room. Find the way to the "
                            "goal in the lower right corner."}),
        crossings_(crossings),
        obstacle_(lava ? kLava : kWall) {}

 private:
  struct River {
    bool vertical = false;
    int position = 0;
  };

  void build() override {
    wall_rectangle({0, 0}, {width(), height()});
    put_agent({1, 1}, 0);
    set({width() - 2, height() - 2}, kGoal);
    std::vector<int> columns{0};
    std::vector<int> rows{0};
    for (const River& river : draw_rivers()) {
      (river.vertical ? columns : rows).push_back(river.position);
    }
    std::ranges::sort(columns);
    std::ranges::sort(rows);
    for (const int y : std::span(rows).subspan(1)) horizontal_wall({1, y}, width() - 2, obstacle_);
    for (const int x : std::span(columns).subspan(1))
      vertical_wall({x, 1}, height() - 2, obstacle_);
    columns.push_back(height() - 1);
    rows.push_back(width() - 1);
    open_path(columns, rows);
    say(obstacle_.kind == Kind::kLava ? "avoid the lava and get to the green goal square"
                                      : "find the opening and get to the green goal square");
  }

  std::vector<River> draw_rivers() {
    std::vector<River> rivers;
    for (int i = 2; i < height() - 2; i += 2) rivers.push_back({.vertical = true, .position = i});
    for (int i = 2; i < width() - 2; i += 2) rivers.push_back({.vertical = false, .position = i});
    random().shuffle(std::span(rivers));
    rivers.resize(static_cast<std::size_t>(crossings_));
    return rivers;
  }

  // Opens every river once, along a drawn order of steps to the right and down. Both lists hold the
  // rivers and the borders of the room.
  void open_path(const std::vector<int>& columns, const std::vector<int>& rows) {
    std::vector<char> path(columns.size() - 2, 'r');
    path.insert(path.end(), rows.size() - 2, 'd');
    random().shuffle(std::span(path));
    std::size_t column = 0;
    std::size_t row = 0;
    for (const char step : path) {
      Cell opening;
      if (step == 'r') {
        opening = {columns[column + 1], between(rows[row], rows[row + 1])};
        ++column;
      } else {
        opening = {between(columns[column], columns[column + 1]), rows[row + 1]};
        ++row;
      }
      set(opening, kNothing);
    }
  }

  int between(int low, int high) {
    return low + 1 + static_cast<int>(random().choice(static_cast<std::size_t>(high - low - 1)));
  }

  int crossings_;
  Item obstacle_;
};

class DynamicObstacles final : public GridWorld {
 public:
  DynamicObstacles(std::string_view id, int side, int obstacles, bool random_start)
      : GridWorld({.id = id,
                   .size = {side, side},
                   .max_steps = 4 * side * side,
                   .see_through_walls = true,
                   .task =
                       "Balls roll through the room, each to a neighbouring cell in every step. "
                       "Walk to the goal in the lower right corner; walking into a ball or a "
                       "wall pays -1 and ends the episode.",
                   .actions = 3}),
        obstacles_(obstacles <= side / 2 + 1 ? obstacles : side / 2),
        random_start_(random_start) {}

 private:
  static constexpr Item kBall{.kind = Kind::kBall, .colour = Colour::kBlue};

  void build() override {
    wall_rectangle({0, 0}, {width(), height()});
    set({width() - 2, height() - 2}, kGoal);
    if (random_start_) {
      place_agent();
    } else {
      put_agent({1, 1}, 0);
    }
    balls_.clear();
    for (int i = 0; i < obstacles_; ++i) balls_.push_back(place(kBall));
    say(std::string(kReachGoal));
  }

  void play(int action, Transition& out) override {
    const Item ahead = at(front());
    const bool collides = action == kForward && !ahead.empty() && ahead.kind != Kind::kGoal;
    for (Cell& ball : balls_) {
      const auto moved = try_place(kBall, {ball.x - 1, ball.y - 1}, {3, 3}, nullptr, 100);
      if (!moved) continue;
      set(ball, kNothing);
      ball = *moved;
    }
    GridWorld::play(action, out);
    if (collides) {
      fail(out);
      out.reward = -1;
    }
  }

  int obstacles_;
  bool random_start_;
  std::vector<Cell> balls_;
};

class LockedRoom final : public GridWorld {
 public:
  explicit LockedRoom(std::string_view id)
      : GridWorld({.id = id,
                   .size = {19, 19},
                   .max_steps = 190,
                   .task =
                       "Six rooms with doors of six colours lie along a corridor. One is locked "
                       "and holds the goal; its key lies in another, and the mission says which "
                       "rooms these are."}) {}

 private:
  struct Room {
    Cell top;
    Cell door;
    Colour colour = Colour::kRed;
  };

  void build() override {
    wall_rectangle({0, 0}, {width(), height()});
    const int left = width() / 2 - 2;
    const int right = width() / 2 + 2;
    vertical_wall({left, 0});
    vertical_wall({right, 0});
    std::vector<Room> rooms;
    for (int top = 0; top < height() - 1; top += height() / 3) {
      horizontal_wall({0, top}, left);
      horizontal_wall({right, top});
      rooms.push_back({{0, top}, {left, top + 3}});
      rooms.push_back({{right, top}, {right, top + 3}});
    }
    const std::size_t locked = random().choice(rooms.size());
    set(draw_inside(rooms[locked], left), kGoal);
    std::vector<Colour> colours(kColours.begin(), kColours.end());
    for (std::size_t i = 0; i < rooms.size(); ++i) {
      rooms[i].colour = draw_from(colours);
      std::erase(colours, rooms[i].colour);
      set(rooms[i].door,
          door(rooms[i].colour, i == locked ? DoorState::kLocked : DoorState::kClosed));
    }
    std::size_t key_room = locked;
    while (key_room == locked) key_room = random().choice(rooms.size());
    set(draw_inside(rooms[key_room], left), object(Kind::kKey, rooms[locked].colour));
    place_agent({left, 0}, {right - left, height()});
    say(fmt::format("get the {0} key from the {1} room, unlock the {0} door and go to the goal",
                    name(rooms[locked].colour), name(rooms[key_room].colour)));
  }

  // A cell within the walls of a room that is `left` + 1 wide.
  Cell draw_inside(const Room& room, int left) {
    const int x = draw(room.top.x + 1, room.top.x + left);
    return {x, draw(room.top.y + 1, room.top.y + height() / 3)};
  }
};

class MultiRoom final : public GridWorld {
 public:
  MultiRoom(std::string_view id, int rooms, int max_room_size)
      : GridWorld({.id = id,
                   .size = {25, 25},
                   .max_steps = 20 * rooms,
                   .task =
                       "A chain of rooms with closed doors between them; the goal is in the last "
                       "room."}),
        rooms_(rooms),
        max_room_size_(max_room_size) {}

 private:
  struct Room {
    Cell top;
    Cell size;
    Cell entry;
  };

  void build() override {
    const std::vector<Room> chain = draw_chain();
    std::optional<Colour> last;
    for (std::size_t i = 0; i < chain.size(); ++i) {
      wall_rectangle(chain[i].top, chain[i].size);
      if (i == 0) continue;
      std::vector<Colour> colours(kColours.begin(), kColours.end());
      if (last) std::erase(colours, *last);
      last = draw_from(colours);
      set(chain[i].entry, door(*last));
    }
    place_agent(chain.front().top, chain.front().size);
    place(kGoal, chain.back().top, chain.back().size);
    say("traverse the rooms to get to the goal");
  }

  // Tries chains until one is long enough; the longest is kept.
  std::vector<Room> draw_chain() {
    std::vector<Room> longest;
    const int wanted = draw(rooms_, rooms_ + 1);
    while (static_cast<int>(longest.size()) < wanted) {
      std::vector<Room> chain;
      const int x = draw(0, width() - 2);
      const Cell entry{x, draw(0, width() - 2)};
      extend(chain, wanted, 2, entry);
      if (chain.size() > longest.size()) longest = std::move(chain);
    }
    return longest;
  }

  // Adds a room with its entry on `wall` (0 right, 1 bottom, 2 left, 3 top) and, behind it, the
  // `left` − 1 others. False: the room does not fit.
  bool extend(std::vector<Room>& chain, int left, int wall, Cell entry) {
    const int size_x = draw(4, max_room_size_ + 1);
    const Cell size{size_x, draw(4, max_room_size_ + 1)};
    const Cell top = chain.empty() ? entry : draw_top(size, wall, entry);
    if (!fits(chain, top, size)) return false;
    chain.push_back({top, size, entry});
    if (left == 1) return true;
    for (int tries = 0; tries < 8; ++tries) {
      std::vector<int> walls{0, 1, 2, 3};
      std::erase(walls, wall);
      const int exit_wall = draw_from(walls);
      const Cell exit = draw_exit(top, size, exit_wall);
      if (extend(chain, left - 1, (exit_wall + 2) % 4, exit)) break;
    }
    return true;
  }

  Cell draw_top(Cell size, int wall, Cell entry) {
    switch (wall) {
      case 0:
        return {entry.x - size.x + 1, draw(entry.y - size.y + 2, entry.y)};
      case 1:
        return {draw(entry.x - size.x + 2, entry.x), entry.y - size.y + 1};
      case 2:
        return {entry.x, draw(entry.y - size.y + 2, entry.y)};
      default:
        return {draw(entry.x - size.x + 2, entry.x), entry.y};
    }
  }

  Cell draw_exit(Cell top, Cell size, int wall) {
    switch (wall) {
      case 0:
        return {top.x + size.x - 1, top.y + draw(1, size.y - 1)};
      case 1:
        return {top.x + draw(1, size.x - 1), top.y + size.y - 1};
      case 2:
        return {top.x, top.y + draw(1, size.y - 1)};
      default:
        return {top.x + draw(1, size.x - 1), top.y};
    }
  }

  // In the grid, and apart from all rooms but the last. The comparisons are those of the original,
  // which are not alike for the four sides.
  bool fits(const std::vector<Room>& chain, Cell top, Cell size) const {
    if (top.x < 0 || top.y < 0) return false;
    if (top.x + size.x > width() || top.y + size.y >= height()) return false;
    for (std::size_t i = 0; i + 1 < chain.size(); ++i) {
      const Room& room = chain[i];
      const bool apart = top.x + size.x < room.top.x || room.top.x + room.size.x <= top.x ||
                         top.y + size.y < room.top.y || room.top.y + room.size.y <= top.y;
      if (!apart) return false;
    }
    return true;
  }

  int rooms_;
  int max_room_size_;
};

class Memory final : public GridWorld {
 public:
  Memory(std::string_view id, int side, bool random_length)
      : GridWorld({.id = id,
                   .size = {side, side},
                   .max_steps = 5 * side * side,
                   .task =
                       "Look at the object in the small room on the left, then walk down the "
                       "hallway to its end and step beside the object that is like it: one lies "
                       "above, one below. The wrong one ends the episode without pay. Picking up "
                       "does nothing."}),
        random_length_(random_length) {}

 private:
  void build() override {
    wall_rectangle({0, 0}, {width(), height()});
    const int middle = height() / 2;
    const int end = random_length_ ? draw(4, width() - 2) : width() - 3;
    horizontal_wall({1, middle - 2}, 4);
    horizontal_wall({1, middle + 2}, 4);
    set({4, middle - 1}, kWall);
    set({4, middle + 1}, kWall);
    for (int x = 5; x < end; ++x) {
      set({x, middle - 1}, kWall);
      set({x, middle + 1}, kWall);
    }
    vertical_wall({end + 2, 0});
    for (int y = 0; y < height(); ++y) {
      if (y != middle) set({end, y}, kWall);
    }
    put_agent({draw(1, end + 1), middle}, 0);
    const Kind shown = draw(0, 2) == 0 ? Kind::kKey : Kind::kBall;
    set({1, middle - 1}, object(shown, Colour::kGreen));
    const Kind upper = draw(0, 2) == 0 ? Kind::kBall : Kind::kKey;
    set({end + 1, middle - 2}, object(upper, Colour::kGreen));
    set({end + 1, middle + 2},
        object(upper == Kind::kKey ? Kind::kBall : Kind::kKey, Colour::kGreen));
    success_ = {end + 1, middle - 1};
    failure_ = {end + 1, middle + 1};
    if (shown != upper) std::swap(success_, failure_);
    say("go to the matching object at the end of the hallway");
  }

  void play(int action, Transition& out) override {
    GridWorld::play(action == kPickUp ? kToggle : action, out);
    if (agent() == success_) succeed(out);
    if (agent() == failure_) fail(out);
  }

  bool random_length_;
  Cell success_;
  Cell failure_;
};

constexpr std::array kEntries{
    CatalogEntry{"MiniGrid-DistShift1-v0", make_world<DistShift, 2>},
    CatalogEntry{"MiniGrid-DistShift2-v0", make_world<DistShift, 5>},
    CatalogEntry{"MiniGrid-DoorKey-5x5-v0", make_world<DoorKey, 5>},
    CatalogEntry{"MiniGrid-DoorKey-6x6-v0", make_world<DoorKey, 6>},
    CatalogEntry{"MiniGrid-DoorKey-8x8-v0", make_world<DoorKey, 8>},
    CatalogEntry{"MiniGrid-DoorKey-16x16-v0", make_world<DoorKey, 16>},
    CatalogEntry{"MiniGrid-Dynamic-Obstacles-5x5-v0", make_world<DynamicObstacles, 5, 2, false>},
    CatalogEntry{"MiniGrid-Dynamic-Obstacles-6x6-v0", make_world<DynamicObstacles, 6, 3, false>},
    CatalogEntry{"MiniGrid-Dynamic-Obstacles-8x8-v0", make_world<DynamicObstacles, 8, 4, false>},
    CatalogEntry{"MiniGrid-Dynamic-Obstacles-16x16-v0", make_world<DynamicObstacles, 16, 8, false>},
    CatalogEntry{"MiniGrid-Dynamic-Obstacles-Random-5x5-v0",
                 make_world<DynamicObstacles, 5, 2, true>},
    CatalogEntry{"MiniGrid-Dynamic-Obstacles-Random-6x6-v0",
                 make_world<DynamicObstacles, 6, 3, true>},
    CatalogEntry{"MiniGrid-Empty-5x5-v0", make_world<Empty, 5, false>},
    CatalogEntry{"MiniGrid-Empty-6x6-v0", make_world<Empty, 6, false>},
    CatalogEntry{"MiniGrid-Empty-8x8-v0", make_world<Empty, 8, false>},
    CatalogEntry{"MiniGrid-Empty-16x16-v0", make_world<Empty, 16, false>},
    CatalogEntry{"MiniGrid-Empty-Random-5x5-v0", make_world<Empty, 5, true>},
    CatalogEntry{"MiniGrid-Empty-Random-6x6-v0", make_world<Empty, 6, true>},
    CatalogEntry{"MiniGrid-FourRooms-v0", make_world<FourRooms>},
    CatalogEntry{"MiniGrid-LavaCrossingS9N1-v0", make_world<Crossing, 9, 1, true>},
    CatalogEntry{"MiniGrid-LavaCrossingS9N2-v0", make_world<Crossing, 9, 2, true>},
    CatalogEntry{"MiniGrid-LavaCrossingS9N3-v0", make_world<Crossing, 9, 3, true>},
    CatalogEntry{"MiniGrid-LavaCrossingS11N5-v0", make_world<Crossing, 11, 5, true>},
    CatalogEntry{"MiniGrid-LavaGapS5-v0", make_world<LavaGap, 5>},
    CatalogEntry{"MiniGrid-LavaGapS6-v0", make_world<LavaGap, 6>},
    CatalogEntry{"MiniGrid-LavaGapS7-v0", make_world<LavaGap, 7>},
    CatalogEntry{"MiniGrid-LockedRoom-v0", make_world<LockedRoom>},
    CatalogEntry{"MiniGrid-MemoryS7-v0", make_world<Memory, 7, false>},
    CatalogEntry{"MiniGrid-MemoryS9-v0", make_world<Memory, 9, false>},
    CatalogEntry{"MiniGrid-MemoryS11-v0", make_world<Memory, 11, false>},
    CatalogEntry{"MiniGrid-MemoryS13-v0", make_world<Memory, 13, false>},
    CatalogEntry{"MiniGrid-MemoryS13Random-v0", make_world<Memory, 13, true>},
    CatalogEntry{"MiniGrid-MemoryS17Random-v0", make_world<Memory, 17, true>},
    CatalogEntry{"MiniGrid-MultiRoom-N2-S4-v0", make_world<MultiRoom, 2, 4>},
    CatalogEntry{"MiniGrid-MultiRoom-N4-S5-v0",
                 make_world<MultiRoom, 6, 5>},  // six, whatever it says
    CatalogEntry{"MiniGrid-MultiRoom-N4-S5-v1", make_world<MultiRoom, 4, 5>},
    CatalogEntry{"MiniGrid-MultiRoom-N6-v0", make_world<MultiRoom, 6, 10>},
    CatalogEntry{"MiniGrid-SimpleCrossingS9N1-v0", make_world<Crossing, 9, 1, false>},
    CatalogEntry{"MiniGrid-SimpleCrossingS9N2-v0", make_world<Crossing, 9, 2, false>},
    CatalogEntry{"MiniGrid-SimpleCrossingS9N3-v0", make_world<Crossing, 9, 3, false>},
    CatalogEntry{"MiniGrid-SimpleCrossingS11N5-v0", make_world<Crossing, 11, 5, false>},
};

}  // namespace

std::span<const CatalogEntry> goal_entries() { return kEntries; }

}  // namespace redqueen::arena::minigrid
