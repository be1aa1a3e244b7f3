#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/stored_count.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/redraw.h"
#include "redqueen/gym/common/parameter/reference.h"

namespace redqueen {
namespace {

struct GridColoringCounting : StoredResidue {
  static constexpr Card card{
      .name = "GridColoringCounting",
      .published = true,
      .family = Family::kCounting,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "Count, modulo a number, the ways to colour cells of a grid with given numbers of cells "
          "a colour and at most one colour in each row and column.",
      .levels =
          "The bound on rows and columns starts at 3 and grows by a tenth and one each level. "
          "Beyond level 25 the tables of the reference solution would take too long.",
      .rewards = "-1 malformed, -0.5 no residue, 0 wrong, 1 right.",
      .differences =
          "There are two to eight colours, whose numbers of cells are those of blocks that fit "
          "the grid side by side, so that every problem has a colouring: with one colour, every "
          "choice of cells is right. Residues of 0 are drawn again, but a modulus above the count "
          "is allowed, and none is small.",
      .small_answer_space = "At level 0 there are few ways to colour six or nine cells.",
      .guess_until_level = 0,
      .source = "Placing chessmen (放棋子), CQOI 2011",
      .max_level = 25,
  };

  static constexpr std::int64_t kMaxSide = 100;
  static constexpr std::int64_t kMaxModulus = 1'000'000;
  static constexpr std::int64_t kMaxWork = 400'000'000;
  static constexpr std::int64_t kMaxBinomials = 4'000'000;
  static constexpr std::int64_t kMaxColours = 8;

  struct Config {
    std::int64_t MAX_N_M = 0;
    REDQUEEN_FIELDS(MAX_N_M)
  };
  struct Problem {
    std::int64_t MAX_N_M = 0;
    std::int64_t N = 0;
    std::int64_t M = 0;
    std::int64_t C = 0;
    std::vector<std::int64_t> Xs;
    std::int64_t MOD = 0;
    std::int64_t reference_answer = 0;
    REDQUEEN_FIELDS(MAX_N_M, N, M, C, Xs, MOD, reference_answer)
  };

  static Config at_level(int level, Rng&) { return {.MAX_N_M = grow_by_tenth(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem{.MAX_N_M = config.MAX_N_M,
                    .N = draw_upper_half(2, config.MAX_N_M, rng),
                    .M = draw_upper_half(2, config.MAX_N_M, rng)};
    problem.C = rng.integer(2, std::min({problem.N, problem.M, kMaxColours}));
    // A colour fills part of a block of its own; blocks lie along the diagonal.
    const std::vector<std::int64_t> heights = draw_sides(problem.C, problem.N, rng);
    const std::vector<std::int64_t> widths = draw_sides(problem.C, problem.M, rng);
    for (std::int64_t i = 0; i < problem.C; ++i) {
      const std::int64_t least = std::max(heights[i], widths[i]);
      // Three times as many as needed keep the tables small.
      problem.Xs.push_back(rng.integer(least, std::min(heights[i] * widths[i], 3 * least)));
    }
    if (!is_affordable(problem)) throw Retry();
    problem.MOD = rng.integer(kMaxDrawnModulus / 2, kMaxDrawnModulus);
    problem.reference_answer = Tables(problem).count();
    if (problem.reference_answer == 0) throw Retry();
    return problem;
  }

  // Rows, columns, the number of cells to colour, colours and the modulus are uniform, and all ways
  // to share out the cells are equally likely. Drawn until the residue is not 0; so is what is too
  // costly to count.
  static Problem published(const Config& config, Rng& rng) {
    return first_of_use([&]() -> std::optional<Problem> {
      Problem problem{.MAX_N_M = config.MAX_N_M,
                      .N = rng.integer(2, config.MAX_N_M),
                      .M = rng.integer(2, config.MAX_N_M)};
      const std::int64_t cells = rng.integer(1, problem.N * problem.M);
      problem.C = rng.integer(1, std::min({problem.N, problem.M, cells}));
      std::vector<std::int64_t> ends;
      if (problem.C > 1) ends = rng.sample(1, cells - 1, static_cast<std::size_t>(problem.C - 1));
      ends.push_back(cells);
      std::ranges::sort(ends);
      std::adjacent_difference(ends.begin(), ends.end(), std::back_inserter(problem.Xs));
      problem.MOD = rng.integer(2, kMaxDrawnModulus);
      if (!is_affordable(problem)) return std::nullopt;
      problem.reference_answer = Tables(problem).count();
      if (problem.reference_answer == 0) return std::nullopt;
      return problem;
    });
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxSide));
    RETURN_IF_ERROR(within("M", problem.M, 1, kMaxSide));
    RETURN_IF_ERROR(within("C", problem.C, 1, kMaxSide));
    RETURN_IF_ERROR(check_numbers("Xs", problem.Xs, problem.C, 1, problem.N * problem.M));
    RETURN_IF_ERROR(within("MOD", problem.MOD, 1, kMaxModulus));
    if (!is_affordable(problem)) return failure("\"Xs\": too many cells to count for");
    return reference_is("reference_answer", problem.reference_answer, Tables(problem).count());
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Some cells of a grid with {} rows and {} columns are coloured, each with one of {} "
        "colours, numbered 0 to {}; the other cells stay blank. No row and no column may contain "
        "two different colours (it may contain one colour several times). Exactly X[i] cells have "
        "colour i, where X[0] to X[{}] are: {}\n"
        "In how many ways can the grid be coloured? Grids that can be turned or reflected into "
        "each other are different ways.\n"
        "{}",
        problem.N, problem.M, problem.C, problem.C - 1, problem.C - 1, format_answer(problem.Xs),
        ask_for_count_residue(problem.MOD));
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const Binomials choose(problem);
    std::uint64_t ways = 1;
    std::int64_t cells = problem.N * problem.M;
    for (const std::int64_t x : problem.Xs) {
      ways = ways * choose(cells, std::min(x, cells)) % static_cast<std::uint64_t>(problem.MOD);
      cells = std::max<std::int64_t>(cells - x, 0);
    }
    return {{"rows and columns do not matter", format_answer(static_cast<std::int64_t>(ways))}};
  }

