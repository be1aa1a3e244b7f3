#include "redqueen/arena/judge/run_settings.h"

#include "redqueen/arena/judge/json_fault.h"

namespace redqueen::arena {

Status check(const RunSettings& settings) {
  if (settings.budget < 1)
    return usage_error("the budget is {} episodes; at least 1", settings.budget);
  if (settings.minimum < 1 || settings.minimum > settings.maximum ||
      settings.minimum > settings.budget) {
    return usage_error(
        "a submission has {} to {} episodes of a budget of {}; expected 1 <= minimum <= maximum, "
        "and "
        "no minimum above the budget",
        settings.minimum, settings.maximum, settings.budget);
  }
  const PoolSizes& sizes = settings.sizes;
  if (sizes.train < 1 || sizes.validation < 1 || sizes.heldout < 1 || sizes.train > 1'000'000 ||
      sizes.validation > 1'000'000 || sizes.heldout > 1'000'000) {
    return usage_error("the pools hold {}, {} and {} cases; each holds 1 to 1,000,000", sizes.train,
                       sizes.validation, sizes.heldout);
  }
  if (settings.paper_cases && !settings.cases_folder.empty()) {
    return usage_error("the cases are either the public ones or those of {}, not both",
                       settings.cases_folder.string());
  }
  if (settings.require_budget && settings.protocol != Protocol::kSession) {
    return usage_error("only sessions can end early: v0 uses the whole budget anyway");
  }
  const PolicyLimits& limits = settings.limits;
  if (!(limits.load_seconds > 0 && limits.step_seconds > 0 && limits.episode_seconds > 0)) {
    return usage_error("a limit of time is not above 0 seconds");
  }
  return {};
}

Json to_json(const RunSettings& settings) {
  const PolicyLimits& limits = settings.limits;
  return {{"env", settings.env},
          {"profile", settings.profile},
          {"budget", settings.budget},
          {"minimum", settings.minimum},
          {"maximum", settings.maximum},
          {"train", settings.sizes.train},
          {"validation", settings.sizes.validation},
          {"heldout", settings.sizes.heldout},
          {"paper_cases", settings.paper_cases},
          {"given_cases", settings.given_cases},
          {"seeded", settings.seed.has_value()},
          {"strict_v0", settings.strict_v0},
          {"fresh_policy_per_episode", settings.fresh_policy_per_episode},
          {"one_hidden_instance", settings.one_hidden_instance},
          {"protocol", kProtocolNames.name(settings.protocol)},
          {"require_budget", settings.require_budget},
          {"isolated", settings.isolated},
          {"load_seconds", limits.load_seconds},
          {"step_seconds", limits.step_seconds},
          {"episode_seconds", limits.episode_seconds},
          {"memory_bytes", limits.memory_bytes},
          {"output_bytes", limits.output_bytes}};
}

Expected<RunSettings> run_settings_from_json(const Json& json) {
  RunSettings settings;
  try {
    settings.env = json.at("env").get<std::string>();
    settings.profile = json.at("profile").get<std::string>();
    settings.budget = json.at("budget").get<int>();
    settings.minimum = json.at("minimum").get<int>();
    settings.maximum = json.at("maximum").get<int>();
    settings.sizes = {.train = json.at("train").get<int>(),
                      .validation = json.at("validation").get<int>(),
                      .heldout = json.at("heldout").get<int>()};
    settings.paper_cases = json.at("paper_cases").get<bool>();
    settings.given_cases = json.value("given_cases", false);
    settings.strict_v0 = json.at("strict_v0").get<bool>();
    settings.fresh_policy_per_episode = json.at("fresh_policy_per_episode").get<bool>();
    // Runs of earlier versions lack the field; they were played by one instance.
    settings.one_hidden_instance = json.value("one_hidden_instance", true);
    const auto protocol = kProtocolNames.find(json.value("protocol", "v0"));
    if (!protocol) return failure("the run has a protocol that this program does not know");
    settings.protocol = *protocol;
    settings.require_budget = json.value("require_budget", false);
    settings.isolated = json.value("isolated", false);  // runs of earlier versions were open
    settings.limits = {.load_seconds = json.at("load_seconds").get<double>(),
                       .step_seconds = json.at("step_seconds").get<double>(),
                       .episode_seconds = json.at("episode_seconds").get<double>(),
                       .memory_bytes = json.at("memory_bytes").get<std::uint64_t>(),
                       .output_bytes = json.at("output_bytes").get<std::uint64_t>()};
  } catch (const nlohmann::json::exception& error) {
    return failure("the settings of the run are damaged ({})", json_fault(error));
  }
  RETURN_IF_ERROR(check(settings));
  return settings;
}

}  // namespace redqueen::arena
