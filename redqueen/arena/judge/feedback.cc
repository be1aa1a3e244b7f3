#include "redqueen/arena/judge/feedback.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>

#include "redqueen/sandbox/outcome_text.h"

namespace redqueen::arena {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostInline = 1024;       // elements of an observation
constexpr std::size_t kMostOutput = 64U << 10;  // bytes of stdout.txt, of stderr.txt
constexpr std::size_t kArrayHead = 128;         // bytes before the elements of an .npy file

// NumPy's letter and size of an element: "<f4".
std::string type_code(ElementType type) {
  const std::size_t size = element_size(type);
  const std::string_view name = kElementTypeNames.name(type);
  const char letter = name.front() == 'b' ? 'b' : name.front();
  return fmt::format("{}{}{}", size == 1 ? '|' : '<', letter, size);
}

void write_text(const fs::path& path, std::string_view text) {
  std::ofstream(path, std::ios::binary) << sandbox::valid_utf8(text.substr(0, kMostOutput));
}

Json info_of(const Step& step) {
  Json info = step.simulator.info();
  info["steps"] = step.t + 1;
  if (step.repaired) info["action_invalid"] = true;
  return info;
}

Json null_or(bool present, Json value) { return present ? std::move(value) : Json(); }

}  // namespace

int number_width(int budget) {
  return std::max(3, static_cast<int>(fmt::formatted_size("{}", budget)));
}

std::string numbered(std::string_view prefix, int number, int width) {
  return fmt::format("{}{:0{}}", prefix, number, width);
}

bool is_stored_outside(const Space& observation_space) {
  const Box* box = std::get_if<Box>(&observation_space.form);
  return box != nullptr && element_count(box->shape) > kMostInline;
}

EpisodeWriter::EpisodeWriter(fs::path folder, const SimulatorCard& card)
    : folder_(std::move(folder)), card_(card), outside_(is_stored_outside(card.observation_space)) {
  std::error_code ignored;  // the files that cannot be made say so
  fs::create_directories(folder_, ignored);
  lines_.open(folder_ / "trajectory.jsonl", std::ios::binary);
  if (!outside_) return;
  arrays_.open(folder_ / "observations.npy", std::ios::binary);
  arrays_ << std::string(kArrayHead, ' ');
}

void EpisodeWriter::step(const Step& step) {
  Json line;
  line["t"] = step.t;
  line["obs"] = outside_ ? Json() : to_json(step.observation);
  line["action"] = to_json(step.action);
  line["reward"] = number_to_json(step.outcome.reward);
  line["terminated"] = step.outcome.terminated;
  line["truncated"] = step.outcome.truncated;
  line["info"] = info_of(step);
  if (!card_.reward_components.empty()) {
    Json& components = line["reward_components"] = Json::object();
    for (std::size_t i = 0; i < card_.reward_components.size(); ++i) {
      components[card_.reward_components[i]] = number_to_json(step.outcome.reward_components[i]);
    }
  }
  lines_ << dump_json(line) << '\n';
  if (outside_) append_array(std::get<Array>(step.observation.form));
}

void EpisodeWriter::append_array(const Array& array) {
  arrays_.write(reinterpret_cast<const char*>(array.bytes.data()),
                static_cast<std::streamsize>(array.bytes.size()));
  ++rows_;
}

// Format 1.0 of NumPy: magic, version, length of the head, the head as a Python dictionary.
void EpisodeWriter::write_array_head() {
  const Box& box = std::get<Box>(card_.observation_space.form);
  std::string head = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}, {}), }}",
                                 type_code(box.type), rows_, fmt::join(box.shape, ", "));
  head.resize(kArrayHead - 11, ' ');
  head.push_back('\n');
  arrays_.seekp(0);
  arrays_ << std::string("\x93NUMPY\x01\x00", 8) << static_cast<char>(head.size())
          << static_cast<char>(head.size() >> 8) << head;
}

Status EpisodeWriter::finish(const EpisodeResult& result) {
  if (outside_) {
    write_array_head();
    arrays_.close();
  }
  lines_.close();
  write_text(folder_ / "stdout.txt", result.output.out);
  write_text(folder_ / "stderr.txt", result.output.err);
  if (result.fault) {
    const Json line = {{"error", result.fault->where.empty() ? "ended" : result.fault->where},
                       {"t", result.fault_step.value_or(0)},
                       {"traceback", result.fault->what}};
    write_text(folder_ / "error.txt", dump_json(line) + "\n");
  }
  std::error_code error;
  const bool there = fs::exists(folder_ / "stderr.txt", error);
  if (!lines_ || (outside_ && !arrays_) || !there) {
    return failure("{}: cannot be written. Is the disk full?", folder_.string());
  }
  return {};
}

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

double deviation_of(const std::vector<double>& values) {
  const double mean = mean_of(values);
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return values.empty() ? 0 : std::sqrt(squares / static_cast<double>(values.size()));
}

Json summary_of(const SubmissionFacts& facts, const SubmissionResult& result,
                const std::vector<std::string>& components) {
  const bool ok = result.status == "ok";
  std::vector<double> returns;
  std::vector<int> lengths;
  std::vector<std::size_t> errors;
  for (std::size_t i = 0; ok && i < result.episodes.size(); ++i) {
    returns.push_back(result.episodes[i].total);
    lengths.push_back(result.episodes[i].length);
    if (result.episodes[i].fault) errors.push_back(i);
  }
  const bool any = !returns.empty();
  const double steps = mean_of({lengths.begin(), lengths.end()});
  Json summary = {
      {"schema_version", "0.1"},
      {"submit_index", facts.index},
      {"env", facts.env},
      {"status", result.status},
      {"n_episodes", facts.cases.size()},
      {"first_global_episode", null_or(ok, facts.first_episode)},
      {"env_instances", facts.cases},
      {"remaining_budget", facts.remaining_budget},
      {"submit_started_at", facts.started_at},
      {"submit_completed_at", facts.completed_at},
      {"wall_time_seconds", facts.wall_seconds},
      {"returns", null_or(ok, returns)},
      {"mean_return", null_or(any, mean_of(returns))},
      {"std_return", null_or(any, deviation_of(returns))},
      {"min_return", null_or(any, any ? *std::min_element(returns.begin(), returns.end()) : 0)},
      {"max_return", null_or(any, any ? *std::max_element(returns.begin(), returns.end()) : 0)},
      {"episode_lengths", null_or(ok, lengths)},
      {"mean_episode_length", null_or(any, steps)},
      {"timeouts", null_or(ok, Json::array())},
      {"errors", null_or(ok, errors)}};
  if (!result.reason.empty()) summary["reason"] = result.reason;
  if (!ok || components.empty()) return summary;
  for (std::size_t i = 0; i < components.size(); ++i) {
    std::vector<double> sums;
    for (const EpisodeResult& episode : result.episodes) sums.push_back(episode.components[i]);
    summary["reward_components_mean"][components[i]] = mean_of(sums);
    summary["reward_components_per_episode"][components[i]] = sums;
  }
  return summary;
}

std::string time_now() {
  const auto now = std::chrono::system_clock::now();
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  const auto milliseconds =
      std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000;
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", utc.tm_year + 1900,
                     utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec,
                     milliseconds);
}

}  // namespace redqueen::arena
