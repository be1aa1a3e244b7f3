// Gymnasium's Toy Text, version 1.3.0.
#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "redqueen/arena/environments/catalog.h"
#include "redqueen/arena/environments/native_simulator.h"

namespace redqueen::arena {
namespace {

// What an action may lead to.
struct Outcome {
  double probability = 1;
  int state = 0;
  double reward = 0;
  bool terminated = false;
};

// The outcomes of a state and an action, at most three.
struct Outcomes {
  std::array<Outcome, 3> list{};
  std::size_t size = 0;

  void add(const Outcome& outcome) { list[size++] = outcome; }
};

// The index that Gymnasium's categorical_sample takes: the first whose cumulated probability
// exceeds a draw, and 0 where rounding leaves none.
template <typename Probability>
std::size_t categorical_sample(std::size_t size, Probability&& probability, NumpyRandom& random) {
  const double draw = random.random();
  double sum = 0;
  for (std::size_t i = 0; i < size; ++i) {
    sum += probability(i);
    if (sum > draw) return i;
  }
  return 0;
}

// An environment whose whole dynamics is a table: states and actions are integers. Only what is
// asked for is computed.
class TableSimulator : public NativeSimulator {
 public:
  using NativeSimulator::NativeSimulator;

  Json info() const override { return Json{{"prob", probability_}}; }

 protected:
  virtual int first_state(NumpyRandom& random) = 0;
  virtual Outcomes outcomes(int state, int action) const = 0;

  int state() const { return state_; }
  double probability() const { return probability_; }

 private:
  void start(Value& observation) final {
    state_ = first_state(random());
    probability_ = 1;
    observation.form = std::int64_t{state_};
  }

  void advance(const Value& action, Transition& out) final {
    const Outcomes all = outcomes(state_, static_cast<int>(std::get<std::int64_t>(action.form)));
    const auto probability = [&](std::size_t i) { return all.list[i].probability; };
    const Outcome& outcome = all.list[categorical_sample(all.size, probability, random())];
    state_ = outcome.state;
    probability_ = outcome.probability;
    out.reward = outcome.reward;
    out.terminated = outcome.terminated;
    out.observation.form = std::int64_t{state_};
  }

  int state_ = 0;
  double probability_ = 1;
};

SimulatorCard table_card(std::string_view id, int states, int actions, int max_episode_steps) {
  return {.id = std::string(id),
          .observation_space = {Discrete{.n = states}},
          .action_space = {Discrete{.n = actions}},
          .max_episode_steps = max_episode_steps,
          .versions = {{"gymnasium", "1.3.0"}}};
}

// Gymnasium sets no limit here; a run needs one.
constexpr int kNoLimit = 1000;

// ------------------------------------------------------------------------------------------------
// FrozenLake.

constexpr std::string_view kLake4 =
    "SFFF"
    "FHFH"
    "FFFH"
    "HFFG";
constexpr std::string_view kLake8 =
    "SFFFFFFF"
    "FFFFFFFF"
    "FFFHFFFF"
    "FFFFFHFF"
    "FFFHFFFF"
    "FHHFFFHF"
    "FHFFHFHF"
    "FFFHFFFG";

class FrozenLake final : public TableSimulator {
 public:
  // `map` is a square of cells, row by row: Start, Frozen, Hole, Goal.
  FrozenLake(SimulatorCard card, std::string_view map)
      : TableSimulator(std::move(card)), map_(map) {
    while (side_ * side_ < static_cast<int>(map.size())) ++side_;
  }

 private:
  int first_state(NumpyRandom& random) override {
    random.random();  // there is one start; Gymnasium draws all the same
    return 0;
  }

  Outcomes outcomes(int state, int action) const override {
    Outcomes all;
    if (is_end(state)) {
      all.add({.state = state, .terminated = true});
      return all;
    }
    constexpr double kStraight = 1.0 / 3.0;
    constexpr double kAside = (1.0 - kStraight) / 2.0;
    for (const int turn : {3, 0, 1}) {
      const int next = moved(state, (action + turn) % 4);
      all.add({.probability = turn == 0 ? kStraight : kAside,
               .state = next,
               .reward = map_[static_cast<std::size_t>(next)] == 'G' ? 1.0 : 0.0,
               .terminated = is_end(next)});
    }
    return all;
  }

  bool is_end(int state) const {
    const char letter = map_[static_cast<std::size_t>(state)];
    return letter == 'G' || letter == 'H';
  }