 private:
  static constexpr std::int64_t kMaxDrawnModulus = 10'000;

  // Whether the tables are of bearable size.
  static bool is_affordable(const Problem& problem) {
    const std::int64_t cells = problem.N * problem.M;
    std::int64_t work = 0;
    for (const std::int64_t x : problem.Xs) {
      work += cells * std::min(problem.N, x) * std::min(problem.M, x);
    }
    return work <= kMaxWork && cells * std::ranges::max(problem.Xs) <= kMaxBinomials;
  }

  // As many parts ≥ 1 with a sum of at most `length`, each such list as likely.
  static std::vector<std::int64_t> draw_sides(std::int64_t parts, std::int64_t length, Rng& rng) {
    std::vector<std::int64_t> ends = rng.sample(1, length, static_cast<std::size_t>(parts));
    std::ranges::sort(ends);
    std::adjacent_difference(ends.begin(), ends.end(), ends.begin());
    return ends;
  }

  // Pascal's triangle modulo MOD, up to the cells of the grid: the modulus need not be prime.
  class Binomials {
   public:
    explicit Binomials(const Problem& problem)
        : width_(std::max({problem.N, problem.M, std::ranges::max(problem.Xs)}) + 1) {
      const std::int64_t cells = problem.N * problem.M;
      const auto modulus = static_cast<std::uint32_t>(problem.MOD);
      entries_.resize((cells + 1) * width_);
      entries_[0] = 1 % modulus;
      for (std::int64_t n = 1; n <= cells; ++n) {
        std::uint32_t* row = entries_.data() + n * width_;
        const std::uint32_t* above = row - width_;
        row[0] = above[0];
        for (std::int64_t k = 1; k <= std::min(n, width_ - 1); ++k) {
          const std::uint32_t sum = above[k - 1] + above[k];
          row[k] = sum >= modulus ? sum - modulus : sum;
        }
      }
    }

    // n ≤ the cells of the grid; k ≤ its sides or some X.
    std::uint64_t operator()(std::int64_t n, std::int64_t k) const {
      return entries_[n * width_ + k];
    }

   private:
    std::int64_t width_;
    std::vector<std::uint32_t> entries_;
  };

  class Tables {
   public:
    explicit Tables(const Problem& problem)
        : problem_(problem),
          choose_(problem),
          modulus_(static_cast<std::uint64_t>(problem.MOD)),
          rows_(problem.N),
          columns_(problem.M),
          sides_(static_cast<std::size_t>((rows_ + 1) * (columns_ + 1))) {}

