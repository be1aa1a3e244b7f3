#include <algorithm>
#include <array>
#include <bit>
#include <map>

#include "redqueen/base/format.h"
#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/residue_answer.h"
#include "redqueen/gym/common/number/modular.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct MatrixRMQCounting {
  static constexpr Card card{
      .name = "MatrixRMQCounting",
      .published = true,
      .family = Family::kCounting,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "Count the matrices of integers of 1 … M whose largest entries in given rectangles are "
          "given, modulo a given number.",
      .levels =
          "There are two conditions and one more each level. Rows and columns are at most twice, M "
          "at most four times the square of their number.",
      .rewards = "-1 malformed, -0.5 no residue, 0 wrong, 1 right.",
      .differences =
          "Rows, columns and M are never 1, the modulus is at least 100000, the residue is neither "
          "0 nor 1, no rectangle occurs twice, no more than five conditions name the same largest "
          "entry, and the count is not what it were with upper bounds only.",
  };

  static constexpr int kMaxConditions = 200;
  static constexpr int kMaxSide = 1000;
  static constexpr std::int64_t kMaxModulus = 1'000'000;
  static constexpr int kMostOfOneValue = 12;  // conditions that check() lets through
  static constexpr int kDrawnOfOneValue = 5;  // conditions that generate() makes
  static constexpr int kTriesPerCondition = 20;
  static constexpr int kDraws = 30;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  using Condition = std::array<int, 5>;  // x1, y1, x2, y2, v
  struct Problem {
    int N = 0;
    int H = 0;
    int W = 0;
    int M = 0;
    std::vector<Condition> constraints;
    std::int64_t MOD = 0;
    std::int64_t reference_answer = 0;
    REDQUEEN_FIELDS(N, H, W, M, constraints, MOD, reference_answer)
  };
  using Answer = std::int64_t;

  static Config at_level(int level, Rng&) { return {.N = 2 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem = draw_accepted(
        kDraws, [&] { return draw(config.N, rng); },
        [](const Problem& drawn) {
          return std::ssize(drawn.constraints) == drawn.N && drawn.reference_answer != 0 &&
                 !some_rule_solves<MatrixRMQCounting>(drawn);
        });
    return problem;
  }

  // Everything is uniform, and conditions may repeat. A thirteenth condition with the same largest
  // entry, which cannot be before level 11, is drawn again: the count would take too long.
  static Problem published(const Config& config, Rng& rng) {
    const int n = config.N;
    Problem problem{.N = n};
    problem.H = static_cast<int>(rng.integer(1, 2 * n));
    problem.W = static_cast<int>(rng.integer(1, 2 * n));
    problem.M = static_cast<int>(rng.integer(1, 4 * n * n));
    const std::vector<int> hidden = draw_entries(problem, rng);
    std::map<int, int> of_value;
    for (int tries = 0; std::ssize(problem.constraints) < n; ++tries) {
      if (tries == kTriesPerCondition * n) throw Retry();
      const Condition condition = draw_condition(problem, hidden, rng);
      if (++of_value[condition[4]] <= kMostOfOneValue) problem.constraints.push_back(condition);
    }
    problem.MOD = rng.integer(2, kMaxModulus);
    problem.reference_answer = count(problem);
    return problem;
  }

  // Row by row.
  static std::vector<int> draw_entries(const Problem& problem, Rng& rng) {
    std::vector<int> entries(static_cast<std::size_t>(problem.H) *
                             static_cast<std::size_t>(problem.W));
    for (int& entry : entries) entry = static_cast<int>(rng.integer(1, problem.M));
    return entries;
  }

  // A rectangle, whose sides are uniform, and its largest entry.
  static Condition draw_condition(const Problem& problem, const std::vector<int>& entries,
                                  Rng& rng) {
    const auto height = rng.integer(1, problem.H);
    const auto width = rng.integer(1, problem.W);
    const auto x1 = static_cast<int>(rng.integer(1, problem.H - height + 1));
    const auto y1 = static_cast<int>(rng.integer(1, problem.W - width + 1));
    const auto x2 = static_cast<int>(x1 + height - 1);
    const auto y2 = static_cast<int>(y1 + width - 1);
    int largest = 0;
    for (int x = x1; x <= x2; ++x) {
      const auto row = entries.begin() + (x - 1) * problem.W;
      largest = std::max(largest, *std::max_element(row + y1 - 1, row + y2));
    }
    return {x1, y1, x2, y2, largest};
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxConditions));
    RETURN_IF_ERROR(within("H", problem.H, 1, kMaxSide));
    RETURN_IF_ERROR(within("W", problem.W, 1, kMaxSide));
    RETURN_IF_ERROR(within("M", problem.M, 1, 1'000'000));
    RETURN_IF_ERROR(within("MOD", problem.MOD, 1, kMaxModulus));
    if (std::ssize(problem.constraints) != problem.N) {
      return failure(R"("constraints": expected "N" = {}, found {})", problem.N,
                     problem.constraints.size());
    }
    std::map<int, int> of_value;
    for (const auto& [x1, y1, x2, y2, v] : problem.constraints) {
      RETURN_IF_ERROR(within("constraints", x2, 1, problem.H));
      RETURN_IF_ERROR(within("constraints", x1, 1, x2));
      RETURN_IF_ERROR(within("constraints", y2, 1, problem.W));
      RETURN_IF_ERROR(within("constraints", y1, 1, y2));
      RETURN_IF_ERROR(within("constraints", v, 1, problem.M));
      if (++of_value[v] > kMostOfOneValue) {
        return failure("\"constraints\": more than {} with the value {}", kMostOfOneValue, v);
      }
    }
    return reference_is("reference_answer", problem.reference_answer, count(problem));
  }

  static std::string prompt(const Problem& problem) {
    std::string list;
    for (const auto& [x1, y1, x2, y2, v] : problem.constraints) {
      append_format(list, "rows {} to {}, columns {} to {}: {}\n", x1, x2, y1, y2, v);
    }
    return fmt::format(
        "Count the matrices of {0} rows and {1} columns with integer entries from 1 to {2} that "
        "meet all of these conditions. Each names a rectangle and the value that the largest entry "
        "inside it must have, exactly. Rows and columns are counted from 1, and both ends are "
        "included:\n"
        "{3}"
        "What is the remainder of their number when divided by {4}?\n"
        "Answer with one integer from 0 to {5}.",
        problem.H, problem.W, problem.M, list, problem.MOD, problem.MOD - 1);
  }

  static double score(const Problem& problem, Answer answer) {
    return residue_reward(answer, problem.reference_answer, problem.MOD);
  }

  static Answer solve(const Problem& problem) { return problem.reference_answer; }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rng.integer(0, problem.MOD - 1);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    const std::int64_t modulus = problem.MOD;
    std::int64_t bounds = 1 % modulus;
    std::int64_t covered = 0;
    for (const Area& area : areas(problem)) {
      bounds = mul_mod(bounds, pow_mod(area.cap, area.cells, modulus), modulus);
      covered += area.cells;
    }
    const std::int64_t all = std::int64_t{problem.H} * problem.W;
    const std::int64_t free = pow_mod(problem.M, all - covered, modulus);
    return {{"1", 1 % modulus},
            {"upper bounds only", mul_mod(bounds, free, modulus)},
            {"free entries only", free},
            {"no conditions", pow_mod(problem.M, all, modulus)}};
  }

 private:
  // The cells that lie in the same rectangles, or parts of them.
  struct Area {
    int cap;                   // the least v of these rectangles
    std::uint32_t of_cap = 0;  // those of them that have it, counted among all with this v
    std::int64_t cells = 0;
  };

  static Problem draw(int n, Rng& rng) {
    Problem problem{.N = n};
    problem.H = static_cast<int>(rng.integer(2, 2 * n));
    problem.W = static_cast<int>(rng.integer(2, 2 * n));
    problem.M = static_cast<int>(rng.integer(2 * n, 4 * n * n));
    const std::vector<int> hidden = draw_entries(problem, rng);
    std::map<int, int> of_value;
    for (int tries = 0; tries < kTriesPerCondition * n && std::ssize(problem.constraints) < n;
         ++tries) {
      const Condition condition = draw_condition(problem, hidden, rng);
      if (std::ranges::find(problem.constraints, condition) != problem.constraints.end()) continue;
      if (++of_value[condition[4]] > kDrawnOfOneValue) continue;
      problem.constraints.push_back(condition);
    }
    if (std::ssize(problem.constraints) < n) return problem;  // not accepted
    problem.MOD = rng.integer(100'000, kMaxModulus);
    problem.reference_answer = count(problem);
    return problem;
  }

  // The borders of the rectangles in one direction; `low` and `high` are places in a condition.
  static std::vector<int> borders(const Problem& problem, int low, int high) {
    std::vector<int> found;
    for (const Condition& condition : problem.constraints) {
      found.push_back(condition[low]);
      found.push_back(condition[high] + 1);
    }
    std::ranges::sort(found);
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
  }

  // Splits what the rectangles cover along all their borders.
  static std::vector<Area> areas(const Problem& problem) {
    std::map<int, int> of_value;
    std::vector<std::uint32_t> bits;  // of each condition, among those with its value
    bits.reserve(problem.constraints.size());
    for (const Condition& condition : problem.constraints) {
      bits.push_back(std::uint32_t{1} << of_value[condition[4]]++);
    }
    const std::vector<int> rows = borders(problem, 0, 2);
    const std::vector<int> columns = borders(problem, 1, 3);
    std::vector<Area> found;
    std::vector<std::size_t> across;  // the conditions over a strip of rows
    for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
      across.clear();
      for (std::size_t k = 0; k < problem.constraints.size(); ++k) {
        const Condition& condition = problem.constraints[k];
        if (condition[0] <= rows[i] && rows[i] <= condition[2]) across.push_back(k);
      }
      for (std::size_t j = 0; j + 1 < columns.size(); ++j) {
        Area area{.cap = problem.M + 1};
        for (const std::size_t k : across) {
          const Condition& condition = problem.constraints[k];
          if (condition[1] > columns[j] || columns[j] > condition[3]) continue;
          if (condition[4] > area.cap) continue;
          if (condition[4] < area.cap) area = {.cap = condition[4]};
          area.of_cap |= bits[k];
        }
        if (area.of_cap == 0) continue;
        area.cells = std::int64_t{rows[i + 1] - rows[i]} * (columns[j + 1] - columns[j]);
        found.push_back(area);
      }
    }
    return found;
  }

  // A rectangle's largest entry can only lie where its v is the cap, so that the values v separate.
  static std::int64_t count(const Problem& problem) {
    std::vector<Area> all = areas(problem);
    std::ranges::sort(all, {}, &Area::cap);
    std::map<int, int> of_value;
    for (const Condition& condition : problem.constraints) ++of_value[condition[4]];
    std::int64_t free = std::int64_t{problem.H} * problem.W;
    std::int64_t product = 1 % problem.MOD;
    auto area = all.begin();
    for (const auto& [value, conditions] : of_value) {
      // cells[set]: those that lie in this set of rectangles exactly, then in no others.
      std::vector<std::int64_t> cells(std::size_t{1} << conditions);
      for (; area != all.end() && area->cap == value; ++area) {
        cells[area->of_cap] += area->cells;
        free -= area->cells;
      }
      for (int bit = 0; bit < conditions; ++bit) {
        for (std::size_t set = 0; set < cells.size(); ++set) {
          if ((set >> bit & 1) == 1) cells[set] += cells[set ^ std::size_t{1} << bit];
        }
      }
      product = mul_mod(product, filled(cells, value, problem.MOD), problem.MOD);
    }
    return mul_mod(product, pow_mod(problem.M, free, problem.MOD), problem.MOD);
  }

  // Fills cells with 1 … value so that every rectangle holds the value: inclusion and exclusion
  // over the set of rectangles that do not. cells[set] lie in rectangles of the set only.
  static std::int64_t filled(const std::vector<std::int64_t>& cells, std::int64_t value,
                             std::int64_t modulus) {
    const std::int64_t all = cells.back();
    std::int64_t sum = 0;
    for (std::size_t set = 0; set < cells.size(); ++set) {
      const std::int64_t outside = cells[~set & (cells.size() - 1)];
      const std::int64_t term =
          pow_mod(value, outside, modulus) * pow_mod(value - 1, all - outside, modulus) % modulus;
      sum += std::popcount(set) % 2 == 0 ? term : modulus - term;
    }
    return sum % modulus;
  }
};
REDQUEEN_ENVIRONMENT(MatrixRMQCounting);

}  // namespace
}  // namespace redqueen
