#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <unordered_set>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/stored_count.h"
#include "redqueen/gym/common/number/modular.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/spread.h"

namespace redqueen {
namespace {

struct CardColoringCounting : StoredCount<1> {
  static constexpr Card card{
      .name = "CardColoringCounting",
      .published = true,
      .family = Family::kCounting,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task =
          "Count the colourings of cards, with given numbers of cards a colour, that differ even "
          "after any of the given shuffles.",
      .levels =
          "There are 3 cards and one more a level, and one to three shuffles. Beyond level 70 the "
          "numbers would not fit 128 bits.",
      .rewards =
          "-1 malformed or not positive, else (smaller / larger of answer and count)^10, which is "
          "1 only if right.",
      .differences =
          "Shuffles are rotations and reflections of a hidden grid, or products of them, and at "
          "least one is given: two random permutations make any colouring of any other, and no "
          "computer lists their products for 13 cards. Every colour occurs. From 5 cards on, the "
          "number of colourings over that of the products, rounded up, is not the answer.",
      .small_answer_space =
          "With five cards, at level 2, there are at most 30 colourings and few classes. The "
          "number of colourings over that of products is close to the answer for many cards: it "
          "earns up to four tenths of the reward, but never solves.",
      .guess_until_level = 2,
      .source = "Cards, HNOI 2008",
      .max_level = 70,
  };

  static constexpr std::int64_t kMaxCards = 75;
  static constexpr std::int64_t kMaxShuffles = 10;
  static constexpr std::size_t kMaxProducts = 50'000;
  static constexpr std::int64_t kMostShuffledCards = 8;  // 8! ≤ kMaxProducts

  struct Config {
    std::int64_t N = 0;
    std::int64_t K = 0;
    REDQUEEN_FIELDS(N, K)
  };
  struct Problem {
    std::int64_t N = 0;
    std::int64_t K = 0;
    std::int64_t R = 0;
    std::int64_t G = 0;
    std::int64_t B = 0;
    std::vector<std::vector<std::int64_t>> shuffling_methods;
    BigInt reference_answer;
    REDQUEEN_FIELDS(N, K, R, G, B, shuffling_methods, reference_answer)
  };

  static Config at_level(int level, Rng& rng) { return {.N = 3 + level, .K = rng.integer(1, 3)}; }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_spread(
        config.N == 5   ? 8
        : config.N == 6 ? 2
                        : 1,
        rng, [&] {
          using Draft = std::pair<Int128, Problem>;
          Problem draft{.N = config.N, .K = config.K};
          const std::vector<std::int64_t> cuts = rng.sample(1, config.N - 1, 2);
          draft.R = std::min(cuts[0], cuts[1]);
          draft.G = std::max(cuts[0], cuts[1]) - draft.R;
          draft.B = config.N - draft.R - draft.G;
          for (const Permutation& shuffle : draw_shuffles(config, rng)) {
            auto& listed = draft.shuffling_methods.emplace_back();
            for (const char place : shuffle) listed.push_back(place + 1);
          }
          const std::optional<Classes> classes = count(draft);
          if (!classes || (config.N >= kSomeCards && classes->number == classes->estimate)) {
            return std::optional<Draft>();
          }
          draft.reference_answer = BigInt(classes->number);
          return std::optional<Draft>({classes->number, std::move(draft)});
        });
  }

  // None to three shuffles; beyond eight cards at most one, because RLVE-Gym lists all products and
  // gives up when that takes too long.
  static Config published_level(int level, Rng& rng) {
    const std::int64_t cards = 3 + level;
    return {.N = cards, .K = rng.integer(0, cards > kMostShuffledCards ? 1 : 3)};
  }

