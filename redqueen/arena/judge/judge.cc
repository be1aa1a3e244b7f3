#include "redqueen/arena/judge/judge.h"

#include <chrono>
#include <fstream>
#include <numeric>

#include "redqueen/arena/judge/case_commitment.h"
#include "redqueen/arena/judge/json_fault.h"
#include "redqueen/arena/judge/judge_folder.h"
#include "redqueen/arena/judge/task_text.h"
#include "redqueen/base/clock.h"
#include "redqueen/base/durable.h"
#include "redqueen/base/file_queries.h"
#include "redqueen/base/parallel.h"
#include "redqueen/base/rng.h"
#include "redqueen/base/sha256.h"
#include "redqueen/base/text_file.h"

namespace redqueen::arena {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

SubmitAnswer refuse(std::string status, std::string message) {
  return {.kind = SubmitAnswer::Kind::kRefused,
          .status = std::move(status),
          .message = std::move(message)};
}

SubmitAnswer failed(const Error& error) {
  return {.kind = SubmitAnswer::Kind::kFailed, .status = "judge_failed", .message = error.message};
}

// Feedback has the episodes that were played to their end, and no folder where there is none.
void prune_episodes(const fs::path& folder, int first, std::size_t count) {
  std::error_code error;
  std::vector<fs::path> doomed;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();  // "ep_012"
    if (std::stol(name.substr(3)) >= first + static_cast<long>(count)) {
      doomed.push_back(entry->path());
    }
  }
  for (const fs::path& path : doomed) fs::remove_all(path, error);
  if (count == 0) fs::remove_all(folder, error);
}

// The line of errors.txt that says why a policy ended.
Json error_line(const std::string& status, const std::string& where, const std::string& what) {
  return {{"status", status}, {"where", where}, {"traceback", what}};
}

// A run goes on with the cases with which it began; `digest` is empty where they were not given.
Status check_given_cases(const RunSettings& asked, const fs::path& run, const std::string& digest) {
  if (asked.cases_folder.empty()) return {};
  ASSIGN_OR_RETURN(const CasePools pools, read_pools(asked.cases_folder));
  if (arena::digest_of(pools) == digest) return {};
  return usage_error("{} began with other cases than those of {}: give it another --run",
                     run.string(), asked.cases_folder.string());
}

// Asks for all that may be refused, so that a refused run leaves no folder.
Status check_before_beginning(const RunSettings& settings, const JudgeTools& tools) {
  RETURN_IF_ERROR(
      make_simulator(settings.env, {.profile = settings.profile, .packages = tools.packages}));
  if (settings.paper_cases) RETURN_IF_ERROR(published_pools(settings.sizes));
  if (!settings.cases_folder.empty()) RETURN_IF_ERROR(read_pools(settings.cases_folder));
  return {};
}

}  // namespace

Expected<RunSettings> settings_of_run(const fs::path& folder) {
  const fs::path path = folder / "judge" / "ledger.jsonl";
  ASSIGN_OR_RETURN(const std::string text, read_text_file(path, ErrorKind::kUsage));
  ASSIGN_OR_RETURN(const Json first, parse_json(text.substr(0, text.find('\n'))));
  if (!first.is_object() || !first.contains("settings")) {
    return failure("{}: does not begin with the settings of a run", path.string());
  }
  auto settings = run_settings_from_json(first["settings"]);
  if (!settings) return failure("{}: {}", path.string(), settings.error().message);
  return settings;
}

// --- beginning and going on ---------------------------------------------------------------------

