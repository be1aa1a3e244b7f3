// The native environments beside Gymnasium's own: the same seeds and actions, and every bit of what
// they answer. What cannot be equal is listed in docs/arena-environments.md.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "redqueen/arena/environments/native_simulator.h"
#include "redqueen/base/testing/source_dir.h"

namespace redqueen::arena {
namespace {

constexpr const char* kPython = ".venv/bin/python";

bool has_package(const std::string& name) {
  const std::string command = fmt::format(
      "{} -c 'import importlib.util as u, sys; sys.exit(u.find_spec(\"{}\") is None)' 2>/dev/null",
      kPython, name);
  return std::system(command.c_str()) == 0;
}

// What the oracle writes.
std::string ask_oracle(const std::string& arguments) {
  const std::string command =
      fmt::format("{} redqueen/arena/testdata/gymnasium_oracle.py {}", kPython, arguments);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string out;
  char buffer[1 << 16];
  while (const std::size_t size = std::fread(buffer, 1, sizeof(buffer), pipe.get())) {
    out.append(buffer, size);
  }
  return out;
}

template <typename T>
void append_bytes(const T& number, std::string& out) {
  out.append(reinterpret_cast<const char*>(&number), sizeof(number));
}

// As the oracle's encode().
void encode(const Value& value, std::string& out) {
  if (const auto* text = std::get_if<std::string>(&value.form)) {
    out += *text;
    out += '\0';
  } else if (const auto* array = std::get_if<Array>(&value.form)) {
    out.append(reinterpret_cast<const char*>(array->bytes.data()), array->bytes.size());
  } else if (const auto* dict = std::get_if<Value::Dict>(&value.form)) {
    for (const auto& [key, part] : *dict) encode(part, out);
  } else if (const auto* tuple = std::get_if<Value::Tuple>(&value.form)) {
    for (const Value& part : *tuple) encode(part, out);
  } else {
    append_bytes(std::get<std::int64_t>(value.form), out);
  }
}

Value draw_action(const Space& space, NumpyRandom& random) {
  if (const auto* discrete = std::get_if<Discrete>(&space.form)) {
    if (random.random() < 0.3 && discrete->n > 2) return Value{std::int64_t{2}};
    return Value{random.integers(0, discrete->n)};
  }
  const auto& box = std::get<Box>(space.form);
  const double reach = 1.3 * box.high.front();
  Array array = Array::zeros(box.type, box.shape);
  for (float& number : array.elements<float>()) {
    number = static_cast<float>(random.uniform(-reach, reach));
  }
  return Value{std::move(array)};
}

// Takes an action that the oracle wrote from the front of `bytes`.
Value read_action(const Space& space, std::string_view& bytes) {
  Value action = blank(space);
  auto* array = std::get_if<Array>(&action.form);
  void* place = array != nullptr ? static_cast<void*>(array->bytes.data())
                                 : static_cast<void*>(&std::get<std::int64_t>(action.form));
  const std::size_t size = array != nullptr ? array->bytes.size() : sizeof(std::int64_t);
  if (bytes.size() < size) return action;
  std::memcpy(place, bytes.data(), size);
  bytes.remove_prefix(size);
  return action;
}

// An episode: the seed of its reset and the seed of its actions. Those of a heuristic are the
// oracle's to tell.
struct Play {
  std::uint64_t seed = 0;
  std::uint64_t actions = 0;
  bool heuristic = false;
};

// Plays at most `limit` steps with actions of `choose`, and calls `visit` with what the reset and
// every step answer.
template <typename Chooser, typename Visitor>
void play_with(Simulator& simulator, std::uint64_t seed, int limit, Chooser&& choose,
               Visitor&& visit) {
  Transition out;
  ASSERT_TRUE(simulator.reset(seed, out));
  visit(0, out);
  for (int step = 1; step <= limit && !out.done(); ++step) {
    ASSERT_TRUE(simulator.step(choose(), out));
    visit(step, out);
  }
}

// The same, with random actions.
template <typename Visitor>
void play(Simulator& simulator, const Play& play, int limit, Visitor&& visit) {
  NumpyRandom random(play.actions);
  play_with(
      simulator, play.seed, limit,
      [&] { return draw_action(simulator.card().action_space, random); }, visit);
}

// `episodes` plays, and one more that ends with a positive reward if a few thousand tries find one:
// the first ones of a maze never do.
std::vector<Play> choose_plays(Simulator& simulator, int episodes, int limit) {
  std::vector<Play> plays;
  bool paid = false;
  const auto note = [&](int, const Transition& out) { paid = paid || out.reward > 0; };
  for (std::uint64_t e = 0; std::cmp_less(e, episodes); ++e) {
    plays.push_back({7919 * e + 1, e + 5});
    play(simulator, plays.back(), limit, note);
  }
  int steps = 0;
  const auto count = [&](int step, const Transition& out) {
    steps += step > 0;
    note(step, out);
  };
  for (std::uint64_t tries = 0; !paid && steps < 60000; ++tries) {
    const Play candidate{tries, tries + 1000};
    play(simulator, candidate, limit, count);
    if (paid) plays.push_back(candidate);
  }
  return plays;
}

// Plays as the oracle did and compares with its bytes, up to the first difference. Returns the
// number of steps.
int compare(Simulator& simulator, const std::vector<Play>& plays, int limit,
            std::string_view expected) {
  const std::string& id = simulator.card().id;
  std::int64_t own_limit = 0;
  if (expected.size() < sizeof(own_limit)) {
    ADD_FAILURE() << id << ": the oracle says nothing";
    return 0;
  }
  std::memcpy(&own_limit, expected.data(), sizeof(own_limit));
  EXPECT_EQ(simulator.card().max_episode_steps, own_limit > 0 ? own_limit : 1000) << id;
  expected.remove_prefix(sizeof(own_limit));
  int steps = 0;
  bool equal = true;
  std::string bytes;
  for (const Play& episode : plays) {
    const auto visit = [&](int step, const Transition& out) {
      if (!equal) return;
      bytes.clear();
      encode(out.observation, bytes);
      if (step > 0) {
        append_bytes(out.reward, bytes);
        append_bytes(static_cast<char>(out.terminated + 2 * out.truncated), bytes);
        ++steps;
      }
      equal = expected.starts_with(bytes);
      if (equal) {
        expected.remove_prefix(bytes.size());
      } else {
        ADD_FAILURE() << id << " differs in the episode of seed " << episode.seed << " at step "
                      << step << ": reward " << out.reward << ", observation "
                      << dump_json(to_json(out.observation));
      }
    };
    if (episode.heuristic) {
      play_with(
          simulator, episode.seed, limit,
          [&] { return read_action(simulator.card().action_space, expected); }, visit);
    } else {
      play(simulator, episode, limit, visit);
    }
  }
  EXPECT_TRUE(!equal || expected.empty()) << id << ": the oracle plays longer";
  return steps;
}

// Plays `episodes` of every environment, of at most `limit` steps, here and in Gymnasium; and as
// many `heuristic` ones, in which Gymnasium's own heuristic acts. REDQUEEN_ALIGNMENT_EPISODES asks
// for longer runs.
void expect_equal_to_gymnasium(const std::vector<std::string>& ids, int episodes, int limit,
                               int heuristic = 0) {
  if (const char* variable = std::getenv("REDQUEEN_ALIGNMENT_EPISODES")) {
    episodes = std::max(episodes, std::atoi(variable));
    if (heuristic > 0) heuristic = episodes;
  }
  std::vector<std::unique_ptr<Simulator>> simulators;
  std::vector<std::vector<Play>> plays;
  std::string arguments = std::to_string(limit);
  for (const std::string& id : ids) {
    auto simulator = make_simulator(id);
    ASSERT_TRUE(simulator) << simulator.error().message;
    plays.push_back(choose_plays(**simulator, episodes, limit));
    for (std::uint64_t e = 0; std::cmp_less(e, heuristic); ++e) {
      plays.back().push_back({.seed = 31 * e, .heuristic = true});
    }
    simulators.push_back(std::move(*simulator));
    arguments += fmt::format(" {}=", id);
    for (const Play& play : plays.back()) {
      arguments += fmt::format("{}{}:{}", arguments.back() == '=' ? "" : ",", play.seed,
                               play.heuristic ? "h" : std::to_string(play.actions));
    }
  }
  const std::string answer = ask_oracle(arguments);
  std::size_t position = 0;
  int steps = 0;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    std::uint64_t size = 0;
    ASSERT_LE(position + sizeof(size), answer.size()) << "the oracle stopped before " << ids[i];
    std::memcpy(&size, answer.data() + position, sizeof(size));
    position += sizeof(size);
    steps +=
        compare(*simulators[i], plays[i], limit, std::string_view(answer).substr(position, size));
    position += size;
  }
  fmt::print("{} environments, {} steps\n", ids.size(), steps);
}

std::vector<std::string> ids_with(std::string_view prefix) {
  std::vector<std::string> ids;
  for (const std::string_view id : simulator_ids()) {
    if (id.starts_with(prefix)) ids.emplace_back(id);
  }
  return ids;
}

TEST(Alignment, NumpyRandomEqualsNumpy) {
  if (!has_package("numpy")) GTEST_SKIP() << "no Python package numpy in .venv";
  constexpr std::array<std::int64_t, 11> kHighs{2,       7,          1, 100,        3,         16,
                                                1000003, 5000000000, 6, 4294967296, 4294967295};
  for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}}) {
    NumpyRandom random(seed);
    std::string ours;
    const auto hexadecimal = [](double number) {
      // Python's float.hex() writes all digits.
      const bool tiny = number == 0;
      return tiny ? std::string("0x0.0p+0") : fmt::format("{:.13a}", number);
    };
    for (std::size_t i = 0; i < 3000; ++i) {
      const double uniform = random.uniform(-1, 1);
      const std::int64_t integer = random.integers(0, kHighs[i % 11]);
      ours += fmt::format("{} {} {}\n", hexadecimal(uniform), integer,
                          hexadecimal(random.standard_normal()));
      if (i % 5 == 0) {
        std::vector<std::size_t> numbers(i % 40);
        for (std::size_t k = 0; k < numbers.size(); ++k) numbers[k] = k;
        random.shuffle(std::span(numbers));
        ours += fmt::format("{}\n", fmt::join(numbers, " "));
      }
      ours += fmt::format("{}\n", random.choice(1 + i % 13));
    }
    double sum = 0;
    for (int i = 0; i < 200000; ++i) sum += random.standard_normal();
    ours += hexadecimal(sum) + "\n";
    EXPECT_EQ(ours, ask_oracle(fmt::format("--numpy {}", seed))) << seed;
  }
}

