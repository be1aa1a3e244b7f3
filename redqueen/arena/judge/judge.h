// The judge of one run. It owns budget, cases, environments and scores; an agent sees the folder
// workspace/ and what a protocol (protocol_v0.h) passes on.
//
//   run.json                what became of the run; written when it closes
//   workspace/              all that the agent needs: AGENTS.md, system/, feedback/
//   checkpoints/submit_000/ the files of each submission, read-only, with _meta.json
//   logs/harness.log        what happened, one JSON object a line, for people
//   judge/                  the judge's own: ledger.jsonl (ledger.h), cases/, feedback being
//   written
//
// A run that was killed at any point is opened again and goes on: what was charged is finished from
// its checkpoint, what was closing closes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "redqueen/arena/judge/case_pools.h"
#include "redqueen/arena/judge/fault_counts.h"
#include "redqueen/arena/judge/feedback.h"
#include "redqueen/arena/judge/ledger.h"
#include "redqueen/arena/judge/run_settings.h"
#include "redqueen/arena/judge/snapshot.h"
#include "redqueen/arena/judge/workspace.h"
#include "redqueen/arena/policies/policy_process.h"
#include "redqueen/arena/policies/policy_seats.h"
#include "redqueen/arena/simulators/simulator.h"
#include "redqueen/base/error.h"
#include "redqueen/base/json.h"

namespace redqueen::arena {

// The parts that a judge needs besides the run.
struct JudgeTools {
  PolicySeats* seats = nullptr;    // with policy_host_text() among their preludes
  bool numpy = false;              // that their sandbox has to offer
  std::filesystem::path packages;  // of simulators, see SimulatorSettings
  int workers = 0;                 // episodes at a time; 0: one per core
};

// The answer to a submission.
struct SubmitAnswer {
  enum class Kind : std::uint8_t {
    kAccepted,  // charged; `summary` is what summary.json holds
    kRefused,   // nothing charged: `status` and `message` say why
    kClosed,    // the run is over
    kFailed,    // the judge could not do its work (a full disk, a broken simulator)
  };
  Kind kind = Kind::kRefused;
  std::string status;
  std::string message;
  int index = 0;
  Json summary;
};

struct RunState {
  int remaining_budget = 0;
  int submissions = 0;
  bool finalized = false;
  bool chosen = false;  // the agent has ended its search (choose_candidates)
};

// The settings of the run in `folder`. A usage error: there is no run.
Expected<RunSettings> settings_of_run(const std::filesystem::path& folder);

class Judge {
 public:
  // Begins the run in `folder` (which is made), or goes on with the one that is there: then its own
  // settings hold, and a usage error says where `settings` ask for another environment or budget,
  // or would let an open agent go on with an isolated run.
  // Submissions that were charged and not finished are finished before this returns.
  static Expected<std::unique_ptr<Judge>> open(const std::filesystem::path& folder,
                                               const RunSettings& settings,
                                               const JudgeTools& tools);

  // All of these may be called from any thread; submissions wait for each other.
  [[nodiscard]] RunState state() const;
  [[nodiscard]] const RunSettings& settings() const { return settings_; }
  [[nodiscard]] const SimulatorCard& card() const { return card_; }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  [[nodiscard]] std::filesystem::path workspace() const { return folder_ / "workspace"; }
  // The only way in which this program touches what lies in the workspace.
  [[nodiscard]] const Workspace& files() const { return *files_; }

  // Plays the training cases, in this order and with repeats, with what system/ holds now. The one
  // that spends the last of the budget closes the run before it is answered.
  SubmitAnswer submit(const std::vector<std::int64_t>& cases);
  // The session protocol's end of a search: nothing can be submitted any more, and close() chooses
  // from these submissions only. A usage error: the search has ended already.
  Status choose_candidates(const std::vector<int>& submissions);

  // Both take a submission that was charged: the SHA-256 of its files, and the place of its
  // feedback below feedback/.
  [[nodiscard]] std::string digest_of(int submission) const;
  [[nodiscard]] std::string feedback_name(int submission) const;
  // The agent's program in the workspace.
  [[nodiscard]] std::filesystem::path program() const {
    return workspace() / settings_.program_folder();
  }
  // The files of the program, as read_system() reads them.
  [[nodiscard]] Expected<std::vector<SystemFile>> read_program() const;
  // SHA-256 of cases.json, which the run reveals when it closes (case_commitment.h).
  [[nodiscard]] std::string commitment() const { return commitment_; }

  // A request that no submission can be made of: noted in the log.
  void note_refusal(const std::string& status, const std::string& message);

  // Validation of every sound checkpoint, selection, held-out cases, run.json. Does nothing if the
  // run is closed. Usage: also to end a run early.
  Status close();

  // run.json's content; null while the run is open.
  [[nodiscard]] Json record() const;

 private:
  // A submission as the ledger has it.
  struct Submission {
    int index = 0;
    std::vector<std::int64_t> cases;
    std::string digest;
    std::string charged_at;
    int first_episode = 0;
    int remaining_after = 0;
    std::optional<Json> summary;  // finished
    FaultCounts faults;           // of its training episodes
    std::optional<Json> validation;
  };

