#include "redqueen/code_tasks/cruxeval.h"

#include <array>

#include "redqueen/base/text.h"
#include "redqueen/base/text_file.h"
#include "redqueen/core/answer.h"

namespace redqueen::code_tasks {
namespace {

constexpr Card kInputCard{
    .name = "cruxeval/input",
    .family = Family::kCode,
    .answer = AnswerKind::kOther,
    .scoring = Scoring::kExact,
    .task = "Given a Python function and a value that it returned, find an argument list for it.",
    .levels = "There is one level: the items of the file.",
    .rewards =
        "−1 without arguments that can be read, −0.5 if they give another value, 1 if this one.",
    .max_level = 0};

constexpr Card kOutputCard{
    .name = "cruxeval/output",
    .family = Family::kCode,
    .answer = AnswerKind::kOther,
    .scoring = Scoring::kExact,
    .task = "Given a Python function and an argument list, say what the function returns.",
    .levels = "There is one level: the items of the file.",
    .rewards = "−1 without a value that can be read, −0.5 for another value, 1 for the right one.",
    .max_level = 0};

// The problems of another environment, made from given tasks.
class TaskList final : public Environment {
 public:
  TaskList(const Card& card, const Environment& base, std::vector<CodeTask> tasks)
      : card_(card), base_(base), tasks_(std::move(tasks)) {}

  const Card& card() const override { return card_; }

  tl::expected<ProblemPtr, GenerationFailure> generate(int level, std::uint64_t seed,
                                                       std::uint64_t /*salt*/,
                                                       const GenerationLimits&) const override {
    if (level > 0 || seed >= tasks_.size()) {
      return tl::make_unexpected(GenerationFailure{
          GenerationFault::kLevel, fmt::format("the file has {} items", tasks_.size())});
    }
    auto problem = base_.restore(tasks_[seed].write_json());
    if (problem) return std::move(*problem);
    return tl::make_unexpected(
        GenerationFailure{GenerationFault::kInternal, problem.error().message});
  }

  Expected<ProblemPtr> restore(const Json& parameter) const override {
    return base_.restore(parameter);
  }

  Json level_parameter(int /*level*/, Rng&) const override { return Json::object(); }

 private:
  const Card& card_;
  const Environment& base_;
  std::vector<CodeTask> tasks_;
};

Expected<std::string> member_text(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) return failure("there is no \"{}\"", key);
  if (!found->is_string()) return failure("\"{}\" is no text", key);
  return found->get<std::string>();
}

Expected<CruxEvalItem> parse_item(std::string_view line) {
  const auto object = parse_json(line);
  if (!object) return failure("this is not JSON: {}", object.error().message);
  if (!object->is_object())
    return failure("a JSON object is expected, this is a JSON {}", object->type_name());
  CruxEvalItem item;
  for (const auto& [key, place] : {std::pair{"code", &item.code}, std::pair{"input", &item.input},
                                   std::pair{"output", &item.output}}) {
    ASSIGN_OR_RETURN(auto text, member_text(*object, key));
    *place = std::move(text);
  }
  if (const auto id = object->find("id"); id != object->end())
    item.id = id->is_string() ? id->get<std::string>() : dump_json(*id);
  if (trim(item.code).empty()) return failure("\"code\" is empty");
  if (trim(item.output).empty()) return failure("\"output\" is empty");
  return item;
}

Expected<const Environment*> code_environment(const Registry& registry, std::string_view name) {
  if (const Environment* found = registry.find(name)) return found;
  return failure("{}: this environment is not part of this build", name);
}

}  // namespace

Expected<CruxEvalMode> parse_cruxeval_mode(std::string_view text) {
  if (text == "input") return CruxEvalMode::kInput;
  if (text == "output") return CruxEvalMode::kOutput;
  if (text == "both") return CruxEvalMode::kBoth;
  return usage_error("mode \"{}\": expected input, output or both", text);
}

Expected<std::vector<CruxEvalItem>> parse_cruxeval(std::string_view text, std::string_view name) {
  std::vector<CruxEvalItem> items;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) continue;
    auto item = parse_item(line);
    if (!item) return failure("{}:{}: {}", name, number, item.error().message);
    items.push_back(std::move(*item));
  }
  if (items.empty())
    return failure(
        "{}: this file is empty; a JSON object with code, input and output is expected on "
        "every line",
        name);
  return items;
}

Expected<std::vector<CruxEvalItem>> read_cruxeval(const std::filesystem::path& file) {
  ASSIGN_OR_RETURN(const std::string text, read_text_file(file, ErrorKind::kUsage));
  return parse_cruxeval(text, file.string());
}

CodeTask cruxeval_task(const CruxEvalItem& item, TaskType type) {
  CodeTask task{.type = type, .program = item.code, .input = item.input, .output = item.output};
  while (task.program.ends_with('\n')) task.program.pop_back();
  return task;
}

Expected<CruxEvalSuite> cruxeval_suite(const std::vector<CruxEvalItem>& items, CruxEvalMode mode,
                                       const Registry& registry) {
  struct Part {
    CruxEvalMode mode;
    TaskType type;
    const Card& card;
    std::string_view environment;
  };
  const std::array parts{
      Part{CruxEvalMode::kInput, TaskType::kAbduction, kInputCard, "azr/abduction"},
      Part{CruxEvalMode::kOutput, TaskType::kDeduction, kOutputCard, "azr/deduction"}};
  CruxEvalSuite made;
  made.suite = {.name = "cruxeval", .levels = {0}, .problems = static_cast<int>(items.size())};
  for (const Part& part : parts) {
    if (mode != CruxEvalMode::kBoth && mode != part.mode) continue;
    ASSIGN_OR_RETURN(const auto base, code_environment(registry, part.environment));
    std::vector<CodeTask> tasks;
    for (const CruxEvalItem& item : items) tasks.push_back(cruxeval_task(item, part.type));
    made.environments.push_back(std::make_unique<TaskList>(part.card, *base, std::move(tasks)));
    made.suite.environments.push_back(made.environments.back().get());
  }
  return made;
}

}  // namespace redqueen::code_tasks
