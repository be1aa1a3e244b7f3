// The same promises, tested of every registered environment.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <thread>

#include "redqueen/base/sha256.h"
#include "redqueen/base/testing/source_dir.h"
#include "redqueen/core/contract.h"
#include "redqueen/core/registry.h"
#include "redqueen/core/testing/episode_checks.h"
#include "redqueen/gym/audit.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;

const fs::path kSource = source_dir();
// The ladders and the recorded rewards of the published environments: ladders.json, {name: [sets of
// parameters at level 0, at level 1, …]}; recorded_rewards/NAME.jsonl, a problem a line.
const fs::path kPublished = test_data_dir() / "published";
constexpr std::array kLevels{0, 1, 2, 3, 5, 8, 12};

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// The place of the card of an environment.
struct CardPlace {
  std::string file = "redqueen/gym";  // relative to the checkout
  int line = 1;
};

// Finds the line `.name = "NAME",` of every card below redqueen/gym.
std::map<std::string, CardPlace> find_cards() {
  constexpr std::string_view kName = ".name = \"";
  std::map<std::string, CardPlace> places;
  for (const auto& entry : fs::recursive_directory_iterator(kSource / "redqueen" / "gym")) {
    const std::string path = entry.path().string();
    if (!path.ends_with(".cc") || path.ends_with("_test.cc")) continue;
    const std::string text = read_file(path);
    const std::size_t begin = text.find(kName);
    if (begin == std::string::npos) continue;
    const std::size_t name = begin + kName.size();
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<int>(begin), '\n');
    places[text.substr(name, text.find('"', name) - name)] = {fs::relative(path, kSource).string(),
                                                              static_cast<int>(line)};
  }
  return places;
}

CardPlace card_place(const std::string& environment) {
  static const std::map<std::string, CardPlace> places = find_cards();
  const auto found = places.find(environment);
  return found == places.end() ? CardPlace{} : found->second;
}

Rng test_rng(std::string_view purpose, std::uint64_t index = 0) {
  return Rng({.seed = 1, .purpose = hash_name(purpose), .step = 0, .index = index, .salt = 0});
}

// Each failure names the file and the line of the card.
class EveryEnvironment : public testing::TestWithParam<std::string> {
 protected:
  std::string source() const { return place_.file; }
  const Environment& environment() const { return *Registry::native().find(GetParam()); }
  const Card& card() const { return environment().card(); }
  bool takes_turns() const { return card().answer == AnswerKind::kTurns; }

  // nullptr beyond the card's highest level; a failure of generation fails the test.
  ProblemPtr make(int level, std::uint64_t seed) const {
    if (level > card().max_level) return nullptr;
    auto problem = environment().generate(level, seed);
    if (problem) return std::move(*problem);
    ADD_FAILURE() << environment().address(level, seed).to_string() << ": "
                  << problem.error().message;
    return nullptr;
  }

  template <typename Visit>
  void for_each_problem(int seeds, Visit visit) const {
    for (const int level : kLevels) {
      for (int seed = 0; seed < seeds; ++seed) {
        SCOPED_TRACE(fmt::format("level {}, seed {}", level, seed));
        if (const ProblemPtr problem = make(level, static_cast<std::uint64_t>(seed))) {
          visit(*problem);
        }
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }

  // The promises that published forms keep as well.
  void expect_same_problem_in_any_thread() const;
  void expect_solves_its_own_problems() const;
  void expect_restores_a_problem_from_its_parameter() const;
  void expect_refuses_a_forged_reference() const;
  void expect_follows_the_published_ladder() const;

 private:
  const CardPlace place_ = card_place(std::string(base_name(GetParam())));
  const testing::ScopedTrace trace_{place_.file.c_str(), place_.line, "the card of " + GetParam()};
};

// The environments NAME:published, which draw what RLVE-Gym draws.
class EveryPublishedForm : public EveryEnvironment {};

// The keys of a parameter that hold a stored reference.
std::vector<std::string> reference_keys(const Json& parameter) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : parameter.items()) {
    if (key.starts_with("reference") || key.starts_with("gold")) keys.push_back(key);
  }
  return keys;
}

// Published ladders by environment.
const Json& ladders() {
  static const Json ladders = *parse_json(read_file(kPublished / "ladders.json"));
  return ladders;
}

fs::path recorded_rewards(const std::string& environment) {
  return kPublished / "recorded_rewards" / (environment + ".jsonl");
}

std::string not_published(const std::string& source) {
  return fmt::format(
      "RLVE-Gym has no environment of this name: leave .published = true out of the card in {}",
      source);
}

std::string fingerprint(const Problem& problem) {
  return dump_json(problem.parameter()) + "\n" + problem.prompt() + "\n" + problem.reference();
}

TEST_P(EveryEnvironment, HasACard) {
  EXPECT_FALSE(card().task.empty()) << source() << ": write .task into the card";
  EXPECT_FALSE(card().levels.empty()) << source() << ": write .levels into the card";
  EXPECT_FALSE(card().rewards.empty()) << source() << ": write .rewards into the card";
  EXPECT_GE(card().version, 1) << source() << ": versions begin with 1";
  EXPECT_EQ(card().allows_guessing(), !card().small_answer_space.empty())
      << source()
      << ": .small_answer_space explains .guess_until_level and .guess_bound; write both "
      << "into the card, or neither";
  EXPECT_LE(card().guess_until_level, card().max_level) << source();
  EXPECT_GE(card().guess_bound, Card{}.guess_bound) << source();
  EXPECT_LT(card().guess_bound, 1.0) << source();
  EXPECT_TRUE(card().published || card().slow_reason == SlowReason::kNone)
      << source() << ": leave out .slow_reason; it compares with a published environment";
  EXPECT_TRUE(card().slow_reason != SlowReason::kStricter || !card().differences.empty())
      << source() << ": write into .differences how the problems are selected";
}

TEST_P(EveryEnvironment, HasATestOfItsOwn) {
  const std::string test = source().substr(0, source().rfind(".cc")) + "_test.cc";
  EXPECT_TRUE(fs::exists(kSource / test))
      << "write " << test << ": a brute force that shares nothing with solve()";
}

