#include "redqueen/watch/arena_views.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>

#include "redqueen/arena/judge/feedback.h"
#include "redqueen/arena/judge/run_files.h"
#include "redqueen/base/text_file.h"
#include "redqueen/watch/readable.h"

namespace redqueen::watch {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kEpisodesShown = 3;
constexpr std::size_t kMostLinePoints = 1000;  // of a line of an episode

bool is_closed(const RunPlace& run) {
  std::error_code ignored;
  return fs::exists(run.folder / "run.json", ignored);
}

Expected<Json> record_of(const RunPlace& run) {
  return is_closed(run) ? arena::record_of_run(run.folder) : arena::record_of_open_run(run.folder);
}

std::string arena_state_of(const RunPlace& run) {
  const RunState state = is_closed(run)                     ? RunState::kFinished
                         : arena::working_judge(run.folder) ? RunState::kRunning
                                                            : RunState::kStopped;
  return std::string(kRunStates.name(state));
}

// Seconds since 1970 at which the run's files moved last; null if that is not known.
Json time_of(const RunPlace& run) {
  std::error_code error;
  const fs::path file =
      is_closed(run) ? run.folder / "run.json" : run.folder / "judge" / "ledger.jsonl";
  const auto written = fs::last_write_time(file, error);
  if (error) return nullptr;
  const auto since = std::chrono::file_clock::to_sys(written).time_since_epoch();
  return std::chrono::duration_cast<std::chrono::duration<double>>(since).count();
}

Json used_budget(const Json& record) {
  const Json& submissions = record.at("submissions");
  return submissions.empty() ? Json(0) : submissions.back().at("budget_used");
}

// `work` on a record that may be anybody's file.
template <typename Work>
Expected<Json> guarded(const RunPlace& run, Work work) {
  try {
    ASSIGN_OR_RETURN(const Json record, record_of(run));
    return work(record);
  } catch (const nlohmann::json::exception& error) {
    return failure("{}: this is no record of a run ({})", run.name, error.what());
  }
}

// The edits that `redqueen arena report` has sorted into kinds; null: it was not called, or keeps
// its page elsewhere.
Json diagnosis_of(const RunPlace& run) {
  const auto text = read_text_file(run.folder / "report" / "diagnosis.json");
  if (!text) return nullptr;
  auto diagnosis = parse_json(*text);
  return diagnosis ? readable_json(*diagnosis) : Json(nullptr);
}

// Lines of a screen's width: of longer ones every so manieth value.
Json line_json(const std::vector<double>& values) {
  const std::size_t stride = (values.size() + kMostLinePoints - 1) / kMostLinePoints;
  Json line = Json::array();
  for (std::size_t i = 0; i < values.size(); i += stride)
    line.push_back(std::isfinite(values[i]) ? Json(values[i]) : Json(nullptr));
  return line;
}

Json episode_json(const arena::Trajectory& episode) {
  Json observations = Json::array();
  for (const auto& line : episode.observations) observations.push_back(line_json(line));
  return {{"name", readable(episode.name)},
          {"length", episode.steps.size()},
          {"steps", line_json(episode.steps)},
          {"rewards", line_json(episode.rewards)},
          {"observations", std::move(observations)}};
}

Json change_json(const arena::FileChange& change) {
  Json lines = Json::array();
  for (const std::string& line : change.diff.lines) lines.push_back(readable(line));
  return {{"path", readable(change.path)},
          {"added", change.diff.added},
          {"removed", change.diff.removed},
          {"lines", std::move(lines)}};
}

}  // namespace

Json arena_summary(const RunPlace& run) {
  Json summary{{"name", run.name}, {"kind", "arena"}, {"recipe", "arena"}};
  const auto known = guarded(run, [&](const Json& record) {
    return Json{{"recipe", "arena " + readable(record.at("env").get<std::string>())},
                {"state", arena_state_of(run)},
                {"step", used_budget(record)},
                {"steps", record.at("settings").at("budget")},
                {"seconds", nullptr},
                {"updated", time_of(run)},
                {"reward", record.at("score")},
                {"solved", nullptr}};
  });
  if (known) {
    summary.update(*known);
  } else {
    summary["error"] = readable(known.error().message);
  }
  return summary;
}

Expected<Json> arena_view(const RunPlace& run) {
  return guarded(run, [&](const Json& record) {
    const Json& settings = record.at("settings");
    return Json{{"name", run.name},
                {"state", arena_state_of(run)},
                {"environment", readable_json(record.at("env"))},
                {"status", readable_json(record.at("status"))},
                {"score", record.at("score")},
                {"selected", record.at("selected_submit")},
                {"cases", readable_json(record.at("cases"))},
                {"budget", settings.at("budget")},
                {"used", used_budget(record)},
                {"submissions", readable_json(record.at("submissions"))},
                {"diagnosis", diagnosis_of(run)}};
  });
}

Expected<Json> submission_view(const RunPlace& run, std::int64_t submit) {
  return guarded(run, [&](const Json& record) -> Expected<Json> {
    const auto count = static_cast<std::int64_t>(record.at("submissions").size());
    if (submit < 0 || submit >= count)
      return usage_error("{} has {} submissions, and no {}", run.name, count, submit);
    const int width = arena::number_width(record.at("settings").at("budget").get<int>());
    const int number = static_cast<int>(submit);
    Json changes = Json::array();
    for (const auto& change : arena::changes_of(run.folder, number, width))
      changes.push_back(change_json(change));
    Json episodes = Json::array();
    for (const auto& episode : arena::trajectories_of(run.folder, number, width, kEpisodesShown))
      episodes.push_back(episode_json(episode));
    return Json{
        {"submit", submit}, {"changes", std::move(changes)}, {"episodes", std::move(episodes)}};
  });
}

}  // namespace redqueen::watch
