#include "redqueen/arena/agents/judge_workbench.h"

#include <utility>

#include "redqueen/arena/judge/task_text.h"

namespace redqueen::arena {
namespace {

constexpr std::size_t kMostListed = 10'000;   // files
constexpr std::size_t kMostRead = 64U << 20;  // bytes of a file

class JudgeWorkbench final : public Workbench {
 public:
  JudgeWorkbench(Judge& judge, PolicySeats& seats, bool numpy)
      : judge_(judge), seats_(seats), numpy_(numpy) {}

  std::vector<std::string> list() override { return judge_.files().files(kMostListed); }

  Expected<std::string> read(const std::string& path) override {
    return judge_.files().read(path, kMostRead);
  }

  Status write(const std::string& path, const std::string& text) override {
    if (!is_plain_path(path) || !path.starts_with("system/")) {
      return failure("files are written below system/ only");
    }
    return judge_.files().write(path, text);
  }

  Expected<std::vector<SystemFile>> program() override { return judge_.read_program(); }

  std::string run(const std::string& path) override {
    const auto files = program();
    if (!files) return "error: " + files.error().message;
    const PolicySeats::Taken seat(seats_);
    return run_file(seat.sandbox(), *files, path, numpy_);
  }

  Json submit(const std::vector<std::int64_t>& cases) override {
    const SubmitAnswer answer = judge_.submit(cases);
    if (answer.kind != SubmitAnswer::Kind::kAccepted) {
      return {{"error", answer.status + ": " + answer.message}};
    }
    Json told = {{"status", answer.status},
                 {"mean_return", answer.summary["mean_return"]},
                 {"returns", answer.summary["returns"]},
                 {"errors", answer.summary["errors"]},
                 {"remaining_budget", answer.summary["remaining_budget"]},
                 {"feedback", "feedback/" + judge_.feedback_name(answer.index)}};
    if (!answer.message.empty()) told["traceback"] = answer.message;
    return told;
  }

  bool over() override {
    const RunState state = judge_.state();
    return state.finalized || state.chosen;
  }

  Verdict worth() override { return {.reward = 0, .well_formed = true}; }

 private:
  Judge& judge_;
  PolicySeats& seats_;
  bool numpy_;
};

class JudgeProblem final : public Problem {
 public:
  JudgeProblem(Judge& judge, PolicySeats& seats, bool numpy, int turns)
      : judge_(judge), seats_(seats), numpy_(numpy), turns_(turns) {}

  std::string prompt() const override {
    return tool_rules() + "\n" + task_text(judge_.card(), judge_.settings(), numpy_);
  }
  Json parameter() const override { return {{"run", judge_.folder().string()}}; }
  std::string reference() const override { return {}; }
  Verdict score(std::string_view) const override { return {}; }
  std::unique_ptr<Episode> start(const EpisodeOptions& options) const override {
    return coding_episode(judge_workbench(judge_, seats_, numpy_), prompt(), turns_, options);
  }
  int max_turns() const override { return turns_; }
  std::string random_answer(Rng&) const override { return {}; }
  std::string example() const override { return {}; }
  std::vector<NamedAnswer> shortcuts() const override { return {}; }

 private:
  Judge& judge_;
  PolicySeats& seats_;
  bool numpy_;
  int turns_;
};

}  // namespace

std::unique_ptr<Workbench> judge_workbench(Judge& judge, PolicySeats& seats, bool numpy) {
  return std::make_unique<JudgeWorkbench>(judge, seats, numpy);
}

std::unique_ptr<const Problem> judge_problem(Judge& judge, PolicySeats& seats, bool numpy,
                                             int turns) {
  return std::make_unique<const JudgeProblem>(judge, seats, numpy, turns);
}

}  // namespace redqueen::arena
