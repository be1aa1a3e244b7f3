// How a run closes: every sound checkpoint on the validation cases, the best of them on the
// held-out cases, and the record.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <numeric>
#include <optional>

#include "redqueen/arena/environments/packages.h"
#include "redqueen/arena/judge/case_commitment.h"
#include "redqueen/arena/judge/judge.h"
#include "redqueen/arena/judge/task_text.h"
#include "redqueen/base/durable.h"
#include "redqueen/base/parallel.h"
#include "redqueen/base/sha256.h"
#include "redqueen/base/text_file.h"
#include "redqueen/sandbox/python_version.h"

namespace redqueen::arena {
namespace {

namespace fs = std::filesystem;

// Seconds. Below it, much of a step played on one core is the kernel's change between two
// processes.
constexpr double kQuickStep = 20e-6;
constexpr std::size_t kMostTraceback = 4000;  // bytes of one that is kept

std::string fault_text(std::size_t episode, const PolicyFault& fault) {
  return fmt::format("episode {}: {}", episode, fault.what);
}

// A record as the ledger has it of hidden cases that were played.
Json hidden_fields(const std::vector<double>& returns, const std::vector<int>& lengths,
                   const FaultCounts& faults) {
  return {{"mean", mean_of(returns)},
          {"returns", returns},
          {"lengths", lengths},
          {"faults", to_json(faults)}};
}

// Requests of the agent that were refused, by the protocol's word for it.
Json refusals_in(const fs::path& log) {
  Json counts = Json::object();
  std::ifstream lines(log, std::ios::binary);
  for (std::string text; std::getline(lines, text);) {
    const auto line = parse_json(text);
    if (!line || !line->is_object() || line->value("event", Json()) != "submit.reject") continue;
    const Json status = line->value("status", Json());
    const std::string name = status.is_string() ? status.get<std::string>() : "unknown";
    counts[name] = counts.value(name, 0) + 1;
  }
  return counts;
}

// The size of a program's Python sources.
Json source_size(const std::vector<SystemFile>& files) {
  std::int64_t sources = 0;
  std::int64_t lines = 0;
  std::int64_t bytes = 0;
  for (const SystemFile& file : files) {
    if (!file.path.ends_with(".py")) continue;
    ++sources;
    lines += std::count(file.bytes.begin(), file.bytes.end(), '\n');
    bytes += static_cast<std::int64_t>(file.bytes.size());
  }
  return {{"files", sources}, {"lines", lines}, {"bytes", bytes}};
}

// Seconds between two times as time_now() writes them; null: one is none.
Json seconds_between(const std::string& begin, const std::string& end) {
  const auto seconds = [](const std::string& text) -> std::optional<double> {
    std::tm utc{};
    int milliseconds = 0;
    if (std::sscanf(text.c_str(), "%d-%d-%dT%d:%d:%d.%dZ", &utc.tm_year, &utc.tm_mon, &utc.tm_mday,
                    &utc.tm_hour, &utc.tm_min, &utc.tm_sec, &milliseconds) != 7) {
      return std::nullopt;
    }
    utc.tm_year -= 1900;
    utc.tm_mon -= 1;
    return static_cast<double>(timegm(&utc)) + milliseconds / 1000.0;
  };
  const auto first = seconds(begin);
  const auto last = seconds(end);
  return first && last ? Json(*last - *first) : Json();
}

// Submissions whose validation mean is below that of the one before them.
Json score_drops(const Json& submissions) {
  int count = 0;
  double largest = 0;
  std::optional<double> before;
  for (const Json& entry : submissions) {
    if (!entry.contains("validation_mean") || entry.contains("validation_fault")) continue;
    const double mean = entry["validation_mean"].get<double>();
    if (before && mean < *before) {
      ++count;
      largest = std::max(largest, *before - mean);
    }
    before = mean;
  }
  return {{"count", count}, {"largest", largest}};
}

// Sandbox layers that strict isolation wants and this machine does not give.
Json missing_layers_of(const PolicySeats& seats) {
  Json names = Json::array();
  for (const sandbox::LayerState& layer : seats.layers()) {
    if (layer.state != sandbox::LayerState::State::kOn) names.push_back(layer.name);
  }
  return names;
}

// Name and content of MuJoCo's library, where it computes the environment: Gymnasium's own and ours
// load the same one.
std::optional<std::pair<std::string, std::string>> engine_of(const SimulatorCard& card,
                                                             const SimulatorSettings& settings) {
  for (const auto& [package, version] : card.versions) {
    if (package != "mujoco") continue;
    const auto packages = find_packages(settings, std::array<std::string_view, 1>{package});
    if (!packages) return std::nullopt;
    const std::string name = "libmujoco.so." + version;
    const auto bytes = read_text_file(*packages / "mujoco" / name);
    if (bytes) return std::pair{name, *bytes};
  }
  return std::nullopt;
}

}  // namespace

Status Judge::choose_candidates(const std::vector<int>& submissions) {
  const std::scoped_lock lock(submitting_);
  if (state().finalized || state().chosen) return usage_error("the search has ended already");
  RETURN_IF_ERROR(
      ledger_.append({{"event", "candidates"}, {"at", time_now()}, {"submits", submissions}}));
  log("finish", {{"submits", submissions}});
  const std::scoped_lock state(state_lock_);
  candidates_ = submissions;
  return {};
}

bool Judge::is_candidate(const Submission& submission) const {
  return !candidates_ || std::find(candidates_->begin(), candidates_->end(), submission.index) !=
                             candidates_->end();
}

Status Judge::close() {
  const std::scoped_lock lock(submitting_);
  if (state().finalized) return {};
  RETURN_IF_ERROR(finish_charged());
  return close_locked();
}

// --- hidden cases -------------------------------------------------------------------------------

void Judge::HiddenScore::note(std::size_t index, const EpisodeResult& episode, bool strict) {
  returns.push_back(episode.total);
  lengths.push_back(episode.length);
  faults.add(episode);
  if (!episode.fault) return;
  const std::string text = fault_text(index, *episode.fault);
  if (episode.lost() || strict) fault = text;
  if (first_exception.empty()) first_exception = text.substr(0, kMostTraceback);
}

// A policy that counts its episodes learns nothing of where it is played where every instance of it
// plays as many as in training.
std::size_t Judge::episodes_of_an_instance(const Submission& submission, std::size_t cases) const {
  if (settings_.fresh_policy_per_episode) return 1;
  return settings_.one_hidden_instance ? cases : submission.cases.size();
}

Expected<Judge::InstanceResult> Judge::play_instance(const Submission& submission,
                                                     const std::vector<SystemFile>& files,
                                                     const HiddenCases& hidden, std::size_t first,
                                                     std::size_t count) {
  InstanceResult result;
  ASSIGN_OR_RETURN(const auto simulator, make_simulator());
  const PolicySeats::Taken seat = settings_.fresh_policy_per_episode
                                      ? PolicySeats::Taken(*tools_.seats)
                                      : seat_for_one_of(hidden.at_a_time);
  PolicyProcess policy(seat, files, context(submission), settings_.limits, tools_.numpy);
  result.load_error = policy.load_error();
  const std::size_t end = std::min(first + count, hidden.seeds.size());
  for (std::size_t i = first; i < end && result.load_error.empty(); ++i) {
    const std::size_t index = settings_.one_hidden_instance ? i : i % submission.cases.size();
    ASSIGN_OR_RETURN(EpisodeResult episode,
                     play_episode(*simulator, policy,
                                  {.case_seed = hidden.seeds[i],
                                   .index = static_cast<int>(index),
                                   .policy_seed = policy_seed(hidden.purpose, i)}));
    result.episodes.push_back(std::move(episode));
    if (result.episodes.back().lost()) break;
  }
  return result;
}

Expected<Judge::HiddenScore> Judge::play_hidden(const Submission& submission,
                                                const HiddenCases& hidden) {
  ASSIGN_OR_RETURN(const auto files, read_system(checkpoint(submission.index)));
  if (digest(files) != submission.digest) {
    return failure("{}: is not what was submitted any more", checkpoint(submission.index).string());
  }
  const std::size_t each = episodes_of_an_instance(submission, hidden.seeds.size());
  const std::size_t count = (hidden.seeds.size() + each - 1) / each;
  std::vector<std::optional<Expected<InstanceResult>>> parts(count);
  std::atomic<std::size_t> last = count;  // the first instance that ended the submission, if any
  // Episodes with quick steps are played by one pair of cores, and submissions that are played at
  // the same time share the cores.
  const bool in_turn =
      hidden.at_a_time > 1 || (has_quick_steps() && !settings_.fresh_policy_per_episode);
  parallel_chunks(
      count, 1, in_turn ? 1 : static_cast<int>(players()), [&](std::size_t i, std::size_t) {
        if (i > last) return;
        parts[i] = play_instance(submission, files, hidden, i * each, each);
        const bool whole =
            *parts[i] && (*parts[i])->load_error.empty() && !(*parts[i])->episodes.back().lost();
        for (std::size_t known = last; !whole && i < known;) {
          if (last.compare_exchange_weak(known, i)) break;
        }
      });
  HiddenScore score;
  for (std::size_t i = 0; i < count && score.fault.empty(); ++i) {
    if (!*parts[i]) return tl::make_unexpected(parts[i]->error());
    const InstanceResult& part = **parts[i];
    if (!part.load_error.empty()) {
      score.fault =
          i == 0 ? part.load_error : fmt::format("episode {}: {}", i * each, part.load_error);
      ++score.faults.init;
      break;
    }
    for (std::size_t k = 0; k < part.episodes.size() && score.fault.empty(); ++k) {
      score.note(i * each + k, part.episodes[k], settings_.strict_v0);
    }
  }
  return score;
}

// --- closing ------------------------------------------------------------------------------------

// Such steps are played faster with a core for each side. Others are not, and where the machine has
// other work to do, two sides that must both run wait for each other more often than one pair.
bool Judge::has_quick_steps() const { return step_seconds_ > 0 && step_seconds_ < kQuickStep; }

// Checkpoints that are played at a time: one for each core, or for every two where steps are quick.
std::size_t Judge::validators() const {
  if (settings_.fresh_policy_per_episode) return 1;  // its episodes share the cores
  return has_quick_steps() ? std::max<std::size_t>(players() / 2, 1) : players();
}

// Checkpoints go over the workers; each is noted in the ledger when it is done.
Status Judge::validate() {
  std::vector<Submission*> pending;
  for (Submission& submission : submissions_) {
    const bool sound = submission.summary && submission.summary->value("status", "") == "ok";
    if (sound && !submission.validation && is_candidate(submission)) pending.push_back(&submission);
  }
  std::vector<Status> statuses(pending.size());
  const std::size_t at_a_time = std::min(validators(), pending.size());
  parallel_chunks(pending.size(), 1, static_cast<int>(at_a_time), [&](std::size_t i, std::size_t) {
    const auto score = play_hidden(
        *pending[i], {.seeds = pools_.validation, .purpose = "validation", .at_a_time = at_a_time});
    if (!score) {
      statuses[i] = tl::make_unexpected(score.error());
      return;
    }
    Json record = hidden_fields(score->returns, score->lengths, score->faults);
    record["event"] = "validated";
    record["submit"] = pending[i]->index;
    record["fault"] = score->fault;
    const std::scoped_lock lock(state_lock_);
    statuses[i] = ledger_.note(record);  // the held-out result takes it to the disk
    pending[i]->validation = std::move(record);
  });
  for (Status& status : statuses) RETURN_IF_ERROR(std::move(status));
  return {};
}

// The highest mean; of equal ones the latest. Null: no checkpoint played all cases.
const Judge::Submission* Judge::best() const {
  const Submission* best = nullptr;
  for (const Submission& submission : submissions_) {
    if (!submission.validation || !submission.validation->value("fault", "").empty()) continue;
    const double mean = submission.validation->value("mean", 0.0);
    if (best == nullptr || mean >= best->validation->value("mean", 0.0)) best = &submission;
  }
  return best;
}

Status Judge::close_locked() {
  if (state().finalized) return {};
  log("run.close.start", Json::object());
  RETURN_IF_ERROR(validate());
  const Submission* selected = best();
  if (!heldout_) {
    Json record = {{"event", "heldout"}, {"at", time_now()}, {"submit", nullptr}};
    if (selected != nullptr) {
      ASSIGN_OR_RETURN(const HiddenScore score,
                       play_hidden(*selected, {.seeds = pools_.heldout, .purpose = "heldout"}));
      record.update(hidden_fields(score.returns, score.lengths, score.faults));
      record["submit"] = selected->index;
      record["deviation"] = deviation_of(score.returns);
      record["fault"] = score.fault;
      record["first_exception"] = score.first_exception;
    }
    RETURN_IF_ERROR(ledger_.append(record));
    heldout_ = std::move(record);
  }
  Json record = run_record(selected, *heldout_);
  // Other agents may still have to play cases that were given.
  if (!settings_.given_cases) RETURN_IF_ERROR(reveal_cases(folder_, pools_, secret_));
  record["isolated"] = settings_.isolated;
  record["commitment"] = commitment_;
  RETURN_IF_ERROR(replace_file(folder_ / "run.json", record.dump(2) + "\n"));
  RETURN_IF_ERROR(ledger_.append({{"event", "closed"}, {"at", time_now()}, {"record", record}}));
  log("run.close", {{"status", record["status"]}, {"score", record["score"]}});
  const std::scoped_lock lock(state_lock_);
  record_ = std::move(record);
  return {};
}

// --- the record ---------------------------------------------------------------------------------

// One entry a submission, with the best validation mean so far: the curve over the budget.
Json Judge::submission_records() const {
  Json list = Json::array();
  int used = 0;
  Json best_so_far;
  for (const Submission& submission : submissions_) {
    used += static_cast<int>(submission.cases.size());
    Json entry = {{"submit", submission.index},
                  {"at", submission.charged_at},
                  {"episodes", submission.cases.size()},
                  {"budget_used", used},
                  {"digest", submission.digest},
                  {"status", submission.summary->value("status", "")},
                  {"mean_return", (*submission.summary)["mean_return"]},
                  {"faults", to_json(submission.faults)}};
    if (submission.summary->contains("reason")) entry["reason"] = (*submission.summary)["reason"];
    if (submission.validation) {
      const std::string fault = submission.validation->value("fault", "");
      entry["validation_mean"] = (*submission.validation)["mean"];
      entry["validation_faults"] = submission.validation->value("faults", Json());
      if (!fault.empty()) entry["validation_fault"] = fault;
      const double mean = submission.validation->value("mean", 0.0);
      if (fault.empty() && (best_so_far.is_null() || mean > best_so_far.get<double>())) {
        best_so_far = mean;
      }
    }
    entry["best_so_far"] = best_so_far;
    list.push_back(std::move(entry));
  }
  return list;
}

// The faults of the run, by the pool that was played and by kind.
Json Judge::fault_records() const {
  FaultCounts training;
  FaultCounts validation;
  for (const Submission& submission : submissions_) {
    training.add(submission.faults);
    if (!submission.validation) continue;
    validation.add(fault_counts_from_json(submission.validation->value("faults", Json())));
  }
  const Json heldout = heldout_ ? heldout_->value("faults", Json()) : Json();
  return {{"training", to_json(training)},
          {"validation", to_json(validation)},
          {"heldout", to_json(fault_counts_from_json(heldout))}};
}

// The audit signals of the paper's appendix B.1.
Json Judge::audit_record(const Submission* selected, const Json& heldout) const {
  FaultCounts all;
  for (const Submission& submission : submissions_) {
    all.add(submission.faults);
    if (!submission.validation) continue;
    all.add(fault_counts_from_json(submission.validation->value("faults", Json())));
  }
  all.add(fault_counts_from_json(heldout.value("faults", Json())));
  const auto size_of = [this](const Submission* submission) {
    if (submission == nullptr) return Json();
    const auto files = read_system(checkpoint(submission->index));
    return files ? source_size(*files) : Json();
  };
  const Submission* first = submissions_.empty() ? nullptr : &submissions_.front();
  const Submission* last = submissions_.empty() ? nullptr : &submissions_.back();
  return {{"accepted", submissions_.size()},
          {"rejected", refusals_in(folder_ / "logs" / "harness.log")},
          {"faults", all.faults()},
          {"invalid_action_rate", all.actions == 0 ? Json()
                                                   : Json(static_cast<double>(all.invalid_actions) /
                                                          static_cast<double>(all.actions))},
          {"score_drops", score_drops(submission_records())},
          {"sources",
           {{"first", size_of(first)}, {"selected", size_of(selected)}, {"last", size_of(last)}}},
          {"wall_seconds", seconds_between(begun_at_, heldout.value("at", ""))}};
}

Json Judge::run_record(const Submission* selected, const Json& heldout) const {
  const bool sound = selected != nullptr && heldout.value("fault", "").empty();
  Json versions = Json::object();
  for (const auto& [package, version] : card_.versions) versions[package] = version;
  versions["python"] = sandbox::python_version();
  Json hashes = {{"agents_md", sha256(agent_rules(settings_.protocol))},
                 {"train", sha256(pool_text(pools_.train))},
                 {"validation", sha256(pool_text(pools_.validation))},
                 {"heldout", sha256(pool_text(pools_.heldout))}};
  const auto engine = engine_of(card_, {settings_.profile, tools_.packages});
  if (engine) hashes[engine->first] = sha256(engine->second);
  Json record = {{"schema_version", "redqueen-arena/1"},
                 {"env", settings_.env},
                 {"status", selected == nullptr ? "no_ok_submit"
                            : sound             ? "ok"
                                                : "heldout_failed"},
                 {"score", nullptr},
                 {"selected_submit", nullptr},
                 {"begun_at", begun_at_},
                 {"closed_at", heldout.value("at", "")},
                 {"settings", arena::to_json(settings_)},
                 {"cases", settings_.paper_cases   ? "published"
                           : settings_.given_cases ? "given"
                                                   : "drawn"},
                 {"versions", versions},
                 {"hashes", hashes},
                 {"missing_sandbox_layers", missing_layers_of(*tools_.seats)}};
  record["faults"] = fault_records();
  record["audit"] = audit_record(selected, heldout);
  record["submissions"] = submission_records();
  record["settings"]["seeded"] = ledger_.records().front()["settings"]["seeded"];
  if (selected == nullptr) return record;  // without a score: 0 would be a good one somewhere
  record["selected_submit"] = selected->index;
  record["validation_mean"] = (*selected->validation)["mean"];
  record["heldout"] = {{"returns", heldout["returns"]},
                       {"lengths", heldout["lengths"]},
                       {"deviation", heldout["deviation"]},
                       {"fault", heldout["fault"]},
                       {"first_exception", heldout.value("first_exception", "")}};
  if (!sound) return record;
  const double mean = heldout.value("mean", 0.0);
  const double trained = selected->summary->value("mean_return", 0.0);
  const double validated = selected->validation->value("mean", 0.0);
  record["score"] = mean;
  record["auxiliary"] = {{"held_out_gap", trained - mean}, {"val_heldout_gap", validated - mean}};
  return record;
}

}  // namespace redqueen::arena