  // Where a move without slipping leads; 0 left, 1 down, 2 right, 3 up.
  int moved(int state, int direction) const {
    int row = state / side_;
    int column = state % side_;
    if (direction == 0) column = std::max(column - 1, 0);
    if (direction == 1) row = std::min(row + 1, side_ - 1);
    if (direction == 2) column = std::min(column + 1, side_ - 1);
    if (direction == 3) row = std::max(row - 1, 0);
    return row * side_ + column;
  }

  std::string_view map_;
  int side_ = 1;
};

Expected<std::unique_ptr<Simulator>> make_frozen_lake(std::string_view id,
                                                      const SimulatorSettings&) {
  const bool large = id == "FrozenLake8x8-v1";
  const std::string_view map = large ? kLake8 : kLake4;
  SimulatorCard card = table_card(id, static_cast<int>(map.size()), 4, large ? 200 : 100);
  const int side = large ? 8 : 4;
  card.description = fmt::format(
      "Cross a frozen lake of {0} x {0} cells from the first cell to the last without falling into "
      "a "
      "hole. Actions: 0 left, 1 down, 2 right, 3 up; but the ice is slippery: with a third each "
      "you go "
      "where you want, or to one of the two sides. The observation is row * {0} + column. Reaching "
      "the "
      "goal pays 1, everything else 0; goal and holes end the episode. The map, row by row (S "
      "start, F "
      "frozen, H hole, G goal):",
      side);
  for (int row = 0; row < side; ++row) {
    card.description += ' ';
    card.description +=
        map.substr(static_cast<std::size_t>(row * side), static_cast<std::size_t>(side));
  }
  card.description += '.';
  return std::make_unique<FrozenLake>(std::move(card), map);
}

// ------------------------------------------------------------------------------------------------
// CliffWalking: R. S. Sutton and A. G. Barto, "Reinforcement Learning: An Introduction", example
// 6.6.

class CliffWalking final : public TableSimulator {
 public:
  CliffWalking(SimulatorCard card, bool slippery)
      : TableSimulator(std::move(card)), slippery_(slippery) {}

 private:
  static constexpr int kRows = 4;
  static constexpr int kColumns = 12;
  static constexpr int kStart = (kRows - 1) * kColumns;
  static constexpr int kGoal = kRows * kColumns - 1;

  int first_state(NumpyRandom& random) override {
    random.random();
    return kStart;
  }

  Outcomes outcomes(int state, int action) const override {
    Outcomes all;
    if (!slippery_) {
      all.add(moved(state, action, 1));
      return all;
    }
    for (const int turn : {3, 0, 1}) all.add(moved(state, (action + turn) % 4, 1.0 / 3));
    return all;
  }

  // 0 up, 1 right, 2 down, 3 left.
  static Outcome moved(int state, int direction, double probability) {
    constexpr std::array<int, 4> kDown{-1, 0, 1, 0};
    constexpr std::array<int, 4> kRight{0, 1, 0, -1};
    const auto index = static_cast<std::size_t>(direction);
    const int row = std::clamp(state / kColumns + kDown[index], 0, kRows - 1);
    const int column = std::clamp(state % kColumns + kRight[index], 0, kColumns - 1);
    const int next = row * kColumns + column;
    const bool fell = next > kStart && next < kGoal;
    return {.probability = probability,
            .state = fell ? kStart : next,
            .reward = fell ? -100.0 : -1.0,
            .terminated = next == kGoal};
  }

  bool slippery_;
};

Expected<std::unique_ptr<Simulator>> make_cliff_walking(std::string_view id,
                                                        const SimulatorSettings&) {
  const bool slippery = id == "CliffWalkingSlippery-v1";
  SimulatorCard card = table_card(id, 48, 4, kNoLimit);
  card.description =
      "Walk over a field of 4 rows and 12 columns from the bottom left cell to the bottom right "
      "one. "
      "Between them, along the bottom row, is a cliff: who steps there pays 100 and starts again. "
      "Every other step costs 1. Actions: 0 up, 1 right, 2 down, 3 left; walls stop you. The "
      "observation is row * 12 + column; the goal, 47, ends the episode.";
  if (slippery) {
    card.description +=
        " The ground is slippery: with a third each you go where you want, or to one of the two "
        "sides.";
  }
  return std::make_unique<CliffWalking>(std::move(card), slippery);
}

// ------------------------------------------------------------------------------------------------
// Taxi: T. G. Dietterich, "Hierarchical Reinforcement Learning with the MAXQ Value Function
// Decomposition" (2000).

class Taxi final : public TableSimulator {
 public:
  using TableSimulator::TableSimulator;