// Answers of all kinds: right ones, random ones, those of simple rules, and none.
std::vector<std::string> some_answers(const Problem& problem) {
  std::vector<std::string> answers{problem.reference(), problem.example(), "0", "1", "no idea"};
  Rng rng = test_rng("some answers");
  for (int i = 0; i < 4; ++i) answers.push_back(problem.random_answer(rng));
  for (const NamedAnswer& guess : problem.shortcuts()) answers.push_back(guess.answer);
  return answers;
}

void EveryEnvironment::expect_same_problem_in_any_thread() const {
  std::vector<std::string> here;
  for_each_problem(2, [&](const Problem& problem) { here.push_back(fingerprint(problem)); });
  std::vector<std::string> there;
  std::thread([&] {
    for_each_problem(2, [&](const Problem& problem) { there.push_back(fingerprint(problem)); });
  }).join();
  EXPECT_EQ(here, there);
}

TEST_P(EveryEnvironment, MakesTheSameProblemOfTheSameAddressInAnyThread) {
  expect_same_problem_in_any_thread();
}
TEST_P(EveryPublishedForm, MakesTheSameProblemOfTheSameAddressInAnyThread) {
  expect_same_problem_in_any_thread();
}

void EveryEnvironment::expect_solves_its_own_problems() const {
  for_each_problem(5, [&](const Problem& problem) {
    const std::string reference = problem.reference();
    const Verdict verdict = problem.score(reference);
    EXPECT_TRUE(verdict.solved && verdict.well_formed)
        << "reward " << verdict.reward << " for " << reference << "\nof\n"
        << problem.prompt();
    EXPECT_TRUE(problem.score("\n " + reference + " \n").solved) << "white space around matters";
    for (const auto& style :
         {std::pair{MarkerStyle::kAnswerTag, "so <answer>" + reference + "</answer>."},
          std::pair{MarkerStyle::kBoxed, "so \\boxed{" + reference + "}."}}) {
      EXPECT_TRUE(score_response(problem, style.second, style.first).solved) << style.second;
    }
  });
}

TEST_P(EveryEnvironment, SolvesItsOwnProblems) { expect_solves_its_own_problems(); }
TEST_P(EveryPublishedForm, SolvesItsOwnProblems) { expect_solves_its_own_problems(); }

void EveryEnvironment::expect_restores_a_problem_from_its_parameter() const {
  for_each_problem(3, [&](const Problem& problem) {
    const std::string text = dump_json(problem.parameter());
    const auto json = parse_json(text);
    ASSERT_TRUE(json.has_value()) << text;
    Json with_stranger = *json;
    with_stranger["a key nobody knows"] = "ignored";
    const auto restored = environment().restore(with_stranger);
    ASSERT_TRUE(restored.has_value()) << restored.error().message;
    EXPECT_EQ((*restored)->prompt(), problem.prompt());
    EXPECT_EQ((*restored)->reference(), problem.reference());
    EXPECT_EQ(dump_json((*restored)->parameter()), text);
    for (const std::string& answer : some_answers(problem)) {
      EXPECT_EQ((*restored)->score(answer), problem.score(answer)) << answer;
    }
  });
}

TEST_P(EveryEnvironment, RestoresAProblemFromItsParameter) {
  expect_restores_a_problem_from_its_parameter();
}
TEST_P(EveryPublishedForm, RestoresAProblemFromItsParameter) {
  expect_restores_a_problem_from_its_parameter();
}

// An episode is a value: written, read back and played again it ends as it did.
TEST_P(EveryEnvironment, KeepsThePromisesOfEpisodes) {
  for (const int level : {0, 3}) {
    if (level <= card().max_level) {
      expect_sound_episodes(environment(), environment().address(level, 1));
    }
  }
}

TEST_P(EveryEnvironment, NamesWhatAParameterLacks) {
  const ProblemPtr problem = make(0, 0);
  ASSERT_NE(problem, nullptr);
  const Json whole = problem->parameter();
  int needed = 0;
  for (const auto& [key, value] : whole.items()) {
    Json without = whole;
    without.erase(key);
    if (const auto restored = environment().restore(without); !restored) {
      EXPECT_THAT(restored.error().message, testing::HasSubstr(key));
      ++needed;
    }
    Json ill_typed = whole;
    ill_typed[key] = Json{{"not", "this"}};
    const auto restored = environment().restore(ill_typed);
    if (!value.is_object()) {
      ASSERT_FALSE(restored.has_value()) << key;
      EXPECT_THAT(restored.error().message, testing::HasSubstr(key));
    }
  }
  EXPECT_GT(needed, 0);
}

// Parameters from outside may hold anything: whatever is accepted must be safe to use.
TEST_P(EveryEnvironment, SurvivesMutilatedParameters) {
  Rng rng = test_rng("mutilate", hash_name(GetParam()));
  constexpr std::array<std::int64_t, 8> kNasty{
      0, -1, 1, 2, 7, 1000, std::int64_t{1} << 40, std::numeric_limits<std::int64_t>::min()};
  const std::function<void(Json&)> mutilate = [&](Json& value) {
    if (value.is_structured() && !value.empty() && rng.chance(0.8)) {
      auto place = value.begin();
      std::advance(place, rng.integer(0, static_cast<std::int64_t>(value.size()) - 1));
      mutilate(*place);
    } else if (value.is_array() && rng.chance(0.5)) {
      if (value.size() > 1 && rng.chance(0.5)) {
        std::swap(value.front(), value.back());
      } else if (value.empty() || rng.chance(0.3)) {
        value.push_back(value.empty() ? Json(0) : value[0]);
      } else {
        value.erase(value.size() - 1);
      }
    } else if (value.is_string()) {
      std::string text = value.get<std::string>();
      if (text.empty() || rng.chance(0.2)) text += 'z';
      const char other = rng.choice(text);
      rng.choice(text) = rng.chance(0.5) ? other : static_cast<char>(rng.integer(32, 126));
      value = text;
    } else if (value.is_number_integer() && rng.chance(0.5)) {
      value = value.get<std::int64_t>() + (rng.chance(0.5) ? 1 : -1);
    } else if (!value.is_structured()) {
      value = kNasty[rng.below(kNasty.size())];
    }
  };
  int possible = 0;  // changed parameters to which at most the stored reference does not fit
  for (std::uint64_t round = 0; round < 400; ++round) {
    const bool spares_references = round < 200;
    const ProblemPtr problem = make(static_cast<int>(round % 3), round);
    ASSERT_NE(problem, nullptr);
    const std::vector<std::string> references = reference_keys(problem->parameter());
    Json mutilated = problem->parameter();
    if (spares_references) {
      for (const std::string& key : references) mutilated.erase(key);
    }
    mutilate(mutilated);
    Json parameter = problem->parameter();
    parameter.update(mutilated);
    const auto restored = environment().restore(parameter);
    const bool names_a_reference =
        !restored && std::ranges::any_of(references, [&](const std::string& key) {
          return restored.error().message.find(key) != std::string::npos;
        });
    possible +=
        spares_references && parameter != problem->parameter() && (restored || names_a_reference);
    if (!restored) continue;
    EXPECT_FALSE((*restored)->prompt().empty());
    for (const std::string& answer : {problem->reference(), std::string("0"), std::string()}) {
      const Verdict verdict = (*restored)->score(answer);
      EXPECT_TRUE(verdict.reward >= -1.0 && verdict.reward <= 1.0) << verdict.reward;
    }
  }
  EXPECT_EQ(possible == 0, card().redundant_parameter)
      << possible
      << " of the changed parameters were accepted. If a parameter says everything twice, "
      << "so that any change of one place is refused, write .redundant_parameter = true into the "
         "card "
      << "in " << source() << "; if check() is too strict, mend it there";
}

