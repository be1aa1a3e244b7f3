#include "redqueen/core/contract.h"
#include "redqueen/gym/common/number/modular_matrix.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct Matrix_BinaryExponentiation {
  static constexpr Card card{
      .name = "Matrix_BinaryExponentiation",
      .published = true,
      .family = Family::kAlgebra,
      .answer = AnswerKind::kIntegerMatrix,
      .scoring = Scoring::kElementWise,
      .task = "Raise a square matrix to a power, with entries reduced modulo a number.",
      .levels =
          "The bound on the exponent starts at 2 and doubles each level; the matrix has 2, 3, 5 or "
          "10 rows.",
      .rewards = "-1 malformed or of another shape, else (entries that are right / all)^5.",
      .differences =
          "The modulus is among the parameters; without it, it is 10000. The exponent lies in the "
          "upper half of its range.",
      .max_level = 40,
  };

  static constexpr std::int64_t kModulo = 10'000;
  static constexpr double kBeta = 5.0;

  struct Config {
    int N = 0;
    std::int64_t MAX_K = 0;
    REDQUEEN_FIELDS(N, MAX_K)
  };
  struct Problem {
    int N = 0;
    std::int64_t MAX_K = 0;
    std::int64_t K = 0;
    std::vector<std::vector<std::int64_t>> A;
    std::optional<std::int64_t> modulo;  // kModulo where it is missing
    REDQUEEN_FIELDS(N, MAX_K, K, A, modulo)
  };
  using Answer = std::vector<std::vector<std::int64_t>>;

  static Config at_level(int level, Rng& rng) {
    constexpr std::array kSizes{2, 3, 5, 10};
    return {.N = rng.choice(kSizes), .MAX_K = multiply(2, 2, level)};
  }

  static Problem generate(const Config& config, Rng& rng) {
    return {.N = config.N,
            .MAX_K = config.MAX_K,
            .K = rng.integer(std::max<std::int64_t>(2, config.MAX_K / 2), config.MAX_K),
            .A = random_matrix(config.N, kModulo, rng),
            .modulo = kModulo};
  }

  static Answer random_matrix(int size, std::int64_t modulo, Rng& rng) {
    const auto n = static_cast<std::size_t>(size);
    Answer matrix(n, std::vector<std::int64_t>(n));
    for (auto& row : matrix) {
      for (std::int64_t& entry : row) entry = rng.integer(0, modulo - 1);
    }
    return matrix;
  }

  static std::int64_t modulo(const Problem& problem) { return problem.modulo.value_or(kModulo); }

  static Problem published(const Config& config, Rng& rng) {
    return {.N = config.N,
            .MAX_K = config.MAX_K,
            .K = rng.integer(2, config.MAX_K),
            .A = random_matrix(config.N, kModulo, rng),
            .modulo = kModulo};
  }

  static Status check(const Problem& problem) {
    if (auto sound = within("N", problem.N, 1, 50); !sound) return sound;
    if (auto sound = within("K", problem.K, 0, std::int64_t{1} << 62); !sound) return sound;
    if (auto sound = within("modulo", modulo(problem), 1, 1 << 16); !sound) return sound;
    if (!has_shape(problem, problem.A)) {
      return failure("\"A\": expected {} rows of {} numbers", problem.N, problem.N);
    }
    return {};
  }

  static bool has_shape(const Problem& problem, const Answer& matrix) {
    const auto n = static_cast<std::size_t>(problem.N);
    return matrix.size() == n &&
           std::ranges::all_of(matrix, [&](const auto& row) { return row.size() == n; });
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A is the {0} × {0} matrix with these rows:\n{1}\n"
        "Compute A^{2} (a power of the matrix, not of its entries) and reduce every entry modulo "
        "{3} to the range from 0 to {4}.\n"
        "Answer with the {0} rows of the result, one per line, entries separated by spaces.",
        problem.N, format_answer(problem.A), problem.K, modulo(problem), modulo(problem) - 1);
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (!has_shape(problem, answer)) return kMalformedReward;
    const Answer right = solve(problem);
    std::int64_t matches = 0;
    for (std::size_t i = 0; i < right.size(); ++i) {
      for (std::size_t j = 0; j < right.size(); ++j) matches += answer[i][j] == right[i][j];
    }
    return share_reward(matches, std::int64_t{problem.N} * problem.N, kBeta);
  }

  static Answer solve(const Problem& problem) {
    ModularMatrix matrix(problem.N, static_cast<std::uint32_t>(modulo(problem)));
    for (int i = 0; i < problem.N; ++i) {
      for (int j = 0; j < problem.N; ++j) matrix.set(i, j, problem.A[index(i)][index(j)]);
    }
    const ModularMatrix raised = power(matrix, problem.K);
    Answer result = problem.A;
    for (int i = 0; i < problem.N; ++i) {
      for (int j = 0; j < problem.N; ++j) result[index(i)][index(j)] = raised(i, j);
    }
    return result;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return random_matrix(problem.N, modulo(problem), rng);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    Answer squares = problem.A;
    for (auto& row : squares) {
      for (std::int64_t& entry : row) {
        const std::int64_t rest = entry % modulo(problem);
        entry = rest * rest % modulo(problem);
      }
    }
    return {{"the matrix itself", format_answer(problem.A)},
            {"entries squared", format_answer(squares)}};
  }

 private:
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }
};
REDQUEEN_ENVIRONMENT(Matrix_BinaryExponentiation);

}  // namespace
}  // namespace redqueen
