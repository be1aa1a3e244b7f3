#include <algorithm>
#include <array>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/redraw.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct LAS {
  static constexpr Card card{
      .name = "LAS",
      .published = true,
      .family = Family::kGames,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kElementWise,
      .task =
          "People around a table each eat one of the two dishes next to them, alone or shared. "
          "Find choices that nobody would change alone.",
      .levels =
          "From 3 people, a tenth and one more each level, dishes of up to twice as many calories; "
          "beyond level 88 the list would be too long to read.",
      .rewards =
          "-1 malformed or of another length, -0.5 a dish out of reach, else (share of the people "
          "who would not change)^10.",
      .differences =
          "Small dishes are commoner than large ones, so that sharing a large one often pays. "
          "Problems are drawn again that are solved when everybody takes the dish with the own "
          "number or the next one and, from 5 people on, when everybody takes the one with more "
          "calories or, one after another, the one that is better at the moment.",
      .small_answer_space =
          "Up to level 2 there are at most 32 answers, one of which is right for more than a fifth "
          "of the problems.",
      .guess_until_level = 2,
      .source = "POI XXII (2014/15): Gluttons (LAS)",
      .version = 2,
      .max_level = 88,
  };

  static constexpr double kBeta = 10.0;
  static constexpr int kMaxPeople = 200'000;
  static constexpr int kFewPeople = 5;  // for fewer, one of the simple rules is mostly right
  static constexpr std::int64_t kMaxCalories = 1'000'000'000'000;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::int64_t> A;
    REDQUEEN_FIELDS(N, A)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    return first_of_use([&]() -> std::optional<Problem> {
      Problem problem{.N = config.N, .A = {}};
      problem.A.reserve(config.N);
      for (int i = 0; i < config.N; ++i) {
        const std::int64_t most = rng.integer(1, 2 * config.N);
        problem.A.push_back(rng.integer(1, most));
      }
      const auto is_solved_by = [&](const Answer& rule) {
        return content(problem, rule) == problem.N;
      };
      if (is_solved_by(own_dishes(problem)) || is_solved_by(next_dishes(problem)))
        return std::nullopt;
      if (config.N < kFewPeople) return problem;
      if (is_solved_by(richer_dishes(problem)) || is_solved_by(in_turn(problem)))
        return std::nullopt;
      return problem;
    });
  }

  // Calories uniform in 1 … 2 N.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .A = {}};
    problem.A.reserve(config.N);
    for (int i = 0; i < config.N; ++i) problem.A.push_back(rng.integer(1, 2 * config.N));
    return problem;
  }

  static Status check(const Problem& problem) {
    if (auto sound = within("N", problem.N, 3, kMaxPeople); !sound) return sound;
    if (problem.A.size() != static_cast<std::size_t>(problem.N)) {
      return failure("\"A\": expected \"N\" numbers, found {}", problem.A.size());
    }
    for (const std::int64_t calories : problem.A) {
      if (auto sound = within("A", calories, 1, kMaxCalories); !sound) return sound;
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "{0} people, numbered 1 to {0}, and {0} dishes, numbered 1 to {0}, are placed around a "
        "table. Person i can reach dish i and dish i + 1; person {0} can reach dish {0} and dish "
        "1. The dishes 1 to {0} have these calories, in this order:\n"
        "{1}\n"
        "Everybody chooses one of the two dishes within reach. Whoever is alone with a dish eats "
        "all its calories; two people with the same dish eat half of its calories each. Find "
        "choices such that nobody could eat strictly more by changing to the other dish within "
        "reach while all others keep theirs. (Changing to a dish that somebody else has chosen "
        "means sharing it.)\n"
        "Answer with {0} dish numbers separated by spaces: the dish of person 1, of person 2, and "
        "so on.",
        problem.N, format_answer(problem.A));
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (answer.size() != static_cast<std::size_t>(problem.N)) return kMalformedReward;
    for (std::int64_t i = 0; i < problem.N; ++i) {
      const std::int64_t dish = answer[i] - 1;
      if (dish != i && dish != after(problem, i)) return kInvalidReward;
    }
    return share_reward(content(problem, answer), problem.N, kBeta);
  }

  // Lets people change as long as somebody gains. Every change raises Rosenthal's potential
  // ("A class of games possessing pure-strategy Nash equilibria", 1973), so this ends.
  static Answer solve(const Problem& problem) {
    Answer chosen = own_dishes(problem);
    std::vector<int> eaters = count_eaters(problem, chosen);
    std::vector<std::int64_t> unsettled = own_dishes(problem);  // people, numbered from 1
    while (!unsettled.empty()) {
      const std::int64_t i = unsettled.back() - 1;
      unsettled.pop_back();
      if (is_content(problem, chosen, eaters, i)) continue;
      --eaters[chosen[i] - 1];
      chosen[i] = other_dish(problem, chosen[i], i);
      ++eaters[chosen[i] - 1];
      unsettled.push_back((i + problem.N - 1) % problem.N + 1);
      unsettled.push_back((i + 1) % problem.N + 1);
    }
    return chosen;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer answer = own_dishes(problem);
    for (std::int64_t i = 0; i < problem.N; ++i) {
      if (rng.chance(0.5)) answer[i] = after(problem, i) + 1;
    }
    return answer;
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return {{"everybody the dish with the own number", format_answer(own_dishes(problem))},
            {"everybody the next dish", format_answer(next_dishes(problem))},
            {"everybody the dish with more calories", format_answer(richer_dishes(problem))},
            {"the better dish left, in the order of the people", format_answer(in_turn(problem))}};
  }

 private:
  // The place of the dish after that of place i.
  static std::int64_t after(const Problem& problem, std::int64_t i) {
    return i + 1 == problem.N ? 0 : i + 1;
  }

  static std::int64_t other_dish(const Problem& problem, std::int64_t dish, std::int64_t person) {
    return dish == person + 1 ? after(problem, person) + 1 : person + 1;
  }

  static std::vector<int> count_eaters(const Problem& problem, const Answer& chosen) {
    std::vector<int> eaters(static_cast<std::size_t>(problem.N), 0);
    for (const std::int64_t dish : chosen) ++eaters[dish - 1];
    return eaters;
  }

  // `eaters` are those of the choices.
  static bool is_content(const Problem& problem, const Answer& chosen,
                         const std::vector<int>& eaters, std::int64_t person) {
    const std::int64_t mine = chosen[person] - 1;
    const std::int64_t other = other_dish(problem, chosen[person], person) - 1;
    // Twice the calories: 2 · A alone, A shared.
    return problem.A[mine] * (3 - eaters[mine]) >= problem.A[other] * (2 - eaters[other]);
  }

  static std::int64_t content(const Problem& problem, const Answer& chosen) {
    const std::vector<int> eaters = count_eaters(problem, chosen);
    std::int64_t count = 0;
    for (std::int64_t i = 0; i < problem.N; ++i) count += is_content(problem, chosen, eaters, i);
    return count;
  }

  static Answer own_dishes(const Problem& problem) {
    Answer dishes;
    dishes.reserve(problem.N);
    for (std::int64_t i = 1; i <= problem.N; ++i) dishes.push_back(i);
    return dishes;
  }

  static Answer next_dishes(const Problem& problem) {
    Answer dishes = own_dishes(problem);
    std::ranges::rotate(dishes, dishes.begin() + 1);
    return dishes;
  }

  static Answer richer_dishes(const Problem& problem) {
    Answer dishes = own_dishes(problem);
    for (std::int64_t i = 0; i < problem.N; ++i) {
      const std::int64_t next = after(problem, i);
      if (problem.A[next] > problem.A[i]) dishes[i] = next + 1;
    }
    return dishes;
  }

  static Answer in_turn(const Problem& problem) {
    Answer dishes = own_dishes(problem);
    bool taken = false;  // whether the person before has taken this one's own dish
    for (std::int64_t i = 0; i < problem.N; ++i) {
      const std::int64_t next = after(problem, i);
      taken = problem.A[next] * 2 > problem.A[i] * (taken ? 1 : 2);
      if (taken) dishes[i] = next + 1;
    }
    return dishes;
  }
};
REDQUEEN_ENVIRONMENT(LAS);

}  // namespace
}  // namespace redqueen
