#include <algorithm>
#include <array>
#include <utility>

#include "redqueen/base/format.h"
#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/numbers.h"

namespace redqueen {
namespace {

struct JugPuzzle {
  static constexpr Card card{
      .name = "JugPuzzle",
      .published = true,
      .family = Family::kPuzzles,
      .answer = AnswerKind::kOther,
      .scoring = Scoring::kFeasibility,
      .task =
          "Measure a volume with jugs of given capacities by filling, emptying and pouring over.",
      .levels =
          "From 3 jugs, one more a level, of up to ten times as many litres as there are jugs; the "
          "hidden sequence has 3 to 50 moves. Beyond level 60, nearly every volume is a capacity "
          "or "
          "a difference of two.",
      .rewards = "-1 malformed, -0.5 a jug that is not there, 0 another volume, 1 right.",
      .differences =
          "The volume is never a capacity or the difference of two, so that three moves at least "
          "are needed; in half of the published problems, filling one jug is enough.",
      .max_level = 60,
  };

  static constexpr std::array kSteps{3, 4, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 35, 40, 45, 50};
  static constexpr int kMaxJugs = 1000;
  static constexpr std::int64_t kMaxCapacity = 1'000'000'000;
  static constexpr std::int64_t kLitresPerJug = 10;
  static constexpr int kWalks = 2000;

  struct Config {
    int N = 0;
    int steps = 0;
    REDQUEEN_FIELDS(N, steps)
  };
  struct Problem {
    int N = 0;
    std::vector<std::int64_t> jug_capacities;
    std::int64_t target_volumn = 0;  // the published spelling
    std::string reference_answer;    // moves that reach it
    REDQUEEN_FIELDS(N, jug_capacities, target_volumn, reference_answer)
  };

  enum class Kind { kFill, kEmpty, kPour };
  struct Move {
    Kind kind = Kind::kFill;
    std::int64_t jug = 0;
    std::int64_t into = 0;  // of kPour
  };
  using Answer = std::vector<Move>;

  static Config at_level(int level, Rng& rng) {
    return {.N = 3 + level, .steps = rng.choice(kSteps)};
  }

  // Walks at random; the last new volume that any walk comes to is the target. What is left of the
  // walk after it was met is cut off.
  static Problem generate(const Config& config, Rng& rng) {
    for (int walk = 0; walk < kWalks; ++walk) {
      Problem problem{.N = config.N,
                      .jug_capacities = draw_numbers(config.N, 2, kLitresPerJug * config.N, rng),
                      .target_volumn = 0,
                      .reference_answer = {}};
      std::vector<char> known = trivial_volumes(problem.jug_capacities);
      std::vector<std::int64_t> volumes(problem.jug_capacities.size(), 0);
      Answer moves;
      std::size_t needed = 0;
      for (int step = 0; step < config.steps; ++step) {
        moves.push_back(draw_move(problem.jug_capacities, volumes, rng));
        make(moves.back(), problem.jug_capacities, volumes);
        std::vector<std::int64_t> fresh;
        for (const std::int64_t volume : volumes) {
          if (!known[volume]) fresh.push_back(volume);
        }
        if (fresh.empty()) continue;
        problem.target_volumn = rng.choice(fresh);
        for (const std::int64_t volume : fresh) known[volume] = 1;
        needed = moves.size();
      }
      if (needed == 0) continue;
      moves.resize(needed);
      problem.reference_answer = format(moves);
      return problem;
    }
    throw Retry();
  }

