#include "redqueen/arena/judge/replay.h"

#include <algorithm>
#include <cmath>
#include <exception>

#include "redqueen/arena/environments/hosted.h"
#include "redqueen/arena/judge/animation.h"
#include "redqueen/arena/judge/case_pools.h"
#include "redqueen/arena/judge/feedback.h"
#include "redqueen/arena/judge/json_fault.h"
#include "redqueen/arena/judge/run_files.h"
#include "redqueen/arena/policies/action_repair.h"
#include "redqueen/base/text_file.h"

namespace redqueen::arena {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostPictures = 60;
constexpr std::int64_t kMostWidth = 320;  // pixels
constexpr int kMilliseconds = 100;        // that a picture is shown

// What the judge knows of an episode.
struct PlayedEpisode {
  std::string name;
  std::uint64_t seed = 0;
  double total = 0;
  int steps = 0;
};

std::vector<PlayedEpisode> episodes_of(const Json& summary, const std::vector<std::uint64_t>& cases,
                                       int width) {
  std::vector<PlayedEpisode> episodes;
  episodes.reserve(summary.at("returns").size());
  const int first = summary.at("first_global_episode").get<int>();
  for (std::size_t i = 0; i < summary.at("returns").size(); ++i) {
    episodes.push_back({.name = numbered("ep_", first + static_cast<int>(i), width),
                        .seed = cases.at(summary.at("env_instances").at(i).get<std::size_t>()),
                        .total = summary.at("returns").at(i).get<double>(),
                        .steps = summary.at("episode_lengths").at(i).get<int>()});
  }
  return episodes;
}

// Not to the last bit: some rewards differ there with the processor (docs/arena-environments.md).
bool is_same_return(double a, double b) {
  return std::abs(a - b) <= 1e-6 * std::max(1.0, std::abs(b));
}

Expected<Replay> replay(DrawingSimulator& simulator, const PlayedEpisode& episode,
                        const std::vector<Json>& actions) {
  std::vector<Array> pictures;
  const auto draw = [&]() -> Status {
    ASSIGN_OR_RETURN(const Array picture, simulator.picture());
    pictures.push_back(shrunk(picture, kMostWidth));
    return {};
  };
  const std::size_t stride = actions.size() / kMostPictures + 1;
  Transition now;
  RETURN_IF_ERROR(simulator.reset(episode.seed, now));
  RETURN_IF_ERROR(draw());
  double total = 0;
  std::size_t steps = 0;
  while (steps < actions.size() && !now.done()) {
    ASSIGN_OR_RETURN(const Value action, value_from_json(actions[steps]));
    RETURN_IF_ERROR(
        simulator.step(repair_action(simulator.card().action_space, action).action, now));
    total += now.reward;
    if (++steps % stride == 0 || steps == actions.size()) RETURN_IF_ERROR(draw());
  }
  const auto asked = static_cast<std::size_t>(episode.steps);
  if (actions.size() != asked || steps != asked || !is_same_return(total, episode.total)) {
    return failure(
        "{}: {} steps that earn {:g} are there to be played again, but the judge saw {} that "
        "earned {:g}. Its feedback was changed, or other packages are installed now.",
        episode.name, steps, total, episode.steps, episode.total);
  }
  const bool alike = std::all_of(pictures.begin(), pictures.end(), [&](const Array& picture) {
    return picture.shape == pictures[0].shape;
  });
  if (!alike) return failure("{}: its pictures differ in size", episode.name);
  return Replay{.name = episode.name,
                .total = episode.total,
                .steps = episode.steps,
                .png = animated_png(pictures, kMilliseconds)};
}

// The best and the worst; throws what a record that is none makes the JSON library throw.
Expected<std::vector<PlayedEpisode>> shown_episodes(const fs::path& run, int submit, int width) {
  ASSIGN_OR_RETURN(const Json summary, summary_of_submission(run, submit));
  ASSIGN_OR_RETURN(const std::string pool, read_text_file(run / "judge" / "cases" / "train.json"));
  ASSIGN_OR_RETURN(const auto cases, read_pool(pool));
  const std::vector<PlayedEpisode> episodes = episodes_of(summary, cases, width);
  if (episodes.empty()) return episodes;
  const auto [worst, best] = std::minmax_element(
      episodes.begin(), episodes.end(),
      [](const PlayedEpisode& a, const PlayedEpisode& b) { return a.total < b.total; });
  std::vector<PlayedEpisode> shown = {*best};
  if (worst->total < best->total) shown.push_back(*worst);
  return shown;
}

Expected<std::vector<Replay>> replay_shown(const fs::path& run, const Json& record,
                                           SimulatorSettings settings) {
  std::vector<Replay> replays;
  if (!record.at("selected_submit").is_number()) return replays;
  const int submit = record.at("selected_submit").get<int>();
  const int width = number_width(record.at("settings").at("budget").get<int>());
  ASSIGN_OR_RETURN(const auto shown, shown_episodes(run, submit, width));
  settings.profile = record.at("settings").at("profile").get<std::string>();
  for (const PlayedEpisode& episode : shown) {
    // A new one for each: some environments keep something of the episode before.
    ASSIGN_OR_RETURN(const auto simulator,
                     make_drawing_simulator(record.at("env").get<std::string>(), settings));
    ASSIGN_OR_RETURN(const auto actions, actions_of(run, submit, width, episode.name));
    ASSIGN_OR_RETURN(Replay done, replay(*simulator, episode, actions));
    replays.push_back(std::move(done));
  }
  return replays;
}

}  // namespace

Expected<std::vector<Replay>> replay_best_and_worst(const fs::path& run, const Json& record,
                                                    SimulatorSettings settings) {
  try {
    return replay_shown(run, record, std::move(settings));
  } catch (const std::exception& error) {  // of the JSON library, or of a place that is not there
    return failure("{}: this is no record of a run ({})", run.string(), json_fault(error));
  }
}

}  // namespace redqueen::arena