  // Scores over hidden cases.
  struct HiddenScore {
    std::vector<double> returns;
    std::vector<int> lengths;
    FaultCounts faults;
    std::string fault;  // not empty: it could not play them all, or raised under strict_v0
    std::string first_exception;  // of the first episode that raised and was played on

    // Takes in the episode of case `index`.
    void note(std::size_t index, const EpisodeResult& episode, bool strict);
  };

  Judge(std::filesystem::path folder, RunSettings settings, JudgeTools tools, Ledger ledger)
      : folder_(std::move(folder)),
        settings_(std::move(settings)),
        tools_(std::move(tools)),
        ledger_(std::move(ledger)) {}

  Status begin();
  Status restore();
  Status prepare();
  Status find_pools();
  Status commit_to_cases();
  Status stage_workspace();
  Status finish_charged();
  void log(const std::string& event, const Json& data);

  Expected<std::unique_ptr<Simulator>> make_simulator() const;
  // The same in training and over hidden cases, so that a policy does not see which of them it
  // plays.
  [[nodiscard]] PolicyContext context(const Submission& submission) const;
  [[nodiscard]] std::uint64_t policy_seed(std::string_view purpose, std::uint64_t index) const;
  [[nodiscard]] std::filesystem::path checkpoint(int index) const;
  [[nodiscard]] std::string feedback(int index) const;  // its path in the workspace
  [[nodiscard]] std::filesystem::path draft(int index) const;

  std::optional<SubmitAnswer> refusal(const std::vector<std::int64_t>& cases) const;
  Expected<SubmissionResult> evaluate(const Submission& submission,
                                      const std::vector<SystemFile>& files);
  Status play_in_order(const Submission& submission, const std::vector<SystemFile>& files,
                       SubmissionResult& result);
  Status play_apart(const Submission& submission, const std::vector<SystemFile>& files,
                    SubmissionResult& result);
  // The seat of a policy that plays several episodes, one of `at_a_time` policies that do.
  [[nodiscard]] PolicySeats::Taken seat_for_one_of(std::size_t at_a_time) const;
  // Policies that are played at a time where each has a seat.
  [[nodiscard]] std::size_t players() const;
  // Keeps the least time of a step.
  void note_step_time(const EpisodeResult& episode);
  Expected<EpisodeResult> play_training(const Submission& submission, Simulator& simulator,
                                        PolicyProcess& policy, int local);
  void judge_episodes(SubmissionResult& result) const;
  Status complete(Submission& submission, const std::vector<SystemFile>& files);
  Status publish(const Submission& submission) const;

  // Hidden cases to be played with a submission.
  struct HiddenCases {
    const std::vector<std::uint64_t>& seeds;
    std::string_view purpose;   // of the random numbers
    std::size_t at_a_time = 1;  // submissions that the caller plays at a time
  };
  // The hidden cases that one instance of the policy played; fewer than it was given: the last one
  // ended it.
  struct InstanceResult {
    std::vector<EpisodeResult> episodes;
    std::string load_error;
  };
  Expected<HiddenScore> play_hidden(const Submission& submission, const HiddenCases& hidden);
  // Plays up to `count` of the cases from `first` on, with a new instance.
  Expected<InstanceResult> play_instance(const Submission& submission,
                                         const std::vector<SystemFile>& files,
                                         const HiddenCases& hidden, std::size_t first,
                                         std::size_t count);
  [[nodiscard]] std::size_t episodes_of_an_instance(const Submission& submission,
                                                    std::size_t cases) const;
  Status validate();
  [[nodiscard]] std::size_t validators() const;
  [[nodiscard]] bool has_quick_steps() const;
  [[nodiscard]] bool is_candidate(const Submission& submission) const;
  [[nodiscard]] bool closes_now() const;
  [[nodiscard]] const Submission* best() const;
  [[nodiscard]] Json run_record(const Submission* selected, const Json& heldout) const;
  [[nodiscard]] Json submission_records() const;
  [[nodiscard]] Json fault_records() const;
  [[nodiscard]] Json audit_record(const Submission* selected, const Json& heldout) const;
  Status close_locked();

  std::filesystem::path folder_;
  RunSettings settings_;
  JudgeTools tools_;
  SimulatorCard card_;
  CasePools pools_;
  std::uint64_t secret_ = 0;
  std::string begun_at_;
  std::string commitment_;
  std::optional<Workspace> files_;  // set by prepare()

  // Seconds that policy and environment together take for a step, the least of all training
  // episodes; 0: this process played none. They decide how closing uses the cores, and none of its
  // results.
  double step_seconds_ = 0;

  std::mutex submitting_;          // one submission, or closing, at a time
  mutable std::mutex state_lock_;  // what follows
  Ledger ledger_;
  std::vector<Submission> submissions_;
  int episodes_written_ = 0;
  std::optional<std::vector<int>> candidates_;  // what the agent chose; none: all
  std::optional<Json> heldout_;
  Json record_;
};

}  // namespace redqueen::arena