  Json info() const override {
    return Json{{"prob", probability()}, {"action_mask", action_mask(Cab::of(state()))}};
  }

 private:
  static constexpr int kSide = 5;
  static constexpr int kInside = 4;  // where the passenger is, besides the four places
  // Columns between which, in each row, a wall stands: bit c is the wall to the right of column c.
  static constexpr std::array<int, kSide> kWalls{0b00010, 0b00010, 0b00000, 0b00101, 0b00101};

  struct Cell {
    int row = 0;
    int column = 0;
    bool operator==(const Cell&) const = default;
  };
  static constexpr std::array<Cell, 4> kPlaces{Cell{0, 0}, Cell{0, 4}, Cell{4, 0}, Cell{4, 3}};

  // A state, taken apart.
  struct Cab {
    Cell cell;
    int passenger = 0;
    int destination = 0;

    static Cab of(int state) { return {{state / 100, state / 20 % 5}, state / 4 % 5, state % 4}; }
    int state() const { return ((cell.row * 5 + cell.column) * 5 + passenger) * 4 + destination; }
  };

  static std::optional<int> place_at(const Cell& cell) {
    const auto found = std::ranges::find(kPlaces, cell);
    if (found == kPlaces.end()) return std::nullopt;
    return static_cast<int>(found - kPlaces.begin());
  }

  static bool wall_right_of(int row, int column) {
    return column < 0 || column == kSide - 1 ||
           ((kWalls[static_cast<std::size_t>(row)] >> column) & 1) != 0;
  }

  int first_state(NumpyRandom& random) override {
    const auto probability = [](std::size_t state) {
      const Cab cab = Cab::of(static_cast<int>(state));
      return cab.passenger < kInside && cab.passenger != cab.destination ? 1.0 / 300 : 0.0;
    };
    return static_cast<int>(categorical_sample(500, probability, random));
  }

  Outcomes outcomes(int state, int action) const override {
    Cab cab = Cab::of(state);
    Outcome outcome{.reward = -1};
    if (action < 4) {
      drive(cab.cell, action);
    } else if (action == 4) {
      const bool here = cab.passenger < kInside && place_at(cab.cell) == cab.passenger;
      if (here) cab.passenger = kInside;
      if (!here) outcome.reward = -10;
    } else {
      set_down(cab, outcome);
    }
    outcome.state = cab.state();
    Outcomes all;
    all.add(outcome);
    return all;
  }

  // 0 south, 1 north, 2 east, 3 west.
  static void drive(Cell& cell, int direction) {
    if (direction == 0) cell.row = std::min(cell.row + 1, kSide - 1);
    if (direction == 1) cell.row = std::max(cell.row - 1, 0);
    if (direction == 2 && !wall_right_of(cell.row, cell.column)) ++cell.column;
    if (direction == 3 && !wall_right_of(cell.row, cell.column - 1)) --cell.column;
  }

  static void set_down(Cab& cab, Outcome& outcome) {
    const auto place = place_at(cab.cell);
    if (cab.passenger != kInside || !place) {
      outcome.reward = -10;
      return;
    }
    cab.passenger = *place;
    if (*place == cab.destination) {
      outcome.reward = 20;
      outcome.terminated = true;
    }
  }