Expected<std::unique_ptr<Judge>> Judge::open(const fs::path& folder, const RunSettings& settings,
                                             const JudgeTools& tools) {
  RETURN_IF_ERROR(check(settings));
  if (!is_there(folder / "judge" / "ledger.jsonl")) {
    RETURN_IF_ERROR(check_before_beginning(settings, tools));
  }
  RETURN_IF_ERROR(make_folders(folder / "judge"));
  RETURN_IF_ERROR(shut_judge_folder(folder / "judge"));
  ASSIGN_OR_RETURN(Ledger ledger, Ledger::open(folder / "judge" / "ledger.jsonl"));
  std::unique_ptr<Judge> judge(new Judge(folder, settings, tools, std::move(ledger)));
  RETURN_IF_ERROR(judge->ledger_.records().empty() ? judge->begin() : judge->restore());
  RETURN_IF_ERROR(judge->prepare());
  return judge;
}

Status Judge::begin() {
  const std::uint64_t master = settings_.seed ? *settings_.seed : system_entropy();
  secret_ = settings_.seed ? Rng({.seed = master, .purpose = hash_name("arena secret")}).bits()
                           : system_entropy();
  begun_at_ = time_now();
  settings_.one_hidden_instance = settings_.strict_v0 || settings_.paper_cases;
  if (!settings_.cases_folder.empty()) {
    ASSIGN_OR_RETURN(pools_, read_pools(settings_.cases_folder));
    settings_.given_cases = true;
    settings_.sizes = {.train = static_cast<int>(pools_.train.size()),
                       .validation = static_cast<int>(pools_.validation.size()),
                       .heldout = static_cast<int>(pools_.heldout.size())};
    RETURN_IF_ERROR(check(settings_));
    RETURN_IF_ERROR(write_pools(pools_, folder_ / "judge" / "cases"));
  }
  Json record = {
      {"event", "begin"}, {"at", begun_at_}, {"master_seed", master}, {"secret", secret_}};
  record["settings"] = arena::to_json(settings_);
  if (settings_.given_cases) record["cases"] = arena::digest_of(pools_);
  settings_.seed = master;
  return ledger_.append(std::move(record));
}

Status Judge::restore() {
  const RunSettings asked = settings_;
  const Json& first = ledger_.records().front();
  try {
    auto settings = run_settings_from_json(first.at("settings"));
    if (!settings) return failure("{}: {}", folder_.string(), settings.error().message);
    settings_ = std::move(*settings);
    secret_ = first.at("secret").get<std::uint64_t>();
    settings_.seed = first.at("master_seed").get<std::uint64_t>();
    begun_at_ = first.at("at").get<std::string>();
    RETURN_IF_ERROR(check_given_cases(asked, folder_, first.value("cases", "")));
    for (const Json& record : ledger_.records()) {
      const std::string event = record.at("event").get<std::string>();
      if (event == "charge") {
        const int index = static_cast<int>(submissions_.size());
        submissions_.push_back({.index = index,
                                .cases = record.at("cases").get<std::vector<std::int64_t>>(),
                                .digest = record.at("digest").get<std::string>(),
                                .charged_at = record.at("at").get<std::string>(),
                                .remaining_after = record.at("remaining").get<int>()});
      } else if (event == "finish") {
        Submission& submission = submissions_.at(record.at("submit").get<std::size_t>());
        submission.summary = record.at("summary");
        submission.faults = fault_counts_from_json(record.value("faults", Json()));
        episodes_written_ += record.at("episodes").get<int>();
      } else if (event == "candidates") {
        candidates_ = record.at("submits").get<std::vector<int>>();
      } else if (event == "validated") {
        submissions_.at(record.at("submit").get<std::size_t>()).validation = record;
      } else if (event == "heldout") {
        heldout_ = record;
      } else if (event == "closed") {
        record_ = record.at("record");
      }
    }
  } catch (const std::exception& error) {
    return failure("{}: the ledger is damaged ({}). The run cannot go on.", folder_.string(),
                   json_fault(error));
  }
  if (asked.env != settings_.env || asked.budget != settings_.budget) {
    return usage_error(
        "{}: this run is of {} with a budget of {}, not of {} with {}. Give another folder.",
        folder_.string(), settings_.env, settings_.budget, asked.env, asked.budget);
  }
  if (settings_.isolated && !asked.isolated) {
    return usage_error(
        "{}: this run was begun with an isolated agent, and an open one could read its cases. Go "
        "on "
        "without --no-isolate, or give another folder.",
        folder_.string());
  }
  return {};
}

