#include "redqueen/arena/agents/coding_environment.h"

#include <fmt/ranges.h>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include "redqueen/arena/agents/coding_episode.h"
#include "redqueen/arena/judge/episode.h"
#include "redqueen/arena/judge/feedback.h"
#include "redqueen/arena/judge/task_text.h"
#include "redqueen/base/rng.h"
#include "redqueen/base/text.h"
#include "redqueen/sandbox/outcome_text.h"

namespace redqueen::arena {
namespace {

constexpr int kTurns = 24;
constexpr int kTrainingCases = 64;
constexpr int kValidationCases = 4;
constexpr int kHeldoutCases = 8;
constexpr int kMostBudget = 32;  // episodes at level 0; each level halves it
constexpr int kMaxLevel = 3;
constexpr std::size_t kMostFiles = 64;
constexpr std::size_t kMostPolicyBytes = 256U << 10;     // of all files of the policy
constexpr std::size_t kMostShownTrajectory = 16U << 10;  // bytes of one episode's

constexpr Card coding_card(std::string_view name, std::string_view task) {
  return {.name = name,
          .family = Family::kCode,
          .answer = AnswerKind::kTurns,
          .scoring = Scoring::kQuality,
          .task = task,
          .levels = "The budget of training episodes: 32 at level 0, half as many with each level.",
          .rewards =
              "-1 without a single call of a tool, -0.5 without a submission that plays all of its "
              "episodes, seen and hidden, without an exception; else how far the held-out mean of "
              "the best such submission has come from chance (0) to a solved task (1).",
          .source = "EvoPolicyGym, Linzwcs and others, 2026",
          .version = 3,
          .max_level = kMaxLevel};
}

struct Task {
  Card card;
  const char* id;          // of the simulator
  double low;              // mean return that earns 0
  double high;             // and 1: solved
  const char* controller;  // the body of act() of a policy that solves it
};

const Task kTasks[] = {
    {coding_card("arena/acrobot", "Write a policy that swings a two-link pendulum above a line."),
     "Acrobot-v1", -500, -110, "return 2 if obs[5] > 0 else 0"},
    {coding_card("arena/cartpole", "Write a policy that keeps a pole upright on a cart."),
     "CartPole-v1", 20, 475,
     "return 1 if obs[2] + obs[3] + 0.05 * obs[0] + 0.1 * obs[1] > 0 else 0"},
    {coding_card("arena/mountaincar", "Write a policy that drives a weak car out of a valley."),
     "MountainCar-v0", -200, -135, "return 2 if obs[1] > 0 else 0"},
    {coding_card("arena/mountaincarcontinuous",
                 "Write a policy that drives a weak car out of a valley with little fuel."),
     "MountainCarContinuous-v0", 0, 90, "return [0.7 if obs[1] > 0 else -0.7]"}};

std::string policy_text(std::string_view body) {
  return fmt::format(
      "class Policy:\n    def __init__(self, obs_space, action_space, env_meta):\n        pass\n\n"
      "    def reset(self, episode_index):\n        pass\n\n    def act(self, obs):\n        {}\n",
      body);
}

// The terms of a problem.
struct Terms {
  std::uint64_t seed = 0;
  int budget = 0;
};

std::vector<std::uint64_t> cases_of(const Terms& terms, std::string_view pool, int count) {
  Rng rng(
      {.seed = terms.seed, .purpose = hash_name("arena coding cases"), .salt = hash_name(pool)});
  std::vector<std::uint64_t> seeds;
  for (int i = 0; i < count; ++i) seeds.push_back(rng.bits() >> 33);
  return seeds;
}

// Lines of a trajectory, as long as there is room.
class WrittenTrajectory final : public StepSink {
 public:
  void step(const Step& step) override {
    if (lines_.size() > kMostShownTrajectory) return;
    lines_ += dump_json({{"t", step.t},
                         {"obs", to_json(step.observation)},
                         {"action", to_json(step.action)},
                         {"reward", number_to_json(step.outcome.reward)},
                         {"terminated", step.outcome.terminated},
                         {"truncated", step.outcome.truncated}}) +
              "\n";
  }
  [[nodiscard]] std::string take() { return std::move(lines_); }

 private:
  std::string lines_;
};

PolicyLimits limits_of_training() {
  return {.load_seconds = 10,
          .step_seconds = 2,
          .episode_seconds = 30,
          .memory_bytes = 512ULL << 20,
          .output_bytes = 256U << 10};
}

// The judge's part, without its files: the episode is a value, and so is all that it holds.
class MemoryWorkbench final : public Workbench {
 public:
  MemoryWorkbench(const Task& task, const Terms& terms, std::shared_ptr<SeatService> seats)
      : task_(task), terms_(terms), seats_(std::move(seats)), left_(terms.budget) {}

