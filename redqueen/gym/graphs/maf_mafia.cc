#include <algorithm>
#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/precedence.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/sequence/indices.h"

namespace redqueen {
namespace {

struct MafMafia {
  static constexpr Card card{
      .name = "MafMafia",
      .published = true,
      .family = Family::kGraphs,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kOther,
      .task =
          "Everybody aims at somebody. Choose the order of the shots such that as few, or as many, "
          "as possible die.",
      .levels = "From 3 people, a tenth more and one a level.",
      .rewards =
          "-1 malformed, -0.5 no order of all people, else (fewest / dead)^5 or (dead / most)^5.",
      .differences =
          "Many aim along chains, and circles are planted. Few random orders are right. From 5 "
          "people on, a problem is drawn again that is solved by the order of numbers, forwards or "
          "backwards, or by how many aim at somebody. Among fewer than 7 people, where such orders "
          "let nearly always as few die as possible, this is seldom the task.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "Three people, at level 0, have only six orders, a third of them right; up to level 4 "
          "one order is right in a fifth of the problems.",
      .guess_until_level = 4,
      .source = "Polish Olympiad in Informatics XV, stage 1: Mafia",
      .max_level = 60,
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kFewPeople = 5;
  static constexpr int kSomePeople = 7;
  static constexpr int kDraws = 1000;
  static constexpr int kTrials = 30;          // random orders of a problem
  static constexpr int kMostRightTrials = 4;  // of those
  static constexpr int kMostRightOfFew = 13;  // of those, among few people

  enum class Aim { kMinimize, kMaximize };

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::int64_t> TO;  // whom each aims at
    std::string minimize_or_maximize;
    std::int64_t gold_answer = 0;  // how many die at best
    REDQUEEN_FIELDS(N, TO, minimize_or_maximize, gold_answer)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    const bool minimizes = config.N > 3 && rng.chance(config.N < kSomePeople ? 0.2 : 0.5);
    return draw_accepted(
        kDraws, [&] { return drawn(config.N, minimizes, rng); },
        [&](Problem& problem) {
          problem.gold_answer = dead_after(problem, solve(problem));
          return problem.gold_answer > 0 && is_hard(problem, rng);
        });
  }