Status Judge::prepare() {
  ASSIGN_OR_RETURN(const auto simulator, make_simulator());
  card_ = simulator->card();
  RETURN_IF_ERROR(find_pools());
  RETURN_IF_ERROR(commit_to_cases());
  RETURN_IF_ERROR(stage_workspace());
  for (const fs::path& folder : {folder_, folder_ / "judge" / "cases", folder_ / "checkpoints"})
    RETURN_IF_ERROR(sweep_leftovers(folder));
  // Checkpoints that nobody was charged for: the judge was killed before.
  std::error_code ignored;
  for (int index = static_cast<int>(submissions_.size()); is_there(checkpoint(index)); ++index) {
    fs::remove_all(checkpoint(index), ignored);
  }
  RETURN_IF_ERROR(finish_charged());
  for (const Submission& submission : submissions_) RETURN_IF_ERROR(publish(submission));
  log("run.open", {{"submissions", submissions_.size()}});
  const std::scoped_lock lock(submitting_);
  return record_.is_null() && closes_now() ? close_locked() : Status();
}

// Finds the cases of the run. Where several runs have the same ones, published or given, the random
// numbers of their policies are a function of the cases and of their order as well, so that one
// policy has one score.
Status Judge::find_pools() {
  const fs::path cases = folder_ / "judge" / "cases";
  if (settings_.paper_cases) {
    ASSIGN_OR_RETURN(pools_, published_pools(settings_.sizes));
  } else if (settings_.given_cases) {
    ASSIGN_OR_RETURN(pools_, read_pools(cases));
    if (ledger_.records().front().value("cases", "") != arena::digest_of(pools_)) {
      return failure("{}: these are not the cases with which the run began", cases.string());
    }
  } else {
    pools_ = draw_pools(*settings_.seed, settings_.sizes);
  }
  if (settings_.paper_cases || settings_.given_cases) {
    secret_ = hash_name(sha256_digest(arena::digest_of(pools_)));
  }
  return write_pools(pools_, cases);
}

// Before the agent is told anything. The ledger keeps the hash of the first time.
Status Judge::commit_to_cases() {
  const std::string revealed = revealed_cases(pools_, secret_);
  for (const Json& record : ledger_.records()) {
    if (record.value("event", "") == "commit") commitment_ = record.value("sha256", "");
  }
  if (!commitment_.empty()) return {};
  commitment_ = sha256(revealed);
  return ledger_.append({{"event", "commit"}, {"at", time_now()}, {"sha256", commitment_}});
}

Status Judge::stage_workspace() {
  RETURN_IF_ERROR(make_folders(workspace()));
  for (const char* name : {"checkpoints", "logs"}) {
    RETURN_IF_ERROR(make_folders(folder_ / name));
    std::error_code ignored;
    fs::permissions(folder_ / name, fs::perms::owner_all, ignored);
  }
  ASSIGN_OR_RETURN(files_, Workspace::open(workspace()));
  RETURN_IF_ERROR(files_->make_folder(settings_.program_folder()));
  RETURN_IF_ERROR(files_->make_folder("feedback"));
  if (settings_.protocol == Protocol::kSession) {
    RETURN_IF_ERROR(files_->write("TASK.md", task_text(card_, settings_, tools_.numpy)));
  }
  return files_->write("AGENTS.md", agent_rules(settings_.protocol));
}

Expected<std::vector<SystemFile>> Judge::read_program() const {
  auto folder = files_->open_folder(settings_.program_folder());
  if (!folder) return tl::make_unexpected(folder.error());
  return read_system(std::move(*folder));
}

