#include <algorithm>
#include <array>
#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/rules.h"

namespace redqueen {
namespace {

struct DifferentColorPairing {
  static constexpr Card card{
      .name = "DifferentColorPairing",
      .published = true,
      .family = Family::kPuzzles,
      .answer = AnswerKind::kPairs,
      .scoring = Scoring::kFeasibility,
      .task = "Pair pearls such that the two of each pair differ in colour.",
      .levels =
          "The number of pearls starts at 6 and grows by two a level; there are from three to half "
          "as many colours.",
      .rewards =
          "-1 malformed or another number of pairs, -0.5 a colour that does not exist or a pair of "
          "one colour, else (colours used as often as there are pearls / all)^10.",
      .differences =
          "There are at most half as many colours as pearls, and from 8 pearls on, numbers that "
          "a simple rule pairs are drawn again, from 10 on also those that chance pairs.",
      .version = 2,
  };

  static constexpr std::int64_t kMaxPearls = 20'000;
  static constexpr int kDraws = 100;
  static constexpr int kRandomWays = 8;
  static constexpr int kStrictFrom = 8;  // with fewer pearls, simple rules pair nearly all
  static constexpr int kMostListed = 12;
  static constexpr double kMostChance = 0.25;  // that a random pairing is right

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;                    // pearls
    int M = 0;                    // colours
    std::vector<std::int64_t> C;  // pearls by colour
    REDQUEEN_FIELDS(N, M, C)
  };
  using Answer = std::vector<std::pair<std::int64_t, std::int64_t>>;

  static Config at_level(int level, Rng&) { return {.N = 6 + 2 * level}; }

  static Problem generate(const Config& config, Rng& rng) {
    const int most_colours = std::max(4, config.N / 2);
    if (config.N < kStrictFrom) return draw(config.N, most_colours, rng);
    if (config.N <= kMostListed) return rng.choice(listed(config.N));
    return draw_accepted(
        kDraws, [&] { return draw(config.N, most_colours, rng); },
        [&](const Problem& problem) {
          return !some_rule_solves<DifferentColorPairing>(problem) &&
                 !chance_solves<DifferentColorPairing>(problem, kRandomWays, rng);
        });
  }

  // All problems of 8, 10 or 12 pearls that no rule solves, and from 10 pearls on chance seldom.
  static const std::vector<Problem>& listed(int pearls) {
    static const auto kListed = [] {
      std::array<std::vector<Problem>, kMostListed + 1> lists;
      for (int n = kStrictFrom; n <= kMostListed; n += 2) {
        for (int colours = 3; colours <= std::max(4, n / 2); ++colours) {
          Problem problem{.N = n, .M = colours, .C = {}};
          list_all(problem, n, lists[n]);
        }
      }
      return lists;
    }();
    return kListed[pearls];
  }

  // With `left` pearls for the colours that have no number yet.
  static void list_all(Problem& problem, std::int64_t left, std::vector<Problem>& list) {
    const auto colours_left = problem.M - std::ssize(problem.C);
    if (colours_left == 0) {
      if (left == 0 && !some_rule_solves<DifferentColorPairing>(problem) &&
          (problem.N == kStrictFrom || chance(problem.C) <= kMostChance)) {
        list.push_back(problem);
      }
      return;
    }
    for (std::int64_t count = 1; count <= std::min<std::int64_t>(left, problem.N / 2); ++count) {
      problem.C.push_back(count);
      list_all(problem, left - count, list);
      problem.C.pop_back();
    }
  }

  // That a random pairing never pairs one colour: by inclusion and exclusion over the k pairs of
  // one colour that it is made to have. For at most kMostListed pearls.
  static double chance(const std::vector<std::int64_t>& counts) {
    const std::int64_t pearls = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
    std::vector<double> ways{1.0};  // [k]: to choose k disjoint pairs of one colour each
    for (const std::int64_t count : counts) {
      std::vector<double> more(ways.size() + static_cast<std::size_t>(count / 2));
      double of_this = 1.0;  // ways to choose `pairs` of this colour
      for (std::int64_t pairs = 0; pairs <= count / 2; ++pairs) {
        for (std::size_t k = 0; k < ways.size(); ++k) more[k + pairs] += ways[k] * of_this;
        const auto left = static_cast<double>(count - 2 * pairs);
        of_this *= left * (left - 1) / 2 / static_cast<double>(pairs + 1);
      }
      ways = std::move(more);
    }
    double chance = 0.0;
    double of_rest = 1.0;  // pairings of the other pearls, over those of all
    for (std::size_t k = 0; k < ways.size(); ++k) {
      chance += (k % 2 == 0 ? 1.0 : -1.0) * ways[k] * of_rest;
      of_rest /= static_cast<double>(pearls - 1) - 2.0 * static_cast<double>(k);
    }
    return chance;
  }

