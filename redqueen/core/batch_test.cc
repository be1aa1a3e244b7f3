#include "redqueen/core/batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>

#include "redqueen/core/testing/repeat_number.h"

namespace redqueen {
namespace {

// Level 0 asks for a number, every other level never makes a problem.
struct Echo : RepeatNumber {
  static constexpr Card card{.name = "Echo",
                             .family = Family::kArithmetic,
                             .answer = AnswerKind::kInteger,
                             .scoring = Scoring::kExact,
                             .task = "Repeat a number.",
                             .levels = "1 fails.",
                             .rewards = "1 if right, else 0.",
                             .max_level = 1};
  static Problem generate(const Config& config, Rng& rng) {
    if (config.level == 1) throw Retry();
    return {rng.integer(0, 1000)};
  }
};

// Counts the batches that it is given, and does them one by one. An environment takes its problems
// from `Echo` and says that they are its own.
class CountingWorker final : public BatchWorker {
 public:
  std::vector<Generated> generate(std::span<const ProblemRequest> requests,
                                  const GenerationLimits& limits) const override {
    ++batches;
    std::vector<Generated> problems;
    for (const auto& [environment, level, seed, salt] : requests)
      problems.push_back(environment->generate(level, seed, salt, limits));
    return problems;
  }
  std::vector<Verdict> score(std::span<const AnswerRequest> requests) const override {
    ++batches;
    std::vector<Verdict> verdicts;
    for (const auto& [problem, answer] : requests) verdicts.push_back(problem->score(answer));
    return verdicts;
  }
  mutable std::atomic<int> batches = 0;
};

class WorkedProblem final : public Problem {
 public:
  WorkedProblem(ProblemPtr inner, const CountingWorker& worker)
      : inner_(std::move(inner)), worker_(worker) {}
  std::string prompt() const override { return inner_->prompt(); }
  Json parameter() const override { return inner_->parameter(); }
  std::string reference() const override { return inner_->reference(); }
  Verdict score(std::string_view answer) const override { return inner_->score(answer); }
  std::string random_answer(Rng& rng) const override { return inner_->random_answer(rng); }
  std::string example() const override { return {}; }
  std::vector<NamedAnswer> shortcuts() const override { return {}; }
  const BatchWorker* batch_worker() const override { return &worker_; }

 private:
  ProblemPtr inner_;
  const CountingWorker& worker_;
};

class WorkedEnvironment final : public Environment {
 public:
  explicit WorkedEnvironment(const CountingWorker& worker) : worker_(worker) {}
  const Card& card() const override { return inner_.card(); }
  Generated generate(int level, std::uint64_t seed, std::uint64_t salt,
                     const GenerationLimits& limits) const override {
    auto problem = inner_.generate(level, seed, salt, limits);
    if (!problem) return problem;
    return std::make_unique<const WorkedProblem>(std::move(*problem), worker_);
  }
  Expected<ProblemPtr> restore(const Json& parameter) const override {
    return inner_.restore(parameter);
  }
  Json level_parameter(int level, Rng& rng) const override {
    return inner_.level_parameter(level, rng);
  }
  const BatchWorker* batch_worker() const override { return &worker_; }

 private:
  NativeEnvironment<Echo> inner_;
  const CountingWorker& worker_;
};

struct Mixture {
  CountingWorker first;
  CountingWorker second;
  NativeEnvironment<Echo> native;
  WorkedEnvironment worked{first};
  WorkedEnvironment other{second};