// Completes the work of a judge that was killed or whose disk was full: plays the submissions that
// were charged, and publishes the feedback of those that were played.
Status Judge::finish_charged() {
  for (Submission& submission : submissions_) {
    if (!submission.summary) {
      log("submit.resume", {{"submit", submission.index}});
      ASSIGN_OR_RETURN(const auto files, read_system(checkpoint(submission.index)));
      RETURN_IF_ERROR(complete(submission, files));
    }
    if (is_there(draft(submission.index))) RETURN_IF_ERROR(publish(submission));
  }
  return {};
}

void Judge::log(const std::string& event, const Json& data) {
  Json line = {{"at", time_now()}, {"event", event}};
  line.update(data);
  const std::scoped_lock lock(state_lock_);
  std::ofstream(folder_ / "logs" / "harness.log", std::ios::app | std::ios::binary)
      << dump_json(line) << '\n';
}

// --- places and contexts ------------------------------------------------------------------------

fs::path Judge::checkpoint(int index) const {
  return folder_ / "checkpoints" / numbered("submit_", index, number_width(settings_.budget));
}
std::string Judge::feedback(int index) const {
  return "feedback/" + numbered("submit_", index, number_width(settings_.budget));
}
fs::path Judge::draft(int index) const {
  return folder_ / "judge" / numbered("feedback_", index, number_width(settings_.budget));
}

Expected<std::unique_ptr<Simulator>> Judge::make_simulator() const {
  return arena::make_simulator(settings_.env,
                               {.profile = settings_.profile, .packages = tools_.packages});
}

std::uint64_t Judge::policy_seed(std::string_view purpose, std::uint64_t index) const {
  return Rng({.seed = secret_, .purpose = hash_name(purpose), .index = index}).bits() >> 1;
}

PolicyContext Judge::context(const Submission& submission) const {
  const Json observations = schema(card_.observation_space);
  const Json actions = schema(card_.action_space);
  Json meta = {{"env", settings_.env},
               {"submit_index", submission.index},
               {"n_episodes_this_submit", submission.cases.size()},
               {"remaining_budget_after", submission.remaining_after},
               {"max_episode_steps", card_.max_episode_steps},
               {"allowed_imports", allowed_imports(tools_.numpy)},
               {"obs_space", observations},
               {"action_space", actions},
               {"obs_storage", is_stored_outside(card_.observation_space) ? "external" : "inline"}};
  if (!card_.reward_components.empty()) meta["reward_components"] = card_.reward_components;
  return {.obs_space = observations,
          .action_space = actions,
          .env_meta = std::move(meta),
          .seed = policy_seed("load", static_cast<std::uint64_t>(submission.index))};
}

// A session ends when its agent says so; v0's runs, when nothing more can be submitted.
bool Judge::closes_now() const {
  if (settings_.protocol == Protocol::kSession) return heldout_ || candidates_;
  return heldout_ || state().remaining_budget < settings_.minimum;
}

std::string Judge::digest_of(int submission) const {
  const std::scoped_lock lock(state_lock_);
  return submissions_.at(static_cast<std::size_t>(submission)).digest;
}

std::string Judge::feedback_name(int submission) const {
  return numbered("submit_", submission, number_width(settings_.budget));
}

// --- submissions --------------------------------------------------------------------------------

RunState Judge::state() const {
  const std::scoped_lock lock(state_lock_);
  RunState state{.remaining_budget = settings_.budget,
                 .submissions = static_cast<int>(submissions_.size()),
                 .finalized = !record_.is_null(),
                 .chosen = candidates_.has_value()};
  if (!submissions_.empty()) state.remaining_budget = submissions_.back().remaining_after;
  return state;
}

Json Judge::record() const {
  const std::scoped_lock lock(state_lock_);
  return record_;
}

void Judge::note_refusal(const std::string& status, const std::string& message) {
  log("submit.reject", {{"status", status}, {"message", message}});
}