TEST(Alignment, ClassicControlAndToyTextEqualGymnasium) {
  if (!has_package("gymnasium")) GTEST_SKIP() << "no Python package gymnasium in .venv";
  expect_equal_to_gymnasium(
      {"CartPole-v1", "Acrobot-v1", "MountainCar-v0", "MountainCarContinuous-v0", "Pendulum-v1",
       "FrozenLake-v1", "FrozenLake8x8-v1", "CliffWalking-v1", "CliffWalkingSlippery-v1", "Taxi-v4",
       "Blackjack-v1"},
      6, 999);
  // Short, but many: the first observations, where Acrobot's are rounded otherwise.
  expect_equal_to_gymnasium({"Acrobot-v1", "Blackjack-v1", "Taxi-v4", "Pendulum-v1"}, 400, 3);
}

TEST(Alignment, MiniGridEqualsMiniGrid) {
  if (!has_package("minigrid")) GTEST_SKIP() << "no Python package minigrid in .venv";
  expect_equal_to_gymnasium(ids_with("MiniGrid"), 2, 120);
}

TEST(Alignment, MujocoEqualsGymnasium) {
  if (!has_package("mujoco") || !has_package("imageio")) {
    GTEST_SKIP() << "no Python package mujoco or imageio in .venv";
  }
  if (const auto ant = make_simulator("Ant-v5"); !ant) {
    ASSERT_THAT(ant.error().message, testing::HasSubstr("built without MuJoCo"));
    GTEST_SKIP() << ant.error().message;
  }
  expect_equal_to_gymnasium({"Ant-v5", "HalfCheetah-v5", "Pusher-v5", "Reacher-v5"}, 5, 300);
}

// Random actions make landers crash and walkers fall; the heuristics land, come to rest and walk.
TEST(Alignment, Box2dEqualsGymnasium) {
  if (ids_with("LunarLander").empty()) {
    GTEST_SKIP() << "built without Box2D: scripts/bootstrap fetches its sources";
  }
  if (!has_package("Box2D")) GTEST_SKIP() << "no Python package box2d in .venv";
  expect_equal_to_gymnasium({"LunarLander-v3", "LunarLanderContinuous-v3", "BipedalWalker-v3",
                             "BipedalWalkerHardcore-v3"},
                            5, 800, 1);
}

}  // namespace
}  // namespace redqueen::arena