  // There may be as many colours as pearls but one.
  static Problem published(const Config& config, Rng& rng) {
    return draw(config.N, config.N - 1, rng);
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 2, kMaxPearls));
    RETURN_IF_ERROR(within("M", problem.M, 2, problem.N));
    RETURN_IF_ERROR(check_numbers("C", problem.C, problem.M, 1, problem.N / 2));
    if (problem.N % 2 != 0) return failure("\"N\": expected an even number, found {}", problem.N);
    if (std::accumulate(problem.C.begin(), problem.C.end(), std::int64_t{0}) != problem.N) {
      return failure("\"C\": expected numbers that add up to \"N\"");
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "There are {} pearls in {} colours, which are numbered from 1. The numbers of pearls of "
        "colour 1, of colour 2, and so on are\n"
        "{}\n"
        "Sort the pearls into {} pairs, such that every pearl is in exactly one pair and the two "
        "pearls of a pair always differ in colour. Any solution will do.\n"
        "Answer with {} lines, one for each pair: the colours of its two pearls, separated by a "
        "space.",
        problem.N, problem.M, format_answer(problem.C), problem.N / 2, problem.N / 2);
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (2 * std::ssize(answer) != problem.N) return kMalformedReward;
    std::vector<std::int64_t> left = problem.C;
    for (const auto& [a, b] : answer) {
      if (a < 1 || a > problem.M || b < 1 || b > problem.M || a == b) return kInvalidReward;
      --left[a - 1];
      --left[b - 1];
    }
    return share_reward(std::ranges::count(left, 0), problem.M);
  }

  // No colour has more than half of the pearls, so pearls that are half of the list apart differ.
  static Answer solve(const Problem& problem) {
    const std::vector<std::int64_t> pearls = by_colour(problem);
    Answer pairs;
    for (int i = 0; i < problem.N / 2; ++i) {
      pairs.emplace_back(pearls[i], pearls[i + problem.N / 2]);
    }
    return pairs;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    std::vector<std::int64_t> pearls = by_colour(problem);
    rng.shuffle(pearls);
    return in_twos(pearls);
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    std::vector<std::int64_t> pearls = by_colour(problem);
    Answer outside_in;
    for (int i = 0; i < problem.N / 2; ++i) {
      outside_in.emplace_back(pearls[i], pearls[problem.N - 1 - i]);
    }
    Answer in_turn;
    for (int i = 0; i < problem.N / 2; ++i) {
      in_turn.emplace_back(2 * i % problem.M + 1, (2 * i + 1) % problem.M + 1);
    }
    return {{"the two lowest colours that are left", lowest_first(problem)},
            {"the first with the last of a list by colour", outside_in},
            {"all colours in turn", in_turn},
            {"neighbours in a list by colour", in_twos(pearls)}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  static std::vector<std::int64_t> by_colour(const Problem& problem) {
    std::vector<std::int64_t> pearls;
    pearls.reserve(static_cast<std::size_t>(problem.N));
    for (int colour = 0; colour < problem.M; ++colour) {
      pearls.insert(pearls.end(), static_cast<std::size_t>(problem.C[colour]), colour + 1);
    }
    return pearls;
  }

  static Answer in_twos(const std::vector<std::int64_t>& pearls) {
    Answer pairs;
    for (std::size_t i = 0; i + 1 < pearls.size(); i += 2) {
      pairs.emplace_back(pearls[i], pearls[i + 1]);
    }
    return pairs;
  }

  // What is left of the last colour pairs with itself.
  static Answer lowest_first(const Problem& problem) {
    std::vector<std::int64_t> left = problem.C;
    Answer pairs;
    int a = 0;
    int b = 1;
    while (2 * std::ssize(pairs) < problem.N) {
      while (a + 1 < problem.M && left[a] == 0) ++a;
      b = std::max(a + 1, b);
      while (b < problem.M && left[b] == 0) ++b;
      if (b >= problem.M) {
        pairs.emplace_back(a + 1, a + 1);
        continue;
      }
      pairs.emplace_back(a + 1, b + 1);
      --left[a];
      --left[b];
    }
    return pairs;
  }

  // Parts of a row of N pearls that is cut at random places; none has more than half.
  static Problem draw(int pearls, int most_colours, Rng& rng) {
    Problem problem{.N = pearls, .M = 0, .C = {}};
    problem.M = static_cast<int>(rng.integer(3, most_colours));
    do {
      std::vector<std::int64_t> cuts =
          rng.sample(1, pearls - 1, static_cast<std::size_t>(problem.M) - 1);
      cuts.push_back(pearls);
      std::ranges::sort(cuts);
      problem.C.clear();
      std::int64_t before = 0;
      for (const std::int64_t cut : cuts) problem.C.push_back(cut - std::exchange(before, cut));
    } while (2 * std::ranges::max(problem.C) > pearls);
    return problem;
  }
};
REDQUEEN_ENVIRONMENT(DifferentColorPairing);

}  // namespace
}  // namespace redqueen