std::optional<SubmitAnswer> Judge::refusal(const std::vector<std::int64_t>& cases) const {
  const RunState now = state();
  if (now.finalized || now.chosen) {
    return SubmitAnswer{.kind = SubmitAnswer::Kind::kClosed,
                        .status = "run_closed",
                        .message = "the run is closed; nothing can be submitted any more"};
  }
  const auto count = static_cast<std::int64_t>(cases.size());
  const int most = std::min(settings_.maximum, now.remaining_budget);
  if (count < settings_.minimum || count > most) {
    return refuse("budget_invalid",
                  fmt::format("{} episodes; a submission has {} to {}, and {} are left", count,
                              settings_.minimum, settings_.maximum, now.remaining_budget));
  }
  for (const std::int64_t each : cases) {
    if (each >= 0 && each < settings_.sizes.train) continue;
    return refuse("invalid_env_instance",
                  fmt::format("there is no instance {}; they are numbered 0 to {}", each,
                              settings_.sizes.train - 1));
  }
  return std::nullopt;
}

SubmitAnswer Judge::submit(const std::vector<std::int64_t>& cases) {
  const std::scoped_lock lock(submitting_);
  if (auto refused = refusal(cases)) {
    note_refusal(refused->status, refused->message);
    return *std::move(refused);
  }
  if (const Status finished = finish_charged(); !finished) return failed(finished.error());
  const auto files = read_program();
  if (!files) {
    note_refusal("snapshot_refused", files.error().message);
    return refuse("snapshot_refused", files.error().message);
  }
  const auto count = static_cast<int>(cases.size());
  Submission submission{.index = static_cast<int>(submissions_.size()),
                        .cases = cases,
                        .digest = digest(*files),
                        .charged_at = time_now(),
                        .remaining_after = state().remaining_budget - count};
  const Json charge = {{"event", "charge"},           {"submit", submission.index},
                       {"at", submission.charged_at}, {"cases", cases},
                       {"digest", submission.digest}, {"remaining", submission.remaining_after}};
  if (const Status kept =
          write_checkpoint(*files, dump_json(charge) + "\n", checkpoint(submission.index));
      !kept) {
    return failed(kept.error());
  }
  if (const Status charged = ledger_.append(charge); !charged) {
    std::error_code ignored;
    fs::remove_all(checkpoint(submission.index), ignored);
    return failed(charged.error());
  }
  {
    const std::scoped_lock state(state_lock_);
    submissions_.push_back(submission);
  }
  log("submit.start", {{"submit", submission.index}, {"cases", cases}});
  Status done = complete(submissions_.back(), *files);
  if (done) done = publish(submissions_.back());
  if (done && closes_now()) done = close_locked();
  if (!done) return failed(done.error());
  const Json& summary = *submissions_.back().summary;
  return {.kind = SubmitAnswer::Kind::kAccepted,
          .status = summary.value("status", ""),
          .message = summary.value("reason", ""),
          .index = submission.index,
          .summary = summary};
}