  // 1 for each action that would change something.
  static std::array<int, 6> action_mask(const Cab& cab) {
    const bool inside = cab.passenger == kInside;
    const auto place = place_at(cab.cell);
    return {cab.cell.row<kSide - 1, cab.cell.row> 0, !wall_right_of(cab.cell.row, cab.cell.column),
            !wall_right_of(cab.cell.row, cab.cell.column - 1), !inside && place == cab.passenger,
            inside && place.has_value()};
  }
};

Expected<std::unique_ptr<Simulator>> make_taxi(std::string_view id, const SimulatorSettings&) {
  SimulatorCard card = table_card(id, 500, 6, 200);
  card.description =
      "Drive a taxi over a field of 5 rows and 5 columns: fetch the passenger at one of four "
      "places "
      "and set them down at another. Actions: 0 south, 1 north, 2 east, 3 west, 4 pick up, 5 set "
      "down. The observation is ((row * 5 + column) * 5 + passenger) * 4 + destination. The places "
      "are 0 at row 0, column 0; 1 at row 0, column 4; 2 at row 4, column 0; 3 at row 4, column 3; "
      "passenger 4 is in the taxi. Walls stand between columns 1 and 2 in rows 0 and 1, and "
      "between "
      "columns 0 and 1 and columns 2 and 3 in rows 3 and 4. A step costs 1, a wrong pick up or set "
      "down 10; setting down at the destination pays 20 and ends the episode.";
  return std::make_unique<Taxi>(std::move(card));
}

// ------------------------------------------------------------------------------------------------
// Blackjack: Sutton and Barto, example 5.1, by the book's rules (`sab=True`, as the id registers
// it).

// A hand of cards; 1 is an ace.
class Hand {
 public:
  void add(int card) {
    sum_ += card;
    aces_ += card == 1;
    cards_ += 1;
    if (cards_ == 1) first_ = card;
  }
  bool has_usable_ace() const { return aces_ > 0 && sum_ + 10 <= 21; }
  int sum() const { return has_usable_ace() ? sum_ + 10 : sum_; }
  bool is_bust() const { return sum() > 21; }
  int score() const { return is_bust() ? 0 : sum(); }
  bool is_natural() const { return cards_ == 2 && aces_ == 1 && sum_ == 11; }
  int first() const { return first_; }

 private:
  int sum_ = 0;
  int aces_ = 0;
  int cards_ = 0;
  int first_ = 0;
};

class Blackjack final : public NativeSimulator {
 public:
  using NativeSimulator::NativeSimulator;

 private:
  void start(Value& observation) override {
    dealer_ = Hand();
    player_ = Hand();
    for (Hand* hand : {&dealer_, &player_}) {
      hand->add(draw_card());
      hand->add(draw_card());
    }
    random().choice(4);                             // the suit that is drawn on the screen
    if (dealer_.first() == 10) random().choice(3);  // and the face
    write(observation);
  }

  void advance(const Value& action, Transition& out) override {
    if (std::get<std::int64_t>(action.form) == 1) {
      player_.add(draw_card());
      out.terminated = player_.is_bust();
      out.reward = player_.is_bust() ? -1 : 0;
    } else {
      while (dealer_.sum() < 17) dealer_.add(draw_card());
      out.terminated = true;
      out.reward = (player_.score() > dealer_.score()) - (player_.score() < dealer_.score());
      if (player_.is_natural() && !dealer_.is_natural()) out.reward = 1;
    }
    write(out.observation);
  }

  int draw_card() { return std::min(static_cast<int>(random().choice(13)) + 1, 10); }

  void write(Value& observation) const {
    auto& parts = std::get<Value::Tuple>(observation.form);
    parts[0].form = std::int64_t{player_.sum()};
    parts[1].form = std::int64_t{dealer_.first()};
    parts[2].form = std::int64_t{player_.has_usable_ace()};
  }

  Hand dealer_;
  Hand player_;
};

Expected<std::unique_ptr<Simulator>> make_blackjack(std::string_view id, const SimulatorSettings&) {
  SimulatorCard card = table_card(id, 1, 2, kNoLimit);
  card.description =
      "Draw cards to come closer to 21 than the dealer, and not beyond. Jack, queen and king count "
      "10, an ace 11 where that does not exceed 21 and 1 otherwise; cards are drawn with "
      "replacement. "
      "Actions: 0 stick, 1 draw. The observation: your sum, the dealer's open card (1 is an ace), "
      "and 1 if you hold an ace that counts 11. When you stick, the dealer draws up to 17. A win "
      "pays "
      "1, a loss -1, a draw 0; an ace with a 10 at the start beats all but the dealer's own.";
  card.observation_space = {
      TupleSpace{{Space{Discrete{.n = 32}}, Space{Discrete{.n = 11}}, Space{Discrete{.n = 2}}}}};
  return std::make_unique<Blackjack>(std::move(card));
}

constexpr std::array kEntries{
    CatalogEntry{"Blackjack-v1", make_blackjack},
    CatalogEntry{"CliffWalking-v1", make_cliff_walking},
    CatalogEntry{"CliffWalkingSlippery-v1", make_cliff_walking},
    CatalogEntry{"FrozenLake-v1", make_frozen_lake},
    CatalogEntry{"FrozenLake8x8-v1", make_frozen_lake},
    CatalogEntry{"Taxi-v4", make_taxi},
};

}  // namespace

std::span<const CatalogEntry> toy_text_entries() { return kEntries; }

}  // namespace redqueen::arena