  std::vector<std::string> list() override {
    std::vector<std::string> names;
    for (const auto& [name, text] : files_) names.push_back(name);
    return names;
  }

  Expected<std::string> read(const std::string& path) override {
    const auto found = files_.find(path);
    if (found == files_.end()) return failure("there is no file {}", path.substr(0, 200));
    return found->second;
  }

  Status write(const std::string& path, const std::string& text) override {
    if (!is_plain_path(path) || !path.starts_with("system/")) {
      return failure("files are written below system/ only");
    }
    std::size_t bytes = text.size();
    std::size_t count = 1;
    for (const auto& [name, content] : files_) {
      if (!name.starts_with("system/") || name == path) continue;
      bytes += content.size();
      ++count;
      if (name.starts_with(path + "/") || path.starts_with(name + "/")) {
        return failure("{} would be a file and a folder", path);
      }
    }
    if (bytes > kMostPolicyBytes || count > kMostFiles) {
      return failure("system/ holds at most {} files of {} KiB together", kMostFiles,
                     kMostPolicyBytes >> 10);
    }
    files_[path] = text;
    return {};
  }

  Expected<std::vector<SystemFile>> program() override {
    std::vector<SystemFile> files;
    for (const auto& [name, text] : files_) {
      if (name.starts_with("system/")) files.push_back({.path = name.substr(7), .bytes = text});
    }
    return files;
  }

  std::string run(const std::string& path) override {
    const auto seats = seats_->get();
    if (!seats) return "error: " + seats.error().message;
    const PolicySeats::Taken seat(**seats);
    return run_file(seat.sandbox(), *program(), path, seats_->numpy());
  }

  Json submit(const std::vector<std::int64_t>& cases) override {
    const auto count = static_cast<int>(cases.size());
    if (count < 1 || count > left_) {
      return {{"error", fmt::format("{} episodes; 1 to {} can be played", count, left_)}};
    }
    for (const std::int64_t each : cases) {
      if (each < 0 || each >= kTrainingCases) {
        return {{"error",
                 fmt::format("there is no case {}; they are 0 to {}", each, kTrainingCases - 1)}};
      }
    }
    left_ -= count;
    const std::string folder =
        numbered("feedback/submit_", static_cast<int>(submissions_.size()), 3);
    const std::vector<std::uint64_t> train = cases_of(terms_, "train", kTrainingCases);
    std::vector<std::uint64_t> seeds;
    for (const std::int64_t each : cases) seeds.push_back(train[static_cast<std::size_t>(each)]);
    Submission submission{.files = *program(), .episodes = seeds.size()};
    Json summary = play(submission, {.seeds = seeds, .pool = "train"}, &folder);
    summary["cases"] = cases;
    summary["remaining_budget"] = left_;
    summary["feedback"] = folder;
    submission.sound = summary["status"] == "ok";
    submissions_.push_back(std::move(submission));
    files_[folder + "/summary.json"] = summary.dump(2);
    return summary;
  }

  bool over() override { return left_ == 0; }

  // Validation chooses, held-out cases count; of equal means the latest, as the judge does. Unlike
  // a run that an agent has spent hours on, an episode of training teaches: where anything raised,
  // the submission is not paid at all.
  Verdict worth() override {
    if (submissions_.empty()) return {.reward = kInvalidReward, .well_formed = true};
    const auto validation = cases_of(terms_, "validation", kValidationCases);
    Submission* best = nullptr;
    for (Submission& each : submissions_) {
      if (each.sound && !each.validation) each.validation = mean(each, validation, "validation");
      const bool better = each.validation && std::isfinite(*each.validation) &&
                          (best == nullptr || *each.validation >= *best->validation);
      if (better) best = &each;
    }
    if (best == nullptr) return {.reward = kInvalidReward, .well_formed = true};
    const double heldout = mean(*best, cases_of(terms_, "heldout", kHeldoutCases), "heldout");
    if (!std::isfinite(heldout)) return {.reward = kInvalidReward, .well_formed = true};
    const double way = (heldout - task_.low) / (task_.high - task_.low);
    return verdict_of(std::clamp(way, 0.0, 1.0));
  }

 private:
  struct Submission {
    std::vector<SystemFile> files;
    std::size_t episodes = 0;  // that it had in training
    bool sound = false;
    std::optional<double> validation;  // −infinity: it could not play them all
  };

  // Cases of a pool, from `first` on, that one instance of a policy plays in order.
  struct Cases {
    const std::vector<std::uint64_t>& seeds;
    std::string_view pool;
    std::size_t first = 0;
  };