  std::vector<ProblemRequest> requests() const {
    const std::array<const Environment*, 4> all{&native, &worked, &other, &native};
    std::vector<ProblemRequest> requests;
    for (std::uint64_t seed = 0; seed < 403; ++seed)
      requests.push_back({all[seed * 7 % 4], seed % 11 == 0 ? 1 : 0, seed, 3});
    return requests;
  }
};

std::string text_of(const Generated& made) {
  return made ? dump_json((*made)->parameter())
              : fmt::format("{} {}", to_string(made.error().fault), made.error().message);
}

TEST(Batch, GivesTheSameForAnyNumberOfThreads) {
  const Mixture mixture;
  const auto requests = mixture.requests();
  std::vector<std::string> expected;
  for (const auto& [environment, level, seed, salt] : requests)
    expected.push_back(text_of(environment->generate(level, seed, salt)));
  for (const int threads : {1, 2, 7}) {
    mixture.first.batches = mixture.second.batches = 0;
    const auto made = generate_all(requests, {.threads = threads});
    ASSERT_EQ(made.size(), requests.size());
    EXPECT_EQ(mixture.first.batches, 1);
    EXPECT_EQ(mixture.second.batches, 1);
    std::vector<std::string> texts;
    for (const Generated& one : made) texts.push_back(text_of(one));
    EXPECT_EQ(texts, expected) << threads;

    std::vector<std::string> answers;
    std::vector<AnswerRequest> asked;
    Rng rng({.purpose = hash_name("answers")});
    for (const Generated& one : made)
      answers.push_back(!one ? "" : rng.chance(0.5) ? (*one)->reference() : "17");
    for (std::size_t i = 0; i < made.size(); ++i)
      if (made[i]) asked.push_back({made[i]->get(), answers[i]});
    const auto verdicts = score_all(asked, {.threads = threads});
    ASSERT_EQ(verdicts.size(), asked.size());
    int solved = 0;
    for (std::size_t i = 0; i < asked.size(); ++i) {
      EXPECT_EQ(verdicts[i], asked[i].problem->score(asked[i].answer));
      solved += verdicts[i].solved;
    }
    EXPECT_GT(solved, 100);
    EXPECT_EQ(mixture.first.batches, 2);
    EXPECT_EQ(mixture.second.batches, 2);
  }
}

TEST(Batch, PassesTheLimitsOn) {
  const Mixture mixture;
  const std::vector<ProblemRequest> requests{{&mixture.native, 1}, {&mixture.worked, 1}};
  const GenerationLimits limits{.attempts = 1 << 30, .seconds = 0.0};
  for (const Generated& made : generate_all(requests, {.limits = limits})) {
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().fault, GenerationFault::kTime);
  }
}

TEST(Batch, NothingAskedIsNothingDone) {
  EXPECT_TRUE(generate_all({}).empty());
  EXPECT_TRUE(score_all({}).empty());
  EXPECT_TRUE(score_completions({}, PromptFormat{}).empty());
}

TEST(Batch, ReadsCompletionsAsOneByOne) {
  const Mixture mixture;
  const auto native = mixture.native.generate(0, 5, 0, {});
  const auto worked = mixture.worked.generate(0, 6, 0, {});
  const auto format = PromptFormat::parse("boxed");
  ASSERT_TRUE(format);
  const std::string right = fmt::format("So \\boxed{{{}}}.", (*native)->reference());
  const std::string other = fmt::format("So \\boxed{{{}}}.", (*worked)->reference());
  const std::string plain = (*native)->reference();
  const std::string late = std::string(100, 'x') + right;
  std::vector<CompletionRequest> requests;
  for (const std::string_view text : std::array<std::string_view, 5>{right, other, plain, late}) {
    requests.push_back({native->get(), text});
    requests.push_back({worked->get(), text});
  }
  const auto verdicts = score_completions(requests, *format, 64);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    EXPECT_EQ(verdicts[i],
              score_completion(*requests[i].problem, requests[i].completion, *format, 64));
  }
  EXPECT_TRUE(verdicts[0].solved);
  EXPECT_TRUE(verdicts[3].solved);
  EXPECT_EQ(verdicts[4], Verdict{});  // nothing is marked
  EXPECT_EQ(verdicts[6], Verdict{});  // too long
}