  // Random permutations. The first colour's number of cards is uniform, the second's among those
  // that are left; then the colours change places.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .K = config.K};
    std::array<std::int64_t, 3> colours{};
    colours[0] = rng.integer(0, config.N);
    colours[1] = rng.integer(0, config.N - colours[0]);
    colours[2] = config.N - colours[0] - colours[1];
    rng.shuffle(colours);
    problem.R = colours[0];
    problem.G = colours[1];
    problem.B = colours[2];
    for (std::int64_t i = 0; i < config.K; ++i) {
      problem.shuffling_methods.push_back(
          rng.sample(1, config.N, static_cast<std::size_t>(config.N)));
    }
    const std::optional<Classes> classes = count(problem);
    if (!classes) throw Retry();
    problem.reference_answer = BigInt(classes->number);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxCards));
    RETURN_IF_ERROR(within("K", problem.K, 0, kMaxShuffles));
    RETURN_IF_ERROR(within("R", problem.R, 0, problem.N));
    RETURN_IF_ERROR(within("G", problem.G, 0, problem.N - problem.R));
    RETURN_IF_ERROR(within("B", problem.B, problem.N - problem.R - problem.G,
                           problem.N - problem.R - problem.G));
    if (std::ssize(problem.shuffling_methods) != problem.K) {
      return failure("\"shuffling_methods\": expected \"K\" of them, found {}",
                     problem.shuffling_methods.size());
    }
    for (const auto& shuffle : problem.shuffling_methods) {
      RETURN_IF_ERROR(check_numbers("shuffling_methods", shuffle, problem.N, 1, problem.N));
      std::vector<std::int64_t> sorted = shuffle;
      std::ranges::sort(sorted);
      if (std::ranges::adjacent_find(sorted) != sorted.end()) {
        return failure("\"shuffling_methods\": a place occurs twice in one shuffle");
      }
    }
    const std::optional<Classes> classes = count(problem);
    if (!classes) return failure("\"shuffling_methods\": more than {} products", kMaxProducts);
    return reference_is("reference_answer", problem.reference_answer, BigInt(classes->number));
  }

  static std::string prompt(const Problem& problem) {
    std::string shuffles;
    for (const auto& shuffle : problem.shuffling_methods) {
      shuffles += format_answer(shuffle) + '\n';
    }
    return fmt::format(
        "{0} cards lie in a row at the places 1 to {0}. Each card gets one colour, such that the "
        "numbers of cards are: {1} red, {2} green, {3} blue. The row can be shuffled in {4} "
        "way{5}. "
        "{6}\n"
        "{7}"
        "Two colourings are equivalent if shuffles, one after the other, turn one into the other; "
        "each may be used any number of times, in any order, and none at all is allowed, too. How "
        "many classes of equivalent colourings are there?\n"
        "Answer with one integer.",
        problem.N, problem.R, problem.G, problem.B, problem.K, problem.K == 1 ? "" : "s",
        problem.K == 0 ? "So only equal colourings are equivalent."
                       : "A line below is one shuffle: its i-th number is the place to which the "
                         "card at place i goes.",
        shuffles);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const std::optional<Classes> classes = count(problem);
    return {{"all colourings", format_answer(BigInt(classes->colourings))},
            {"all colourings over all products of shuffles, rounded up",
             format_answer(BigInt(classes->estimate))},
            {"all colourings over one more than the shuffles",
             format_answer(BigInt(classes->colourings / (problem.K + 1)))}};
  }

 private:
  using Permutation = std::string;  // place i goes to place [i], both from 0 on
  static constexpr std::int64_t kSomeCards = 5;
  static constexpr std::int64_t kLongestRing = 6;

  struct Classes {
    Int128 number;
    Int128 colourings;
    Int128 estimate;  // colourings over products, rounded up
  };

  static std::size_t index(char place) { return static_cast<std::size_t>(place); }

  // `first`, then `second`.
  static Permutation product(const Permutation& first, const Permutation& second) {
    Permutation both = first;
    for (char& place : both) place = second[index(place)];
    return both;
  }

  static Permutation identity(std::int64_t cards) {
    Permutation stay(static_cast<std::size_t>(cards), '\0');
    std::iota(stay.begin(), stay.end(), '\0');
    return stay;
  }

  // Places are a grid of `height` rows, and a ring of the others, of which some stay where they
  // are. Moves turn one of these, or reflect the grid.
  static std::vector<Permutation> moves(std::int64_t cards, std::int64_t height,
                                        std::int64_t width) {
    std::vector<Permutation> found;
    const Permutation stay = identity(cards);
    const auto add = [&](auto target) {
      Permutation move = stay;
      for (std::int64_t i = 0; i < height; ++i) {
        for (std::int64_t j = 0; j < width; ++j) {
          const auto [to_i, to_j] = target(i, j);
          move[i * width + j] = static_cast<char>(to_i * width + to_j);
        }
      }
      if (move != stay && std::ranges::find(found, move) == found.end()) found.push_back(move);
    };
    add([&](std::int64_t i, std::int64_t j) { return std::pair((i + 1) % height, j); });
    add([&](std::int64_t i, std::int64_t j) { return std::pair(i, (j + 1) % width); });
    add([&](std::int64_t i, std::int64_t j) { return std::pair(height - 1 - i, j); });
    add([&](std::int64_t i, std::int64_t j) { return std::pair(i, width - 1 - j); });
    const std::int64_t ring = std::min(cards - height * width, kLongestRing);
    if (ring >= 2) {
      Permutation turn = stay;
      const auto first = turn.end() - ring;
      std::rotate(first, first + 1, turn.end());
      found.push_back(turn);
    }
    return found;
  }

  static std::vector<Permutation> draw_shuffles(const Config& config, Rng& rng) {
    const std::int64_t height = rng.integer(2, config.N);
    const std::int64_t width = rng.integer(1, config.N / height);
    std::vector<Permutation> shuffles = moves(config.N, height, width);
    rng.shuffle(shuffles);
    const auto wanted = static_cast<std::size_t>(config.K);
    // Too many are joined; one that is missing is a product, which changes no class.
    while (shuffles.size() > wanted) {
      const Permutation last = shuffles.back();
      shuffles.pop_back();
      if (rng.chance(0.5)) shuffles[0] = product(shuffles[0], last);
    }
    while (shuffles.size() < wanted) {
      const Permutation other = rng.choice(shuffles);
      shuffles.push_back(product(shuffles[0], other));
    }
    for (std::size_t i = 1; i < shuffles.size(); ++i) {
      if (rng.chance(0.5)) shuffles[i] = product(shuffles[i], shuffles[i - 1]);
    }
    // The grid is hidden: its places are anywhere in the row.
    const std::vector<int> place = rng.permutation(static_cast<int>(config.N));
    for (Permutation& shuffle : shuffles) {
      const Permutation in_grid = shuffle;
      for (std::size_t i = 0; i < in_grid.size(); ++i) {
        shuffle[place[i]] = static_cast<char>(place[index(in_grid[i])]);
      }
    }
    rng.shuffle(shuffles);
    std::vector<Permutation> all = shuffles;
    all.push_back(identity(config.N));
    std::ranges::sort(all);
    if (std::ranges::adjacent_find(all) != all.end()) throw Retry();
    return shuffles;
  }

  // Burnside's lemma: the colourings that a product of shuffles leaves unchanged, on average over
  // all products. nullopt: there are too many products.
  static std::optional<Classes> count(const Problem& problem) {
    std::vector<Permutation> shuffles;
    for (const auto& listed : problem.shuffling_methods) {
      Permutation& shuffle = shuffles.emplace_back();
      for (const std::int64_t place : listed) shuffle += static_cast<char>(place - 1);
    }
    const Permutation stay = identity(problem.N);
    std::unordered_set<Permutation> known{stay};
    std::vector<Permutation> products{stay};
    std::map<std::vector<int>, std::int64_t> with_cycles;
    for (std::size_t i = 0; i < products.size(); ++i) {
      ++with_cycles[cycle_lengths(products[i])];
      for (const Permutation& shuffle : shuffles) {
        Permutation next = product(products[i], shuffle);
        if (known.insert(next).second) products.push_back(std::move(next));
      }
      if (products.size() > kMaxProducts) return std::nullopt;
    }
    const auto order = static_cast<std::int64_t>(products.size());
    Int128 sum = 0;
    for (const auto& [lengths, how_many] : with_cycles) {
      sum += how_many * unchanged_colourings(problem, lengths);
    }
    const Int128 colourings =
        unchanged_colourings(problem, std::vector<int>(static_cast<std::size_t>(problem.N), 1));
    return Classes{.number = sum / order,
                   .colourings = colourings,
                   .estimate = (colourings + order - 1) / order};
  }

  // Ascending.
  static std::vector<int> cycle_lengths(const Permutation& permutation) {
    std::vector<int> lengths;
    std::vector<char> seen(permutation.size());
    for (std::size_t first = 0; first < permutation.size(); ++first) {
      int length = 0;
      for (std::size_t place = first; seen[place] == 0; place = index(permutation[place])) {
        seen[place] = 1;
        ++length;
      }
      if (length > 0) lengths.push_back(length);
    }
    std::ranges::sort(lengths);
    return lengths;
  }

  // Every cycle has one colour: ways[r][g] with r red and g green cards among the cycles so far.
  static Int128 unchanged_colourings(const Problem& problem, const std::vector<int>& lengths) {
    const std::int64_t width = problem.G + 1;
    std::vector<Int128> ways(static_cast<std::size_t>((problem.R + 1) * width));
    ways[0] = 1;
    std::int64_t cards = 0;
    for (const int length : lengths) {
      cards += length;
      for (std::int64_t r = problem.R; r >= 0; --r) {
        for (std::int64_t g = problem.G; g >= 0; --g) {
          Int128& entry = ways[r * width + g];
          if (cards - r - g > problem.B) entry = 0;  // more blue cards than there are
          if (r >= length) entry += ways[(r - length) * width + g];
          if (g >= length) entry += ways[r * width + g - length];
        }
      }
    }
    return ways.back();
  }
};
REDQUEEN_ENVIRONMENT(CardColoringCounting);

}  // namespace
}  // namespace redqueen
