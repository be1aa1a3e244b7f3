#include "redqueen/core/episode.h"

#include <algorithm>
#include <utility>

#include "redqueen/core/batch.h"
#include "redqueen/core/environment.h"
#include "redqueen/core/marker_names.h"
#include "redqueen/core/tool_calls.h"

namespace redqueen {
namespace {

class SingleTurnEpisode final : public Episode {
 public:
  SingleTurnEpisode(const Problem& problem, EpisodeOptions options)
      : problem_(problem), options_(std::move(options)) {}

  Observation begin() override {
    return {.messages = {{.role = "user", .content = options_.format.render(problem_.prompt())}}};
  }

  Observation step(const Action& action) override {
    if (done_) return {.terminated = true};
    done_ = true;
    verdict_ =
        score_completion(problem_, action.text, options_.format, options_.max_response_bytes);
    return {.reward = verdict_.reward, .terminated = true};
  }

  Verdict verdict() const override { return verdict_; }
  Json state() const override { return {{"reference", problem_.reference()}}; }

 private:
  const Problem& problem_;
  EpisodeOptions options_;
  Verdict verdict_;
  bool done_ = false;
};

// The plain fields of an EpisodeRecord.
struct RecordFields {
  std::string problem;
  std::string format;
  std::string marker;
  std::optional<std::string> reading;   // missing: strict
  std::optional<std::string> thoughts;  // missing: whole
  std::uint64_t max_response_bytes = 0;
  REDQUEEN_FIELDS(problem, format, marker, reading, thoughts, max_response_bytes)
};

bool is_utf8(const std::string& text) {
  try {
    Json(text).dump();
    return true;
  } catch (const Json::type_error&) {
    return false;
  }
}

// Writes a text so that it reads back byte for byte.
void put_text(Json& json, const std::string& key, const std::string& text) {
  if (is_utf8(text)) {
    json[key] = text;
  } else {
    json[key + "_hex"] =
        fmt::format("{:02x}", fmt::join(std::vector<std::uint8_t>(text.begin(), text.end()), ""));
  }
}

std::optional<std::string> from_hex(std::string_view digits) {
  std::string bytes;
  const auto value = [](char c) -> int {
    if (c >= '0' && c <= '9') return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
  };
  if (digits.size() % 2 != 0) return std::nullopt;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    const int high = value(digits[i]);
    const int low = value(digits[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes += static_cast<char>(16 * high + low);
  }
  return bytes;
}

// Reads what put_text wrote; a missing key leaves `text` as it is.
Status take_text(const Json& json, const std::string& key, std::string& text) {
  if (const auto found = json.find(key); found != json.end()) {
    if (!found->is_string()) return failure("\"{}\" must be a string", key);
    text = *found;
  } else if (const auto hex = json.find(key + "_hex"); hex != json.end()) {
    auto bytes = hex->is_string() ? from_hex(hex->get_ref<const std::string&>()) : std::nullopt;
    if (!bytes) return failure("\"{}_hex\" must be pairs of the digits 0 to 9 and a to f", key);
    text = *std::move(bytes);
  }
  return {};
}

Expected<ToolCall> tool_call_from_json(const Json& json) {
  if (!json.is_object()) {
    return failure("\"tool_calls\": expected objects, found {}", json.type_name());
  }
  ToolCall call;
  RETURN_IF_ERROR(take_text(json, "id", call.id));
  RETURN_IF_ERROR(take_text(json, "name", call.name));
  if (const auto found = json.find("arguments"); found != json.end()) call.arguments = *found;
  return call;
}

Json calls_json(const std::vector<ToolCall>& calls) {
  Json list = Json::array();
  for (const ToolCall& call : calls) {
    Json json = Json::object();
    put_text(json, "id", call.id);
    put_text(json, "name", call.name);
    json["arguments"] = call.arguments;
    list.push_back(std::move(json));
  }
  return list;
}

Expected<std::vector<Action>> actions_from_json(const Json& json) {
  if (!json.is_array()) return failure("expected a list of actions, found {}", json.type_name());
  std::vector<Action> actions;
  for (const Json& item : json) {
    ASSIGN_OR_RETURN(auto action, action_from_json(item));
    actions.push_back(std::move(action));
  }
  return actions;
}

// Whether a list holds actions, and not calls as models write them.
bool is_transcript(const Json& json) {
  return json.is_array() && std::ranges::all_of(json, [](const Json& item) {
           return item.is_string() || item.contains("text") || item.contains("text_hex") ||
                  item.contains("tool_calls");
         });
}

Json actions_json(std::span<const Action> actions) {
  Json list = Json::array();
  for (const Action& action : actions) list.push_back(to_json(action));
  return list;
}

}  // namespace

Json to_json(const Action& action) {
  Json json = Json::object();
  put_text(json, "text", action.text);
  if (!action.tool_calls.empty()) json["tool_calls"] = calls_json(action.tool_calls);
  return json;
}

Expected<Action> action_from_json(const Json& json) {
  if (json.is_string()) return Action{.text = json};
  if (!json.is_object()) {
    return failure("expected an action, a string or an object, found {}", json.type_name());
  }
  Action action;
  RETURN_IF_ERROR(take_text(json, "text", action.text));
  // Servers write null where a turn has no calls.
  if (const auto calls = json.find("tool_calls"); calls != json.end() && !calls->is_null()) {
    if (!calls->is_array()) return failure("\"tool_calls\" must be a list");
    for (const Json& item : *calls) {
      ASSIGN_OR_RETURN(auto call, tool_call_from_json(item));
      action.tool_calls.push_back(std::move(call));
    }
  }
  return action;
}

Json to_json(const Message& message) {
  Json json{{"role", message.role}};
  put_text(json, "content", message.content);
  if (!message.tool_calls.empty()) json["tool_calls"] = calls_json(message.tool_calls);
  if (!message.tool_call_id.empty()) put_text(json, "tool_call_id", message.tool_call_id);
  return json;
}

Json to_json(const ToolSpec& tool) {
  return {{"name", tool.name}, {"description", tool.description}, {"parameters", tool.parameters}};
}

Json to_json(const Observation& observation) {
  const auto list = [](const auto& items) {
    Json json = Json::array();
    for (const auto& item : items) json.push_back(to_json(item));
    return json;
  };
  return {{"messages", list(observation.messages)}, {"tools", list(observation.tools)},
          {"reward", observation.reward},           {"terminated", observation.terminated},
          {"truncated", observation.truncated},     {"info", observation.info}};
}

std::string transcript(std::span<const Action> actions) { return dump_json(actions_json(actions)); }

Expected<std::vector<Action>> read_transcript(std::string_view text) {
  ASSIGN_OR_RETURN(const Json json, parse_json(text));
  return actions_from_json(json);
}

std::size_t size_in_bytes(const Action& action) {
  std::size_t size = action.text.size();
  for (const ToolCall& call : action.tool_calls) {
    size += call.id.size() + call.name.size() + dump_json(call.arguments).size();
  }
  return size;
}

Json to_json(const EpisodeRecord& record) {
  Json json{{"problem", record.problem.to_string()},
            {"format", record.options.format.text},
            {"marker", kMarkerNames.name(record.options.format.marker)},
            {"reading", kAnswerReadingNames.name(record.options.format.reading)},
            {"max_response_bytes", record.options.max_response_bytes},
            {"actions", actions_json(record.actions)}};
  if (record.options.format.thoughts != ThoughtReading::kWhole)
    json["thoughts"] = kThoughtReadingNames.name(record.options.format.thoughts);
  return json;
}

Expected<EpisodeRecord> episode_record_from_json(const Json& json) {
  ASSIGN_OR_RETURN(const RecordFields fields, from_json<RecordFields>(json));
  ASSIGN_OR_RETURN(auto problem, ProblemAddress::parse(fields.problem));
  ASSIGN_OR_RETURN(const MarkerStyle marker, marker_in_record("\"marker\"", fields.marker));
  // The name of a format, or a template: both must hold the problem's place.
  ASSIGN_OR_RETURN(PromptFormat format, PromptFormat::parse(fields.format));
  format.marker = marker;
  if (fields.reading) {
    ASSIGN_OR_RETURN(format.reading, kAnswerReadingNames.get("\"reading\"", *fields.reading));
  }
  if (fields.thoughts) {
    ASSIGN_OR_RETURN(format.thoughts, kThoughtReadingNames.get("\"thoughts\"", *fields.thoughts));
  }
  const auto actions = json.find("actions");
  if (actions == json.end()) return failure("\"actions\": missing");
  ASSIGN_OR_RETURN(auto turns, actions_from_json(*actions));
  return EpisodeRecord{
      .problem = std::move(problem),
      .options = {.format = std::move(format), .max_response_bytes = fields.max_response_bytes},
      .actions = std::move(turns)};
}

std::unique_ptr<Episode> replay(const Problem& problem, const EpisodeOptions& options,
                                std::span<const Action> actions,
                                std::vector<Observation>* observations) {
  auto episode = problem.start(options);
  Observation seen = episode->begin();
  if (observations != nullptr) observations->push_back(std::move(seen));
  for (const Action& action : actions) {
    seen = episode->step(action);
    if (observations != nullptr) observations->push_back(std::move(seen));
  }
  return episode;
}

Verdict score_transcript(const Problem& problem, std::string_view text) {
  const auto json = parse_json(text);
  if (!json || !is_transcript(*json)) {
    const Action turn = parse_action(text, problem.start({})->begin().tools);
    if (!turn.tool_calls.empty()) return replay(problem, {}, {&turn, 1})->verdict();
  }
  if (!json) return {};
  const auto actions = actions_from_json(*json);
  return actions ? replay(problem, {}, *actions)->verdict() : Verdict{};
}

std::unique_ptr<Episode> single_turn_episode(const Problem& problem,
                                             const EpisodeOptions& options) {
  return std::make_unique<SingleTurnEpisode>(problem, options);
}

}  // namespace redqueen