// Plays it and puts the result into the ledger; feedback lies complete in draft() by then.
Status Judge::complete(Submission& submission, const std::vector<SystemFile>& files) {
  std::error_code ignored;
  const fs::path folder = draft(submission.index);
  fs::remove_all(folder, ignored);
  RETURN_IF_ERROR(make_folders(folder));
  submission.first_episode = episodes_written_;
  const auto begin = Clock::now();
  const std::string started_at = time_now();
  ASSIGN_OR_RETURN(SubmissionResult result, evaluate(submission, files));
  prune_episodes(folder / "episodes", submission.first_episode, result.episodes.size());
  const SubmissionFacts facts{.index = submission.index,
                              .env = settings_.env,
                              .cases = submission.cases,
                              .first_episode = submission.first_episode,
                              .remaining_budget = submission.remaining_after,
                              .started_at = started_at,
                              .completed_at = time_now(),
                              .wall_seconds = seconds_since(begin)};
  Json summary = summary_of(facts, result, card_.reward_components);
  RETURN_IF_ERROR(replace_file(folder / "summary.json", summary.dump(2) + "\n"));
  FaultCounts faults = result.faults;
  for (const EpisodeResult& episode : result.episodes) faults.add(episode);
  std::string lines;
  for (const Json& line : result.errors) lines += dump_json(line) + "\n";
  if (!lines.empty()) RETURN_IF_ERROR(replace_file(folder / "errors.txt", lines));
  RETURN_IF_ERROR(ledger_.append({{"event", "finish"},
                                  {"submit", submission.index},
                                  {"episodes", result.episodes.size()},
                                  {"faults", to_json(faults)},
                                  {"summary", summary}}));
  log("submit.finish", {{"submit", submission.index},
                        {"status", result.status},
                        {"reason", result.reason},
                        {"mean_return", summary["mean_return"]}});
  const std::scoped_lock lock(state_lock_);
  episodes_written_ += static_cast<int>(result.episodes.size());
  submission.summary = std::move(summary);
  submission.faults = faults;
  return {};
}

// Gives the agent its feedback, whatever lies in its place; one that was given stays.
Status Judge::publish(const Submission& submission) const {
  if (!submission.summary) return {};
  const fs::path from = draft(submission.index);
  const std::string to = feedback(submission.index);
  if (is_there(from)) return files_->move_in(from, to);
  if (files_->is_file(to + "/summary.json")) return {};
  // The agent has removed it: the ledger still knows.
  return files_->write(to + "/summary.json", submission.summary->dump(2) + "\n");
}

Expected<SubmissionResult> Judge::evaluate(const Submission& submission,
                                           const std::vector<SystemFile>& files) {
  SubmissionResult result;
  const bool there = std::any_of(files.begin(), files.end(),
                                 [](const SystemFile& file) { return file.path == "policy.py"; });
  if (!there) {
    result.status = "missing_policy";
    result.reason = "there is no system/policy.py";
    result.errors = {error_line(result.status, "snapshot", result.reason)};
    result.faults.init = 1;
    return result;
  }
  RETURN_IF_ERROR(settings_.fresh_policy_per_episode ? play_apart(submission, files, result)
                                                     : play_in_order(submission, files, result));
  judge_episodes(result);
  return result;
}

namespace {

// Fails the submission of a policy that did not load.
void note_load_failure(const PolicyProcess& policy, SubmissionResult& result) {
  result.status = kLoadStatusNames.name(policy.load_status());
  result.reason = policy.load_error();
  result.errors = {error_line(result.status, "load", policy.load_error())};
  result.errors.back()["stdout"] = policy.load_output().out.substr(0, 4096);
  result.faults.init = 1;
}

void note_loss(const EpisodeResult& lost, std::size_t episode, SubmissionResult& result) {
  const PolicyFault& fault = *lost.fault;
  result.faults.add(lost);
  result.status = fault.kind == PolicyFault::Kind::kMemory ? "oom" : "rollout_timeout";
  result.reason = fault.what;
  result.errors = {error_line(result.status, fmt::format("episode {}", episode), fault.what)};
}

}  // namespace

Expected<EpisodeResult> Judge::play_training(const Submission& submission, Simulator& simulator,
                                             PolicyProcess& policy, int local) {
  const auto handle = static_cast<std::uint64_t>(submission.cases[static_cast<std::size_t>(local)]);
  const int number = submission.first_episode + local;
  EpisodeWriter writer(draft(submission.index) / "episodes" /
                           numbered("ep_", number, number_width(settings_.budget)),
                       card_);
  ASSIGN_OR_RETURN(EpisodeResult result, play_episode(simulator, policy,
                                                      {.case_seed = pools_.train[handle],
                                                       .index = local,
                                                       .policy_seed = policy_seed("train", handle),
                                                       .sink = &writer}));
  RETURN_IF_ERROR(writer.finish(result));
  result.output = {};
  return result;
}

