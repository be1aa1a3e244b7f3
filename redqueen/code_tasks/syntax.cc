#include "redqueen/code_tasks/syntax.h"

#include <algorithm>

#include "redqueen/base/json.h"
#include "redqueen/code_tasks/embedded_files.h"

namespace redqueen::code_tasks {
namespace {

// Calls of the helper that share a child: enough to make the fork cheap, few enough to keep all
// workers busy.
constexpr std::size_t kCallsPerChild = 32;

sandbox::Program helper_program() {
  sandbox::Program program;
  program.preludes.emplace_back(syntax_helper_source());
  program.profile = {"helper", false, {}, {}};
  program.limits.wall_seconds = 5;
  program.limits.output_bytes = 4ULL << 20;
  return program;
}

// One JSON value a call; null where the helper failed.
std::vector<Json> ask_helper(sandbox::Sandbox& sandbox, std::string_view function,
                             const std::vector<Json>& arguments) {
  std::vector<sandbox::Batch> batches;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (i % kCallsPerChild == 0) batches.push_back({helper_program(), {}});
    batches.back().calls.push_back(
        sandbox::Call::json(std::string(function), dump_json(arguments[i])));
  }
  std::vector<Json> answers;
  for (const std::vector<sandbox::Outcome>& outcomes : sandbox.run_many(batches)) {
    for (const sandbox::Outcome& outcome : outcomes) {
      auto answer = outcome.ok() ? parse_json(outcome.json) : Expected<Json>(Json());
      answers.push_back(answer ? std::move(*answer) : Json());
    }
  }
  return answers;
}

SyntaxReport report_of(const Json& answer) {
  SyntaxReport report;
  if (!answer.is_object()) {
    report.fault = "too large or too deeply nested to be read";
    return report;
  }
  if (answer.contains("fault")) {
    report.fault = answer["fault"].get<std::string>();
    return report;
  }
  report.defines_entry = answer["entry"].get<bool>();
  report.unused = answer["unused"].get<std::vector<std::string>>();
  report.redefined = answer["redefined"].get<std::vector<std::string>>();
  report.no_literals = answer["no_literals"].get<std::vector<std::string>>();
  report.measures = {answer["cognitive"].get<double>(), answer["halstead"].get<double>(),
                     answer["lines"].get<double>()};
  report.tree = {answer["labels"].get<std::vector<std::string>>(),
                 answer["leftmost"].get<std::vector<int>>()};
  return report;
}

}  // namespace

std::vector<SyntaxReport> inspect_programs(sandbox::Sandbox& sandbox,
                                           std::span<const SyntaxQuery> queries) {
  std::vector<Json> arguments;
  for (const SyntaxQuery& query : queries)
    arguments.push_back(Json::array({query.source, query.components, query.inputs, kMaxTreeNodes}));
  std::vector<SyntaxReport> reports;
  for (const Json& answer : ask_helper(sandbox, "inspect_program", arguments))
    reports.push_back(report_of(answer));
  return reports;
}

std::vector<std::optional<std::string>> transform_programs(
    sandbox::Sandbox& sandbox, std::span<const TransformRequest> requests) {
  std::vector<Json> arguments;
  for (const TransformRequest& request : requests) {
    arguments.push_back(Json::array(
        {request.source, request.strip_comments, request.strip_globals, request.entry}));
  }
  std::vector<std::optional<std::string>> sources;
  for (const Json& answer : ask_helper(sandbox, "transform_program", arguments))
    sources.push_back(answer.is_string() ? std::optional(answer.get<std::string>()) : std::nullopt);
  return sources;
}

std::vector<std::vector<std::string>> vary_arguments(sandbox::Sandbox& sandbox,
                                                     std::span<const VariationRequest> requests) {
  std::vector<Json> arguments;
  for (const VariationRequest& request : requests)
    arguments.push_back(Json::array({request.arguments, request.seed, request.count}));
  std::vector<std::vector<std::string>> varied;
  for (const Json& answer : ask_helper(sandbox, "vary_arguments", arguments)) {
    varied.push_back(answer.is_array() ? answer.get<std::vector<std::string>>()
                                       : std::vector<std::string>());
  }
  return varied;
}

std::vector<bool> are_literals(sandbox::Sandbox& sandbox, std::span<const LiteralQuery> queries) {
  std::vector<Json> arguments;
  for (const LiteralQuery& query : queries)
    arguments.push_back(Json::array({query.text, query.kind == LiteralKind::kArguments}));
  std::vector<bool> literals;
  for (const Json& answer : ask_helper(sandbox, "check_literal", arguments))
    literals.push_back(answer.is_boolean() && answer.get<bool>());
  return literals;
}

}  // namespace redqueen::code_tasks
