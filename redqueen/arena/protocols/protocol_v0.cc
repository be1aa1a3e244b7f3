#include "redqueen/arena/protocols/protocol_v0.h"

#include <charconv>
#include <optional>

#include "redqueen/arena/judge/task_text.h"

namespace redqueen::arena {
namespace {

constexpr std::string_view kVersion = "protocol/v2.0-draft";

V0Answer json_answer(int code, const Json& body) {
  return {.code = code, .type = "application/json", .body = dump_json(body)};
}

V0Answer complaint(int code, std::string_view status, const std::string& message) {
  return json_answer(code, {{"error", {{"message", message}}}, {"status", status}});
}

std::optional<std::int64_t> number(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || value < 0) {
    return std::nullopt;
  }
  return value;
}

tl::unexpected<Error> too_many(std::int64_t most) {
  return usage_error("more than {} instances are named", most);
}

Expected<std::vector<std::int64_t>> read_ranges(std::string_view text, std::int64_t most) {
  std::vector<std::int64_t> cases;
  while (true) {
    const std::size_t comma = text.find(',');
    const std::string_view part = text.substr(0, comma);
    const std::size_t dash = part.find('-');
    const auto first = number(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : number(part.substr(dash + 1));
    if (!first || !last || *last < *first) {
      return usage_error(R"("{}" names no instances; expected numbers and ranges as in "7-10,16")",
                         part.substr(0, 40));
    }
    if (*last - *first >= most - static_cast<std::int64_t>(cases.size())) return too_many(most);
    for (std::int64_t i = *first; i <= *last; ++i) cases.push_back(i);
    if (comma == std::string_view::npos) return cases;
    text.remove_prefix(comma + 1);
  }
}

Json info(const Judge& judge, bool numpy) {
  const RunState state = judge.state();
  const RunSettings& settings = judge.settings();
  const SimulatorCard& card = judge.card();
  Json versions = Json::object();
  for (const auto& [package, version] : card.versions) versions[package] = version;
  Json meta = {{"env", settings.env},
               {"env_version", versions},
               {"n_env_instances", settings.sizes.train},
               {"max_episode_steps", card.max_episode_steps},
               {"obs_space", schema(card.observation_space)},
               {"action_space", schema(card.action_space)},
               {"obs_storage", is_stored_outside(card.observation_space) ? "external" : "inline"}};
  if (!card.reward_components.empty()) meta["reward_components"] = card.reward_components;
  const PolicyLimits& limits = settings.limits;
  return {{"allowed_imports", allowed_imports(numpy)},
          {"case_commitment", judge.commitment()},
          {"denied_imports", Json::array()},
          {"env_meta", meta},
          {"episode_budget", settings.budget},
          {"max_episodes_per_submit", settings.maximum},
          {"min_episodes_per_submit", settings.minimum},
          {"protocol_version", kVersion},
          {"resource_limits",
           {{"memory_bytes", limits.memory_bytes},
            {"rollout_wall_s", limits.episode_seconds},
            {"step_wall_s", limits.step_seconds},
            {"load_wall_s", limits.load_seconds}}},
          {"state",
           {{"is_finalized", state.finalized},
            {"n_submits", state.submissions},
            {"remaining_budget", state.remaining_budget}}}};
}

V0Answer refused(Judge& judge, std::string_view status, const std::string& message) {
  judge.note_refusal(std::string(status), message);
  return complaint(400, status, message);
}

V0Answer answer_submit(Judge& judge, std::string_view body) {
  const auto request = parse_json(body);
  if (!request)
    return refused(judge, "bad_request", "the body is no JSON: " + request.error().message);
  if (!request->is_object() || !request->contains("env_instances")) {
    return refused(judge, "bad_request", "expected an object with the key env_instances");
  }
  const auto cases = read_cases((*request)["env_instances"], judge.settings().budget);
  if (!cases) return refused(judge, "budget_invalid", cases.error().message);
  const SubmitAnswer answer = judge.submit(*cases);
  switch (answer.kind) {
    case SubmitAnswer::Kind::kAccepted:
      return json_answer(
          200,
          {{"status", answer.status}, {"submit_id", answer.index}, {"summary", answer.summary}});
    case SubmitAnswer::Kind::kRefused:
      return complaint(400, answer.status, answer.message);
    case SubmitAnswer::Kind::kClosed:
      return complaint(409, answer.status, answer.message);
    case SubmitAnswer::Kind::kFailed:
      break;
  }
  return complaint(500, answer.status, answer.message);
}

}  // namespace

Expected<std::vector<std::int64_t>> read_cases(const Json& env_instances, std::int64_t most) {
  if (env_instances.is_string()) {
    return read_ranges(env_instances.get_ref<const std::string&>(), most);
  }
  if (!env_instances.is_array()) {
    return usage_error("env_instances is neither a list of integers nor text such as \"7-10,16\"");
  }
  if (static_cast<std::int64_t>(env_instances.size()) > most) return too_many(most);
  std::vector<std::int64_t> cases;
  for (const Json& item : env_instances) {
    const bool fits =
        item.is_number_integer() &&
        (!item.is_number_unsigned() || item.get<std::uint64_t>() <= std::uint64_t{INT64_MAX});
    if (!fits || item.get<std::int64_t>() < 0) {
      return usage_error("env_instances holds {}, which is no instance",
                         dump_json(item).substr(0, 40));
    }
    cases.push_back(item.get<std::int64_t>());
  }
  return cases;
}

V0Answer answer_v0(Judge& judge, std::string_view method, std::string_view target,
                   std::string_view body, bool numpy) {
  const std::string_view path = target.substr(0, target.find('?'));
  if (method == "GET" && path == "/info") return json_answer(200, info(judge, numpy));
  if (method == "GET" && path == "/task") {
    return {.type = "text/markdown; charset=utf-8",
            .body = task_text(judge.card(), judge.settings(), numpy)};
  }
  if (method == "POST" && path == "/submit") return answer_submit(judge, body);
  if (path == "/finalize") {
    return complaint(405, "method_not_allowed",
                     "the judge closes the run when the budget is spent");
  }
  if (method != "GET" && method != "POST") {
    return complaint(501, "not_implemented", "there are GET and POST only");
  }
  return complaint(404, "not_found", "there are GET /info, GET /task and POST /submit");
}

}  // namespace redqueen::arena
