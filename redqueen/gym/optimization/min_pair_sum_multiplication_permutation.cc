#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/assignment.h"
#include "redqueen/gym/common/number/modular.h"
#include "redqueen/gym/common/parameter/lazy_rules.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/sequence/order.h"

namespace redqueen {
namespace {

struct MinPairSumMultiplicationPermutation {
  static constexpr Card card{
      .name = "MinPairSumMultiplicationPermutation",
      .published = true,
      .family = Family::kOptimization,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMinimise,
      .task =
          "Match the rows of two square matrices with their columns such that the sum in the first "
          "times the sum in the second is least.",
      .levels =
          "The matrices have 3 rows and one more a level; their entries go up to that number. "
          "Beyond level 60 they would be too long to read.",
      .rewards = "-1 malformed, -0.5 not a permutation, else (least product / product)^5.",
      .differences =
          "The entries of one matrix are drawn from a narrower range, so that the sums do not "
          "weigh the same. Of fewer than 5 rows, only one permutation comes near the least "
          "product. From 5 rows on, a problem is drawn again that is solved by the "
          "identity, by rows that take the best free column one after another, or by the best "
          "assignment for the first matrix, for the second or for the sum of both; below 10 rows "
          "it must also not be solved by that for the sum of both scaled to the same mean.",
      .slow_reason = SlowReason::kStricter,
      .source =
          "Balkan Olympiad in Informatics 2011, timeismoney, has spanning trees in the "
          "place of matchings.",
      .max_level = 60,
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kStrictFrom = 5;
  static constexpr int kDraws = 400;
  static constexpr int kMaxRows = 100;
  static constexpr std::int64_t kMaxEntry = 10'000;

  using Matrix = std::vector<std::vector<std::int64_t>>;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    Matrix A;
    Matrix B;
    std::int64_t gold_answer = 0;
    REDQUEEN_FIELDS(N, A, B, gold_answer)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) { return {.N = 3 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    const auto draw = [&] {
      Problem problem = drawn(config.N, rng);
      problem.gold_answer = product_of(problem, solve(problem));
      return problem;
    };
    return draw_accepted(kDraws, draw, [&](const Problem& problem) {
      return config.N < kStrictFrom
                 ? has_clear_winner(problem)
                 : !some_rule_is_best<MinPairSumMultiplicationPermutation>(
                       problem, [&](const Answer& columns) {
                         return product_of(problem, columns) == problem.gold_answer;
                       });
    });
  }

  static Problem published(const Config& config, Rng& rng) {
    const int n = config.N;
    Problem problem{.N = n, .A = {}, .B = {}, .gold_answer = 0};
    for (Matrix* matrix : {&problem.A, &problem.B}) {
      for (int row = 0; row < n; ++row) matrix->push_back(draw_numbers(n, 1, n, rng));
    }
    problem.gold_answer = product_of(problem, solve(problem));
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxRows));
    for (const auto& [key, matrix] : {std::pair("A", &problem.A), std::pair("B", &problem.B)}) {
      RETURN_IF_ERROR(within(key, std::ssize(*matrix), problem.N, problem.N));
      for (const auto& row : *matrix) {
        RETURN_IF_ERROR(check_numbers(key, row, problem.N, 1, kMaxEntry));
      }
    }
    return reference_is("gold_answer", problem.gold_answer, product_of(problem, solve(problem)));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here are two matrices A and B with {0} rows and {0} columns each, both numbered from 0 "
        "to {1}. The rows of A, from row 0 on, one a line:\n"
        "{2}\n"
        "The rows of B likewise:\n"
        "{3}\n"
        "For a permutation p of the numbers 0 to {1}, let a be the sum of A[i][p[i]] over all "
        "rows i, and let b be the sum of B[i][p[i]] over all rows i. Find a permutation for which "
        "the product a · b is as small as possible.\n"
        "Answer with p[0] to p[{1}], in this order on one line, separated by spaces.",
        problem.N, problem.N - 1, format_answer(problem.A), format_answer(problem.B));
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (!is_order(problem.N, answer)) return kInvalidReward;
    return minimise_reward(product_of(problem, answer), problem.gold_answer, kBeta);
  }

  // Each permutation is a point (a, b) of the plane. The least product is at a corner of the
  // convex hull, because on any line that falls the product is least at an end of a stretch.
  static Answer solve(const Problem& problem) {
    Search search(problem);
    const Line left{1, 0, 0};
    const Line below{0, 1, 0};
    const Point first = search.visit(left);
    const Point last = search.visit(below);
    search.between(first, left.through(first), last, below.through(last));
    return search.best;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer order = ascending_order(problem.N);
    rng.shuffle(order);
    return order;
  }

  template <typename Visit>
  static bool try_rules(const Problem& problem, Visit visit) {
    return visit("the identity", ascending_order(problem.N)) ||
           visit("each row the free column of the least sum of both", by_rows(problem)) ||
           visit("the least sum of both", weighed(problem, 1, 1)) ||
           (problem.N < kEasilyScaledBelow &&
            visit("the least sum of both, scaled to the same mean",
                  weighed(problem, total(problem.B), total(problem.A)))) ||
           visit("the least sum in A", weighed(problem, 1, 0)) ||
           visit("the least sum in B", weighed(problem, 0, 1));
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(all_rules<MinPairSumMultiplicationPermutation>(problem));
  }

