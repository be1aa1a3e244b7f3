#include "redqueen/session/throughput.h"

#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>

#include "redqueen/base/clock.h"
#include "redqueen/embedded/checkpoint.h"
#include "redqueen/embedded/embedded_policy.h"
#include "redqueen/model/transformer.h"
#include "redqueen/recipes/episodes.h"
#include "redqueen/session/init_policy.h"
#include "redqueen/session/load_policy.h"
#include "redqueen/session/memory_check.h"
#include "redqueen/session/policy_to_train.h"
#include "redqueen/suites/reference_corpus.h"
#include "redqueen/train/embedded_trainer.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// Counts the seconds that a policy samples.
class TimedPolicy final : public Policy {
 public:
  explicit TimedPolicy(Policy& policy) : policy_(policy) {}

  Expected<std::vector<CompletionGroup>> sample(std::span<const SampleRequest> requests,
                                                const SampleParameters& parameters) override {
    const auto start = Clock::now();
    auto groups = policy_.sample(requests, parameters);
    seconds += seconds_since(start);
    return groups;
  }
  Expected<ChatLayout> chat_layout(std::span<const ToolSpec> tools, bool thinking) const override {
    return policy_.chat_layout(tools, thinking);
  }
  void drop_kept() override { policy_.drop_kept(); }
  std::string_view name() const override { return policy_.name(); }

  double seconds = 0;

 private:
  Policy& policy_;
};

// A folder that lives as long as the object.
class FreshPolicyFolder {
 public:
  FreshPolicyFolder() {
    std::error_code error;
    path_ = (fs::temp_directory_path(error) / "redqueen-bench-XXXXXX").string();
    made_ = !error && ::mkdtemp(path_.data()) != nullptr;
  }
  ~FreshPolicyFolder() {
    std::error_code ignored;
    if (made_) fs::remove_all(path_, ignored);
  }
  FreshPolicyFolder(const FreshPolicyFolder&) = delete;
  FreshPolicyFolder& operator=(const FreshPolicyFolder&) = delete;

  // Writes a policy of settings.model.
  Status write(const Suite& suite, const TrainSettings& settings) const {
    if (!made_) return failure("{}: cannot be made ({})", path_, std::strerror(errno));
    std::vector<std::string> texts;
    ASSIGN_OR_RETURN(const auto format, PromptFormat::parse(settings.policy.prompt_format));
    for (const TextPair& pair :
         reference_corpus(suite, {.levels = settings.warm_start.levels, .problems = 100}, format)) {
      texts.push_back(pair.prompt + pair.target);
    }
    ASSIGN_OR_RETURN(const auto policy, make_policy(settings, texts));
    return save_checkpoint(path_, policy->transformer(), policy->tokenizer());
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  bool made_ = false;
};

// Settings of the policy are changed to what it says of itself: where it lies, how it is asked.
Expected<std::unique_ptr<EmbeddedPolicy>> load_measured(const Engine& engine, const Suite& suite,
                                                        TrainSettings& settings) {
  const FreshPolicyFolder fresh;
  if (settings.policy.path.empty()) {
    RETURN_IF_ERROR(fresh.write(suite, settings));
    settings.policy.path = fresh.path();
  } else {
    const LearnerSettings learner{.policy = settings.policy, .trainer = settings.trainer};
    RETURN_IF_ERROR(check_train_memory(engine, settings, {&learner, 1}, 1));
  }
  ASSIGN_OR_RETURN(auto policy, load_policy_to_train(settings));
  RETURN_IF_ERROR(resolve_prompt_format(*policy, settings));
  return policy;
}

struct MeasuredProblems {
  std::vector<ProblemPtr> problems;
  std::vector<EpisodeRequest> requests;
};

MeasuredProblems make_problems(const TrainSettings& settings, const Suite& suite) {
  MeasuredProblems made;
  for (int i = 0; i < settings.batch.prompts; ++i) {
    const std::uint64_t seed = i;
    const Environment& environment =
        *suite.environments[static_cast<std::size_t>(i) % suite.environments.size()];
    auto problem = environment.generate(0, seed);
    if (!problem) continue;
    EpisodeRequest request{problem->get(), {}};
    for (int j = 0; j < settings.batch.rollouts; ++j) {
      request.addresses.push_back(
          {.seed = 1, .index = seed, .salt = static_cast<std::uint64_t>(j)});
    }
    made.problems.push_back(std::move(*problem));
    made.requests.push_back(std::move(request));
  }
  return made;
}

// Rewards that differ within every group, so that every token has a gradient.
std::vector<ScoredGroup> make_groups(std::vector<EpisodeGroup> played) {
  std::vector<ScoredGroup> groups;
  for (EpisodeGroup& from : played) {
    ScoredGroup group{.role = "solver", .task = "throughput"};
    group.prompt = std::move(from.prompt_tokens);
    group.rollouts = std::move(from.rollouts);
    for (std::size_t i = 0; i < group.rollouts.size(); ++i)
      group.rollouts[i].reward = static_cast<double>(i % 2);
    groups.push_back(std::move(group));
  }
  return groups;
}

// Seconds a step; the first, which warms caches, does not count. Trains the policy's own weights.
Expected<double> training_seconds(const TrainSettings& settings, const EmbeddedPolicy& policy,
                                  const std::vector<ScoredGroup>& groups, bool share_prefix,
                                  int steps) {
  TrainerOptions options = settings.trainer;
  options.share_prefix = share_prefix;
  options.kl_cap = 0;  // the same responses again and again would soon reach it
  ASSIGN_OR_RETURN(auto trainer, EmbeddedTrainer::create(policy, options));
  Clock::time_point start;
  for (int step = 0; step <= steps; ++step) {
    if (step == 1) start = Clock::now();
    RETURN_IF_ERROR(trainer->step(groups));
  }
  return seconds_since(start) / steps;
}

}  // namespace

