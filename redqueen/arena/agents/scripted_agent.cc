#include "redqueen/arena/agents/scripted_agent.h"

#include <algorithm>
#include <numeric>

#include "redqueen/arena/embedded_files.h"
#include "redqueen/base/rng.h"

namespace redqueen::arena {
namespace {

constexpr std::size_t kConstants = 24;
constexpr double kExplore = 0.35;  // of the submissions begin anew instead of near the best
constexpr double kStep = 0.4;

using Constants = std::vector<double>;

Constants draw(Rng& rng, const Constants& best) {
  Constants drawn(kConstants);
  const bool anew = best.empty() || rng.chance(kExplore);
  for (std::size_t i = 0; i < kConstants; ++i) {
    drawn[i] = anew ? rng.normal() : best[i] + kStep * rng.normal();
  }
  return drawn;
}

Status write_program(const Judge& judge, std::string_view text) {
  return judge.files().write(std::string(judge.settings().program_folder()) + "/policy.py", text);
}

Status write_policy(const Judge& judge, const Constants& constants) {
  std::string text(scripted_policy_source());
  const std::string empty = "CONSTANTS = []";
  text.replace(text.find(empty), empty.size(),
               fmt::format("CONSTANTS = [{:.6f}]", fmt::join(constants, ", ")));
  return write_program(judge, text);
}

// The mean return of the policy in the workspace over `count` training cases.
Expected<double> mean_of_submission(Judge& judge, bool numpy, int count) {
  std::vector<int> cases(static_cast<std::size_t>(count));
  const int most = judge.settings().sizes.train;
  for (int i = 0; i < count; ++i) cases[static_cast<std::size_t>(i)] = i % most;
  const V0Answer answer =
      answer_v0(judge, "POST", "/submit", dump_json({{"env_instances", cases}}), numpy);
  ASSIGN_OR_RETURN(const Json body, parse_json(answer.body));
  if (answer.code != 200 || body["status"] != "ok") {
    return failure("the scripted agent's submission failed: {}", answer.body.substr(0, 400));
  }
  return body["summary"]["mean_return"].get<double>();
}

}  // namespace

Status run_scripted_agent(const ScriptedAgent& agent, Judge& judge, bool numpy,
                          const std::atomic<bool>& stop) {
  const RunSettings& settings = judge.settings();
  Constants best;
  double best_mean = 0;
  for (RunState state = judge.state(); !state.finalized && !stop; state = judge.state()) {
    Rng rng({.seed = agent.seed,
             .purpose = hash_name("scripted agent"),
             .index = static_cast<std::uint64_t>(state.submissions)});
    const Constants drawn = draw(rng, best);
    RETURN_IF_ERROR(write_policy(judge, drawn));
    // The rest of the budget must suffice for a submission, or all of it goes into this one.
    int count = std::clamp(agent.episodes, settings.minimum, settings.maximum);
    const int left = state.remaining_budget - count;
    if (left < settings.minimum) count = std::min(state.remaining_budget, settings.maximum);
    ASSIGN_OR_RETURN(const double mean, mean_of_submission(judge, numpy, count));
    if (best.empty() || mean > best_mean) {
      best = drawn;
      best_mean = mean;
    }
    if (agent.on_submission) agent.on_submission(state.submissions, mean, best_mean);
  }
  return {};
}

Status submit_random_policy(Judge& judge) {
  if (judge.state().submissions > 0 || judge.state().finalized) return {};
  RETURN_IF_ERROR(write_program(judge, random_policy_source()));
  std::vector<std::int64_t> cases(static_cast<std::size_t>(judge.settings().minimum));
  for (std::size_t i = 0; i < cases.size(); ++i) {
    cases[i] = static_cast<std::int64_t>(i) % judge.settings().sizes.train;
  }
  const SubmitAnswer answer = judge.submit(cases);
  if (answer.kind == SubmitAnswer::Kind::kAccepted && answer.status == "ok") return {};
  return failure("the random policy cannot be played: {} {}", answer.status, answer.message);
}

}  // namespace redqueen::arena