 private:
  static constexpr int kEasilyScaledBelow = 10;

  struct Point {
    std::int64_t a;
    std::int64_t b;
  };

  // Points with u a + v b = c. u, v ≥ 0.
  struct Line {
    std::int64_t u;
    std::int64_t v;
    std::int64_t c;
    Line through(const Point& point) const { return {u, v, u * point.a + v * point.b}; }
  };

  // All sums are below 2^20, so products of the numbers below fit into 128 bits.
  struct Search {
    const Problem& problem;
    std::vector<std::int64_t> costs;
    std::int64_t least = std::int64_t{1} << 60;
    Answer best;

    explicit Search(const Problem& of)
        : problem(of), costs(static_cast<std::size_t>(of.N) * static_cast<std::size_t>(of.N)) {}

    // The point farthest down in the direction of a line.
    Point visit(const Line& line) {
      const std::vector<int> columns = cheapest(problem, line.u, line.v, costs);
      Point point{0, 0};
      for (int row = 0; row < problem.N; ++row) {
        point.a += problem.A[row][columns[row]];
        point.b += problem.B[row][columns[row]];
      }
      if (point.a * point.b < least) {
        least = point.a * point.b;
        best.assign(columns.begin(), columns.end());
      }
      return point;
    }

    // Corners of the hull from p, with smaller a, to q; no point lies below the lines, one through
    // each of them.
    void between(const Point& p, const Line& at_p, const Point& q, const Line& at_q) {
      if (p.a >= q.a || p.b <= q.b) return;
      if (!may_improve(at_p, at_q)) return;
      const Line chord = Line{p.b - q.b, q.a - p.a, 0}.through(p);
      const Point r = visit(chord);
      const Line at_r = chord.through(r);
      if (at_r.c == chord.c) return;
      between(p, at_p, r, at_r);
      between(r, at_r, q, at_q);
    }

    // Whether the product is below the least so far where the two lines meet; in the triangle
    // between them and the chord it is nowhere smaller but at the chord's ends.
    bool may_improve(const Line& s, const Line& t) const {
      const Int128 scale = Int128{s.u} * t.v - Int128{s.v} * t.u;
      if (scale <= 0) return true;
      const Int128 a = Int128{s.c} * t.v - Int128{t.c} * s.v;
      const Int128 b = Int128{s.u} * t.c - Int128{t.u} * s.c;
      return a * b < scale * scale * least;
    }
  };

  static std::vector<int> cheapest(const Problem& problem, std::int64_t u, std::int64_t v,
                                   std::vector<std::int64_t>& costs) {
    std::size_t place = 0;
    for (int row = 0; row < problem.N; ++row) {
      for (int column = 0; column < problem.N; ++column) {
        costs[place++] = u * problem.A[row][column] + v * problem.B[row][column];
      }
    }
    return cheapest_assignment(problem.N, costs);
  }

  static Answer weighed(const Problem& problem, std::int64_t u, std::int64_t v) {
    std::vector<std::int64_t> costs(static_cast<std::size_t>(problem.N) *
                                    static_cast<std::size_t>(problem.N));
    const std::vector<int> columns = cheapest(problem, u, v, costs);
    return {columns.begin(), columns.end()};
  }

  static Answer by_rows(const Problem& problem) {
    Answer columns;
    std::vector<char> used(static_cast<std::size_t>(problem.N));
    for (int row = 0; row < problem.N; ++row) {
      int best = -1;
      for (int column = 0; column < problem.N; ++column) {
        const auto sum = [&](int c) { return problem.A[row][c] + problem.B[row][c]; };
        if (!used[column] && (best < 0 || sum(column) < sum(best))) best = column;
      }
      used[best] = 1;
      columns.push_back(best);
    }
    return columns;
  }

  static Problem drawn(int n, Rng& rng) {
    Problem problem{.N = n, .A = {}, .B = {}, .gold_answer = 0};
    const std::int64_t narrow = std::max<std::int64_t>(2, rng.integer(n / 4, n));
    for (int row = 0; row < n; ++row) problem.A.push_back(draw_numbers(n, 1, n, rng));
    for (int row = 0; row < n; ++row) problem.B.push_back(draw_numbers(n, 1, narrow, rng));
    if (rng.chance(0.5)) std::swap(problem.A, problem.B);
    return problem;
  }

  // Whether one permutation alone comes near the least product. For few rows.
  static bool has_clear_winner(const Problem& problem) {
    return count_orders_within(problem.N, 0, problem.gold_answer * 20 / 17,
                               [&](const Answer& p) { return product_of(problem, p); }) == 1;
  }

  static std::int64_t total(const Matrix& matrix) {
    std::int64_t sum = 0;
    for (const auto& row : matrix) {
      for (const std::int64_t entry : row) sum += entry;
    }
    return sum;
  }

  static std::int64_t product_of(const Problem& problem, const Answer& columns) {
    std::int64_t a = 0;
    std::int64_t b = 0;
    for (int row = 0; row < problem.N; ++row) {
      a += problem.A[row][columns[row]];
      b += problem.B[row][columns[row]];
    }
    return a * b;
  }
};
REDQUEEN_ENVIRONMENT(MinPairSumMultiplicationPermutation);

}  // namespace
}  // namespace redqueen
