#include "redqueen/session/evaluate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <sstream>

#include "redqueen/base/testing/folder.h"
#include "redqueen/core/testing/hidden_number.h"
#include "redqueen/engine/testing/engine.h"
#include "redqueen/suites/testing/echo.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Evaluate, CountsPerEnvironmentAndLevel) {
  EchoPolicy two_digits(2);
  const auto result =
      evaluate(two_digits, echo_suite(),
               {.levels = {0, 1, 2, 9}, .problems = 7, .format = *PromptFormat::parse("terse")});
  ASSERT_TRUE(result.has_value());
  const auto& records = result->records;
  ASSERT_EQ(records.size(), 3u) << "level 9 is beyond the highest";
  EXPECT_EQ(records[0].solved, 7);
  EXPECT_EQ(records[1].mean_reward, 1.0);
  EXPECT_EQ(records[2].solved, 0);
  EXPECT_EQ(total_of(records).problems, 21);
  EXPECT_THAT(evaluation_table(records), HasSubstr("14/21"));
  EXPECT_THAT(result->warnings(), IsEmpty());
}

TEST(Evaluate, RefusesLevelsThatNobodyHas) {
  EchoPolicy two_digits(2);
  const auto result = evaluate(two_digits, echo_suite(), {.levels = {9, 12}});
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(result.error().message, HasSubstr("level 9, 12; its highest level is 5"));
}

// A policy that is asked in a format that it was not taught solves nothing, and nobody would know
// why.
TEST(Evaluate, SaysWhenNoAnswerCanBeRead) {
  EchoPolicy two_digits(2);
  const auto result =
      evaluate(two_digits, echo_suite(),
               {.levels = {0}, .problems = 7, .format = *PromptFormat::parse("boxed")});
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->malformed, 7);
  EXPECT_THAT(result->warnings(), ElementsAre(HasSubstr("none of 7 answers has the form")));
}

// Hands over the groups of EchoPolicy, the last one first.
class Backwards final : public Policy {
 public:
  Expected<std::vector<CompletionGroup>> sample(std::span<const SampleRequest> requests,
                                                const SampleParameters& parameters) override {
    return collect_each(requests, parameters);
  }
  Status sample_each(std::span<const SampleRequest> requests, const SampleParameters& parameters,
                     const GroupListener& listener) override {
    calls.push_back(requests.size());
    ASSIGN_OR_RETURN(auto groups, echo_.sample(requests, parameters));
    for (std::size_t i = groups.size(); i-- > 0;) {
      if (i % 50 == 7) groups[i].completions[0] = {.finish = FinishReason::kFailed, .failure = "x"};
      listener(i, std::move(groups[i]));
    }
    return {};
  }
  std::string_view name() const override { return "backwards"; }

  std::vector<std::size_t> calls;  // their requests

 private:
  EchoPolicy echo_{3, 2};
};

// All suites are one queue, and it is no matter in which order the answers come.
TEST(Evaluate, AsksInOneQueue) {
  EvaluationOptions options{.levels = {0, 1, 2, 3},
                            .problems = 700,
                            .samples = 3,
                            .format = *PromptFormat::parse("terse")};
  std::vector<SuiteEvaluation> evaluations{{echo_suite(), options}};
  options.levels = {4, 1};
  options.problems = 5;
  options.samples = 1;
  evaluations.push_back({echo_suite(), options});
  evaluations[1].suite.name = "again";
  Backwards policy;
  std::vector<std::size_t> told;
  const auto results = evaluate_all(policy, evaluations, [&](std::size_t done, std::size_t total) {
    EXPECT_EQ(total, 2810U);
    told.push_back(done);
  });
  ASSERT_TRUE(results) << results.error().message;
  EXPECT_EQ(policy.calls, std::vector<std::size_t>{2810});
  EXPECT_GT(told.size(), 5U);
  EXPECT_TRUE(std::ranges::is_sorted(told));
  EXPECT_EQ(told.back(), 2810U);
  ASSERT_EQ(results->size(), 2U);
  for (std::size_t s = 0; s < 2; ++s) {
    const auto& [suite, asked] = evaluations[s];
    const EvaluationResult& result = results->at(s);
    const std::int64_t samples = asked.samples;
    EXPECT_EQ(result.missing.asked, asked.problems * samples * std::ssize(asked.levels));
    EXPECT_EQ(result.missing.failed, s == 0 ? 56 : 1);  // of every fiftieth problem
    ASSERT_EQ(result.records.size(), asked.levels.size());
    for (std::size_t r = 0; r < asked.levels.size(); ++r) {
      const run::EvaluationRecord& record = result.records[r];
      const bool solves = record.level == 1;  // what is odd and has at most three digits
      EXPECT_EQ(record.suite, suite.name);
      EXPECT_EQ(record.level, asked.levels[r]);
      EXPECT_EQ(record.problems, asked.problems * samples);
      const std::int64_t failed = s == 0 ? 14 : 1;
      EXPECT_EQ(record.solved, solves ? record.problems - failed : 0) << record.level;
      EXPECT_EQ(record.passed, samples > 1 && solves ? asked.problems : 0);
    }
  }
  EXPECT_TRUE(evaluate_all(policy, {})->empty());
}