// The values that a forger would try for `value`: of a number those beside it, 0 and twice as much;
// of a text itself backwards and without its end.
std::vector<Json> forgeries(const Json& value) {
  std::string_view digits;
  if (is_big_int(value, digits)) {
    const BigInt number{std::string(digits)};
    return {to_json(BigInt(number + 1)), to_json(BigInt(number - 1)), 0};
  }
  if (value.is_number_integer()) {
    const BigInt number(value.dump());
    return {to_json(BigInt(number + 1)), to_json(BigInt(number - 1)), 0,
            to_json(BigInt(2 * number))};
  }
  if (value.is_boolean()) return {!value.get<bool>()};
  if (value.is_number_float()) return {value.get<double>() + 1.0, 0.0};
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    return {std::string(text.rbegin(), text.rend()),
            text.substr(0, text.empty() ? 0 : text.size() - 1)};
  }
  return {Json::array({0})};  // of an empty list
}

// What became of changes to one key of a parameter.
struct Fates {
  int refused = 0;   // by restore()
  int shown = 0;     // in another prompt
  int compared = 0;  // unseen in the prompt, and without effect on any verdict

  int all() const { return refused + shown + compared; }
};

using FatesByKey = std::map<std::string, Fates>;

// A value that changes without the prompt showing it decides nothing: no answer's verdict depends
// on it, or restore() refuses the change. Stored references and witnesses are such values.
void expect_hidden_value_to_decide_nothing(const Environment& environment, const Problem& problem,
                                           const Json& changed, Fates& fates) {
  const auto other = environment.restore(changed);
  if (!other) {
    ++fates.refused;
    return;
  }
  if ((*other)->prompt() != problem.prompt()) {
    ++fates.shown;
    return;
  }
  ++fates.compared;
  std::vector<std::string> answers = some_answers(problem);
  answers.push_back((*other)->reference());
  for (const std::string& answer : answers) {
    EXPECT_EQ((*other)->score(answer), problem.score(answer))
        << "to " << answer << "\nby " << dump_json(changed) << "\nof " << problem.prompt();
  }
}

// At most `most` of `places`, spread evenly.
std::vector<std::string> spread(const std::vector<std::string>& places, std::size_t most) {
  if (places.size() <= most) return places;
  std::vector<std::string> some;
  for (std::size_t i = 0; i < most; ++i) some.push_back(places[i * places.size() / most]);
  return some;
}

// The places of all single values of a parameter (JSON pointers), by its keys.
std::map<std::string, std::vector<std::string>> places_of(const Json& parameter) {
  std::map<std::string, std::vector<std::string>> places;
  for (const auto& [key, value] : parameter.items()) {
    const Json flat = Json{{key, value}}.flatten();
    for (const auto& [place, single] : flat.items()) places[key].push_back(place);
  }
  return places;
}

// Forges `key` of a parameter: some of its values one by one, and the whole by that of `stranger`.
void forge(const Environment& environment, const Problem& problem, const Problem& stranger,
           const std::string& key, FatesByKey& fates) {
  constexpr std::size_t kValues = 8;
  const Json parameter = problem.parameter();
  const auto attempt = [&](const Json& changed) {
    if (changed == parameter) return;
    expect_hidden_value_to_decide_nothing(environment, problem, changed, fates[key]);
  };
  for (const std::string& place : spread(places_of(parameter)[key], kValues)) {
    const Json::json_pointer pointer(place);
    for (const Json& forgery : forgeries(parameter[pointer])) {
      Json changed = parameter;
      changed[pointer] = forgery;
      attempt(changed);
    }
  }
  Json changed = parameter;
  const Json of_stranger = stranger.parameter();
  if (of_stranger.contains(key)) changed[key] = of_stranger[key];
  attempt(changed);
}

// The levels on which parameters are forged.
constexpr std::array kForgedLevels{0, 2, 5};

void EveryEnvironment::expect_refuses_a_forged_reference() const {
  FatesByKey fates;
  std::set<std::string> keys;
  for (const int level : kForgedLevels) {
    if (level > card().max_level) continue;
    const ProblemPtr problem = make(level, 1);
    const ProblemPtr stranger = make(level, 2);
    ASSERT_TRUE(problem != nullptr && stranger != nullptr);
    for (const std::string& key : reference_keys(problem->parameter())) {
      keys.insert(key);
      forge(environment(), *problem, *stranger, key, fates);
    }
  }
  for (const std::string& key : keys) {
    EXPECT_GT(fates[key].refused + fates[key].compared, 0) << key << " was never forged";
    EXPECT_EQ(fates[key].shown, 0) << key << " stands in the prompt";
  }
}

