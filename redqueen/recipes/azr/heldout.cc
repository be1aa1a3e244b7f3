#include "redqueen/recipes/azr/heldout.h"

#include <compare>
#include <map>
#include <mutex>

#include "redqueen/recipes/azr/program_corpus.h"

namespace redqueen {
namespace {

constexpr std::uint64_t kRun = 32;  // seeds that are drawn together
constexpr std::size_t kKeptRuns = 64;
// Of an induction task: half of them are shown. The quick start's self-play has as many (azr.inputs).
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
  explicit RandomProgramTasks(std::shared_ptr<SandboxService> sandbox)
      : sandbox_(std::move(sandbox)) {}

  tl::expected<CodeTask, GenerationFailure> make(TaskType type, int level, std::uint64_t seed,
                                                 std::uint64_t salt) {
    if (level < 0 || level > kMaxProgramLevel) {
      return tl::make_unexpected(GenerationFailure{
          GenerationFault::kLevel, fmt::format("levels of programs end at {}", kMaxProgramLevel)});
    }
    const auto run = get({type, level, salt, seed / kRun});
    if (!run) {
      return tl::make_unexpected(
          GenerationFailure{GenerationFault::kInternal, run.error().message});
    }
    const auto& program = (**run)[seed % kRun];
    if (!program) {
      return tl::make_unexpected(
          GenerationFailure{GenerationFault::kAttempts, "no program of this address is of use"});
    }
    switch (type) {
      case TaskType::kInduction:
        return induction_task(*program, kInputs);
      case TaskType::kAbduction:
        return abduction_task(*program, 0);
      case TaskType::kError:  // a TypeError is to be had of any program: the others get their turn
        return error_task(*program, seed % program->examples.size());
      case TaskType::kDeduction:
        break;
    }
    return deduction_task(*program, 0);
  }

 private:
  Expected<std::shared_ptr<const ProgramRun>> get(const RunKey& key) {
    const std::scoped_lock lock(mutex_);
    if (const auto kept = runs_.find(key); kept != runs_.end()) return kept->second;
    const auto sandbox = sandbox_->get();
    if (!sandbox) return tl::make_unexpected(sandbox.error());
    if (runs_.size() >= kKeptRuns) runs_.clear();
    return runs_.emplace(key, draw(**sandbox, key)).first->second;
  }

  static std::shared_ptr<const ProgramRun> draw(Sandbox& sandbox, const RunKey& key) {
    std::vector<ProgramPlace> places;
    const std::uint64_t salt = key.salt ^ hash_name(name_of(key.type));
    for (std::uint64_t i = 0; i < kRun; ++i)
      places.push_back({key.level, key.run * kRun + i, salt});
    ProgramOptions options{
        .split = key.salt == 0 ? ProgramSplit::kHeldOut : ProgramSplit::kTraining,
        .inputs = kInputs + 4,
        .attempts = 400};
    if (key.type == TaskType::kError) {
      options.failing = true;
      options.inputs = kFailingInputs;
      options.examples = 1;
    }
    return std::make_shared<const ProgramRun>(draw_programs(sandbox, places, options));
  }

  std::shared_ptr<SandboxService> sandbox_;
  std::mutex mutex_;
  std::map<RunKey, std::shared_ptr<const ProgramRun>> runs_;
};

}  // namespace

TaskSource random_program_tasks(std::shared_ptr<SandboxService> sandbox) {
  const auto tasks = std::make_shared<RandomProgramTasks>(std::move(sandbox));
  return [tasks](TaskType type, int level, std::uint64_t seed, std::uint64_t salt) {
    return tasks->make(type, level, seed, salt);
  };
}

}  // namespace redqueen