// One-digit numbers are few: what level 0 lacks of fifteen comes from level 1.
TEST(Evaluate, AsksDifferentProblemsWhereTheSuiteWantsThem) {
  EchoPolicy policy(9);
  Suite suite = echo_suite();
  suite.distinct = true;
  const EvaluationOptions options{
      .levels = {0, 1}, .problems = 15, .format = *PromptFormat::parse("terse")};
  const auto result = evaluate(policy, suite, options);
  ASSERT_TRUE(result) << result.error().message;
  ASSERT_EQ(result->records.size(), 2U);
  EXPECT_LT(result->records[0].problems, 15);
  EXPECT_EQ(result->records[0].problems + result->records[1].problems, 30);
  EXPECT_EQ(total_of(result->records).solved, 30);
  std::vector<std::string> prompts = policy.prompts;
  std::ranges::sort(prompts);
  EXPECT_EQ(std::ranges::adjacent_find(prompts), prompts.end());
  EXPECT_EQ(prompts.size(), 30U);

  // Where the last level has too few, problems come from the levels behind it.
  EchoPolicy beyond(9);
  const auto more = evaluate(
      beyond, suite, {.levels = {0}, .problems = 15, .format = *PromptFormat::parse("terse")});
  ASSERT_TRUE(more) << more.error().message;
  ASSERT_EQ(more->records.size(), 2U);
  EXPECT_EQ(more->records[1].level, 1);
  EXPECT_EQ(more->records[0].problems + more->records[1].problems, 15);

  EchoPolicy other(9);
  suite.distinct = false;
  ASSERT_TRUE(evaluate(other, suite, options));
  prompts = other.prompts;
  std::ranges::sort(prompts);
  EXPECT_NE(std::ranges::adjacent_find(prompts), prompts.end());
}

// Counts all subsets of the samples.
double pass_rate_by_counting(int samples, int right, int j) {
  int subsets = 0;
  int passed = 0;
  for (unsigned chosen = 0; chosen < (1U << samples); ++chosen) {
    if (std::popcount(chosen) != j) continue;
    ++subsets;
    passed += (chosen & ((1U << right) - 1)) != 0;
  }
  return static_cast<double>(passed) / subsets;
}

TEST(Evaluate, EstimatesPassAtAnyNumberOfItsSamples) {
  const run::EvaluationRecord record{.problems = 15,
                                     .solved = 6,
                                     .samples = 5,
                                     .passed = 2,
                                     .by_solved = {1, 0, 1, 0, 1, 0}};  // 0, 2 and 4 of 5
  for (int j = 1; j <= 5; ++j) {
    const double expected = (pass_rate_by_counting(5, 0, j) + pass_rate_by_counting(5, 2, j) +
                             pass_rate_by_counting(5, 4, j)) /
                            3;
    ASSERT_TRUE(pass_rate(record, j));
    EXPECT_NEAR(*pass_rate(record, j), expected, 1e-12) << j;
  }
  EXPECT_DOUBLE_EQ(*pass_rate(record, 1), 6.0 / 15);
  EXPECT_DOUBLE_EQ(*pass_rate(record, 5), *pass_rate(record));
  EXPECT_FALSE(pass_rate(record, 0));
  EXPECT_FALSE(pass_rate(record, 6));
  run::EvaluationRecord old = record;  // of a run that did not keep the counts
  old.by_solved.clear();
  EXPECT_FALSE(pass_rate(old, 2));
  EXPECT_THAT(evaluation_table({record}), HasSubstr("pass@1 40.0 %, pass@2"));

  EchoPolicy sometimes(9, 2);
  const auto result = evaluate(
      sometimes, echo_suite(),
      {.levels = {1}, .problems = 4, .samples = 3, .format = *PromptFormat::parse("terse")});
  ASSERT_TRUE(result) << result.error().message;
  const auto& counts = result->records[0].by_solved;
  ASSERT_EQ(counts.size(), 4U);
  EXPECT_EQ(counts[0] + counts[1] + counts[2] + counts[3], 4);
  EXPECT_EQ(counts[1] + 2 * counts[2] + 3 * counts[3], result->records[0].solved);
}

constexpr int kLevel = 3;