  // Every instance plays as many episodes as in training, so that none tells hidden cases by
  // counting.
  double mean(const Submission& submission, const std::vector<std::uint64_t>& seeds,
              std::string_view pool) {
    std::vector<double> returns;
    for (std::size_t first = 0; first < seeds.size(); first += submission.episodes) {
      const Json summary =
          play(submission, {.seeds = seeds, .pool = pool, .first = first}, nullptr);
      if (summary["status"] != "ok") return -HUGE_VAL;
      for (const Json& each : summary["returns"]) returns.push_back(each.get<double>());
    }
    return mean_of(returns);
  }

  // Plays as many episodes as the submission had in training, or those that are left, with a new
  // instance of its policy; with `folder` the trajectories are kept.
  Json play(const Submission& submission, const Cases& cases, const std::string* folder) {
    const std::vector<SystemFile>& files = submission.files;
    const auto seats = seats_->get();
    const auto simulator = make_simulator(task_.id);
    if (!seats || !simulator) {
      return {{"status", "failed"},
              {"traceback", !seats ? seats.error().message : simulator.error().message}};
    }
    const bool there = std::any_of(files.begin(), files.end(),
                                   [](const SystemFile& file) { return file.path == "policy.py"; });
    if (!there)
      return {{"status", "missing_policy"}, {"traceback", "there is no system/policy.py"}};
    const PolicySeats::Taken seat(**seats);
    const SimulatorCard& card = (*simulator)->card();
    PolicyProcess policy(seat, files,
                         {.obs_space = schema(card.observation_space),
                          .action_space = schema(card.action_space),
                          .env_meta = {{"env", card.id},
                                       {"n_episodes_this_submit", submission.episodes},
                                       {"max_episode_steps", card.max_episode_steps}},
                          .seed = hash_name("load")},
                         limits_of_training(), seats_->numpy());
    if (policy.load_status() != LoadStatus::kOk) {
      return {{"status", kLoadStatusNames.name(policy.load_status())},
              {"traceback", policy.load_error().substr(0, 4000)}};
    }
    return play_all(**simulator, policy, cases, submission.episodes, folder);
  }

  Json play_all(Simulator& simulator, PolicyProcess& policy, const Cases& cases, std::size_t most,
                const std::string* folder) {
    std::vector<double> returns;
    Json summary = {{"status", "ok"}};
    const std::size_t count = std::min(most, cases.seeds.size() - cases.first);
    for (std::size_t i = 0; i < count; ++i) {
      WrittenTrajectory lines;
      const std::size_t place = cases.first + i;
      Rng rng({.seed = terms_.seed, .purpose = hash_name(cases.pool), .index = place});
      const auto episode = play_episode(simulator, policy,
                                        {.case_seed = cases.seeds[place],
                                         .index = static_cast<int>(i),
                                         .policy_seed = rng.bits() >> 1,
                                         .sink = folder != nullptr ? &lines : nullptr});
      if (!episode) return {{"status", "failed"}, {"traceback", episode.error().message}};
      if (episode->fault) {
        summary["status"] = episode->lost() ? "rollout_timeout" : "raised";
        summary["traceback"] = episode->fault->what.substr(0, 4000);
        summary["errors"].push_back(i);
      }
      if (episode->lost()) return summary;
      returns.push_back(episode->total);
      if (folder == nullptr) continue;
      files_[*folder + "/" + numbered("ep_", static_cast<int>(i), 3) + ".jsonl"] = lines.take();
      if (!episode->output.out.empty()) {
        summary["stdout"] = sandbox::valid_utf8(episode->output.out.substr(0, 1000));
      }
    }
    summary["mean_return"] = mean_of(returns);
    summary["returns"] = std::move(returns);
    return summary;
  }

  const Task& task_;
  Terms terms_;
  std::shared_ptr<SeatService> seats_;
  int left_;
  std::map<std::string, std::string> files_;
  std::vector<Submission> submissions_;
};

// --- problem and environment --------------------------------------------------------------------

Action calls(std::vector<ToolCall> tool_calls) {
  return {.text = {}, .tool_calls = std::move(tool_calls)};
}

// Writes a policy, submits it once, and finishes.
std::vector<Action> turns_of(const std::string& policy) {
  return {calls({{.id = "1",
                  .name = "write",
                  .arguments = {{"path", "system/policy.py"}, {"text", policy}}}}),
          calls({{.id = "2", .name = "submit", .arguments = {{"cases", Json::array({0})}}}}),
          calls({{.id = "3", .name = "finish", .arguments = Json::object()}})};
}

class CodingProblem final : public Problem {
 public:
  CodingProblem(const Task& task, const Terms& terms, std::shared_ptr<SeatService> seats)
      : task_(task), terms_(terms), seats_(std::move(seats)) {}