// One policy sees all cases.
Status Judge::play_in_order(const Submission& submission, const std::vector<SystemFile>& files,
                            SubmissionResult& result) {
  const int count = static_cast<int>(submission.cases.size());
  ASSIGN_OR_RETURN(const auto simulator, make_simulator());
  const PolicySeats::Taken seat = seat_for_one_of(1);
  PolicyProcess policy(seat, files, context(submission), settings_.limits, tools_.numpy);
  if (policy.load_status() != LoadStatus::kOk) {
    note_load_failure(policy, result);
    return {};
  }
  for (int local = 0; local < count; ++local) {
    ASSIGN_OR_RETURN(EpisodeResult episode, play_training(submission, *simulator, policy, local));
    if (episode.lost()) {
      note_loss(episode, static_cast<std::size_t>(local), result);
      return {};
    }
    note_step_time(episode);
    result.episodes.push_back(std::move(episode));
  }
  return {};
}

void Judge::note_step_time(const EpisodeResult& episode) {
  if (episode.step_seconds <= 0) return;
  if (step_seconds_ == 0 || episode.step_seconds < step_seconds_) {
    step_seconds_ = episode.step_seconds;
  }
}

// The rule is that of training and of hidden cases, for a policy sees which core it has and whether
// it may stay awake.
PolicySeats::Taken Judge::seat_for_one_of(std::size_t at_a_time) const {
  return PolicySeats::Taken(*tools_.seats, has_quick_steps() ? at_a_time : players());
}

std::size_t Judge::players() const {
  const std::size_t seats = tools_.seats->size();
  return tools_.workers > 0 ? std::min(seats, static_cast<std::size_t>(tools_.workers)) : seats;
}

// Every episode has a new policy; several at a time.
Status Judge::play_apart(const Submission& submission, const std::vector<SystemFile>& files,
                         SubmissionResult& result) {
  const std::size_t count = submission.cases.size();
  std::vector<EpisodeResult> episodes(count);
  std::vector<SubmissionResult> notes(count);
  std::vector<Status> statuses(count);
  const PolicyContext told = context(submission);
  parallel_chunks(count, 1, tools_.workers, [&](std::size_t i, std::size_t) {
    const auto simulator = make_simulator();
    if (!simulator) {
      statuses[i] = tl::make_unexpected(simulator.error());
      return;
    }
    const PolicySeats::Taken seat(*tools_.seats);
    PolicyProcess policy(seat, files, told, settings_.limits, tools_.numpy);
    if (policy.load_status() != LoadStatus::kOk) return note_load_failure(policy, notes[i]);
    auto episode = play_training(submission, **simulator, policy, static_cast<int>(i));
    if (!episode) {
      statuses[i] = tl::make_unexpected(episode.error());
      return;
    }
    if (episode->lost()) note_loss(*episode, i, notes[i]);
    episodes[i] = std::move(*episode);
  });
  for (std::size_t i = 0; i < count; ++i) {
    RETURN_IF_ERROR(std::move(statuses[i]));
    if (notes[i].status != "ok") {  // the first counts, whatever came after it
      notes[i].episodes = std::move(result.episodes);
      result = std::move(notes[i]);
      return {};
    }
    result.episodes.push_back(std::move(episodes[i]));
  }
  return {};
}

// v0.1.0's program: an exception anywhere spoils all of it.
void Judge::judge_episodes(SubmissionResult& result) const {
  if (!settings_.strict_v0 || result.status != "ok") return;
  for (std::size_t i = 0; i < result.episodes.size(); ++i) {
    const auto& fault = result.episodes[i].fault;
    if (!fault) continue;
    result.status = "rollout_timeout";
    result.reason = "an exception in " + fault->where + " (--strict-v0)";
    result.errors.push_back(
        error_line(result.status, fmt::format("episode {}: {}", i, fault->where), fault->what));
  }
}

}  // namespace redqueen::arena
