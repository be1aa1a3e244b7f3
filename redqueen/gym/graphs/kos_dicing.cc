#include <algorithm>
#include <array>
#include <utility>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/edges.h"
#include "redqueen/gym/common/graph/max_flow.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct KosDicing {
  static constexpr Card card{
      .name = "KosDicing",
      .published = true,
      .family = Family::kGraphs,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kFeasibility,
      .task =
          "Choose the winner of each round of two players such that the most wins of a player are "
          "just K.",
      .levels =
          "From 3 players, a tenth and one more a level, and one or about two rounds a player. "
          "Beyond level 70 the list of rounds would be too long to read.",
      .rewards =
          "-1 malformed, -0.5 another number of winners or one that did not play, 0 other wins, 1 "
          "right.",
      .differences =
          "K is the least number that can be had, and of the published numbers of rounds those are "
          "drawn that leave it little room: the published K was that of random winners, which "
          "others hit as well. From 5 players on, a problem is drawn again that is solved if the "
          "first, the second, the smaller or the greater number always wins, or whoever has fewer "
          "wins so far.",
      .source = "POI XII (2004/05): Dicing (KOS)",
      .max_level = 70,
  };

  static constexpr std::array kRoundsPerPlayer{1.0, 1.9, 2.0};
  static constexpr int kFewPlayers = 5;
  static constexpr int kDraws = 200;
  static constexpr std::int64_t kMaxPlayers = 20'000;
  static constexpr std::int64_t kMaxRounds = 40'000;

  struct Config {
    int N = 0;
    int M = 0;
    REDQUEEN_FIELDS(N, M)
  };
  struct Problem {
    int N = 0;
    int M = 0;
    std::vector<Edge> rounds;  // the two players
    int K = 0;
    REDQUEEN_FIELDS(N, M, rounds, K)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng& rng) {
    const int n = grow_by_tenth(3, level);
    return {.N = n, .M = static_cast<int>(kRoundsPerPlayer[rng.below(3)] * n)};
  }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_accepted(
        kDraws, [&] { return drawn(config, rng); },
        [&](const Problem& problem) {
          return config.N < kFewPlayers || !some_rule_solves<KosDicing>(problem);
        });
  }

  static Config published_level(int level, Rng& rng) {
    const int n = grow_by_tenth(3, level);
    const double rounds_per_player = static_cast<double>(rng.integer(10, 20)) / 10.0;
    return {.N = n, .M = static_cast<int>(rounds_per_player * n)};
  }

  // Two random players a round, a random one of which wins.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .M = config.M, .rounds = {}, .K = 0};
    std::vector<int> wins(static_cast<std::size_t>(config.N));
    for (int i = 0; i < config.M; ++i) {
      const auto winner = static_cast<int>(rng.integer(0, config.N - 1));
      auto loser = static_cast<int>(rng.integer(0, config.N - 2));
      if (loser >= winner) ++loser;
      problem.rounds.emplace_back(winner, loser);
      if (rng.chance(0.5)) problem.rounds.back() = {loser, winner};
      problem.K = std::max(problem.K, ++wins[winner]);
    }
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 2, kMaxPlayers));
    RETURN_IF_ERROR(within("M", problem.M, 1, kMaxRounds));
    RETURN_IF_ERROR(within("rounds", std::ssize(problem.rounds), problem.M, problem.M));
    for (const auto& [a, b] : problem.rounds) {
      RETURN_IF_ERROR(within("rounds", a, 0, problem.N - 1));
      RETURN_IF_ERROR(within("rounds", b, 0, problem.N - 1));
      if (a == b) return failure("\"rounds\": player {} plays alone", a);
    }
    RETURN_IF_ERROR(within("K", problem.K, 1, problem.M));
    if (score(problem, solve(problem)) == kSolvedReward) return {};
    return failure("\"K\": {} cannot be the most wins of a player", problem.K);
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "{0} players, numbered 0 to {1}, play {2} rounds of a game. In each round two of them "
        "play, and one of these two wins. These are the players of the rounds, one round a line:\n"
        "{3}\n"
        "Choose a winner for every round such that the player with the most wins has exactly {4} "
        "of them: nobody wins more than {4} {5}, and somebody wins {4}. This can be done; any such "
        "choice is right.\n"
        "Answer with the winners' numbers in the order of the rounds, {2} numbers on one line, "
        "separated by spaces.",
        problem.N, problem.N - 1, problem.M, format_edges(problem.rounds), problem.K,
        problem.K == 1 ? "round" : "rounds");
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (answer.size() != problem.rounds.size()) return kInvalidReward;
    std::vector<int> wins(static_cast<std::size_t>(problem.N));
    for (std::size_t i = 0; i < answer.size(); ++i) {
      const auto& [a, b] = problem.rounds[i];
      if (answer[i] != a && answer[i] != b) return kInvalidReward;
      ++wins[answer[i]];
    }
    return exact_reward(*std::ranges::max_element(wins) == problem.K);
  }

  // A flow from rounds to their winners, of at most K to each player. If nobody has as many, one
  // with enough rounds is given more of them.
  static Answer solve(const Problem& problem) {
    const int source = problem.N + problem.M;
    const int sink = source + 1;
    FlowNetwork network(sink + 1);
    std::vector<int> to_first;  // arcs
    for (int i = 0; i < problem.M; ++i) {
      const auto& [a, b] = problem.rounds[i];
      network.add_arc(source, problem.N + i, 1);
      to_first.push_back(network.add_arc(problem.N + i, a, 1));
      network.add_arc(problem.N + i, b, 1);
    }
    for (int player = 0; player < problem.N; ++player) {
      network.add_arc(player, sink, problem.K);
    }
    network.maximise_flow(source, sink);
    Answer winners;
    std::vector<int> wins(static_cast<std::size_t>(problem.N));
    std::vector<int> played(static_cast<std::size_t>(problem.N));
    for (int i = 0; i < problem.M; ++i) {
      const auto& [a, b] = problem.rounds[i];
      winners.push_back(network.flow(to_first[i]) > 0 ? a : b);
      ++wins[winners.back()];
      ++played[a];
      ++played[b];
    }
    if (*std::ranges::max_element(wins) < problem.K) {
      const int busiest = static_cast<int>(std::ranges::max_element(played) - played.begin());
      for (int i = 0; i < problem.M && wins[busiest] < problem.K; ++i) {
        const auto& [a, b] = problem.rounds[i];
        if (winners[i] == busiest || (a != busiest && b != busiest)) continue;
        winners[i] = busiest;
        ++wins[busiest];
      }
    }
    return winners;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer winners;
    for (const auto& [a, b] : problem.rounds) winners.push_back(rng.chance(0.5) ? a : b);
    return winners;
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    std::array<Answer, 5> winners;
    std::vector<int> wins(static_cast<std::size_t>(problem.N));
    for (const auto& [a, b] : problem.rounds) {
      const int fewer = wins[b] < wins[a] ? b : a;
      ++wins[fewer];
      const std::array chosen{a, b, std::min(a, b), std::max(a, b), fewer};
      for (std::size_t i = 0; i < winners.size(); ++i) winners[i].push_back(chosen[i]);
    }
    return {{"always the first", winners[0]},
            {"always the second", winners[1]},
            {"always the smaller number", winners[2]},
            {"always the greater number", winners[3]},
            {"who has fewer wins so far", winners[4]}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  // Each player wins as many rounds as the others, or one less.
  static Problem drawn(const Config& config, Rng& rng) {
    Problem problem{
        .N = config.N, .M = config.M, .rounds = {}, .K = (config.M + config.N - 1) / config.N};
    const std::vector<int> players = rng.permutation(config.N);
    for (int i = 0; i < config.M; ++i) {
      const int winner = players[i % config.N];
      int loser = static_cast<int>(rng.integer(0, config.N - 2));
      if (loser >= winner) ++loser;
      problem.rounds.emplace_back(winner, loser);
      if (rng.chance(0.5)) problem.rounds.back() = {loser, winner};
    }
    rng.shuffle(problem.rounds);
    return problem;
  }
};
REDQUEEN_ENVIRONMENT(KosDicing);

}  // namespace
}  // namespace redqueen