  // The target is the capacity of a jug unless a random walk comes to a volume that is no capacity
  // and no difference of two: then the last such new volume.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N,
                    .jug_capacities = draw_numbers(config.N, 2, kLitresPerJug * config.N, rng)};
    const std::int64_t first = rng.integer(0, config.N - 1);
    problem.target_volumn = problem.jug_capacities[first];
    Answer needed{{Kind::kFill, first, 0}};
    std::vector<char> known = trivial_volumes(problem.jug_capacities);
    std::vector<std::int64_t> volumes(problem.jug_capacities.size(), 0);
    Answer moves;
    std::vector<std::int64_t> fresh;
    for (int step = 0; step < config.steps; ++step) {
      moves.push_back(draw_move(problem.jug_capacities, volumes, rng));
      make(moves.back(), problem.jug_capacities, volumes);
      fresh.clear();
      for (const std::int64_t volume : volumes) {
        if (std::exchange(known[volume], 1) == 0) fresh.push_back(volume);
      }
      if (fresh.empty()) continue;
      problem.target_volumn = rng.choice(fresh);
      needed = moves;
    }
    problem.reference_answer = format(needed);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxJugs));
    RETURN_IF_ERROR(
        check_numbers("jug_capacities", problem.jug_capacities, problem.N, 1, kMaxCapacity));
    RETURN_IF_ERROR(within("target_volumn", problem.target_volumn, 1, kMaxCapacity));
    const auto moves = parse(problem.reference_answer);
    if (!moves || score(problem, *moves) != 1.0) {
      return failure("\"reference_answer\": its moves do not reach \"target_volumn\"");
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    std::string jugs;
    for (int i = 0; i < problem.N; ++i) {
      append_format(jugs, "{}jug {}: {}", i == 0 ? "" : ", ", i, problem.jug_capacities[i]);
    }
    return fmt::format(
        "There are {} empty jugs. They hold so many litres when full: {}.\n"
        "There are three kinds of moves:\n"
        "Fill i: jug i is filled up from a tap.\n"
        "Empty i: jug i is emptied into a drain.\n"
        "Pour i j: water is poured from jug i into another jug, j, until jug i is empty or jug j "
        "is full.\n"
        "Find a sequence of moves, of any length, after which at least one jug holds exactly {} "
        "litre{}. What the jugs hold in between does not matter.\n"
        "Answer with the moves in their order, one on each line, such as \"Pour 0 1\".",
        problem.N, jugs, problem.target_volumn, problem.target_volumn == 1 ? "" : "s");
  }

  static std::optional<Answer> parse(std::string_view text) {
    Answer moves;
    for (const std::string_view line : split_lines(text)) {
      const std::vector<std::string_view> words = split_words(line);
      Move move;
      if (words[0] == "Fill") {
        move.kind = Kind::kFill;
      } else if (words[0] == "Empty") {
        move.kind = Kind::kEmpty;
      } else if (words[0] == "Pour") {
        move.kind = Kind::kPour;
      } else {
        return std::nullopt;
      }
      if (words.size() != (move.kind == Kind::kPour ? 3u : 2u)) return std::nullopt;
      const auto jug = parse_int64(words[1]);
      const auto into = parse_int64(words.back());
      if (!jug || !into) return std::nullopt;
      move.jug = *jug;
      move.into = *into;
      moves.push_back(move);
    }
    return moves;
  }

  static std::string format(const Answer& moves) {
    std::string text;
    for (const Move& move : moves) {
      if (!text.empty()) text += '\n';
      switch (move.kind) {
        case Kind::kFill:
          append_format(text, "Fill {}", move.jug);
          break;
        case Kind::kEmpty:
          append_format(text, "Empty {}", move.jug);
          break;
        case Kind::kPour:
          append_format(text, "Pour {} {}", move.jug, move.into);
          break;
      }
    }
    return text;
  }

  static double score(const Problem& problem, const Answer& answer) {
    std::vector<std::int64_t> volumes(problem.jug_capacities.size(), 0);
    for (const Move& move : answer) {
      const auto is_jug = [&](std::int64_t jug) { return jug >= 0 && jug < problem.N; };
      if (!is_jug(move.jug)) return kInvalidReward;
      if (move.kind == Kind::kPour && (!is_jug(move.into) || move.into == move.jug)) {
        return kInvalidReward;
      }
      make(move, problem.jug_capacities, volumes);
    }
    return exact_reward(std::ranges::find(volumes, problem.target_volumn) != volumes.end());
  }

  static Answer solve(const Problem& problem) { return *parse(problem.reference_answer); }

  // A random walk of several moves that change something.
  static Answer random_answer(const Problem& problem, Rng& rng) {
    std::vector<std::int64_t> volumes(problem.jug_capacities.size(), 0);
    Answer moves;
    if (problem.N < 2) return {Move{}};
    for (std::int64_t left = rng.integer(3, 20); left > 0; --left) {
      moves.push_back(draw_move(problem.jug_capacities, volumes, rng));
      make(moves.back(), problem.jug_capacities, volumes);
    }
    return moves;
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const auto& capacities = problem.jug_capacities;
    const auto largest = std::ranges::max_element(capacities) - capacities.begin();
    Answer share{{Kind::kFill, largest, 0}};  // out of the largest into all others
    Answer collect;                           // all others into the largest
    for (int i = 0; i < problem.N; ++i) {
      if (i == largest) continue;
      share.push_back({Kind::kPour, largest, i});
      collect.push_back({Kind::kFill, i, 0});
      collect.push_back({Kind::kPour, i, largest});
    }
    Answer pair;  // back and forth between the first two
    for (int i = 0; i < 3 && problem.N > 1; ++i) {
      pair.push_back({Kind::kFill, 0, 0});
      pair.push_back({Kind::kPour, 0, 1});
      pair.push_back({Kind::kEmpty, 1, 0});
      pair.push_back({Kind::kPour, 0, 1});
    }
    return {{"fill jug 0", "Fill 0"},
            {"pour the largest jug into the others", format(share)},
            {"pour the others into the largest jug", format(collect)},
            {"fill jug 0 and pour it into jug 1, three times", format(pair)}};
  }

 private:
  static void make(const Move& move, const std::vector<std::int64_t>& capacities,
                   std::vector<std::int64_t>& volumes) {
    switch (move.kind) {
      case Kind::kFill:
        volumes[move.jug] = capacities[move.jug];
        break;
      case Kind::kEmpty:
        volumes[move.jug] = 0;
        break;
      case Kind::kPour: {
        const std::int64_t poured =
            std::min(volumes[move.jug], capacities[move.into] - volumes[move.into]);
        volumes[move.jug] -= poured;
        volumes[move.into] += poured;
        break;
      }
    }
  }

  // Whether 0 … the largest capacity are 0, capacities, or differences of two of them.
  static std::vector<char> trivial_volumes(const std::vector<std::int64_t>& capacities) {
    std::vector<char> trivial(static_cast<std::size_t>(std::ranges::max(capacities)) + 1, 0);
    trivial[0] = 1;
    for (const std::int64_t a : capacities) {
      trivial[a] = 1;
      for (const std::int64_t b : capacities) {
        if (a > b) trivial[a - b] = 1;
      }
    }
    return trivial;
  }

  // One that changes something, mostly pouring. At least two jugs.
  static Move draw_move(const std::vector<std::int64_t>& capacities,
                        const std::vector<std::int64_t>& volumes, Rng& rng) {
    while (true) {
      const double kind = rng.real();
      Move move;
      move.kind = kind < 0.1 ? Kind::kFill : kind < 0.2 ? Kind::kEmpty : Kind::kPour;
      move.jug = static_cast<std::int64_t>(rng.below(volumes.size()));
      if (move.kind == Kind::kFill) {
        if (volumes[move.jug] < capacities[move.jug]) return move;
        continue;
      }
      if (volumes[move.jug] == 0) continue;
      if (move.kind == Kind::kEmpty) return move;
      move.into = static_cast<std::int64_t>(rng.below(volumes.size()));
      if (move.into != move.jug && volumes[move.into] < capacities[move.into]) return move;
    }
  }
};
REDQUEEN_ENVIRONMENT(JugPuzzle);

}  // namespace
}  // namespace redqueen
