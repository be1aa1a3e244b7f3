#include "redqueen/train/batch_file.h"

#include <cmath>
#include <fstream>
#include <string_view>

#include "redqueen/base/json.h"

namespace redqueen {
namespace {

std::string_view name_of(AdvantageRule rule) {
  switch (rule) {
    case AdvantageRule::kGroupNormalised:
      return "grpo";
    case AdvantageRule::kGroupMean:
      return "dr_grpo";
    case AdvantageRule::kBatchNormalised:
      return "reinforce++";
    case AdvantageRule::kRoleTaskNormalised:
      return "trr++";
    case AdvantageRule::kWeight:
      return "weight";
  }
  return "unknown";
}

Json number(double value) {
  if (std::isfinite(value)) return value;
  if (std::isnan(value)) return "nan";
  return value > 0 ? "inf" : "-inf";
}

Json rollout_json(const ScoredRollout& rollout) {
  Json log_probs = Json::array();
  for (const float log_prob : rollout.completion.log_probs) log_probs.push_back(number(log_prob));
  Json json{{"reward", number(rollout.reward)},   {"solved", rollout.solved},
            {"well_formed", rollout.well_formed}, {"tokens", rollout.completion.tokens},
            {"log_probs", std::move(log_probs)},  {"text", rollout.completion.text}};
  for (const TokenRun& run : rollout.given) json["given"].push_back({run.begin, run.end});
  return json;
}

Status close_batch(std::ofstream& out, const std::filesystem::path& file) {
  out.close();
  if (!out) return failure("{}: the batch cannot be written. Is the disk full?", file.string());
  return {};
}

}  // namespace

Status write_batch(const std::filesystem::path& file, std::span<const ScoredGroup> groups) {
  std::ofstream out(file, std::ios::binary);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const ScoredGroup& group = groups[g];
    Json rollouts = Json::array();
    for (const ScoredRollout& rollout : group.rollouts) rollouts.push_back(rollout_json(rollout));
    out << dump_json(Json{{"group", g},
                          {"role", group.role},
                          {"task", group.task},
                          {"rule", name_of(group.rule)},
                          {"loss_weight", number(group.loss_weight)},
                          {"prompt", group.prompt},
                          {"rollouts", std::move(rollouts)}})
        << '\n';
  }
  return close_batch(out, file);
}

Status write_batch(const std::filesystem::path& file, std::span<const TokenGroup> groups,
                   const Tokenizer& tokenizer) {
  std::ofstream out(file, std::ios::binary);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    Json targets = Json::array();
    for (const std::vector<Token>& target : groups[g].responses)
      targets.push_back({{"tokens", target}, {"text", tokenizer.decode(target)}});
    out << dump_json(Json{{"group", g},
                          {"prompt", groups[g].prompt},
                          {"prompt_text", tokenizer.decode(groups[g].prompt)},
                          {"targets", std::move(targets)}})
        << '\n';
  }
  return close_batch(out, file);
}

}  // namespace redqueen
