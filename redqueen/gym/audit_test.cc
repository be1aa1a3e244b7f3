#include "redqueen/gym/audit.h"

#include <gmock/gmock.h>

#include "redqueen/core/contract.h"

namespace redqueen {
namespace {

// "Is the number even?", with odd numbers so rare that "yes" nearly always wins.
struct MostlyEven {
  static constexpr Card card{.name = "MostlyEven",
                             .family = Family::kArithmetic,
                             .answer = AnswerKind::kChoice,
                             .scoring = Scoring::kExact,
                             .task = "Say whether a number is even.",
                             .levels = "None.",
                             .rewards = "1 if right, else 0.",
                             .max_level = 2};
  struct Config {
    int level = 0;
    REDQUEEN_FIELDS(level)
  };
  struct Problem {
    std::int64_t x = 0;
    REDQUEEN_FIELDS(x)
  };
  using Answer = std::string;
  static Config at_level(int level, Rng&) { return {level}; }
  static Problem generate(const Config&, Rng& rng) {
    return {2 * rng.integer(0, 1000) + rng.chance(0.1)};
  }
  static Status check(const Problem&) { return {}; }
  static std::string prompt(const Problem& problem) {
    return fmt::format("Is {} even?", problem.x);
  }
  static std::optional<Answer> parse(std::string_view answer) {
    if (answer != "yes" && answer != "no") return std::nullopt;
    return std::string(answer);
  }
  static double score(const Problem& problem, const Answer& answer) {
    return exact_reward(answer == solve(problem));
  }
  static Answer solve(const Problem& problem) { return problem.x % 2 == 0 ? "yes" : "no"; }
  static Answer random_answer(const Problem&, Rng& rng) { return rng.chance(0.5) ? "yes" : "no"; }
  static std::string example(const Problem&) { return "no"; }
  static std::vector<NamedAnswer> shortcuts(const Problem&) {
    return {{"shout", "YES"}, {"in bold", "**yes**"}};
  }
};
const NativeEnvironment<MostlyEven> kNative;

TEST(Audit, FindsWhatGuessingEarns) {
  const Environment& environment = kNative;
  const auto levels = audit(environment, {.levels = {0, 2, 5}, .problems = 400});
  ASSERT_EQ(levels.size(), 2u) << "level 5 is beyond the highest";
  std::map<std::string, GuessAudit> guesses;
  for (const GuessAudit& guess : levels[1].guesses) guesses[guess.rule] = guess;
  EXPECT_NEAR(guesses["best constant"].solved, 0.9, 0.05);
  EXPECT_NEAR(guesses["example"].solved, 0.1, 0.05);
  EXPECT_NEAR(guesses["random"].solved, 0.5, 0.1);
  EXPECT_EQ(guesses["empty"].mean_reward, -1.0);
  EXPECT_EQ(guesses["shout"].mean_reward, -1.0);
  EXPECT_GT(levels[1].distinct, 100);
  EXPECT_THAT(objection(environment, levels), testing::HasSubstr("best constant"));
  const Json json = to_json(environment, levels);
  EXPECT_EQ(json["levels"][1]["level"], 2);
}

// Bold and capital letters are no answer in the strict reading, and the plain one in the tolerant
// reading. What the tolerant one does not know stays malformed, and no guess earns less by it.
TEST(Audit, GuessesAsTheReadingHasIt) {
  const AuditOptions strict{.levels = {2}, .problems = 200};
  AuditOptions tolerant = strict;
  tolerant.reading = AnswerReading::kTolerant;
  const LevelAudit plain = audit(kNative, strict)[0];
  const LevelAudit read = audit(kNative, tolerant)[0];
  ASSERT_EQ(plain.guesses.size(), read.guesses.size());
  std::map<std::string, double> plain_solved;
  std::map<std::string, double> read_solved;
  for (std::size_t i = 0; i < plain.guesses.size(); ++i) {
    EXPECT_EQ(plain.guesses[i].rule, read.guesses[i].rule);
    EXPECT_GE(read.guesses[i].mean_reward, plain.guesses[i].mean_reward) << read.guesses[i].rule;
    plain_solved[plain.guesses[i].rule] = plain.guesses[i].solved;
    read_solved[read.guesses[i].rule] = read.guesses[i].solved;
  }
  EXPECT_EQ(plain_solved["in bold"], 0.0);
  EXPECT_EQ(read_solved["in bold"], plain_solved["best constant"]);
  EXPECT_EQ(read_solved["best constant"], plain_solved["best constant"]);
  EXPECT_EQ(plain_solved["shout"], 0.0);
  EXPECT_EQ(read_solved["shout"], plain_solved["best constant"]);
  EXPECT_EQ(read_solved["empty"], 0.0);
}

Card even_card(std::string_view explanation, int guess_until_level, double guess_bound) {
  Card card = MostlyEven::card;
  card.small_answer_space = explanation;
  card.guess_until_level = guess_until_level;
  card.guess_bound = guess_bound;
  return card;
}

TEST(Audit, AllowsWhatTheFieldsOfTheCardSay) {
  EXPECT_EQ(allowed_share(MostlyEven::card, 0), 0.2);
  const Card both = even_card("There are two answers.", 3, 0.65);
  EXPECT_EQ(allowed_share(both, 0), 1.0);
  EXPECT_EQ(allowed_share(both, 3), 1.0);
  EXPECT_EQ(allowed_share(both, 4), 0.65);
  EXPECT_FALSE(MostlyEven::card.allows_guessing());
  EXPECT_TRUE(even_card("", 0, 0.2).allows_guessing());
  EXPECT_TRUE(even_card("", -1, 0.5).allows_guessing());
}

// The explanation is for readers.
TEST(Audit, DoesNotReadTheExplanation) {
  for (const char* words : {"", "Up to level 3 a constant is right for half of the problems."}) {
    const Card card = even_card(words, -1, 0.2);
    EXPECT_EQ(allowed_share(card, 0), 0.2) << words;
    EXPECT_EQ(allowed_share(card, 5), 0.2) << words;
    EXPECT_FALSE(card.allows_guessing()) << words;
  }
}

// MostlyEven, where guesses may solve all up to level 3.
struct Allowing : MostlyEven {
  static constexpr Card card = [] {
    Card allowing = MostlyEven::card;
    allowing.max_level = 5;
    allowing.guess_until_level = 3;
    return allowing;
  }();
};

TEST(Audit, ObjectsBeyondTheLevelsOfTheCard) {
  static const NativeEnvironment<Allowing> kAllowing;
  EXPECT_EQ(objection(kAllowing, audit(kAllowing, {.levels = {2, 3}, .problems = 100})), "");
  EXPECT_THAT(objection(kAllowing, audit(kAllowing, {.levels = {2, 3, 4}, .problems = 100})),
              testing::HasSubstr("level 4"));
}

}  // namespace
}  // namespace redqueen
