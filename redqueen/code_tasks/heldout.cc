#include "redqueen/code_tasks/heldout.h"

#include <compare>
#include <map>
#include <mutex>

#include "redqueen/code_tasks/program_corpus.h"

namespace redqueen::code_tasks {
namespace {

constexpr std::uint64_t kRun = 32;  // seeds that are drawn together
constexpr std::size_t kKeptRuns = 64;
// Of an induction task: half of them are shown. The quick start's self-play has as many
// (azr.inputs).
constexpr int kInputs = 4;
constexpr int kFailingInputs = 12;

struct RunKey {
  TaskType type = TaskType::kDeduction;
  int level = 0;
  std::uint64_t salt = 0;
  std::uint64_t run = 0;
  auto operator<=>(const RunKey&) const = default;
};

using ProgramRun = std::vector<std::optional<RandomProgram>>;

class RandomProgramTasks {
 public:
  explicit RandomProgramTasks(std::shared_ptr<sandbox::SandboxService> sandbox)
      : sandbox_(std::move(sandbox)) {}

  // One task comes from a run of seeds, because the next ones will be asked for; of many just
  // their own programs are drawn.
  std::vector<MadeTask> make(std::span<const TaskAddress> addresses) {
    if (addresses.size() == 1) return {make_one(addresses[0])};
    std::vector<MadeTask> tasks(addresses.size());
    std::map<std::pair<bool, bool>, std::vector<std::size_t>> groups;  // of equal ProgramOptions
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      const TaskAddress& from = addresses[i];
      tasks[i] = beyond_levels(from.level);
      if (tasks[i]) groups[{from.type == TaskType::kError, from.salt == 0}].push_back(i);
    }
    const auto sandbox = sandbox_->get();
    for (const auto& [options, indices] : groups) {
      std::vector<ProgramPlace> places;
      for (const std::size_t i : indices)
        places.push_back(place_of(addresses[i], addresses[i].seed));
      const auto programs =
          sandbox ? draw_programs(**sandbox, places, options_for(addresses[indices[0]]))
                  : std::vector<std::optional<RandomProgram>>();
      for (std::size_t k = 0; k < indices.size(); ++k) {
        tasks[indices[k]] = sandbox ? task_of(addresses[indices[k]], programs[k])
                                    : MadeTask(no_sandbox(sandbox.error()));
      }
    }
    return tasks;
  }

 private:
  static tl::unexpected<GenerationFailure> fail(GenerationFault fault, std::string message) {
    return tl::make_unexpected(GenerationFailure{fault, std::move(message)});
  }

  static tl::unexpected<GenerationFailure> no_sandbox(const Error& error) {
    return fail(GenerationFault::kInternal, error.message);
  }

  static MadeTask beyond_levels(int level) {
    if (level >= 0 && level <= kMaxProgramLevel) return CodeTask{};
    return fail(GenerationFault::kLevel,
                fmt::format("levels of programs end at {}", kMaxProgramLevel));
  }

  MadeTask make_one(const TaskAddress& from) {
    if (auto task = beyond_levels(from.level); !task) return task;
    const auto run = get({from.type, from.level, from.salt, from.seed / kRun});
    if (!run) return no_sandbox(run.error());
    return task_of(from, (**run)[from.seed % kRun]);
  }

  static MadeTask task_of(const TaskAddress& from, const std::optional<RandomProgram>& program) {
    if (!program) return fail(GenerationFault::kAttempts, "no program of this address is of use");
    switch (from.type) {
      case TaskType::kInduction:
        return induction_task(*program, kInputs);
      case TaskType::kAbduction:
        return abduction_task(*program, 0);
      case TaskType::kError:
        return error_task(*program, from.seed % program->examples.size());
      case TaskType::kDeduction:
        break;
    }
    return deduction_task(*program, 0);
  }

  // Programs of level 0 have but one exception to raise: errors of level 0 are others of level 1.
  static ProgramPlace place_of(const TaskAddress& from, std::uint64_t seed) {
    if (from.type == TaskType::kError && from.level == 0)
      return {1, seed, from.salt ^ hash_name("error of level 0")};
    return {from.level, seed, from.salt ^ hash_name(name_of(from.type))};
  }

  static ProgramOptions options_for(const TaskAddress& from) {
    ProgramOptions options{
        .split = from.salt == 0 ? ProgramSplit::kHeldOut : ProgramSplit::kTraining,
        .inputs = kInputs + 4,
        .attempts = 400};
    if (from.type == TaskType::kError) {
      options.failing = true;
      options.inputs = kFailingInputs;
      options.examples = 1;
      options.attempts = 2000;  // few programs raise anything but the two frequent exceptions
    }
    return options;
  }

  Expected<std::shared_ptr<const ProgramRun>> get(const RunKey& key) {
    const std::scoped_lock lock(mutex_);
    if (const auto kept = runs_.find(key); kept != runs_.end()) return kept->second;
    ASSIGN_OR_RETURN(const auto sandbox, sandbox_->get());
    if (runs_.size() >= kKeptRuns) runs_.clear();
    return runs_.emplace(key, draw(*sandbox, key)).first->second;
  }

  static std::shared_ptr<const ProgramRun> draw(sandbox::Sandbox& sandbox, const RunKey& key) {
    const TaskAddress from{.type = key.type, .level = key.level, .salt = key.salt};
    std::vector<ProgramPlace> places;
    for (std::uint64_t i = 0; i < kRun; ++i) places.push_back(place_of(from, key.run * kRun + i));
    return std::make_shared<const ProgramRun>(draw_programs(sandbox, places, options_for(from)));
  }

  std::shared_ptr<sandbox::SandboxService> sandbox_;
  std::mutex mutex_;
  std::map<RunKey, std::shared_ptr<const ProgramRun>> runs_;
};

}  // namespace

TaskSource random_program_tasks(std::shared_ptr<sandbox::SandboxService> sandbox) {
  const auto tasks = std::make_shared<RandomProgramTasks>(std::move(sandbox));
  return [tasks](std::span<const TaskAddress> addresses) { return tasks->make(addresses); };
}

Status add_code_environments(const std::shared_ptr<sandbox::SandboxService>& sandbox,
                             CodeEnvironmentOptions options, Registry& registry) {
  const CodeEnvironments code(sandbox, random_program_tasks(sandbox), std::move(options));
  for (const TaskType type : kTaskTypes) RETURN_IF_ERROR(registry.add(code.environment(type)));
  return {};
}

}  // namespace redqueen::code_tasks
