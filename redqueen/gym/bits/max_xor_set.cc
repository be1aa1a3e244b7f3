#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/ladder.h"
#include "redqueen/gym/common/within.h"

namespace redqueen {
namespace {

struct MaxXorSet {
  static constexpr Card card{
      .name = "MaxXorSet",
      .family = Family::kBits,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMaximise,
      .task =
          "Choose numbers of a list such that their bitwise XOR is as "
          "large as possible.",
      .levels =
          "The list grows from 3 numbers by a tenth and one a level; the "
          "numbers have 3 bits or "
          "more, such that at least twice as many values as numbers are "
          "possible, and up to 4 "
          "more.",
      .rewards = "-1 malformed, -0.5 an index out of range, else (XOR / best XOR)^5.",
      .differences =
          "Numbers are XORs of fewer random ones than they have "
          "bits, so that the best is not "
          "simply all ones; from 4 numbers on neither the largest "
          "number alone nor all together "
          "are best.",
      .small_answer_space = "Three numbers, at level 0, have seven sets, and near ones pay well.",
      .max_level = 60,
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kMaxBits = 62;

  struct Config {
    int N = 0;
    int MAX_bit_length = 0;
    REDQUEEN_FIELDS(N, MAX_bit_length)
  };
  struct Problem {
    int N = 0;
    int MAX_bit_length = 0;
    std::vector<std::int64_t> A;
    REDQUEEN_FIELDS(N, MAX_bit_length, A)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng& rng) {
    Config config{.N = grow_by_tenth(3, level), .MAX_bit_length = 3};
    while ((std::int64_t{1} << config.MAX_bit_length) - 2 < 2 * std::int64_t{config.N}) {
      ++config.MAX_bit_length;
    }
    config.MAX_bit_length += static_cast<int>(rng.integer(0, 4));
    return config;
  }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .MAX_bit_length = config.MAX_bit_length, .A = {}};
    const std::int64_t largest = (std::int64_t{1} << config.MAX_bit_length) - 2;
    const int top = std::min(config.N, config.MAX_bit_length - 1);
    std::vector<std::int64_t> seeds(static_cast<std::size_t>(rng.integer((top + 2) / 2, top)));
    for (std::int64_t& seed : seeds) seed = rng.integer(1, largest);
    while (problem.A.size() < static_cast<std::size_t>(config.N)) {
      std::int64_t number = 0;
      std::uint64_t chosen = rng.bits();
      for (const std::int64_t seed : seeds) {
        if ((chosen & 1) != 0) number ^= seed;
        chosen >>= 1;
      }
      if (number >= 1 && number <= largest) problem.A.push_back(number);
    }
    if (config.N >= 4) {
      const std::int64_t best = xor_of(problem, solve(problem));
      std::int64_t all = 0;
      for (const std::int64_t a : problem.A) all ^= a;
      if (all == best || std::ranges::max(problem.A) == best) throw Retry();
    }
    return problem;
  }

  static Status check(const Problem& problem) {
    if (problem.N < 1 || problem.A.size() != static_cast<std::size_t>(problem.N)) {
      return failure("\"A\": expected \"N\" ≥ 1 numbers, found {}", problem.A.size());
    }
    for (const std::int64_t a : problem.A) {
      if (Status fits = within("A", a, 0, (std::int64_t{1} << kMaxBits) - 1); !fits) return fits;
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here are {0} numbers with the indices 0 to {1}, in this order:\n"
        "{2}\n"
        "Choose some of them, any number of them, such that the bitwise XOR of "
        "the chosen numbers "
        "is as large as possible.\n"
        "Answer with the indices of the chosen numbers on one line, in any "
        "order, separated by "
        "spaces. (An index that is given twice counts twice, and so cancels "
        "itself.)",
        problem.N, problem.N - 1, format_answer(problem.A));
  }

  static std::optional<Answer> parse(std::string_view answer) { return parse_int_list(answer); }

  static double score(const Problem& problem, const Answer& answer) {
    for (const std::int64_t index : answer) {
      if (index < 0 || index >= problem.N) return kInvalidReward;
    }
    return maximise_reward(xor_of(problem, answer), xor_of(problem, solve(problem)), kBeta);
  }

  // A basis in which every number has a highest bit of its own; `members` tells
  // of which of the numbers that entered it (the k-th: bit k) it is the XOR.
  static Answer solve(const Problem& problem) {
    struct Row {
      std::int64_t value = 0;
      std::uint64_t members = 0;
    };
    std::array<Row, kMaxBits> rows{};
    std::vector<std::int64_t> entered;
    for (int index = 0; index < problem.N; ++index) {
      Row row{.value = problem.A[index], .members = 0};
      for (int bit = kMaxBits - 1; bit >= 0 && row.value != 0; --bit) {
        if ((row.value >> bit & 1) == 0) continue;
        if (rows[bit].value == 0) {
          row.members |= std::uint64_t{1} << entered.size();
          rows[bit] = row;
          entered.push_back(index);
          break;
        }
        row.value ^= rows[bit].value;
        row.members ^= rows[bit].members;
      }
    }
    Row best;
    for (int bit = kMaxBits - 1; bit >= 0; --bit) {
      if ((best.value >> bit & 1) != 0) continue;
      best.value ^= rows[bit].value;
      best.members ^= rows[bit].members;
    }
    Answer chosen;
    for (std::size_t k = 0; k < entered.size(); ++k) {
      if ((best.members >> k & 1) != 0) chosen.push_back(entered[k]);
    }
    return chosen;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer chosen;
    for (int index = 0; index < problem.N; ++index) {
      if (rng.chance(0.5)) chosen.push_back(index);
    }
    return chosen;
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    Answer all;
    for (int index = 0; index < problem.N; ++index) all.push_back(index);
    const auto largest = std::ranges::max_element(problem.A) - problem.A.begin();
    return {{"the largest number alone", format_answer(static_cast<std::int64_t>(largest))},
            {"all numbers", format_answer(all)}};
  }

 private:
  static std::int64_t xor_of(const Problem& problem, const Answer& indices) {
    std::int64_t value = 0;
    for (const std::int64_t index : indices) value ^= problem.A[index];
    return value;
  }
};
REDQUEEN_ENVIRONMENT(MaxXorSet);

}  // namespace
}  // namespace redqueen
