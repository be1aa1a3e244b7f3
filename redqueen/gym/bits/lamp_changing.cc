#include <algorithm>
#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/choice.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/redraw.h"

namespace redqueen {
namespace {

struct LampChanging {
  static constexpr Card card{
      .name = "LampChanging",
      .published = true,
      .family = Family::kBits,
      .answer = AnswerKind::kChoice,
      .scoring = Scoring::kExact,
      .task =
          "Lamps in a circle switch at every tick according to whether they differ from their "
          "neighbour; say whether one of them is on at a given time.",
      .levels =
          "The bound on the number of lamps and on the time starts at 8 and grows by half with "
          "every level. Beyond level 21 there would be too many lamps to read of.",
      .rewards = "-0.5 for anything but ON and OFF, 0 wrong, 1 right.",
      .differences =
          "Lamps start on or off with equal chance, and unless there are only three, at least "
          "four of them bear on the answer: when the time is a power of two, two lamps or none "
          "did.",
      .small_answer_space = "There are two answers, each right for half of the problems.",
      .guess_bound = 0.65,
      .version = 2,
      .max_level = 21,
  };

  static constexpr std::string_view kOn = "ON";
  static constexpr std::string_view kOff = "OFF";
  static constexpr int kMaxLamps = 10'000'000;

  struct Config {
    std::int64_t MAX_N_T = 0;
    REDQUEEN_FIELDS(MAX_N_T)
  };
  struct Problem {
    std::int64_t MAX_N_T = 0;
    std::int64_t N = 0;
    std::vector<int> B;
    std::int64_t T = 0;
    std::int64_t K = 0;  // from 1
    REDQUEEN_FIELDS(MAX_N_T, N, B, T, K)
  };
  using Answer = std::string;

  static Config at_level(int level, Rng&) { return {.MAX_N_T = grow_by_half(8, level)}; }

  // Two answers are equally likely whatever is drawn for N, T and K: some fair lamp bears on the
  // answer.
  static Problem generate(const Config& config, Rng& rng) {
    return first_of_use([&]() -> std::optional<Problem> {
      Problem problem{.MAX_N_T = config.MAX_N_T, .N = 0, .B = {}, .T = 0, .K = 0};
      problem.N = rng.integer(3, config.MAX_N_T);
      problem.T = rng.integer(2, config.MAX_N_T);
      problem.K = rng.integer(1, problem.N);
      const std::vector<char> bearing = lamps_that_bear(problem);
      if (std::ranges::count(bearing, 1) < std::min<std::int64_t>(4, problem.N - 1))
        return std::nullopt;
      problem.B.resize(problem.N);
      std::uint64_t bits = 0;
      for (std::size_t i = 0; i < problem.B.size(); ++i, bits >>= 1) {
        if (i % 64 == 0) bits = rng.bits();
        problem.B[i] = static_cast<int>(bits & 1);
      }
      return problem;
    });
  }

  // The answer is drawn first, and any lamps, times and places until they have it.
  static Problem published(const Config& config, Rng& rng) {
    const std::string_view wanted = rng.chance(0.5) ? kOn : kOff;
    Problem problem{.MAX_N_T = config.MAX_N_T, .N = 0, .B = {}, .T = 0, .K = 0};
    do {
      problem.N = rng.integer(3, config.MAX_N_T);
      const double share = rng.real();
      problem.B.resize(problem.N);
      for (int& lamp : problem.B) lamp = rng.chance(share) ? 1 : 0;
      problem.T = rng.integer(2, config.MAX_N_T);
      problem.K = rng.integer(1, problem.N);
    } while (state(problem) != wanted);
    return problem;
  }

  static Status check(const Problem& problem) {
    if (problem.N < 1 || problem.N > kMaxLamps ||
        problem.B.size() != static_cast<std::size_t>(problem.N)) {
      return failure("\"B\": expected \"N\" lamps, 1 to {}, found {}", kMaxLamps, problem.B.size());
    }
    for (const int lamp : problem.B) {
      if (lamp != 0 && lamp != 1) return failure("\"B\": {} is neither 0 nor 1", lamp);
    }
    if (problem.T < 0) return failure("\"T\": {} is negative", problem.T);
    if (problem.K < 1 || problem.K > problem.N)
      return failure("\"K\": {} is not in 1..N", problem.K);
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "{0} lamps stand in a circle, numbered clockwise from 1 to {0}. These are their states at "
        "time 0, from lamp 1 to lamp {0}, 1 for on and 0 for off:\n"
        "{1}\n"
        "In every unit of time all lamps change at once: a lamp comes on, or stays on, if its "
        "state differs from that of the lamp with the next number (for lamp {0}, that is lamp 1); "
        "otherwise it is off. What is the state of lamp {2} at time {3}?\n"
        "Answer with one word: ON or OFF.",
        problem.N, format_answer(problem.B), problem.K, problem.T);
  }

  static std::optional<Answer> parse(std::string_view answer) { return parse_choice(answer); }

  static double score(const Problem& problem, const Answer& answer) {
    return choice_reward(answer, state(problem), {kOn, kOff});
  }

  static Answer solve(const Problem& problem) { return std::string(state(problem)); }

  static Answer random_answer(const Problem&, Rng& rng) {
    return std::string(rng.chance(0.5) ? kOn : kOff);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const int lamp = problem.B[problem.K - 1];
    return {{"the lamp's state at time 0", std::string(lamp == 1 ? kOn : kOff)}};
  }

 private:
  // Those whose first states, added modulo 2, give the state of lamp K at time T: 2^j ticks at once
  // are the step b[i] ← b[i] + b[i + 2^j] modulo 2.
  static std::vector<char> lamps_that_bear(const Problem& problem) {
    const auto lamps = static_cast<std::size_t>(problem.N);
    std::vector<char> bears(lamps);
    std::vector<char> before;
    bears[problem.K - 1] = 1;
    for (auto ticks = std::uint64_t{1}; ticks <= static_cast<std::uint64_t>(problem.T);
         ticks *= 2) {
      if ((static_cast<std::uint64_t>(problem.T) & ticks) == 0) continue;
      const std::size_t distance = ticks % lamps;
      before = bears;
      for (std::size_t i = 0; i < distance; ++i) bears[i] ^= before[i + lamps - distance];
      for (std::size_t i = distance; i < lamps; ++i) bears[i] ^= before[i - distance];
    }
    return bears;
  }

  static std::string_view state(const Problem& problem) {
    const std::vector<char> bears = lamps_that_bear(problem);
    return std::inner_product(bears.begin(), bears.end(), problem.B.begin(), 0) % 2 == 1 ? kOn
                                                                                         : kOff;
  }
};
REDQUEEN_ENVIRONMENT(LampChanging);

}  // namespace
}  // namespace redqueen