  std::string prompt() const override {
    const auto simulator = make_simulator(task_.id);
    if (!simulator) return simulator.error().message;  // native ones need nothing
    RunSettings settings;
    settings.budget = settings.maximum = terms_.budget;
    settings.sizes = {
        .train = kTrainingCases, .validation = kValidationCases, .heldout = kHeldoutCases};
    settings.limits = limits_of_training();
    return tool_rules() + "\n" + task_text((*simulator)->card(), settings, seats_->numpy()) +
           "- A submission that raises in any of its episodes, seen or hidden, counts for "
           "nothing.\n";
  }
  Json parameter() const override { return {{"seed", terms_.seed}, {"budget", terms_.budget}}; }
  std::string reference() const override { return transcript(reference_actions({})); }
  std::vector<Action> reference_actions(const PromptFormat&) const override {
    return turns_of(policy_text(task_.controller));
  }
  Verdict score(std::string_view answer) const override { return score_transcript(*this, answer); }
  AnswerKind answer_kind() const override { return AnswerKind::kTurns; }
  std::unique_ptr<Episode> start(const EpisodeOptions& options) const override {
    return coding_episode(std::make_unique<MemoryWorkbench>(task_, terms_, seats_), prompt(),
                          kTurns, options);
  }
  int max_turns() const override { return kTurns; }
  std::string random_answer(Rng& rng) const override {
    return transcript(turns_of(policy_text(fmt::format("return {}", rng.below(3)))));
  }
  std::string example() const override { return {}; }
  std::vector<NamedAnswer> shortcuts() const override {
    return {{"always the least action", transcript(turns_of(policy_text("return 0")))}};
  }

 private:
  const Task& task_;
  Terms terms_;
  std::shared_ptr<SeatService> seats_;
};

class CodingEnvironment final : public Environment {
 public:
  CodingEnvironment(const Task& task, std::shared_ptr<SeatService> seats)
      : task_(task), seats_(std::move(seats)) {}

  const Card& card() const override { return task_.card; }

  Generated generate(int level, std::uint64_t seed, std::uint64_t salt,
                     const GenerationLimits&) const override {
    if (level < 0 || level > kMaxLevel) {
      return tl::make_unexpected(GenerationFailure{
          GenerationFault::kLevel, fmt::format("the levels are 0 to {}", kMaxLevel)});
    }
    Rng rng({.purpose = hash_name(task_.card.name), .index = seed, .salt = salt});
    return std::make_unique<const CodingProblem>(
        task_, Terms{.seed = rng.bits() >> 12, .budget = kMostBudget >> level}, seats_);
  }

  Expected<ProblemPtr> restore(const Json& parameter) const override {
    const auto number = [&](const char* key, std::int64_t most) -> Expected<std::int64_t> {
      const Json value = parameter.is_object() ? parameter.value(key, Json()) : Json();
      const bool fits = value.is_number_integer() &&
                        !(value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX);
      if (!fits || value.get<std::int64_t>() < 0 || value.get<std::int64_t>() > most) {
        return failure("\"{}\": expected a whole number from 0 to {}", key, most);
      }
      return value.get<std::int64_t>();
    };
    ASSIGN_OR_RETURN(const std::int64_t seed, number("seed", std::int64_t{1} << 53));
    ASSIGN_OR_RETURN(const std::int64_t budget, number("budget", kMostBudget));
    if (budget == 0) return failure("\"budget\": at least 1");
    return std::make_unique<const CodingProblem>(
        task_, Terms{.seed = static_cast<std::uint64_t>(seed), .budget = static_cast<int>(budget)},
        seats_);
  }

  Json level_parameter(int level, Rng&) const override {
    return {{"budget", kMostBudget >> std::clamp(level, 0, kMaxLevel)}};
  }

 private:
  const Task& task_;
  std::shared_ptr<SeatService> seats_;
};

}  // namespace

SeatService::SeatService(sandbox::SandboxConfig config) : config_(std::move(config)) {
  std::error_code ignored;
  numpy_ = !config_.data_packages.empty() &&
           std::filesystem::exists(
               std::filesystem::path(config_.data_packages) / "numpy" / "__init__.py", ignored);
  config_.preludes = {policy_host_text()};
}

Expected<PolicySeats*> SeatService::get() {
  const std::scoped_lock lock(mutex_);
  if (!seats_) {
    ASSIGN_OR_RETURN(seats_, PolicySeats::start(config_));
  }
  return seats_.get();
}

std::vector<std::string_view> coding_environment_names() {
  std::vector<std::string_view> names;
  for (const Task& task : kTasks) names.push_back(task.card.name);
  return names;
}

Expected<std::shared_ptr<const Environment>> coding_environment(
    std::string_view name, std::shared_ptr<SeatService> seats) {
  for (const Task& task : kTasks) {
    if (task.card.name == name) return std::make_shared<const CodingEnvironment>(task, seats);
  }
  const auto names = coding_environment_names();
  return usage_error("there is no environment \"{}\"{}; of the arena there are {}", name,
                     did_you_mean(name, names), fmt::join(names, ", "));
}

}  // namespace redqueen::arena