TEST_P(EveryEnvironment, RefusesAForgedReference) { expect_refuses_a_forged_reference(); }
TEST_P(EveryPublishedForm, RefusesAForgedReference) { expect_refuses_a_forged_reference(); }

TEST_P(EveryEnvironment, ShowsEverythingThatTheAnswerDependsOn) {
  if (takes_turns()) return;  // what a world hides, its episodes show
  FatesByKey fates;
  std::set<std::string> keys;
  for (const int level : kForgedLevels) {
    if (level > card().max_level) continue;
    const ProblemPtr problem = make(level, 3);
    const ProblemPtr stranger = make(level, 4);
    ASSERT_TRUE(problem != nullptr && stranger != nullptr);
    const Json parameter = problem->parameter();
    for (const auto& [key, value] : parameter.items()) {
      keys.insert(key);
      forge(environment(), *problem, *stranger, key, fates);
    }
  }
  for (const std::string& key : keys) EXPECT_GT(fates[key].all(), 0) << key << " was never forged";
}

TEST_P(EveryEnvironment, VariesOverSeeds) {
  for (const int level : {0, 3, 8}) {
    std::set<std::string> prompts;
    std::set<std::string> references;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      if (const ProblemPtr problem = make(level, seed)) {
        prompts.insert(problem->prompt());
        references.insert(problem->reference());
      }
    }
    if (level > card().max_level) continue;
    EXPECT_GE(prompts.size(), level == 0 ? 4u : 10u) << "level " << level;
    // The smallest problems may all have one answer, if the card says that there are few.
    const bool may_be_one = level == 0 && card().allows_guessing();
    EXPECT_GE(references.size(), may_be_one ? 1u : 2u) << "level " << level;
  }
}

TEST_P(EveryEnvironment, NeverSolvesNorBreaksOnGarbage) {
  std::vector<std::string> hostile{"",
                                   " ",
                                   std::string(1, '\0'),
                                   std::string(1000, '\0'),
                                   "inf",
                                   "-inf",
                                   "nan",
                                   "NaN",
                                   "1e400",
                                   std::string(400, '9'),
                                   "-" + std::string(400, '9'),
                                   std::string(5000, '9'),
                                   "0x10",
                                   "1_",
                                   "_1",
                                   "1e5",
                                   "--1",
                                   "+-1",
                                   "()",
                                   "[]",
                                   "{}",
                                   "import os",
                                   "__import__('os')",
                                   "9223372036854775807",
                                   "-9223372036854775808",
                                   "18446744073709551616",
                                   "\xff\xfe",
                                   "\xc0\x80",
                                   "é ñ",
                                   "<answer>",
                                   std::string(100000, '('),
                                   std::string(100000, ' '),
                                   "1\n2 3\n",
                                   "None",
                                   "True"};
  std::string many;
  for (int i = 0; i < 20000; ++i) many += "9223372036854775807 -9223372036854775808\n";
  hostile.push_back(many);
  Rng rng = test_rng("garbage", hash_name(GetParam()));
  for (int i = 0; i < 100; ++i) {
    std::string bytes(static_cast<std::size_t>(rng.integer(1, 60)), ' ');
    for (char& c : bytes) c = static_cast<char>(rng.below(256));
    hostile.push_back(bytes);
  }
  for (const int level : {0, 3}) {
    const ProblemPtr problem = make(level, 1);
    if (problem == nullptr) continue;
    for (const std::string& answer : hostile) {
      const Verdict verdict = problem->score(answer);
      EXPECT_TRUE(verdict.reward >= -1.0 && verdict.reward <= 1.0) << verdict.reward;
      EXPECT_FALSE(verdict.solved) << testing::PrintToString(answer.substr(0, 100)) << " solves\n"
                                   << problem->prompt();
    }
  }
}

TEST_P(EveryEnvironment, SurvivesMutilatedAnswers) {
  Rng rng = test_rng("mutilated answers", hash_name(GetParam()));
  for_each_problem(2, [&](const Problem& problem) {
    const std::string reference = problem.reference();
    for (int i = 0; i < 30; ++i) {
      std::string answer = rng.chance(0.5) ? reference : problem.random_answer(rng);
      for (std::int64_t edit = rng.integer(1, 3); edit > 0 && !answer.empty(); --edit) {
        const auto place = static_cast<std::size_t>(rng.below(answer.size()));
        switch (rng.below(4)) {
          case 0:
            answer.erase(place, 1);
            break;
          case 1:
            answer.insert(place, 1, static_cast<char>(rng.below(256)));
            break;
          case 2:
            answer[place] = "0123456789 -\n,"[rng.below(14)];
            break;
          default:
            answer += answer.substr(place);
            break;
        }
      }
      const Verdict verdict = problem.score(answer);
      EXPECT_TRUE(verdict.reward >= -1.0 && verdict.reward <= 1.0) << verdict.reward;
    }
  });
}

TEST_P(EveryEnvironment, GivesRandomAnswersOfTheAskedForm) {
  Rng rng = test_rng("random answers");
  int well_formed = 0;
  int asked = 0;
  for_each_problem(3, [&](const Problem& problem) {
    for (int i = 0; i < 5; ++i, ++asked) {
      well_formed += problem.score(problem.random_answer(rng)).well_formed;
    }
  });
  EXPECT_GT(well_formed, asked / 2);
}

std::string how_to_allow_guesses(const std::string& source) {
  return fmt::format(
      "have generate() reject such problems, or write .guess_until_level or .guess_bound, with the "
      "reason in .small_answer_space, into the card in {}",
      source);
}

// Where the card allows guesses, the share solved is bounded instead of the reward: part of a
// reward comes easily where there are few answers.
TEST_P(EveryEnvironment, DoesNotPayForAConstantBeyondItsBound) {
  constexpr int kProblems = 200;
  const bool allows_guessing = card().allows_guessing();
  for (const int level : {0, 3, 8}) {
    if (level > card().max_level) continue;
    const double bound = std::max(0.35, allowed_share(card(), level));
    std::vector<ProblemPtr> problems;
    std::map<std::string, int> frequency;
    for (std::uint64_t seed = 0; seed < kProblems; ++seed) {
      problems.push_back(make(level, seed));
      ASSERT_NE(problems.back(), nullptr);
      ++frequency[problems.back()->reference()];
    }
    const std::string most_frequent =
        std::ranges::max_element(frequency, {}, [](const auto& entry) {
          return entry.second;
        })->first;
    for (const std::string& constant :
         {std::string("0"), std::string("1"), std::string(), most_frequent}) {
      double sum = 0.0;
      for (const ProblemPtr& problem : problems) {
        const Verdict verdict = problem->score(constant);
        sum += allows_guessing ? verdict.solved : verdict.reward;
      }
      EXPECT_LE(sum / kProblems, bound)
          << "level " << level << ": \"" << constant << "\"; " << how_to_allow_guesses(source());
    }
  }
}