// Halves the range with every turn; whoever asks it only once sees it miss.
class Halver final : public Policy {
 public:
  Expected<std::vector<CompletionGroup>> sample(std::span<const SampleRequest> requests,
                                                const SampleParameters&) override {
    std::vector<CompletionGroup> groups;
    for (const SampleRequest& request : requests) {
      CompletionGroup& group = groups.emplace_back();
      for (std::size_t k = 0; k < request.addresses.size(); ++k)
        group.completions.push_back(turn(request.messages));
    }
    return groups;
  }
  bool lays_out_messages() const override { return true; }
  std::string_view name() const override { return "halver"; }

 private:
  static Completion turn(const std::vector<Message>& conversation) {
    std::int64_t low = 1;
    std::int64_t high = std::int64_t{4} << kLevel;
    std::int64_t said = 0;
    for (const Message& message : conversation) {
      if (!message.tool_calls.empty())
        said = message.tool_calls.front().arguments["number"].get<std::int64_t>();
      if (message.content == "higher") low = said + 1;
      if (message.content == "lower") high = said - 1;
    }
    return {.text = "I say", .tool_calls = HiddenNumber::guess((low + high) / 2).tool_calls};
  }
};

TEST(Evaluate, AsksEnvironmentsThatAnswerBackByTurns) {
  const NativeEnvironment<HiddenNumber> hidden_number;
  const Suite suite{.name = "hidden", .environments = {&hidden_number}};
  Halver halver;
  const auto result = evaluate(halver, suite, {.levels = {kLevel}, .problems = 20});
  ASSERT_TRUE(result.has_value()) << result.error().message;
  EXPECT_EQ(result->records.at(0).solved, 20);
  EXPECT_GT(result->missing.asked, 20);
  // Beside problems that ask once.
  const auto mixed = evaluate(halver, {.name = "mixed", .environments = {&kEcho, &hidden_number}},
                              {.levels = {kLevel}, .problems = 20});
  ASSERT_TRUE(mixed.has_value()) << mixed.error().message;
  EXPECT_EQ(mixed->records.at(0).solved, 0);
  EXPECT_EQ(mixed->records.at(0).problems, 20);
  EXPECT_EQ(mixed->records.at(1), [&] {
    run::EvaluationRecord same = result->records.at(0);
    same.suite = "mixed";
    return same;
  }());
  EchoPolicy without_template(2);
  const auto refused = evaluate(without_template, suite, {.levels = {kLevel}, .problems = 2});
  ASSERT_FALSE(refused.has_value());
  EXPECT_THAT(refused.error().message, HasSubstr("template"));
}

// Halves the range as Halver does, from the text of a template that renders a long conversation
// otherwise from its first character on. Of two responses to a first turn, the second is cut.
class Rewriter final : public Policy {
 public:
  Expected<std::vector<CompletionGroup>> sample(std::span<const SampleRequest> requests,
                                                const SampleParameters&) override {
    std::vector<CompletionGroup> groups;
    for (const SampleRequest& request : requests) {
      CompletionGroup& group = groups.emplace_back();
      group.prompt_tokens.assign(request.prompt.begin(), request.prompt.end());
      group.completions.assign(request.addresses.size(), turn(request.prompt));
      if (group.completions.size() > 1) group.completions[1].finish = FinishReason::kLength;
    }
    return groups;
  }
  Expected<ChatLayout> chat_layout(std::span<const ToolSpec> tools, bool) const override {
    const auto chat = ChatTemplate::parse(
        "{% if messages|length > 2 %}B{% else %}A{% endif %}"
        "{% for message in messages %} {{ message.content }}{% endfor %}");
    return ChatLayout::make(*chat, tools);
  }
  std::string_view name() const override { return "rewriter"; }

 private:
  static Completion turn(const std::string& conversation) {
    std::int64_t low = 1;
    std::int64_t high = std::int64_t{4} << kLevel;
    std::istringstream words(conversation);
    for (std::string word; words >> word;) {
      if (word == "higher") low = (low + high) / 2 + 1;
      if (word == "lower") high = (low + high) / 2 - 1;
    }
    Completion said{.text = "I guess", .tokens = {'I'}, .log_probs = {-1.0F}};
    said.tool_calls = HiddenNumber::guess((low + high) / 2).tool_calls;
    return said;
  }
};

// Nothing is trained, so that it is no matter what prompt the episodes of a problem share.
TEST(Evaluate, CountsEpisodesThatATemplateRewrites) {
  const NativeEnvironment<HiddenNumber> hidden_number;
  const Suite suite{.name = "hidden", .environments = {&hidden_number}};
  Rewriter policy;
  const auto result = evaluate(policy, suite, {.levels = {kLevel}, .problems = 20, .samples = 2});
  ASSERT_TRUE(result.has_value()) << result.error().message;
  const run::EvaluationRecord& record = result->records.at(0);
  EXPECT_EQ(record.problems, 40);
  EXPECT_EQ(record.passed, 20);
  EXPECT_GT(result->rewritten.left_out, 0);
  EXPECT_EQ(result->rewritten.left_out, 40 - record.solved) << "those that were cut";
  EXPECT_THAT(result->warnings(), ElementsAre(HasSubstr("computed anew")));
}

