// The world of MiniGrid 3.1.0: a grid of objects, an agent that turns, walks, carries and opens,
// and a view of 7 × 7 cells in front of it. M. Chevalier-Boisvert et al., "Minigrid & Miniworld"
// (2023).
#pragma once

#include <array>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/arena/environments/native_simulator.h"

namespace redqueen::arena::minigrid {

// The numbers are those of the observation.
enum class Kind : std::uint8_t {
  kUnseen = 0,
  kEmpty = 1,
  kWall = 2,
  kFloor = 3,
  kDoor = 4,
  kKey = 5,
  kBall = 6,
  kBox = 7,
  kGoal = 8,
  kLava = 9,
};
enum class Colour : std::uint8_t { kRed, kGreen, kBlue, kPurple, kYellow, kGrey };
enum class DoorState : std::uint8_t { kOpen, kClosed, kLocked };

std::string_view name(Kind kind);
std::string_view name(Colour colour);

// In the order in which MiniGrid draws them: that of their names.
inline constexpr std::array kColours{Colour::kBlue,   Colour::kGreen, Colour::kGrey,
                                     Colour::kPurple, Colour::kRed,   Colour::kYellow};

// The content of a cell; kEmpty: nothing.
struct Item {
  Kind kind = Kind::kEmpty;
  Colour colour = Colour::kRed;
  DoorState door = DoorState::kOpen;
  std::uint8_t mark = 0;  // tells an object from others that look alike, where a task needs that
  Kind inside = Kind::kEmpty;  // of a box
  Colour inside_colour = Colour::kRed;

  bool empty() const { return kind == Kind::kEmpty; }
  bool is_opaque() const {
    return kind == Kind::kWall || (kind == Kind::kDoor && door != DoorState::kOpen);
  }
  bool can_overlap() const {
    return kind == Kind::kGoal || kind == Kind::kFloor || kind == Kind::kLava ||
           (kind == Kind::kDoor && door == DoorState::kOpen);
  }
  bool can_pick_up() const {
    return kind == Kind::kKey || kind == Kind::kBall || kind == Kind::kBox;
  }
};

inline constexpr Item kNothing{};
inline constexpr Item kWall{.kind = Kind::kWall, .colour = Colour::kGrey};
inline constexpr Item kGoal{.kind = Kind::kGoal, .colour = Colour::kGreen};
inline constexpr Item kLava{.kind = Kind::kLava, .colour = Colour::kRed};
inline Item object(Kind kind, Colour colour) { return {.kind = kind, .colour = colour}; }
inline Item door(Colour colour, DoorState state = DoorState::kClosed) {
  return {.kind = Kind::kDoor, .colour = colour, .door = state};
}

// A cell, or the size of a part of the grid; x counts columns from the left, y rows from the top.
struct Cell {
  int x = 0;
  int y = 0;
  bool operator==(const Cell&) const = default;
};

enum GridAction { kLeft, kRight, kForward, kPickUp, kDrop, kToggle, kDone };

// The settings that tell one MiniGrid environment from another before it is built.
struct WorldSettings {
  std::string_view id;
  Cell size;
  int max_steps = 100;
  bool see_through_walls = false;
  std::string_view task;  // for the agent, one or two sentences
  int actions = 7;        // the first so many
};

// A world that is built anew at every reset. Derived classes build it with the draws of the
// original, in its order, and pay for what the goal does not pay for.
class GridWorld : public NativeSimulator {
 public:
  explicit GridWorld(const WorldSettings& settings);

 protected:
  // Fills the grid, places the agent, says the mission. All cells are empty, nothing is carried,
  // the agent is nowhere.
  virtual void build() = 0;

  // One action. This one turns, walks, carries and opens; it ends at a goal, which pays, and in
  // lava.
  virtual void play(int action, Transition& out);

  // 1 at once, down to 0.1 at the last step.
  double success_reward() const { return 1 - 0.9 * (static_cast<double>(steps()) / max_steps_); }
  void succeed(Transition& out) const {
    out.reward = success_reward();
    out.terminated = true;
  }
  void fail(Transition& out) const {
    out.reward = 0;
    out.terminated = true;
  }

  int width() const { return width_; }
  int height() const { return height_; }
  // Returns the content of a cell; cells outside of the grid are walls.
  const Item& at(Cell cell) const;
  void set(Cell cell, const Item& item);

  // `length` cells from a cell on, to the right or down; -1: as far as the grid goes.
  void horizontal_wall(Cell from, int length = -1, const Item& item = kWall);
  void vertical_wall(Cell from, int length = -1, const Item& item = kWall);
  void wall_rectangle(Cell top, Cell size);

  // Draws.
  int draw(int low, int high) { return static_cast<int>(random().integers(low, high)); }
  template <typename List>
  auto draw_from(const List& list) {
    return list[static_cast<std::size_t>(draw(0, static_cast<int>(list.size())))];
  }
  Colour draw_colour() { return draw_from(kColours); }

  // Puts an item into a drawn empty cell of the part of the grid that begins at `top` (all of it by
  // default), not where the agent is nor where `reject` says so. nullopt after max_tries misses.
  using Reject = std::function<bool(Cell)>;
  std::optional<Cell> try_place(const Item& item, Cell top, Cell size, const Reject& reject,
                                int max_tries);
  // Calls try_place() until it succeeds.
  Cell place(const Item& item, Cell top = {}, Cell size = kWhole, const Reject& reject = nullptr) {
    return *try_place(item, top, size, reject, std::numeric_limits<int>::max());
  }
  static constexpr Cell kWhole{1 << 20, 1 << 20};

  // Puts the agent into a drawn empty cell and turns it in a drawn direction.
  void place_agent(Cell top = {}, Cell size = kWhole);
  void put_agent(Cell cell, int direction) {
    agent_ = cell;
    direction_ = direction;
  }
  Cell agent() const { return agent_; }
  Cell front() const;
  const Item& carried() const { return carried_; }

  void say(std::string mission) { mission_ = std::move(mission); }

 private:
  void start(Value& observation) final;
  void advance(const Value& action, Transition& out) final;
  void observe(Value& observation) const;
  void toggle(Cell cell);

  int width_;
  int height_;
  int max_steps_;
  bool see_through_walls_;
  std::vector<Item> cells_;  // [height][width]
  Cell agent_{-1, -1};
  int direction_ = 0;  // 0 right, 1 down, 2 left, 3 up
  Item carried_;
  std::string mission_;
};

// True if two cells share a side.
bool are_neighbours(Cell a, Cell b);

// "red ball".
std::string describe(const Item& item);

// For tables of CatalogEntry: makes World(id, parameters…).
template <typename World, auto... Parameters>
Expected<std::unique_ptr<Simulator>> make_world(std::string_view id, const SimulatorSettings&) {
  return std::make_unique<World>(id, Parameters...);
}

}  // namespace redqueen::arena::minigrid