    // ways[i][j]: the colourings with the first few colours that take i rows and j columns. The
    // last colour may then have any cells of the other rows and columns.
    std::int64_t count() {
      std::vector<std::uint64_t> ways(sides_);
      ways[0] = 1 % modulus_;
      for (std::size_t colour = 0; colour + 1 < problem_.Xs.size(); ++colour) {
        ways = with_colour(ways, problem_.Xs[colour]);
      }
      const std::int64_t last = problem_.Xs.back();
      std::uint64_t sum = 0;
      for (std::int64_t i = 0; i <= rows_; ++i) {
        for (std::int64_t j = 0; j <= columns_; ++j) {
          const std::int64_t cells = (rows_ - i) * (columns_ - j);
          if (cells >= last) sum += ways[at(i, j)] * choose_(cells, last) % modulus_;
        }
      }
      return static_cast<std::int64_t>(sum % modulus_);
    }

   private:
    std::size_t at(std::int64_t i, std::int64_t j) const {
      return static_cast<std::size_t>(i * (columns_ + 1) + j);
    }

    // covers[a][b]: the choices of x cells of a rows and b columns that leave none of them empty,
    // by inclusion and exclusion over rows, then over columns.
    std::vector<std::uint64_t> covering_choices(std::int64_t x) const {
      const std::int64_t height = std::min(rows_, x);
      const std::int64_t width = std::min(columns_, x);
      const auto signed_choice = [&](std::int64_t n, std::int64_t k) {
        const std::uint64_t choices = choose_(n, k);
        return (n - k) % 2 == 0 || choices == 0 ? choices : modulus_ - choices;
      };
      std::vector<std::uint64_t> rows_covered(sides_);
      std::vector<std::uint64_t> covers(sides_);
      for (std::int64_t b = 1; b <= width; ++b) {
        for (std::int64_t a = 1; a <= height; ++a) {
          std::uint64_t sum = 0;
          for (std::int64_t i = 1; i <= a; ++i) {
            if (i * b >= x) sum += signed_choice(a, i) * choose_(i * b, x);
          }
          rows_covered[at(a, b)] = sum % modulus_;
        }
      }
      for (std::int64_t a = 1; a <= height; ++a) {
        for (std::int64_t b = 1; b <= width; ++b) {
          std::uint64_t sum = 0;
          for (std::int64_t j = 1; j <= b; ++j) sum += signed_choice(b, j) * rows_covered[at(a, j)];
          covers[at(a, b)] = sum % modulus_;
        }
      }
      return covers;
    }

    std::vector<std::uint64_t> with_colour(const std::vector<std::uint64_t>& before,
                                           std::int64_t x) const {
      const std::int64_t height = std::min(rows_, x);
      const std::int64_t width = std::min(columns_, x);
      const std::vector<std::uint64_t> covers = covering_choices(x);
      std::vector<std::uint64_t> after(sides_);
      std::vector<std::uint64_t> placed(sides_);  // covers, with the choice of the columns
      for (std::int64_t j = 0; j < columns_; ++j) {
        const std::int64_t most = std::min(width, columns_ - j);
        for (std::int64_t a = 1; a <= height; ++a) {
          for (std::int64_t b = 1; b <= most; ++b) {
            placed[at(a, b)] = covers[at(a, b)] * choose_(columns_ - j, b) % modulus_;
          }
        }
        for (std::int64_t i = 0; i < rows_; ++i) {
          if (before[at(i, j)] == 0) continue;
          for (std::int64_t a = 1; a <= std::min(height, rows_ - i); ++a) {
            const std::uint64_t rows = before[at(i, j)] * choose_(rows_ - i, a) % modulus_;
            for (std::int64_t b = (x + a - 1) / a; b <= most; ++b) {
              after[at(i + a, j + b)] += rows * placed[at(a, b)];
            }
          }
        }
      }
      for (std::uint64_t& entry : after) entry %= modulus_;
      return after;
    }

    const Problem& problem_;
    Binomials choose_;
    std::uint64_t modulus_;
    std::int64_t rows_;
    std::int64_t columns_;
    std::size_t sides_;
  };
};
REDQUEEN_ENVIRONMENT(GridColoringCounting);

}  // namespace
}  // namespace redqueen
