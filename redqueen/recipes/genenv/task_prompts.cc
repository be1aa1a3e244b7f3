#include "redqueen/recipes/genenv/task_prompts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <map>

namespace redqueen::genenv {
namespace {

// A level that fits the agent as if by chance: it solves easy levels, and ever fewer of the others.
MeasuredSuccess invented_success(const std::string& environment, int highest, Rng& rng) {
  MeasuredSuccess success(1);
  const std::int64_t known = rng.integer(-1, highest);
  const double reach = rng.real(0, highest + 1.0);
  for (int level = 0; level <= known; ++level) {
    constexpr std::int64_t kAttempts = 20;
    const double share = 1 / (1 + std::exp(level - reach));
    Tally tally{.attempts = kAttempts};
    for (std::int64_t i = 0; i < kAttempts; ++i) tally.successes += rng.chance(share) ? 1 : 0;
    success.add(environment, level, tally);
  }
  return success;
}

}  // namespace

Expected<TaskPrompts> TaskPrompts::load(const GenEnvSettings& genenv, const Resources& resources) {
  const auto folder = resources.given_or_found(genenv.prompts);
  ASSIGN_OR_RETURN(auto environment, synth::PromptTemplate::load(folder / "environment.txt"));
  ASSIGN_OR_RETURN(auto explore, synth::PromptTemplate::load(folder / "explore.txt"));
  return TaskPrompts(std::move(environment), std::move(explore));
}

Expected<std::string> TaskPrompts::write(const Task& seed, const TaskBuilder& builder,
                                         const MeasuredSuccess& success,
                                         std::optional<int> wanted) const {
  const std::string environment(seed.environment->name());
  const int highest = builder.highest_level(*seed.environment);
  std::map<std::string, std::string> values;
  const synth::PromptTemplate& text = wanted ? explore_ : environment_;
  for (const std::string& name : text.names()) {
    if (name == "environment") {
      values[name] = environment;
    } else if (name == "level") {
      values[name] = seed.description.level ? std::to_string(*seed.description.level) : "?";
    } else if (name == "description") {
      values[name] = dump_json(seed.description.to_json());
    } else if (name == "statement") {
      values[name] = seed.problem->prompt();
    } else if (name == "highest") {
      values[name] = std::to_string(highest);
    } else if (name == "percent") {
      values[name] = success.in_percent(environment, highest);
    } else if (name == "tenths") {
      values[name] = success.in_tenths(environment, highest);
    } else if (name == "environments") {
      std::vector<std::string_view> names;
      for (const Environment* one : builder.environments()) names.push_back(one->name());
      values[name] = fmt::format("{}", fmt::join(names, ", "));
    } else if (name == "wanted" && wanted) {
      values[name] = std::to_string(*wanted);
    }
  }
  return text.fill(values);
}

Expected<std::vector<TextPair>> task_corpus(const TaskPrompts& prompts, const TaskBuilder& builder,
                                            const PromptFormat& format,
                                            const TaskCorpusOptions& options) {
  std::vector<TextPair> pairs;
  for (int i = 0; i < options.pairs; ++i) {
    const RandomAddress address{.purpose = hash_name("genenv/corpus"),
                                .index = options.first + static_cast<std::uint64_t>(i)};
    Rng rng(address);
    const Environment& environment = *rng.choice(builder.environments());
    const int highest = builder.highest_level(environment);
    TaskDescription seed{.environment = std::string(environment.name()),
                         .level = static_cast<int>(rng.integer(0, highest))};
    const auto task =
        builder.build(seed, {.purpose = hash_name("genenv/corpus/seed"), .index = address.index});
    if (!task) continue;
    const MeasuredSuccess success = invented_success(seed.environment, highest, rng);
    const int level = static_cast<int>(rng.integer(0, highest));
    const bool exploring = rng.chance(options.exploring);
    ASSIGN_OR_RETURN(const std::string prompt,
                     prompts.write(*task, builder, success,
                                   exploring ? std::optional<int>(level) : std::nullopt));
    seed.level = level;
    pairs.push_back({format.render(prompt), dump_json(seed.to_json())});
  }
  return pairs;
}

}  // namespace redqueen::genenv
