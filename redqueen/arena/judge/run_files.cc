#include "redqueen/arena/judge/run_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <limits>
#include <string_view>
#include <system_error>

#include "redqueen/arena/judge/feedback.h"
#include "redqueen/arena/judge/json_fault.h"
#include "redqueen/arena/judge/snapshot.h"
#include "redqueen/arena/judge/workspace.h"
#include "redqueen/base/text_file.h"

namespace redqueen::arena {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostLines = 2000;
constexpr std::size_t kContext = 2;
constexpr std::size_t kMostCurves = 6;              // of observations
constexpr std::size_t kMostTrajectory = 64U << 20;  // bytes
constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

std::vector<std::string> split_lines(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

// Marked lines of a shortest edit, unchanged ones included.
std::vector<std::string> edit_script(const std::vector<std::string>& a,
                                     const std::vector<std::string>& b) {
  // common[i][j]: lines that a from i and b from j have in common.
  std::vector<std::vector<int>> common(a.size() + 1, std::vector<int>(b.size() + 1, 0));
  for (std::size_t i = a.size(); i-- > 0;) {
    for (std::size_t j = b.size(); j-- > 0;) {
      common[i][j] =
          a[i] == b[j] ? common[i + 1][j + 1] + 1 : std::max(common[i + 1][j], common[i][j + 1]);
    }
  }
  std::vector<std::string> script;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() || j < b.size()) {
    if (i < a.size() && j < b.size() && a[i] == b[j]) {
      script.push_back(" " + a[i++]);
      ++j;
    } else if (j == b.size() || (i < a.size() && common[i + 1][j] >= common[i][j + 1])) {
      script.push_back("-" + a[i++]);
    } else {
      script.push_back("+" + b[j++]);
    }
  }
  return script;
}

// Only what changed, with a few lines around it.
std::vector<std::string> without_the_rest(const std::vector<std::string>& script) {
  std::vector<bool> kept(script.size(), false);
  for (std::size_t i = 0; i < script.size(); ++i) {
    if (script[i].front() == ' ') continue;
    const std::size_t first = i > kContext ? i - kContext : 0;
    for (std::size_t k = first; k < std::min(i + kContext + 1, script.size()); ++k) kept[k] = true;
  }
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < script.size(); ++i) {
    if (kept[i]) lines.push_back(script[i]);
    if (!kept[i] && i > 0 && kept[i - 1]) lines.emplace_back(" …");
  }
  return lines;
}

double number_or_none(const Json& value) {
  return value.is_number() ? value.get<double>() : kNoNumber;
}

// Adds what was seen at the last step.
void add_observation(const Json& seen, Trajectory& episode) {
  const std::size_t steps = episode.steps.size();
  const bool is_drawn = seen.is_array() && seen.size() <= kMostCurves;
  for (std::size_t i = 0; is_drawn && i < seen.size(); ++i) {
    if (episode.observations.size() <= i) episode.observations.emplace_back(steps - 1, kNoNumber);
    episode.observations[i].push_back(number_or_none(seen[i]));
  }
  for (auto& line : episode.observations) line.resize(steps, kNoNumber);
}

Trajectory trajectory_of(std::string name, const std::string& lines) {
  Trajectory episode{.name = std::move(name), .steps = {}, .rewards = {}, .observations = {}};
  double sum = 0;
  for (const std::string& line : split_lines(lines)) {
    const auto step = parse_json(line);
    if (!step || !step->is_object()) continue;
    const double reward = number_or_none(step->value("reward", Json()));
    if (!std::isnan(reward)) sum += reward;
    episode.steps.push_back(number_or_none(step->value("t", Json())));
    episode.rewards.push_back(sum);
    add_observation(step->value("obs", Json()), episode);
  }
  return episode;
}

// The path of a submission's episodes in the workspace.
std::string episodes_path(int submit, int width) {
  return fmt::format("feedback/{}/episodes", numbered("submit_", submit, width));
}

Expected<std::string> trajectory_text(const Workspace& files, const std::string& episode) {
  return files.read(episode + "/trajectory.jsonl", kMostTrajectory);
}

// A submission that was charged; its result comes with another record of the ledger.
Json charged_entry(const Json& charge, int budget) {
  return {{"submit", charge.at("submit")},
          {"at", charge.at("at")},
          {"episodes", charge.at("cases").size()},
          {"budget_used", budget - charge.at("remaining").get<int>()},
          {"status", "playing"},
          {"mean_return", nullptr},
          {"best_so_far", nullptr}};
}

void finish_entry(const Json& summary, Json& entry) {
  entry["status"] = summary.at("status");
  entry["mean_return"] = summary.value("mean_return", Json());
  if (summary.contains("reason")) entry["reason"] = summary.at("reason");
}

Json open_record(const std::string& ledger) {
  Json record;
  for (const std::string& line : split_lines(ledger)) {
    const auto event = parse_json(line);
    if (!event || !event->is_object()) continue;  // a line that is being written
    const std::string kind = event->value("event", "");
    if (kind == "begin") {
      const Json& settings = event->at("settings");
      record = {{"env", settings.at("env")},
                {"status", "open"},
                {"score", nullptr},
                {"selected_submit", nullptr},
                {"begun_at", event->at("at")},
                {"settings", settings},
                {"cases", settings.at("paper_cases").get<bool>() ? "published"
                          : settings.value("given_cases", false) ? "given"
                                                                 : "drawn"},
                {"isolated", settings.value("isolated", false)},
                {"submissions", Json::array()}};
    } else if (kind == "charge") {
      record.at("submissions")
          .push_back(charged_entry(*event, record.at("settings").at("budget").get<int>()));
    } else if (kind == "finish") {
      finish_entry(event->at("summary"),
                   record.at("submissions").at(event->at("submit").get<std::size_t>()));
    }
  }
  return record;
}

}  // namespace