// The audit's bound, with room for the chance of few problems.
TEST_P(EveryEnvironment, FallsToNoSimpleRuleBeyondItsBound) {
  constexpr double kRoom = 0.14;
  const auto levels = audit(environment(), {.levels = {3, 8}, .problems = 80, .seconds = 20.0});
  for (const LevelAudit& level : levels) {
    EXPECT_LE(level.worst().solved, allowed_share(card(), level.level) + kRoom)
        << "level " << level.level << ": " << level.worst().rule << "; "
        << how_to_allow_guesses(source());
  }
}

// The levels of a card: some of them up to the highest, and the highest itself.
std::vector<int> levels_to(int highest) {
  std::vector<int> levels;
  for (const int level : {0, 12, 20, 30, 50, 75}) {
    if (level < highest) levels.push_back(level);
  }
  levels.push_back(highest);
  return levels;
}

// The highest level that a card speaks of; one that names none is held to level 50.
int promised_level(const Card& card) {
  return card.max_level == Card{}.max_level ? 50 : card.max_level;
}

// What a context can hold.
constexpr std::size_t kLongestPrompt = std::size_t{256} << 10;

// Each level that the card promises makes problems that others can be given, and take back.
TEST_P(EveryEnvironment, KeepsItsLadderToTheHighestLevel) {
  for (const int level : levels_to(promised_level(card()))) {
    SCOPED_TRACE(fmt::format("level {}", level));
    const ProblemPtr problem = make(level, 7);
    if (problem == nullptr) continue;
    const std::string prompt = problem->prompt();
    EXPECT_LE(prompt.size(), kLongestPrompt);
    const auto parameter = parse_json(dump_json(problem->parameter()));
    ASSERT_TRUE(parameter.has_value()) << parameter.error().message;
    const auto restored = environment().restore(*parameter);
    ASSERT_TRUE(restored.has_value()) << restored.error().message;
    EXPECT_EQ((*restored)->prompt(), prompt);
    EXPECT_TRUE((*restored)->score(problem->reference()).solved);
  }
}

// The numbers of a parameter of the ladder, in order.
std::vector<double> numbers_of(const Json& parameter) {
  std::vector<double> numbers;
  const Json flat = parameter.flatten();
  for (const auto& [pointer, value] : flat.items()) {
    std::string_view digits;
    if (is_big_int(value, digits)) {
      numbers.push_back(static_cast<double>(BigInt(std::string(digits))));
    } else if (value.is_number()) {
      numbers.push_back(value.get<double>());
    }
  }
  return numbers;
}

// The highest level is no level in name only: problems do not shrink on the way, and the last tenth
// of the levels still changes what a level fixes.
TEST_P(EveryEnvironment, GetsLargerToTheHighestLevel) {
  constexpr int kProblems = 3;
  const int highest = promised_level(card());
  double largest = 0.0;
  for (const int level : {0, highest / 2, highest}) {
    double bytes = 0.0;
    for (std::uint64_t seed = 0; seed < kProblems; ++seed) {
      if (const ProblemPtr problem = make(level, seed)) {
        bytes += static_cast<double>(dump_json(problem->parameter()).size()) / kProblems;
      }
    }
    EXPECT_GE(bytes, 0.85 * largest) << "level " << level;
    largest = std::max(largest, bytes);
  }
  ASSERT_GT(highest, 0);
  Rng rng = test_rng("growth");
  std::set<std::vector<double>> before;
  std::set<std::vector<double>> last;
  for (int draw = 0; draw < 30; ++draw) {
    before.insert(numbers_of(environment().level_parameter(highest - 1 - highest / 10, rng)));
    last.insert(numbers_of(environment().level_parameter(highest, rng)));
  }
  EXPECT_NE(before, last) << "levels " << highest - 1 - highest / 10 << " and " << highest
                          << " are alike: write a lower .max_level into the card in " << source();
}

// One answer in the clothes that policies put on it.
struct Dressed {
  std::string clothes;
  std::string text;
};