// Asks for stars: their plain form is another answer, or none.
struct Starred : RepeatNumber {
  using Answer = std::string;
  static std::optional<Answer> parse(std::string_view text) {
    if (text == "none") return std::nullopt;
    return std::string(text);
  }
  static double score(const Problem&, const Answer& answer) {
    return answer == "**right**" ? 1.0 : answer == "right" ? 0.5 : 0.0;
  }
  static Answer solve(const Problem&) { return "**right**"; }
  static Answer random_answer(const Problem&, Rng&) { return "**7**"; }
};

TEST(Batch, ReadsTolerantlyOnlyWhatThatHelps) {
  const NativeEnvironment<Starred> native;
  const auto problem = static_cast<const Environment&>(native).restore(Json{{"x", 1}});
  ASSERT_TRUE(problem.has_value());
  const Verdict solved{.reward = 1.0, .solved = true, .well_formed = true};
  const Verdict wrong{.reward = 0.0, .solved = false, .well_formed = true};
  const Verdict half{.reward = 0.5, .solved = false, .well_formed = true};
  const std::vector<std::pair<std::string_view, Verdict>> expected{
      {"**right**", solved},  // although its plain form earns a half only
      {"$right$", half},      // as its plain form does
      {"**none**", wrong},    // although its plain form is malformed
      {"none", Verdict{}}};
  std::vector<AnswerRequest> requests;
  for (const auto& [answer, verdict] : expected) {
    EXPECT_EQ(score_answer(**problem, answer, AnswerReading::kTolerant), verdict) << answer;
    requests.push_back({problem->get(), answer});
  }
  const auto verdicts = score_all(requests, {.reading = AnswerReading::kTolerant});
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_EQ(verdicts[i], expected[i].second) << expected[i].first;
}

TEST(Batch, ReadsTolerantlyWhereAsked) {
  const Mixture mixture;
  const auto native = mixture.native.generate(0, 5, 0, {});
  const auto worked = mixture.worked.generate(0, 6, 0, {});
  std::vector<std::string> answers;
  for (const Problem* problem : {native->get(), worked->get()}) {
    const std::string right = problem->reference();
    for (const std::string& text :
         std::vector<std::string>{right, "**" + right + "**", "$" + right + "$", "**17**",
                                  std::string("none"), std::string()}) {
      answers.push_back(text);
    }
  }
  std::vector<AnswerRequest> requests;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    requests.push_back({i < answers.size() / 2 ? native->get() : worked->get(), answers[i]});
  }
  for (const AnswerReading reading : {AnswerReading::kStrict, AnswerReading::kTolerant}) {
    const auto verdicts = score_all(requests, {.reading = reading});
    for (std::size_t i = 0; i < requests.size(); ++i) {
      EXPECT_EQ(verdicts[i], score_answer(*requests[i].problem, answers[i], reading)) << answers[i];
    }
    EXPECT_TRUE(verdicts[0].solved);
    EXPECT_EQ(verdicts[1].solved, reading == AnswerReading::kTolerant);
    EXPECT_EQ(verdicts[8].solved, reading == AnswerReading::kTolerant);
    EXPECT_FALSE(verdicts[3].solved);
  }
  auto format = *PromptFormat::parse("plain");
  const std::string dressed = "so <answer>**" + (*native)->reference() + "**</answer>";
  const std::vector<CompletionRequest> completion{{native->get(), dressed}};
  EXPECT_FALSE(score_completions(completion, format)[0].solved);
  EXPECT_FALSE(score_completion(**native, dressed, format).solved);
  format.reading = AnswerReading::kTolerant;
  EXPECT_TRUE(score_completions(completion, format)[0].solved);
  EXPECT_TRUE(score_completion(**native, dressed, format).solved);
  const auto episode = (*native)->start({.format = format});
  episode->begin();
  EXPECT_EQ(episode->step({.text = dressed}).reward, 1.0);
}

}  // namespace
}  // namespace redqueen