TEST(Evaluate, TakesLevelsAndProblemsFromSettingsBeforeTheSuite) {
  TrainSettings settings;
  Suite suite = echo_suite();
  suite.levels.clear();
  suite.problems = 0;
  EXPECT_EQ(evaluation_options(settings, suite)->problems, 50);
  EXPECT_THAT(evaluation_options(settings, suite)->levels, ElementsAre(0, 1, 2, 3, 4));
  suite.levels = {1, 2};
  suite.problems = 30;
  EXPECT_EQ(evaluation_options(settings, suite)->problems, 15);
  EXPECT_THAT(evaluation_options(settings, suite)->levels, ElementsAre(1, 2));
  settings.evaluation.levels = {0};
  settings.evaluation.problems = 4;
  EXPECT_EQ(evaluation_options(settings, suite)->problems, 4);
  EXPECT_THAT(evaluation_options(settings, suite)->levels, ElementsAre(0));
}

TEST(Evaluate, CountsALevelThatIsNamedTwiceOnce) {
  TrainSettings settings;
  settings.evaluation.levels = {1, 0, 1};
  EXPECT_THAT(evaluation_options(settings, echo_suite())->levels, ElementsAre(1, 0));
}

// Levels of a published data set are of different sizes, and people ask for more problems than it
// has.
TEST(Evaluate, AsksEachRowOfADataSetOnce) {
  const TestFolder folder;
  std::string rows;
  for (const auto& [level, count] : {std::pair(1, 7), std::pair(2, 2), std::pair(4, 3)}) {
    for (int i = 0; i < count; ++i)
      rows += fmt::format(R"({{"prompt": "Repeat {0}", "answer": {0}, "level": {1}}})", i, level) +
              "\n";
  }
  write_file(folder / "rows.jsonl", rows);
  const auto suite = shared_engine().load_suite((folder / "rows.jsonl").string());
  ASSERT_TRUE(suite) << suite.error().message;
  EchoPolicy one_digit(1);
  for (const int problems : {0, 5, 100}) {
    TrainSettings settings;
    settings.policy.prompt_format = "terse";
    settings.evaluation.problems = problems;
    if (problems > 0) settings.evaluation.levels = {1, 2, 3, 4};
    const auto result = evaluate(one_digit, *suite, *evaluation_options(settings, *suite));
    ASSERT_TRUE(result) << result.error().message;
    std::vector<std::pair<int, int>> asked;
    for (const run::EvaluationRecord& record : result->records)
      asked.emplace_back(record.level, static_cast<int>(record.problems));
    EXPECT_EQ(total_of(result->records).solved, total_of(result->records).problems);
    EXPECT_THAT(asked,
                ElementsAre(std::pair(1, problems == 5 ? 5 : 7), std::pair(2, 2), std::pair(4, 3)));
  }
}

TEST(Evaluate, TellsBeforehandWhatCannotBeEvaluated) {
  const TestFolder folder;
  for (const char* name : {"easy", "hard"}) {
    fs::create_directory(folder / name);
    write_file(folder / name / "test.jsonl", R"({"prompt": "1 + 1?", "answer": 2})");
  }
  const std::string easy = folder / "easy" / "test.jsonl", hard = folder / "hard" / "test.jsonl";
  TrainSettings settings;
  settings.suite = "arena/cartpole";
  const auto fault = [&](const std::string& suite, std::vector<std::string> suites,
                         std::vector<int> levels = {}) -> std::string {
    settings.evaluation.suite = suite;
    settings.evaluation.suites = std::move(suites);
    settings.evaluation.levels = std::move(levels);
    const Status checked = check_evaluations(settings, shared_engine());
    if (checked) return "";
    EXPECT_EQ(checked.error().kind, ErrorKind::kUsage);
    return checked.error().message;
  };
  EXPECT_EQ(fault("", {}), "");
  EXPECT_EQ(fault("ignored", {"arena/cartpole", easy}), "");
  EXPECT_THAT(fault("arena/cartpol", {}), HasSubstr("did you mean arena/cartpole?"));
  EXPECT_THAT(fault("", {"arena/cartpole", "arena/cartpol"}),
              HasSubstr("did you mean arena/cartpole?"));
  EXPECT_THAT(fault("", {"arena/cartpole"}, {100'000}),
              HasSubstr("no problem of arena/cartpole at level 100000"));
  EXPECT_THAT(fault("", {easy, hard}), HasSubstr("are both called test"));
}

}  // namespace
}  // namespace redqueen