std::string joined(const std::vector<std::string>& parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

// The words of every line.
std::vector<std::vector<std::string>> rows_of(const std::string& answer) {
  std::vector<std::vector<std::string>> rows;
  for (const std::string_view line : split_lines(answer)) {
    const auto words = split_words(line);
    rows.emplace_back(words.begin(), words.end());
  }
  return rows;
}

// "1234567" in groups of three; "" below four digits.
std::string grouped(const std::string& number, std::string_view separator) {
  const std::size_t sign = number.starts_with('-') ? 1 : 0;
  if (number.size() < sign + 4) return {};
  std::string text;
  for (std::size_t i = 0; i < number.size(); ++i) {
    if (i > sign && (number.size() - i) % 3 == 0) text += separator;
    text += number[i];
  }
  return text;
}

void dress_number(const std::string& answer, AnswerKind kind, std::vector<Dressed>& all) {
  all.push_back({"label", "Answer: " + answer});
  all.push_back({"bold label", "**Final answer:** " + answer});
  all.push_back({"variable", "x = " + answer});
  all.push_back({"variable in LaTeX", "$N_1 = " + answer + "$"});
  all.push_back({"variable in a box", "\\boxed{x = " + answer + "}"});
  if (answer.starts_with('-')) all.push_back({"minus", "\xe2\x88\x92" + answer.substr(1)});
  if (kind == AnswerKind::kFraction) {
    const std::size_t slash = answer.find('/');
    for (const std::string_view command : {"\\frac", "\\dfrac"}) {
      all.push_back({"fraction", fmt::format("{}{{{}}}{{{}}}", command, answer.substr(0, slash),
                                             answer.substr(slash + 1))});
    }
  }
  if (kind != AnswerKind::kInteger) return;
  for (const std::string_view separator : {",", "{,}", "\\,", "\xe2\x80\xaf"}) {
    if (auto text = grouped(answer, separator); !text.empty()) all.push_back({"thousands", text});
  }
}

void dress_rows(const std::string& answer, AnswerKind kind, std::vector<Dressed>& all) {
  auto rows = rows_of(answer);
  if (kind == AnswerKind::kIntegerList) {
    std::vector<std::string> items;
    for (const auto& row : rows) items.insert(items.end(), row.begin(), row.end());
    for (const std::string_view separator : {", ", ",", "; ", ",\n"}) {
      all.push_back({"list", joined(items, separator)});
    }
    all.push_back({"JSON", "[" + joined(items, ", ") + "]"});
    all.push_back({"NumPy", "[" + joined(items, " ") + "]"});
    all.push_back({"tuple", "(" + joined(items, ", ") + ")"});
    all.push_back({"set", "{" + joined(items, ", ") + "}"});
    all.push_back({"set in LaTeX", "$\\{" + joined(items, ", ") + "\\}$"});
    return;
  }
  std::vector<std::string> lines;
  std::vector<std::string> lists;
  std::vector<std::string> tuples;
  for (const auto& row : rows) {
    lines.push_back(joined(row, ", "));
    lists.push_back("[" + lines.back() + "]");
    tuples.push_back("(" + lines.back() + ")");
  }
  if (rows.empty()) return;
  all.push_back({"lines with commas", joined(lines, "\n")});
  all.push_back({"lines in brackets", joined(lists, "\n")});
  all.push_back({"JSON", "[" + joined(lists, ", ") + "]"});
  all.push_back({"JSON over lines", "[" + joined(lists, ",\n ") + "]"});
  all.push_back({"tuples", joined(tuples, ", ")});
  all.push_back({"list of tuples", "[" + joined(tuples, ", ") + "]"});
}

// What `answer` looks like in all clothes that its kind has.
std::vector<Dressed> dressed(const std::string& answer, AnswerKind kind) {
  std::vector<Dressed> all;
  for (const auto& [open, close] :
       {std::pair{"**", "**"}, std::pair{"$", "$"}, std::pair{"$$\n", "\n$$"},
        std::pair{"\\(", "\\)"}, std::pair{"\\[ ", " \\]"}, std::pair{"\\boxed{", "}"},
        std::pair{"$\\boxed{", "}$"}, std::pair{"**$", "$**"}, std::pair{"\\text{", "}"},
        std::pair{"`", "`"}, std::pair{"```\n", "\n```"}, std::pair{"```text\n", "\n```"},
        std::pair{"\"", "\""}, std::pair{"\n  ", "\n"}}) {
    all.push_back({fmt::format("{}…{}", open, close), open + answer + close});
  }
  const bool one_word = split_words(answer).size() == 1;
  switch (kind) {
    case AnswerKind::kInteger:
    case AnswerKind::kReal:
    case AnswerKind::kFraction:
      if (one_word) dress_number(answer, kind, all);
      break;
    case AnswerKind::kIntegerList:
    case AnswerKind::kIntegerMatrix:
    case AnswerKind::kPairs:
      dress_rows(answer, kind, all);
      break;
    case AnswerKind::kChoice:
      all.push_back({"label", "Answer: " + answer});
      break;
    case AnswerKind::kString:
    case AnswerKind::kOther:
      return all;
    default:
      break;
  }
  all.push_back({"full stop", answer + "."});
  all.push_back({"bold and a full stop", "**" + answer + "**."});
  return all;
}

TEST_P(EveryEnvironment, ReadsAnswersInOtherClothesWhenTolerant) {
  if (takes_turns()) return;  // a program writes the transcript
  const AnswerKind kind = card().answer;
  Rng rng = test_rng("clothes");
  for (const int level : {0, 4}) {
    if (level > card().max_level) continue;
    for (std::uint64_t seed = 0; seed < 2; ++seed) {
      const ProblemPtr problem = make(level, seed);
      ASSERT_NE(problem, nullptr);
      const std::string reference = problem->reference();
      if (!trim(reference).empty()) {
        const auto clothes = dressed(reference, kind);
        EXPECT_GE(clothes.size(), 14u);
        for (const auto& [name, text] : clothes) {
          EXPECT_EQ(score_answer(*problem, text, AnswerReading::kTolerant),
                    problem->score(reference))
              << name << ": " << text;
        }
      }
      for (int i = 0; i < 3; ++i) {
        const std::string answer = problem->random_answer(rng);
        const Verdict plain = problem->score(answer);
        EXPECT_EQ(score_answer(*problem, answer, AnswerReading::kTolerant), plain) << answer;
        if (trim(answer).empty()) continue;
        for (const auto& [name, text] : dressed(answer, kind)) {
          const Verdict verdict = score_answer(*problem, text, AnswerReading::kTolerant);
          EXPECT_LE(verdict.reward, plain.reward) << name << ": " << text;
        }
      }
      for (const NamedAnswer& guess : problem->shortcuts()) {
        EXPECT_LE(score_answer(*problem, guess.answer, AnswerReading::kTolerant).reward,
                  problem->score(guess.answer).reward)
            << guess.rule << ": " << guess.answer;
      }
    }
  }
}

// CPU time, so that a busy machine does not count; sanitizers and debug builds are slower by
// design.
TEST_P(EveryEnvironment, GeneratesInTime) {
#if !defined(NDEBUG) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "only in release builds";
#endif
  const int level = std::min(12, card().max_level);
  std::vector<double> milliseconds;
  for (std::uint64_t seed = 0; seed < 9; ++seed) {
    const std::clock_t start = std::clock();
    make(level, seed);
    milliseconds.push_back(1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  std::ranges::sort(milliseconds);
  EXPECT_LT(milliseconds[4], 50.0);
}

void EveryEnvironment::expect_follows_the_published_ladder() const {
  const std::string name(base_name(GetParam()));
  ASSERT_TRUE(ladders().contains(name)) << not_published(source());
  Rng rng = test_rng("ladder");
  for (int level = 0; level <= std::min(20, card().max_level); ++level) {
    const Json& published = ladders().at(name).at(static_cast<std::size_t>(level));
    for (int draw = 0; draw < 20; ++draw) {
      const Json ours = environment().level_parameter(level, rng);
      const bool found = std::ranges::any_of(published, [&](const Json& set) {
        return std::ranges::all_of(set.items(), [&](const auto& entry) {
          const auto mine = ours.find(entry.key());
          if (mine == ours.end()) return false;
          if (!entry.value().is_number_float()) return *mine == entry.value();
          return mine->is_number() && std::abs(mine->template get<double>() -
                                               entry.value().template get<double>()) < 1e-12;
        });
      });
      ASSERT_TRUE(found) << "level " << level << ": " << ours.dump() << " is not among "
                         << published.dump().substr(0, 500);
    }
  }
}

TEST_P(EveryEnvironment, FollowsThePublishedLadder) {
  if (card().published) expect_follows_the_published_ladder();
}
TEST_P(EveryPublishedForm, FollowsThePublishedLadder) { expect_follows_the_published_ladder(); }

// Recorded rewards that we hold to be wrong: environment → list of {"line", "response", "ours",
// "why"}; line 0: any.
const std::map<std::string, Json>& vector_exceptions() {
  static const std::map<std::string, Json> exceptions = [] {
    std::map<std::string, Json> found;
    for (const auto& entry : fs::recursive_directory_iterator(kSource / "redqueen" / "gym")) {
      if (!entry.path().string().ends_with(".vectors.json")) continue;
      const auto json = parse_json(read_file(entry.path()));
      EXPECT_TRUE(json.has_value()) << entry.path() << ": " << json.error().message;
      if (json) found[(*json)["environment"].get<std::string>()] = (*json)["exceptions"];
    }
    return found;
  }();
  return exceptions;
}

double expected_reward(const std::string& environment, int line, const Json& test_case) {
  const auto list = vector_exceptions().find(environment);
  if (list != vector_exceptions().end()) {
    for (const Json& exception : list->second) {
      EXPECT_FALSE(exception.value("why", "").empty()) << exception.dump();
      const int where = exception.value("line", 0);
      if ((where == 0 || where == line) && exception["response"] == test_case["response"]) {
        return exception["ours"].get<double>();
      }
    }
  }
  return test_case["reward"].get<double>();
}

TEST_P(EveryEnvironment, AgreesWithTheRecordedRewards) {
  if (!card().published) return;
  ASSERT_TRUE(fs::exists(recorded_rewards(GetParam()))) << not_published(source());
  std::ifstream in(recorded_rewards(GetParam()));
  int cases = 0;
  std::string text;
  for (int line = 1; std::getline(in, text); ++line) {
    SCOPED_TRACE(fmt::format("line {}", line));
    const auto vector = parse_json(text);
    ASSERT_TRUE(vector.has_value()) << vector.error().message;
    const auto problem = environment().restore((*vector)["parameter"]);
    ASSERT_TRUE(problem.has_value()) << problem.error().message;
    for (const Json& test_case : (*vector)["cases"]) {
      ++cases;
      const Verdict verdict =
          (*problem)->score(trim(test_case["response"].get_ref<const std::string&>()));
      const double expected = expected_reward(GetParam(), line, test_case);
      EXPECT_NEAR(verdict.reward, expected, 1e-9) << test_case.dump();
      EXPECT_EQ(verdict.solved, expected >= (*vector)["passing"].get<double>() - 1e-12)
          << test_case.dump();
    }
  }
  EXPECT_GT(cases, 0);
}

// Five responses to a problem, from right to hopeless.
std::vector<std::string> golden_responses(const Problem& problem, std::uint64_t index) {
  Rng rng = test_rng("golden", index);
  const std::string example = problem.example();
  return {problem.reference(), problem.random_answer(rng), problem.random_answer(rng),
          example.empty() ? "0" : example, "no idea"};
}

// The reference of a problem that takes turns, and what is answered to it; nothing of others.
std::string golden_conversation(const Problem& problem) {
  if (problem.max_turns() == 1) return {};
  std::vector<Observation> seen;
  const std::vector<Action> actions = problem.reference_actions({});
  replay(problem, {}, actions, &seen);
  std::string text = "---- conversation\n";
  for (std::size_t i = 0; i < actions.size(); ++i) {
    text += fmt::format("> {}\n", dump_json(to_json(actions[i])));
    for (const Message& message : seen[i + 1].messages) text += message.content + "\n";
  }
  return text;
}

// What is recorded of one level.
std::string golden_section(const Environment& environment, int level) {
  const auto problem = environment.generate(level, 1);
  if (!problem) return problem.error().message;
  std::string text =
      fmt::format("\n==== {}\n---- prompt\n{}\n---- parameter\n{}\n---- reference\n{}\n",
                  environment.address(level, 1).to_string(), (*problem)->prompt(),
                  dump_json((*problem)->parameter()), (*problem)->reference());
  text += golden_conversation(**problem);
  for (const std::string& response :
       golden_responses(**problem, static_cast<std::uint64_t>(level))) {
    const Verdict verdict = (*problem)->score(response);
    text += fmt::format("---- response: reward {:.9g}, {}\n{}\n", verdict.reward,
                        verdict.solved        ? "solved"
                        : verdict.well_formed ? "not solved"
                                              : "malformed",
                        response);
  }
  return text;
}

// The golden recording of an environment: a problem of one level to be read, of the others a hash.
struct Golden {
  std::string text;
  std::vector<std::pair<std::string, std::string>> hashed;  // the line with the hash, what it is of
};

Golden golden_recording(const Environment& environment) {
  const int highest = environment.card().max_level;
  const int shown = highest < 3 ? 0 : 3;
  Golden golden{
      .text = fmt::format("{} version {}\n{}\n==== SHA-256 of other levels\n", environment.name(),
                          environment.card().version, golden_section(environment, shown)),
      .hashed = {}};
  for (const int level : {0, 3, 8}) {
    if (level == shown || level > highest) continue;
    std::string section = golden_section(environment, level);
    std::string line =
        fmt::format("{} {}\n", environment.address(level, 1).to_string(), sha256(section));
    golden.text += line;
    golden.hashed.emplace_back(std::move(line), std::move(section));
  }
  return golden;
}

TEST_P(EveryEnvironment, BehavesAsItsGoldenRecording) {
  const fs::path path =
      fs::path("redqueen/gym/golden") / to_string(card().family) / (GetParam() + ".txt");
  const std::string command = fmt::format(
      "\n  REDQUEEN_UPDATE_GOLDEN=1 build/gym_test --gtest_filter='*GoldenRecording/{}'\n",
      GetParam());
  const Golden golden = golden_recording(environment());
  if (std::getenv("REDQUEEN_UPDATE_GOLDEN") != nullptr) {
    fs::create_directories((kSource / path).parent_path());
    std::ofstream file(kSource / path, std::ios::binary);
    file << golden.text;
    ASSERT_TRUE(file.flush()) << path << " cannot be written";
    return;
  }
  ASSERT_TRUE(fs::exists(kSource / path))
      << "there is no golden recording " << path.string() << ". Write it by" << command
      << "and read it: its prompt has to make sense to someone who knows nothing of the task.";
  const std::string recorded = read_file(kSource / path);
  EXPECT_EQ(recorded, golden.text)
      << path.string() << " is not what the environment does now. If this change is meant, raise "
      << ".version in the card in " << source() << " and write the recording anew by" << command;
  for (const auto& [line, section] : golden.hashed) {
    if (recorded.find(line) == std::string::npos) {
      ADD_FAILURE() << "another problem, or other verdicts, than the hash in " << path.string()
                    << " is of. It is now:\n"
                    << section;
    }
  }
}

// The hash of a published form's problems of levels 0 and 3, a line of the recording.
std::string golden_line(const Environment& form) {
  std::string sections;
  for (const int level : {0, 3})
    if (level <= form.card().max_level) sections += golden_section(form, level);
  return fmt::format("{} {}\n", form.name(), sha256(sections));
}

TEST(PublishedForms, BehaveAsTheirGoldenRecording) {
  const fs::path path = kSource / "redqueen/gym/golden/published.txt";
  const auto forms = Registry::native().published_forms();
  std::string golden = "SHA-256 of a problem of level 0 and of level 3, with verdicts\n";
  for (const Environment* form : forms) golden += golden_line(*form);
  if (std::getenv("REDQUEEN_UPDATE_GOLDEN") != nullptr) {
    std::ofstream file(path, std::ios::binary);
    file << golden;
    ASSERT_TRUE(file.flush()) << path << " cannot be written";
    return;
  }
  // A build may have some of the environments only.
  const std::string recorded = read_file(path);
  for (const Environment* form : forms) {
    EXPECT_NE(recorded.find("\n" + golden_line(*form)), std::string::npos)
        << form->name()
        << ": if this change is meant, raise .version in the card and write the recording anew "
           "by\n  "
           "REDQUEEN_UPDATE_GOLDEN=1 build/gym_test "
           "--gtest_filter=PublishedForms.BehaveAsTheirGoldenRecording\n";
  }
  if (forms.size() == ladders().size()) {
    EXPECT_EQ(recorded, golden) << "lines of forms that there are no more";
  }
}

TEST(PublishedForms, AreThereForEveryPublishedEnvironmentAndShareItsStatements) {
  const auto forms = Registry::native().published_forms();
  std::size_t published = 0;
  for (const Environment* environment : Registry::native().all())
    published += environment->card().published ? 1u : 0u;
  EXPECT_EQ(forms.size(), published);
  for (const Environment* form : forms) {
    const Environment* hardened = Registry::native().find(base_name(form->name()));
    ASSERT_NE(hardened, nullptr) << form->name();
    const auto problem = form->generate(0, 5);
    ASSERT_TRUE(problem.has_value()) << form->name() << ": " << problem.error().message;
    const auto same = hardened->restore((*problem)->parameter());
    ASSERT_TRUE(same.has_value()) << form->name() << ": " << same.error().message;
    EXPECT_EQ((*same)->prompt(), (*problem)->prompt()) << form->name();
    EXPECT_EQ((*same)->reference(), (*problem)->reference()) << form->name();
  }
}

// Nothing of the two tests against published behaviour may be left out unseen.
TEST(PublishedBehaviour, IsThereForEveryPublishedEnvironment) {
  EXPECT_EQ(ladders().size(), 400u);
  for (const Environment* environment : Registry::native().all()) {
    const std::string name(environment->name());
    const bool recorded = fs::exists(recorded_rewards(name));
    EXPECT_EQ(ladders().contains(name), recorded) << name;
    EXPECT_EQ(environment->card().published, recorded)
        << card_place(name).file << ": "
        << (recorded ? "write .published = true into the card, for RLVE-Gym has an environment of "
                       "this name; rename it if it is another"
                     : not_published(card_place(name).file));
  }
}

// Nor may an environment leave a promise unseen that is not asked of those that take turns.
TEST(Promises, LeaveOutWhatTakesTurnsAndNothingElse) {
  for (const Environment* environment : Registry::native().all()) {
    const std::string name(environment->name());
    const auto problem = environment->generate(0, 0);
    ASSERT_TRUE(problem.has_value()) << name << ": " << problem.error().message;
    EXPECT_EQ(environment->card().answer == AnswerKind::kTurns, (*problem)->max_turns() > 1)
        << card_place(name).file
        << ": write .answer = AnswerKind::kTurns into the card if and only if "
        << "the environment takes turns";
  }
}

std::vector<std::string> names_of(const std::vector<const Environment*>& environments) {
  std::vector<std::string> names;
  for (const Environment* environment : environments) names.emplace_back(environment->name());
  return names;
}

INSTANTIATE_TEST_SUITE_P(Gym, EveryEnvironment,
                         testing::ValuesIn(names_of(Registry::native().all())),
                         [](const auto& param_info) { return param_info.param; });
INSTANTIATE_TEST_SUITE_P(Gym, EveryPublishedForm,
                         testing::ValuesIn(names_of(Registry::native().published_forms())),
                         [](const auto& param_info) {
                           return std::string(base_name(param_info.param));
                         });

}  // namespace
}  // namespace redqueen
