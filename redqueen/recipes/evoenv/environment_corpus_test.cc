// The corpus teaches only what the recipe accepts, whatever the wording.
#include "redqueen/recipes/evoenv/environment_corpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "redqueen/core/batch.h"
#include "redqueen/core/completion.h"
#include "redqueen/engine/testing/engine.h"
#include "redqueen/sandbox/testing/sandbox.h"
#include "redqueen/synth/python_environment.h"
#include "redqueen/synth/validation/extraction.h"
#include "redqueen/synth/validation/validation.h"

namespace redqueen::evoenv {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

constexpr std::string_view kFence = "```python\n";

EnvironmentCorpusTexts texts_of(const std::string& prompts, std::string_view format) {
  auto texts =
      load_corpus_texts({.longest_seed = 1300, .prompts = prompts}, format, source_resources());
  EXPECT_TRUE(texts) << texts.error().message;
  return std::move(*texts);
}

EnvironmentCorpusTexts terse() { return texts_of("evoenv/prompts-terse", "terse"); }

std::vector<TextPair> corpus(const EnvironmentCorpusTexts& texts,
                             const EnvironmentCorpusOptions& options) {
  auto pairs = environment_corpus(sandbox::shared_sandbox(), texts, options);
  EXPECT_TRUE(pairs) << pairs.error().message;
  return std::move(*pairs);
}

bool is_review(const TextPair& pair) { return pair.target.starts_with("VERDICT"); }
bool is_environment(const TextPair& pair) { return pair.target.ends_with("```"); }

std::vector<TextPair> those(const std::vector<TextPair>& pairs, bool (*wanted)(const TextPair&)) {
  std::vector<TextPair> found;
  std::copy_if(pairs.begin(), pairs.end(), std::back_inserter(found), wanted);
  return found;
}

// As the recipe reads it: a fence that the prompt opened belongs to the response.
std::string source_of(const TextPair& pair) {
  const bool opened = pair.prompt.ends_with(kFence);
  return synth::longest_python_block((opened ? std::string(kFence) : "") + pair.target)
      .value_or("");
}

int sound_among(const std::vector<std::string>& sources) {
  const auto reports = synth::validate(sandbox::shared_sandbox(), sources);
  return static_cast<int>(
      std::count_if(reports.begin(), reports.end(), [](const auto& r) { return r.sound(); }));
}

std::multiset<std::string> text_of(const std::vector<TextPair>& pairs) {
  std::multiset<std::string> all;
  for (const TextPair& pair : pairs) all.insert(pair.prompt + "⟦" + pair.target);
  return all;
}

EnvironmentCorpusOptions generator_only(int environments, double broken_share) {
  return {.settings = {.broken_share = broken_share,
                       .problems = 0,
                       .seed_problems = 0,
                       .review_share = 0},
          .environments = environments};
}

TEST(EnvironmentCorpus, TeachesTheGeneratorWhatExtractionGivesBack) {
  for (const auto& texts : {terse(), texts_of("evoenv/prompts", "plain")}) {
    const auto pairs = corpus(texts, generator_only(6, 0));
    ASSERT_EQ(pairs.size(), 6u);
    for (const TextPair& pair : pairs) {
      EXPECT_EQ(
          fmt::format("{}{}```", pair.prompt.ends_with(kFence) ? "" : kFence, source_of(pair)),
          pair.target);
      EXPECT_THAT(pair.prompt, HasSubstr("(VerifiableEnvironment):"));
      EXPECT_THAT(pair.prompt, testing::Not(HasSubstr(source_of(pair))));
    }
    EXPECT_EQ(pairs[0].prompt, pairs[3].prompt) << "four are learnt behind one prompt";
    EXPECT_NE(pairs[3].prompt, pairs[4].prompt);
  }
}

TEST(EnvironmentCorpus, TeachesTheGeneratorAsManyBrokenOnesAsAskedFor) {
  std::vector<std::string> sound;
  std::vector<std::string> broken;
  for (const TextPair& pair : corpus(terse(), generator_only(12, 0)))
    sound.push_back(source_of(pair));
  for (const TextPair& pair : corpus(terse(), generator_only(12, 1)))
    broken.push_back(source_of(pair));
  EXPECT_GE(sound_among(sound), 9);
  EXPECT_LE(sound_among(broken), 4) << "only wrong references run through";
}

// Every prompt of the problems at these places, and its problem.
std::map<std::string, ProblemPtr> problems_of(
    std::span<const std::unique_ptr<synth::PythonEnvironment>> environments,
    std::span<const std::uint64_t> seeds, const EnvironmentCorpusOptions& options,
    const PromptFormat& format) {
  std::vector<ProblemRequest> requests;
  for (const auto& environment : environments) {
    for (const int level : options.levels) {
      for (const std::uint64_t seed : seeds)
        requests.push_back({environment.get(), level, seed, hash_name("warm start") | 1});
    }
  }
  std::map<std::string, ProblemPtr> problems;
  for (auto& problem : generate_all(requests)) {
    EXPECT_TRUE(problem) << problem.error().message;
    if (problem) problems[format.render((*problem)->prompt())] = std::move(*problem);
  }
  return problems;
}

int solved_among(std::span<const TextPair> pairs, const std::map<std::string, ProblemPtr>& problems,
                 const PromptFormat& format) {
  int solved = 0;
  for (const TextPair& pair : pairs) {
    if (is_environment(pair)) continue;
    EXPECT_TRUE(problems.contains(pair.prompt)) << pair.prompt;
    if (problems.contains(pair.prompt))
      solved += score_completion(*problems.at(pair.prompt), pair.target, format).solved;
  }
  return solved;
}

TEST(EnvironmentCorpus, TeachesTheSolverAnswersThatScoreAsSolved) {
  for (const std::string format : {"terse", "boxed"}) {
    const auto texts = texts_of("evoenv/prompts-terse", format);
    EnvironmentCorpusOptions options = generator_only(4, 0);
    options.settings.problems = 1;
    options.levels = {0, 2};
    const auto pairs = corpus(texts, options);
    std::vector<std::unique_ptr<synth::PythonEnvironment>> environments;
    for (const TextPair& pair : those(pairs, is_environment)) {
      environments.push_back(
          std::make_unique<synth::PythonEnvironment>(source_of(pair), sandbox::shared_sandbox()));
    }
    const std::uint64_t first = 0;
    const auto problems = problems_of(environments, {&first, 1}, options, texts.solver);
    EXPECT_EQ(solved_among(pairs, problems, texts.solver), 8);
  }
}

TEST(EnvironmentCorpus, TeachesTheSolverNoMoreEnvironmentsThanAskedFor) {
  EnvironmentCorpusOptions options = generator_only(24, 0);
  options.settings.problems = 1;
  options.levels = {0};
  options.settings.solved_share = 0;
  EXPECT_EQ(corpus(terse(), options).size(), 24u);
  options.settings.solved_share = 0.5;
  const std::size_t some = corpus(terse(), options).size();
  EXPECT_GT(some, 24u + 4u);
  EXPECT_LT(some, 24u + 20u);
  options.settings.solved_share = 1;
  EXPECT_EQ(corpus(terse(), options).size(), 48u);
}

TEST(EnvironmentCorpus, TeachesTheSolverProblemsOfTheSeeds) {
  const auto texts = terse();
  EnvironmentCorpusOptions options = generator_only(5, 0);
  options.settings.seed_problems = 1;
  options.first = 7;
  std::vector<std::unique_ptr<synth::PythonEnvironment>> seeds;
  for (const std::string& seed : texts.seeds)
    seeds.push_back(std::make_unique<synth::PythonEnvironment>(seed, sandbox::shared_sandbox()));
  const std::vector<std::uint64_t> places{7, 8, 9, 10, 11};
  const auto problems = problems_of(seeds, places, options, texts.solver);
  EXPECT_EQ(solved_among(corpus(texts, options), problems, texts.solver), 5);
}

TEST(EnvironmentCorpus, TeachesTheReviewerVerdictsThatAreTrue) {
  const auto pairs = corpus(terse(), {.settings = {.problems = 0, .review_share = 1},
                                      .environments = 16,
                                      .shown = {.problems = 1, .probes = 0}});
  std::vector<std::string> accepted;
  std::vector<std::string> rejected;
  for (const TextPair& pair : those(pairs, is_review)) {
    const auto verdict = synth::parse_verdict(pair.target);
    ASSERT_TRUE(verdict) << pair.target;
    EXPECT_THAT(pair.prompt, HasSubstr("Problem 1, level 0."));
    EXPECT_THAT(pair.prompt, testing::Not(HasSubstr("Problem 2")));
    const auto source = synth::longest_python_block(pair.prompt);
    ASSERT_TRUE(source);
    if (verdict->rejects) {
      EXPECT_THAT(verdict->reason, EndsWith("."));
      // Those with a wrong reference alone pass every layer.
      if (verdict->reason.find("asks for") == std::string::npos) rejected.push_back(*source);
    } else {
      accepted.push_back(*source);
    }
  }
  ASSERT_GE(accepted.size(), 4u);
  ASSERT_LE(accepted.size(), 12u);
  EXPECT_GE(sound_among(accepted), static_cast<int>(accepted.size()) - 1);
  EXPECT_EQ(sound_among(rejected), 0);
}

TEST(EnvironmentCorpus, IsTheSameAtTheSamePlacesAndDisjointElsewhere) {
  EnvironmentCorpusOptions options{
      .settings = {.problems = 1, .review_share = 0.5}, .levels = {0}, .environments = 8};
  const auto texts = terse();
  const auto all = text_of(corpus(texts, options));
  EXPECT_EQ(text_of(corpus(texts, options)), all);
  options.environments = 3;
  auto parts = text_of(corpus(texts, options));
  options.first = 3;
  options.environments = 5;
  for (const std::string& text : text_of(corpus(texts, options))) parts.insert(text);
  EXPECT_EQ(parts, all);
}

}  // namespace
}  // namespace redqueen::evoenv