LineDiff diff_lines(const std::string& before, const std::string& after) {
  if (before == after) return {};
  const std::vector<std::string> a = split_lines(before);
  const std::vector<std::string> b = split_lines(after);
  if (a.size() > kMostLines || b.size() > kMostLines) {
    return {.added = static_cast<int>(b.size()),
            .removed = static_cast<int>(a.size()),
            .lines = {" (too long to be compared line by line)"}};
  }
  const std::vector<std::string> script = edit_script(a, b);
  const auto count = [&script](char mark) {
    return static_cast<int>(std::count_if(
        script.begin(), script.end(), [mark](const auto& line) { return line.front() == mark; }));
  };
  return {.added = count('+'), .removed = count('-'), .lines = without_the_rest(script)};
}

Expected<Json> record_of_run(const fs::path& run) {
  std::error_code ignored;
  if (!fs::exists(run / "run.json", ignored)) {
    return usage_error("{}: no closed run lies there (run.json is written when a run closes)",
                       run.string());
  }
  const fs::path path = run / "run.json";
  ASSIGN_OR_RETURN(const std::string text, read_text_file(path));
  auto record = parse_json(text);
  if (!record) {
    return failure("{}: this is no record of a run ({})", path.string(), record.error().message);
  }
  return record;
}

Expected<Json> record_of_open_run(const fs::path& run) {
  const fs::path path = run / "judge" / "ledger.jsonl";
  ASSIGN_OR_RETURN(const std::string ledger, read_text_file(path));
  try {
    Json record = open_record(ledger);
    if (!record.is_object()) return failure("{}: nothing has begun there", path.string());
    return record;
  } catch (const nlohmann::json::exception& error) {
    return failure("{}: this is no ledger of a run ({})", path.string(), json_fault(error));
  }
}

bool is_arena_run(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_regular_file(folder / "judge" / "ledger.jsonl", ignored) ||
         (fs::is_regular_file(folder / "run.json", ignored) &&
          fs::is_directory(folder / "checkpoints", ignored));
}

std::optional<std::int64_t> working_judge(const fs::path& run) {
  const int file = ::open((run / "judge" / "ledger.jsonl").c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  const bool asked = ::fcntl(file, F_GETLK, &lock) == 0;
  ::close(file);
  if (!asked || lock.l_type == F_UNLCK) return std::nullopt;
  return lock.l_pid;
}

Sources sources_of(const fs::path& run, int submit, int width) {
  Sources files;
  const auto read = read_system(run / "checkpoints" / numbered("submit_", submit, width));
  if (!read) return files;
  for (const SystemFile& file : *read) {
    if (file.path.ends_with(".py")) files[file.path] = file.bytes;
  }
  return files;
}

std::vector<FileChange> changes_of(const fs::path& run, int submit, int width) {
  const Sources after = sources_of(run, submit, width);
  const Sources before = submit > 0 ? sources_of(run, submit - 1, width) : Sources();
  Sources all = after;
  all.insert(before.begin(), before.end());
  std::vector<FileChange> changes;
  for (const auto& [path, ignored] : all) {
    const auto text_in = [&path = path](const Sources& files) {
      const auto found = files.find(path);
      return found != files.end() ? found->second : std::string();
    };
    LineDiff diff = diff_lines(text_in(before), text_in(after));
    if (!diff.lines.empty()) changes.push_back({path, std::move(diff)});
  }
  return changes;
}

std::vector<Trajectory> trajectories_of(const fs::path& run, int submit, int width,
                                        std::size_t most) {
  const auto files = Workspace::open(run / "workspace");
  if (!files) return {};
  const std::string folder = episodes_path(submit, width);
  std::vector<Trajectory> episodes;
  for (const std::string& name : files->names_in(folder)) {
    if (episodes.size() == most) break;
    const auto text = trajectory_text(*files, folder + "/" + name);
    if (!text) continue;
    Trajectory episode = trajectory_of(name, *text);
    if (!episode.steps.empty()) episodes.push_back(std::move(episode));
  }
  return episodes;
}

Expected<std::vector<Json>> actions_of(const fs::path& run, int submit, int width,
                                       const std::string& episode) {
  ASSIGN_OR_RETURN(const Workspace files, Workspace::open(run / "workspace"));
  const auto text = trajectory_text(files, episodes_path(submit, width) + "/" + episode);
  if (!text) {
    return failure("{}: there is no trajectory of {} any more in the feedback of submission {}",
                   run.string(), episode, submit);
  }
  std::vector<Json> actions;
  for (const std::string& line : split_lines(*text)) {
    const auto step = parse_json(line);
    if (!step || !step->is_object() || !step->contains("action")) {
      return failure("{}: line {} of the trajectory of {} is no step", run.string(),
                     actions.size() + 1, episode);
    }
    actions.push_back((*step)["action"]);
  }
  return actions;
}

Expected<Json> summary_of_submission(const fs::path& run, int submit) {
  const fs::path path = run / "judge" / "ledger.jsonl";
  ASSIGN_OR_RETURN(const std::string ledger, read_text_file(path));
  for (const std::string& line : split_lines(ledger)) {
    const auto event = parse_json(line);
    const bool finished = event && event->is_object() && event->value("event", "") == "finish";
    if (finished && event->value("submit", -1) == submit) return event->value("summary", Json());
  }
  return failure("{}: submission {} has not been finished", path.string(), submit);
}

}  // namespace redqueen::arena