  // Everybody aims at anybody, who may be themselves.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N,
                    .TO = draw_numbers(config.N, 0, config.N - 1, rng),
                    .minimize_or_maximize = rng.chance(0.5) ? "minimize" : "maximize",
                    .gold_answer = 0};
    problem.gold_answer = dead_after(problem, solve(problem));
    if (problem.gold_answer == 0) throw Retry();
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxShownNumbers));
    RETURN_IF_ERROR(check_numbers("TO", problem.TO, problem.N, 0, problem.N - 1));
    if (problem.minimize_or_maximize != "minimize" && problem.minimize_or_maximize != "maximize") {
      return failure("\"minimize_or_maximize\": expected one of these two words");
    }
    return reference_is("gold_answer", problem.gold_answer, dead_after(problem, solve(problem)));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "There are {0} people, 0 to {1}. Person i aims at person TO[i], who may be person i "
        "themselves:\n"
        "{2}\n"
        "One after another, in an order that you choose, each person has one turn. Whoever is "
        "alive in their turn shoots, and the person whom they aim at is dead from then on, if they "
        "were not dead already. Whoever is dead in their turn does nothing.\n"
        "Choose the order such that in the end as {3} people as possible are dead.\n"
        "Answer with the {0} people in the order of their turns on one line, separated by spaces.",
        problem.N, problem.N - 1, with_indices("TO", problem.TO),
        minimizes(problem) ? "few" : "many");
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (!is_permutation_of(problem.N, answer)) return kInvalidReward;
    const std::int64_t dead = dead_after(problem, answer);
    return minimizes(problem) ? minimise_reward(dead, problem.gold_answer, kBeta)
                              : maximise_reward(dead, problem.gold_answer, kBeta);
  }

  static Answer solve(const Problem& problem) {
    return minimizes(problem) ? fewest(problem) : most(problem);
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer order = in_order(problem);
    rng.shuffle(order);
    return order;
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    Answer backwards = in_order(problem);
    std::ranges::reverse(backwards);
    const Answer aimed = aimed_at(problem);
    Answer few = in_order(problem);
    std::ranges::stable_sort(few, {}, [&](std::int64_t person) { return aimed[person]; });
    Answer many = few;
    std::ranges::reverse(many);
    return {{"the people by number", in_order(problem)},
            {"the people by number, backwards", backwards},
            {"those whom few aim at first", few},
            {"those whom many aim at first", many}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  static bool minimizes(const Problem& problem) {
    return problem.minimize_or_maximize == "minimize";
  }

  static Answer in_order(const Problem& problem) {
    Answer order(problem.TO.size());
    std::iota(order.begin(), order.end(), 0);
    return order;
  }

  // How many aim at each.
  static Answer aimed_at(const Problem& problem) {
    Answer aimed(problem.TO.size());
    for (const std::int64_t to : problem.TO) ++aimed[to];
    return aimed;
  }

  static std::int64_t dead_after(const Problem& problem, const Answer& order) {
    std::vector<char> dead(order.size());
    std::int64_t count = 0;
    for (const std::int64_t person : order) {
      if (dead[person] != 0) continue;
      count += std::exchange(dead[problem.TO[person]], 1) == 0;
    }
    return count;
  }

  // Those at whom nobody aims who may still shoot survive, and shoot before their victims can,
  // which may free others. What is left are circles, in which every second one survives at most.
  static Answer fewest(const Problem& problem) {
    Answer aimed = aimed_at(problem);
    std::vector<char> placed(problem.TO.size());
    std::vector<char> dead(problem.TO.size());
    Answer order;
    for (int person = 0; person < problem.N; ++person) {
      if (aimed[person] == 0) order.push_back(person);
    }
    for (std::size_t i = 0; i < order.size(); ++i) {
      placed[order[i]] = 1;
      const std::int64_t victim = problem.TO[order[i]];
      if (std::exchange(dead[victim], 1) != 0) continue;
      const std::int64_t freed = problem.TO[victim];
      if (--aimed[freed] == 0 && dead[freed] == 0) order.push_back(freed);
    }
    for (std::int64_t start = 0; start < problem.N; ++start) {
      std::int64_t person = start;
      while (placed[person] == 0 && dead[person] == 0) {  // alternate along a circle
        placed[person] = 1;
        order.push_back(person);
        dead[problem.TO[person]] = 1;
        person = problem.TO[problem.TO[person]];
      }
    }
    for (int person = 0; person < problem.N; ++person) {
      if (placed[person] == 0) order.push_back(person);
    }
    return order;
  }

  // Everybody at whom somebody aims can die: those aimed at shoot before those who aim at them. On
  // a circle somebody has to begin; their own killer is the last of the circle, who is shot too if
  // somebody outside aims at them.
  static Answer most(const Problem& problem) {
    const auto n = static_cast<std::size_t>(problem.N);
    std::vector<char> placed(n);
    Answer order;
    std::vector<Answer> aiming(n);  // at each
    for (std::int64_t person = 0; person < problem.N; ++person) {
      aiming[problem.TO[person]].push_back(person);
    }
    std::vector<std::int64_t> walk(n, -1);  // the start of the walk that saw a person
    for (std::int64_t start = 0; start < problem.N; ++start) {
      std::int64_t person = start;
      while (walk[person] < 0) {
        walk[person] = start;
        person = problem.TO[person];
      }
      if (walk[person] != start || placed[person] != 0) continue;
      Answer circle;
      do {
        circle.push_back(person);
        placed[person] = 1;
        person = problem.TO[person];
      } while (person != circle.front());
      // The first of the circle is one at whom somebody outside aims, where there is one. The last
      // but one shoots the last, then the one before them shoots them, and so on to the first.
      const auto first =
          std::ranges::find_if(circle, [&](std::int64_t one) { return aiming[one].size() > 1; });
      if (first != circle.end()) std::ranges::rotate(circle, first);
      order.insert(order.end(), circle.rbegin() + 1, circle.rend());
      order.push_back(circle.back());
    }
    return outwards(aiming, placed, std::move(order));
  }

  // Those on circles, and behind them the others, each after the one that they aim at.
  static Answer outwards(const std::vector<Answer>& aiming, std::vector<char>& placed,
                         Answer order) {
    for (std::size_t i = 0; i < order.size(); ++i) {
      for (const std::int64_t person : aiming[order[i]]) {
        if (std::exchange(placed[person], 1) == 0) order.push_back(person);
      }
    }
    return order;
  }

  static bool is_hard(const Problem& problem, Rng& rng) {
    const bool few = problem.N < (minimizes(problem) ? kSomePeople : kFewPeople);
    if (!few && some_rule_solves<MafMafia>(problem)) return false;
    int right = 0;
    for (int i = 0; i < kTrials; ++i) {
      right += score(problem, random_answer(problem, rng)) >= kSolvedReward;
    }
    return right <= (few ? kMostRightOfFew : kMostRightTrials);
  }

  // In a random order, the first make a circle, and others aim at one of the last few before them
  // or, seldom, at anybody. Where few are to die, they aim at the last before them: chains are
  // hardest.
  static Problem drawn(int n, bool minimizes, Rng& rng) {
    const std::vector<int> order = rng.permutation(n);
    Problem problem{.N = n,
                    .TO = Answer(static_cast<std::size_t>(n)),
                    .minimize_or_maximize = minimizes ? "minimize" : "maximize",
                    .gold_answer = 0};
    const auto circle = rng.integer(1, minimizes ? std::max(1, n / 2) : std::max(2, 2 * n / 3));
    const std::int64_t latest = minimizes ? 1 : rng.integer(1, 3);
    const double anybody = minimizes ? 1.0 / n : 0.15;
    for (int i = 0; i < n; ++i) {
      std::int64_t at = (i + 1) % circle;
      if (i >= circle) {
        at = rng.chance(anybody) ? rng.integer(0, n - 1)
                                 : rng.integer(std::max<std::int64_t>(0, i - latest), i - 1);
      }
      problem.TO[order[i]] = order[at];
    }
    return problem;
  }
};
REDQUEEN_ENVIRONMENT(MafMafia);

}  // namespace
}  // namespace redqueen