Expected<Throughput> measure_throughput(const Engine& engine, const TrainSettings& given,
                                        int steps) {
  TrainSettings settings = given;
  ASSIGN_OR_RETURN(const auto suite, engine.load_suite(settings.suite));
  ASSIGN_OR_RETURN(const auto policy, load_measured(engine, suite, settings));
  const Transformer& model = policy->transformer();
  Throughput result{.policy = given.policy.path,
                    .dtype = settings.policy.dtype,
                    .device = model.options().device.str(),
                    .parameters = model.config().parameter_count()};
  EpisodeSettings episodes{.sampling = settings.sampling,
                           .rewritten_history = settings.policy.rewritten_history};
  ASSIGN_OR_RETURN(episodes.format, PromptFormat::parse(settings.policy.prompt_format));
  const MeasuredProblems made = make_problems(settings, suite);
  if (made.requests.empty())
    return failure("throughput: {} makes no problem at level 0", settings.suite);

  TimedPolicy timed(*policy);
  EpisodeBatch played;
  Clock::time_point start;
  for (int step = 0; step <= steps; ++step) {
    if (step == 1) {
      timed.seconds = 0;
      start = Clock::now();
    }
    ASSIGN_OR_RETURN(played, rollout_episodes(timed, made.requests, episodes));
  }
  if (played.missing.missing() > 0) return failure("throughput: {}", played.missing.sentence());
  const double sampling_seconds = timed.seconds / steps;
  result.scoring_seconds = seconds_since(start) / steps - sampling_seconds;
  for (const EpisodeGroup& group : played.groups) {
    result.prompt_tokens += std::ssize(group.prompt_tokens);
    for (const ScoredRollout& rollout : group.rollouts)
      result.response_tokens += static_cast<std::int64_t>(drawn_tokens(rollout));
  }
  const auto groups = make_groups(std::move(played.groups));
  ASSIGN_OR_RETURN(const auto shared, training_seconds(settings, *policy, groups, true, steps));
  ASSIGN_OR_RETURN(const auto unshared, training_seconds(settings, *policy, groups, false, steps));
  const auto tokens = static_cast<double>(result.response_tokens);
  result.sampling = tokens / sampling_seconds;
  result.training_shared = tokens / shared;
  result.training_unshared = tokens / unshared;
  result.end_to_end = tokens / (sampling_seconds + result.scoring_seconds + shared);
  return result;
}

}  // namespace redqueen
