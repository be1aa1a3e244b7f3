#include <algorithm>
#include <array>
#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/remembered.h"
#include "redqueen/gym/common/number/modular.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct WYRLevelingGround {
  static constexpr Card card{
      .name = "WYRLevelingGround",
      .published = true,
      .family = Family::kOptimization,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "Find the least number of times that A or B must be added to or subtracted from a "
          "contiguous block of an array until all its elements are 0.",
      .levels =
          "The array grows from 2 elements by a tenth and one a level, its values with the "
          "square of it; beyond level 40 it would be too long to read.",
      .rewards = "-1 malformed, 0 wrong, 1 right.",
      .differences =
          "A and B have no common factor and are at least 2, because other pairs make easy cases. "
          "From four elements on, nine in ten arrays are drawn again until making up the "
          "differences between neighbours one by one gives a wrong number.",
      .slow_reason = SlowReason::kStricter,
      .source = "Leveling Ground (WYR), Polish Olympiad in Informatics",
      .version = 3,
      .max_level = 40,
  };

  static constexpr int kTiedFrom = 4;  // of shorter arrays nearly none are
  static constexpr double kPlainShare = 0.1;
  static constexpr int kAttempts = 1000;
  static constexpr int kMaxLength = 1000;
  static constexpr std::int64_t kMaxStep = 1'000'000;
  static constexpr std::int64_t kMaxHeight = 1'000'000'000'000;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::int64_t A = 0;
    std::int64_t B = 0;
    std::vector<std::int64_t> H;
    REDQUEEN_FIELDS(N, A, B, H)
  };
  using Answer = std::int64_t;

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(2, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    const bool tied = config.N >= kTiedFrom && !rng.chance(kPlainShare);
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      Problem problem = draw(config.N, rng);
      if (std::ranges::count(problem.H, 0) == config.N) continue;
      if (tied && solve(problem) == each_difference_alone(problem)) continue;
      return problem;
    }
    throw Retry();
  }

  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .A = 0, .B = 0, .H = {}};
    do {
      problem.A = rng.integer(1, 2 * config.N);
      problem.B = rng.integer(1, 2 * config.N);
    } while (problem.A == problem.B);
    draw_heights(problem, rng);
    return problem;
  }

  static Status check(const Problem& problem) {
    if (auto sound = within("N", problem.N, 1, kMaxLength); !sound) return sound;
    if (auto sound = within("A", problem.A, 1, kMaxStep); !sound) return sound;
    if (auto sound = within("B", problem.B, 1, kMaxStep); !sound) return sound;
    if (problem.A == problem.B) return failure("\"A\" and \"B\": expected different numbers");
    if (problem.H.size() != static_cast<std::size_t>(problem.N)) {
      return failure("\"H\": expected \"N\" = {} numbers, found {}", problem.N, problem.H.size());
    }
    const std::int64_t common = std::gcd(problem.A, problem.B);
    for (const std::int64_t height : problem.H) {
      if (height < -kMaxHeight || height > kMaxHeight || height % common != 0) {
        return failure("\"H\": {} is not made of \"A\" and \"B\", or is beyond {}", height,
                       kMaxHeight);
      }
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is an array of {} integers:\n"
        "{}\n"
        "One operation chooses a block of one or more consecutive elements and does one of these "
        "to all of them: add {}, subtract {}, add {}, or subtract {}.\n"
        "What is the least number of operations that makes every element 0? It can be done.\n"
        "Answer with one integer.",
        problem.N, format_answer(problem.H), problem.A, problem.A, problem.B, problem.B);
  }

  static double score(const Problem&, const Answer& answer, Answer right) {
    return exact_reward(answer == right);
  }

  // An operation changes two of the N + 1 differences between neighbours (with 0 beyond both ends),
  // one up and one down by the same number. So every difference c is to be written A x + B y such
  // that the x sum to 0 (then so do the y), and half of the least sum of |x| + |y| is the answer.
  // The cost of shifting (x, y) by (b, -a) is convex: take the cheapest pair at each place, then
  // the cheapest shifts, one at a time, until the sum is right.
  static Answer solve(const Problem& problem) {
    const Steps steps(problem);
    std::vector<Share> shares = cheapest_shares(steps, problem.H);
    std::int64_t sum = sum_of_x(shares);
    const std::int64_t direction = sum > 0 ? -1 : 1;
    for (; sum != 0; sum += direction * steps.b) {
      Share& next = *std::ranges::min_element(shares, {}, [&](const Share& share) {
        return shifted(steps, share, direction).cost() - share.cost();
      });
      next = shifted(steps, next, direction);
    }
    std::int64_t cost = 0;
    for (const Share& share : shares) cost += share.cost();
    return cost / 2;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rng.integer(1, 2 * solve(problem) + 8);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const Steps steps(problem);
    std::int64_t alone = 0;
    for (const std::int64_t height : problem.H) alone += cheapest(steps, height).cost();
    return {{"each element on its own", format_answer(alone)},
            {"each difference on its own", format_answer(each_difference_alone(problem))}};
  }

 private:
  static Problem draw(int n, Rng& rng) {
    const int most = 2 * n;
    Problem problem{.N = n, .A = 0, .B = 0, .H = {}};
    do {
      problem.A = rng.integer(2, most);
      problem.B = rng.integer(2, most);
    } while (std::gcd(problem.A, problem.B) != 1);
    draw_heights(problem, rng);
    return problem;
  }

  // Sums of multiples of A and B, which are negative with probabilities that are drawn as well.
  static void draw_heights(Problem& problem, Rng& rng) {
    const int most = 2 * problem.N;
    const double a_negative = rng.real();
    const double b_negative = rng.real();
    const auto signed_multiple = [&](double negative) {
      const std::int64_t multiple = rng.integer(0, most);
      return rng.chance(negative) ? -multiple : multiple;
    };
    for (int i = 0; i < problem.N; ++i) {
      const std::int64_t of_a = signed_multiple(a_negative);
      problem.H.push_back(of_a * problem.A + signed_multiple(b_negative) * problem.B);
    }
  }

  // c = A x + B y
  struct Share {
    std::int64_t x;
    std::int64_t y;
    std::int64_t cost() const { return std::abs(x) + std::abs(y); }
  };

  // A and B without their common factor.
  struct Steps {
    explicit Steps(const Problem& problem) : common(std::gcd(problem.A, problem.B)) {
      a = problem.A / common;
      b = problem.B / common;
      inverse_of_a = extended_gcd(a, b).x;
    }
    std::int64_t common;
    std::int64_t a;
    std::int64_t b;
    std::int64_t inverse_of_a;  // modulo b
  };

  static Share shifted(const Steps& steps, const Share& share, std::int64_t times) {
    return {share.x + times * steps.b, share.y - times * steps.a};
  }

  // What the number of operations would be if each difference could be made up the cheapest way.
  static std::int64_t each_difference_alone(const Problem& problem) {
    std::int64_t cost = 0;
    for (const Share& share : cheapest_shares(Steps(problem), problem.H)) cost += share.cost();
    return (cost + 1) / 2;
  }

  static std::int64_t sum_of_x(const std::vector<Share>& shares) {
    std::int64_t sum = 0;
    for (const Share& share : shares) sum += share.x;
    return sum;
  }

  // Of each difference between neighbours, on its own.
  static std::vector<Share> cheapest_shares(const Steps& steps,
                                            const std::vector<std::int64_t>& heights) {
    std::vector<Share> shares;
    std::int64_t before = 0;
    for (const std::int64_t height : heights) {
      shares.push_back(cheapest(steps, height - before));
      before = height;
    }
    shares.push_back(cheapest(steps, -before));
    return shares;
  }

  // The cost falls and rises around two bends, where x or y passes 0: the cheapest is next to one
  // of them.
  static Share cheapest(const Steps& steps, std::int64_t difference) {
    const std::int64_t c = difference / steps.common;
    const std::int64_t x =
        mul_mod(residue(c, steps.b), residue(steps.inverse_of_a, steps.b), steps.b);
    const Share first{x, (c - steps.a * x) / steps.b};
    const std::int64_t bend = first.y / steps.a;
    Share best = first;
    for (const std::int64_t times : {std::int64_t{-1}, bend - 1, bend, bend + 1}) {
      const Share other = shifted(steps, first, times);
      if (other.cost() < best.cost()) best = other;
    }
    return best;
  }
};
REDQUEEN_REMEMBERING_ENVIRONMENT(WYRLevelingGround);

}  // namespace
}  // namespace redqueen
