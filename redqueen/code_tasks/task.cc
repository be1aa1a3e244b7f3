#include "redqueen/code_tasks/task.h"

#include <fmt/format.h>

#include "redqueen/base/rng.h"
#include "redqueen/base/text.h"

namespace redqueen::code_tasks {
namespace {

constexpr std::array<std::string_view, kTaskTypes.size()> kNames{"deduction", "abduction",
                                                                 "induction", "error"};

Expected<std::string> text_of(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_string()) return failure("{}: a text is expected", key);
  return found->get<std::string>();
}

std::string text_or_empty(const Json& json, const char* key) {
  return text_of(json, key).value_or(std::string());
}

Expected<std::vector<InputOutput>> read_pairs(const Json& json) {
  const auto found = json.find("pairs");
  if (found == json.end() || !found->is_array() || found->size() < 2)
    return failure("pairs: a list of two or more [input, output] is expected");
  std::vector<InputOutput> pairs;
  for (const Json& pair : *found) {
    if (!pair.is_array() || pair.size() != 2 || !pair[0].is_string() || !pair[1].is_string())
      return failure("pairs[{}]: [input, output], both text, is expected", pairs.size());
    pairs.push_back({pair[0].get<std::string>(), pair[1].get<std::string>()});
  }
  return pairs;
}

}  // namespace

std::string_view name_of(TaskType type) { return kNames[static_cast<std::size_t>(type)]; }

Expected<TaskType> parse_task_type(std::string_view name) {
  for (const TaskType type : kTaskTypes) {
    if (name_of(type) == name) return type;
  }
  return usage_error("there is no task type \"{}\"{}", name, did_you_mean(name, kNames));
}

std::string CodeTask::source() const {
  return imports.empty() ? program : fmt::format("{}\n{}", imports, program);
}

std::string CodeTask::name() const {
  return fmt::format("{:016x}", hash_name(dump_json(write_json())));
}

std::span<const InputOutput> CodeTask::shown_pairs() const {
  return std::span(pairs).first(pairs.size() / 2);
}

std::span<const InputOutput> CodeTask::hidden_pairs() const {
  return std::span(pairs).subspan(pairs.size() / 2);
}

std::string CodeTask::reference() const {
  if (type == TaskType::kInduction) return source();
  return type == TaskType::kAbduction ? input : output;
}

Json CodeTask::write_json() const {
  Json json{{"type", name_of(type)}};
  if (!imports.empty()) json["imports"] = imports;
  json["program"] = program;
  if (components > 0) json["components"] = components;
  if (type == TaskType::kInduction) {
    json["message"] = message;
    Json list = Json::array();
    for (const InputOutput& pair : pairs) list.push_back(Json::array({pair.input, pair.output}));
    json["pairs"] = std::move(list);
  } else {
    json["input"] = input;
    json["output"] = output;
  }
  return json;
}

Expected<CodeTask> CodeTask::read_json(const Json& json) {
  if (!json.is_object()) return failure("expected a JSON object, found {}", json.type_name());
  ASSIGN_OR_RETURN(const auto type_name, text_of(json, "type"));
  ASSIGN_OR_RETURN(const auto type, parse_task_type(type_name));
  ASSIGN_OR_RETURN(const auto program, text_of(json, "program"));
  CodeTask task{.type = type, .imports = text_or_empty(json, "imports"), .program = program};
  if (const auto found = json.find("components"); found != json.end() && found->is_number_integer())
    task.components = found->get<int>();
  if (type == TaskType::kInduction) {
    ASSIGN_OR_RETURN(auto pairs, read_pairs(json));
    task.pairs = std::move(pairs);
    task.message = text_or_empty(json, "message");
    return task;
  }
  ASSIGN_OR_RETURN(const auto input, text_of(json, "input"));
  ASSIGN_OR_RETURN(const auto output, text_of(json, "output"));
  task.input = input;
  task.output = output;
  return task;
}

CodeTask zero_task(TaskType type) {
  if (type == TaskType::kError) {
    return {.type = type,
            .program = "def f(x):\n    return x[0]",
            .input = "''",
            .output = "IndexError"};
  }
  return {.type = type,
          .program = "def f(x):\n    return x",
          .input = "'Good morning'",
          .output = "'Good morning'"};
}

}  // namespace redqueen::code_tasks
