#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct MaxXorSet {
  static constexpr Card card{
      .name = "MaxXorSet",
      .published = true,
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
          "Numbers are XORs of fewer random ones than they have bits, so that the best is not "
          "simply all ones; from 4 numbers on neither the largest number alone nor all together "
          "are best, nor the first few. From 8 numbers on it takes at least four numbers to reach "
          "the best, and the bits are the most or the second most of the published ladder.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "Three numbers, at level 0, have seven sets, and five, at level 2, have 31, so that "
          "trying pairs and triples is most of a full search there. Near ones pay well.",
      .guess_until_level = 2,
      .version = 2,
      .max_level = 60,
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kMaxBits = 62;
  static constexpr int kManyNumbers = 8;  // from here on, three numbers are never enough
  static constexpr int kDraws = 100;

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
    Config config = shortest_bits(level);
    config.MAX_bit_length += static_cast<int>(rng.integer(config.N < kManyNumbers ? 0 : 3, 4));
    return config;
  }

  // The least length that leaves twice as many numbers as are drawn.
  static Config shortest_bits(int level) {
    Config config{.N = grow_by_tenth(3, level), .MAX_bit_length = 3};
    while ((std::int64_t{1} << config.MAX_bit_length) - 2 < 2 * std::int64_t{config.N}) {
      ++config.MAX_bit_length;
    }
    return config;
  }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .MAX_bit_length = config.MAX_bit_length, .A = {}};
    for (int draw = 0; draw < kDraws; ++draw) {
      std::optional<std::int64_t> wanted;  // the best that the numbers were drawn for
      if (config.N < kManyNumbers) {
        draw_numbers(config, problem.A, rng);
      } else {
        wanted = draw_marked_numbers(config, problem.A, rng);
      }
      if (config.N < 4) return problem;
      const std::int64_t best = xor_of(problem, solve(problem));
      if (wanted && best != *wanted) continue;
      if (!is_best_at_sight(problem, best)) return problem;
    }
    throw Retry();
  }

  static std::int64_t largest(const Config& config) {
    return (std::int64_t{1} << config.MAX_bit_length) - 2;
  }

  // XORs of random seeds, fewer than there are bits.
  static void draw_numbers(const Config& config, std::vector<std::int64_t>& numbers, Rng& rng) {
    std::vector<std::int64_t> seeds(
        static_cast<std::size_t>(std::min(config.N, config.MAX_bit_length - 1)));
    for (std::int64_t& seed : seeds) seed = rng.integer(1, largest(config));
    numbers.clear();
    while (numbers.size() < static_cast<std::size_t>(config.N)) {
      std::int64_t number = 0;
      std::uint64_t chosen = rng.bits();
      for (const std::int64_t seed : seeds) {
        if ((chosen & 1) != 0) number ^= seed;
        chosen >>= 1;
      }
      if (number >= 1 && number <= largest(config)) numbers.push_back(number);
    }
  }

  // Numbers of a random space of which no three reach the largest of the space, which is returned.
  // The rows of its reduced basis, whose XOR is the largest, fall into four or five groups of odd
  // size. Every number holds an odd number of rows of one group and even ones of the others; so it
  // takes one number of each group, at least, to hold all rows.
  static std::int64_t draw_marked_numbers(const Config& config, std::vector<std::int64_t>& numbers,
                                          Rng& rng) {
    const std::vector<std::int64_t> rows = reduced_basis(
        std::min(config.N - 2, config.MAX_bit_length - 1), config.MAX_bit_length, rng);
    const std::size_t count = rows.size() % 2 == 0 ? 4 : 5;
    std::vector<std::vector<std::int64_t>> groups(count);
    const std::vector<int> order = rng.permutation(static_cast<int>(rows.size()));
    for (std::size_t i = 0; i < order.size(); ++i) {
      // Pairs of rows join a group after its first.
      auto& group =
          i < count ? groups[i]
          : (i - count) % 2 == 0
              ? rng.choice(groups)
              : *std::ranges::find_if(groups, [](const auto& g) { return g.size() % 2 == 0; });
      group.push_back(rows[order[i]]);
    }
    numbers.clear();
    while (numbers.size() < static_cast<std::size_t>(config.N)) {
      const std::size_t mark =
          numbers.size() < count ? numbers.size() : static_cast<std::size_t>(rng.below(count));
      std::int64_t number = 0;
      std::uint64_t chosen = rng.bits();
      for (std::size_t g = 0; g < count; ++g) {
        bool odd = false;
        for (const std::int64_t row : groups[g]) {
          if ((chosen & 1) != 0) number ^= row;
          odd ^= (chosen & 1) != 0;
          chosen >>= 1;
        }
        if (odd != (g == mark)) number ^= groups[g][0];
      }
      if (number <= largest(config)) numbers.push_back(number);
    }
    rng.shuffle(numbers);
    std::int64_t all = 0;
    for (const std::int64_t row : rows) all ^= row;
    return all;
  }

  // `count` rows below 2^bits, each with a highest bit that no other row has.
  static std::vector<std::int64_t> reduced_basis(int count, int bits, Rng& rng) {
    auto heads = rng.sample(0, bits - 1, static_cast<std::size_t>(count));
    std::int64_t all_heads = 0;
    for (const std::int64_t head : heads) all_heads |= std::int64_t{1} << head;
    std::vector<std::int64_t> rows;
    for (const std::int64_t head : heads) {
      const std::int64_t below = (std::int64_t{1} << head) - 1;
      const auto noise = static_cast<std::int64_t>(rng.bits() >> 2);
      rows.push_back((std::int64_t{1} << head) | (noise & below & ~all_heads));
    }
    return rows;
  }

  // By the largest number, all of them, or those before some place.
  static bool is_best_at_sight(const Problem& problem, std::int64_t best) {
    std::int64_t first = 0;
    for (const std::int64_t a : problem.A) {
      first ^= a;
      if (first == best) return true;
    }
    return std::ranges::max(problem.A) == best;
  }

  // One of five lengths, each as likely.
  static Config published_level(int level, Rng& rng) {
    Config config = shortest_bits(level);
    config.MAX_bit_length += static_cast<int>(rng.integer(0, 4));
    return config;
  }

  // Uniform numbers.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .MAX_bit_length = config.MAX_bit_length, .A = {}};
    for (int i = 0; i < config.N; ++i) problem.A.push_back(rng.integer(1, largest(config)));
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
