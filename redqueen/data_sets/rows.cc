#include "redqueen/data_sets/rows.h"

#include <array>
#include <optional>

#include "redqueen/base/text.h"
#include "redqueen/base/text_file.h"
#include "redqueen/core/answer.h"
#include "redqueen/data_sets/math_answer.h"
#include "redqueen/data_sets/packed_tests.h"

namespace redqueen::data_sets {
namespace {

Expected<std::string> text_of(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || found->is_null()) return failure("there is no \"{}\"", key);
  if (found->is_string()) return found->get<std::string>();
  std::string_view digits;
  if (found->is_number() || is_big_int(*found, digits)) return dump_json(*found);
  return failure("\"{}\" is a JSON {}, expected a text or a number", key, found->type_name());
}

std::string text_or_empty(const Json& json, const char* key) {
  auto text = text_of(json, key);
  return text ? *std::move(text) : std::string();
}

// Exported tables write null for what a row does not have.
bool has(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && !found->is_null();
}

// A text, or the contents of messages, one after the other.
Expected<std::string> prompt_of(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_array()) return text_of(json, key);
  std::string prompt;
  for (const Json& message : *found) {
    const std::string role = message.is_object() ? text_or_empty(message, "role") : "";
    if (role != "system" && role != "user")
      return failure("\"{}\": a message is not a system's or a user's", key);
    ASSIGN_OR_RETURN(const std::string content, text_of(message, "content"));
    if (!prompt.empty()) prompt += "\n\n";
    prompt += content;
  }
  return prompt;
}

Expected<std::vector<std::string>> texts_of(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_array()) return failure("\"{}\" is no list of texts", key);
  std::vector<std::string> texts;
  for (const Json& item : *found) {
    if (!item.is_string()) return failure("\"{}\" is no list of texts", key);
    texts.push_back(item.get<std::string>());
  }
  return texts;
}

// "3", 3, 3.5 and "Level 3" as a level.
Expected<int> level_of(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || found->is_null()) return 0;
  if (found->is_number_integer() || found->is_number_float()) {
    const double level = found->get<double>();
    if (level >= 0 && level <= kMaxRowLevel) return static_cast<int>(level);
  } else if (found->is_string()) {
    const auto text = found->get<std::string>();
    const auto words = split_words(text);
    const auto level = words.empty() ? std::nullopt : parse_int64(words.back());
    if (level && *level >= 0 && *level <= kMaxRowLevel) return static_cast<int>(*level);
    if (text == "Level ?") return 0;  // three problems of MATH
  }
  return failure("\"{}\": {} is no level from 0 to {}", key, dump_json(*found), kMaxRowLevel);
}

Expected<Row> row_with(const Json& json, const char* prompt, VerifierKind kind,
                       std::string answer) {
  Row row{.id = text_or_empty(json, "id"), .verifier = {.kind = kind, .answer = std::move(answer)}};
  ASSIGN_OR_RETURN(row.prompt, prompt_of(json, prompt));
  return row;
}

std::string with_options(std::string prompt, const std::vector<std::string>& options) {
  prompt += "\n";
  for (std::size_t i = 0; i < options.size(); ++i)
    prompt += fmt::format("\n{}) {}", static_cast<char>('A' + i), options[i]);
  return prompt;
}

// The published forms, by their keys.
Expected<Row> read_gsm8k(const Json& json) {
  ASSIGN_OR_RETURN(const std::string solution, text_of(json, "answer"));
  return row_with(json, "question", VerifierKind::kNumber,
                  std::string(trim(std::string_view(solution).substr(solution.rfind("####") + 4))));
}

Expected<Row> read_math(const Json& json) {
  ASSIGN_OR_RETURN(const std::string solution, text_of(json, "solution"));
  const std::string_view answer = unboxed(solution);
  if (answer.size() == solution.size()) return failure("\"solution\" has no \\boxed{{…}} in it");
  ASSIGN_OR_RETURN(Row row, row_with(json, "problem", VerifierKind::kMath, std::string(answer)));
  ASSIGN_OR_RETURN(row.level, level_of(json, "level"));
  return row;
}

Expected<Row> read_deep_math(const Json& json) {
  ASSIGN_OR_RETURN(std::string answer, text_of(json, "final_answer"));
  ASSIGN_OR_RETURN(Row row, row_with(json, "question", VerifierKind::kMath, std::move(answer)));
  ASSIGN_OR_RETURN(row.level, level_of(json, "difficulty"));
  return row;
}

// The prompts of DAPO say how the answer is to be marked, and so does every environment: two such
// sentences contradict each other. Returns what stands between its first and its last paragraph.
std::string without_dapo_format(std::string prompt) {
  constexpr std::string_view kFirst = "Solve the following math problem step by step.";
  constexpr std::string_view kLast =
      "Remember to put your answer on its own line after \"Answer:\"";
  std::string_view rest = trim(prompt);
  const std::size_t first = rest.find("\n\n");
  const std::size_t last = rest.rfind("\n\n");
  if (!rest.starts_with(kFirst) || first == std::string_view::npos || first >= last ||
      !rest.substr(last + 2).starts_with(kLast))
    return prompt;
  return std::string(trim(rest.substr(first, last - first)));
}

Expected<Row> read_dapo(const Json& json) {
  const Json& model = json["reward_model"];
  if (!model.is_object()) return failure("\"reward_model\" is no object");
  ASSIGN_OR_RETURN(std::string answer, text_of(model, "ground_truth"));
  ASSIGN_OR_RETURN(Row row, row_with(json, "prompt", VerifierKind::kMath, std::move(answer)));
  row.prompt = without_dapo_format(std::move(row.prompt));
  return row;
}

// Word problems come as BIG-Bench's tasks do, but with a number that is none of a text (mawps).
Expected<Row> read_bbeh(const Json& json) {
  ASSIGN_OR_RETURN(std::string answer, text_of(json, "target"));
  const VerifierKind kind =
      json["target"].is_number() ? VerifierKind::kNumber : VerifierKind::kExact;
  return row_with(json, "input", kind, std::move(answer));
}

// Word problems whose story and question stand apart: asdiv, whose answers have their unit in
// brackets, and SVAMP.
Expected<Row> read_story(const Json& json, const char* body, const char* question,
                         const char* key) {
  ASSIGN_OR_RETURN(std::string answer, text_of(json, key));
  const std::size_t unit = answer.find(" (");
  if (unit != std::string::npos && answer.ends_with(')')) answer.resize(unit);
  ASSIGN_OR_RETURN(Row row, row_with(json, question, VerifierKind::kMath, std::move(answer)));
  ASSIGN_OR_RETURN(const std::string story, text_of(json, body));
  row.prompt = fmt::format("{} {}", trim(story), row.prompt);
  return row;
}

// MMLU has choices and a place among them, MMLU-Pro options and a letter.
Expected<Row> read_mmlu(const Json& json) {
  ASSIGN_OR_RETURN(std::string answer, text_of(json, "answer"));
  if (const auto place = parse_int64(answer); place && *place >= 0 && *place < 26)
    answer = std::string(1, static_cast<char>('A' + *place));
  ASSIGN_OR_RETURN(Row row, row_with(json, "question", VerifierKind::kChoice, std::move(answer)));
  ASSIGN_OR_RETURN(row.verifier.options,
                   texts_of(json, has(json, "choices") ? "choices" : "options"));
  row.prompt = with_options(std::move(row.prompt), row.verifier.options);
  return row;
}

Expected<Row> read_aime(const Json& json) {
  ASSIGN_OR_RETURN(std::string answer, text_of(json, "answer"));
  ASSIGN_OR_RETURN(Row row, row_with(json, has(json, "problem") ? "problem" : "question",
                                     VerifierKind::kMath, std::move(answer)));
  // MATH-500's; of other sets it may be a word.
  if (const auto level = level_of(json, "level")) row.level = *level;
  return row;
}

Expected<Row> read_human_eval(const Json& json) {
  Row row{.id = text_or_empty(json, "task_id"), .verifier = {.kind = VerifierKind::kTests}};
  ProgramTests& tests = row.verifier.tests;
  ASSIGN_OR_RETURN(tests.stub, text_of(json, "prompt"));
  ASSIGN_OR_RETURN(tests.entry_point, text_of(json, "entry_point"));
  ASSIGN_OR_RETURN(const std::string test, text_of(json, "test"));
  tests.before = tests.stub.substr(0, tests.stub.find("def " + tests.entry_point + "("));
  tests.code = fmt::format("{}\ncheck({})\n", test, tests.entry_point);
  row.prompt = "Write this Python function.\n\n" + tests.stub;
  if (has(json, "canonical_solution"))
    row.verifier.answer = tests.stub + text_or_empty(json, "canonical_solution");
  return row;
}

Expected<Row> read_mbpp(const Json& json) {
  Row row{.id = text_or_empty(json, "task_id"),
          .verifier = {.kind = VerifierKind::kTests, .answer = text_or_empty(json, "code")}};
  ASSIGN_OR_RETURN(row.prompt, text_of(json, has(json, "text") ? "text" : "prompt"));
  ASSIGN_OR_RETURN(const auto list, texts_of(json, "test_list"));
  if (list.empty()) return failure("\"test_list\" is empty");
  std::vector<std::string> lines;
  if (has(json, "test_imports")) {
    ASSIGN_OR_RETURN(lines, texts_of(json, "test_imports"));
  }
  row.verifier.tests.before = lines.empty() ? "" : fmt::format("{}\n", fmt::join(lines, "\n"));
  lines.push_back(text_or_empty(json, "test_setup_code"));
  lines.insert(lines.end(), list.begin(), list.end());
  lines.push_back(text_or_empty(json, "test"));  // MBPP+
  row.verifier.tests.code = fmt::format("{}\n", fmt::join(lines, "\n"));
  row.prompt += "\n\nThe program must be Python, and pass tests like this one:\n" + list.front();
  return row;
}

// A list, or its text.
Expected<Json> list_of(const Json& json, const char* key) {
  const Json& found = json[key];
  if (found.is_array()) return found;
  if (found.is_string()) {
    auto list = parse_json(found.get_ref<const std::string&>());
    if (list && list->is_array()) return *std::move(list);
  }
  return failure("\"{}\" is no list of tests (compressed ones have to be unpacked first)", key);
}

// The arguments of a call, one JSON text a line, as a JSON list.
std::string argument_list(std::string_view lines) {
  std::string list = "[";
  for (const std::string_view line : split_lines(lines)) {
    if (!trim(line).empty()) list.append(list.size() > 1 ? ", " : "").append(line);
  }
  return list + "]";
}

// A list, the text of one, or a text that packs one.
Expected<Json> tests_of(const Json& json, const char* key) {
  const std::string text = text_or_empty(json, key);
  if (text.empty() || text.front() == '[') return list_of(json, key);
  const auto unpacked = unpack_tests(text);
  if (!unpacked) return failure("\"{}\": {}", key, unpacked.error().message);
  return list_of(Json{{key, *unpacked}}, key);
}

// The modules that LiveCodeBench imports before a program, by their names and all that is in them,
// and its limit of recursion.
std::string live_code_bench_imports() {
  constexpr std::array<std::string_view, 17> kModules{
      "string",   "re",   "datetime", "collections", "heapq",     "bisect",
      "copy",     "math", "random",   "statistics",  "itertools", "functools",
      "operator", "io",   "sys",      "json",        "typing"};
  std::string text;
  for (const std::string_view module : kModules) text += fmt::format("from {} import *\n", module);
  text += "from builtins import *\n";
  for (const std::string_view module : kModules) text += fmt::format("import {}\n", module);
  return text + "sys.setrecursionlimit(50000)\n";
}

Expected<Json> object_of(const Json& json, const char* key) {
  if (has(json, key) && json[key].is_object()) return json[key];
  auto object = parse_json(text_or_empty(json, key));
  if (!object || !object->is_object()) return failure("\"{}\" is no object", key);
  return *std::move(object);
}

Expected<Row> read_live_code_bench(const Json& json) {
  Row row{.id = text_or_empty(json, "question_id"), .verifier = {.kind = VerifierKind::kTests}};
  ProgramTests& tests = row.verifier.tests;
  tests.before = live_code_bench_imports();
  tests.compare = OutputCompare::kDecimals;
  ASSIGN_OR_RETURN(row.prompt, text_of(json, "question_content"));
  const std::string starter = text_or_empty(json, "starter_code");
  if (!trim(starter).empty()) {
    ASSIGN_OR_RETURN(const Json metadata, object_of(json, "metadata"));
    ASSIGN_OR_RETURN(const std::string name, text_of(metadata, "func_name"));
    const bool method = starter.find("class Solution") != std::string::npos;
    tests.function = (method ? "Solution()." : "") + name;
    row.prompt += "\n\nBegin with this code:\n" + starter;
  } else {
    row.prompt += "\n\nThe program must be Python; it reads from stdin and prints to stdout.";
  }
  for (const char* key : {"public_test_cases", "private_test_cases"}) {
    if (!has(json, key) || text_or_empty(json, key) == "[]") continue;
    ASSIGN_OR_RETURN(const Json list, tests_of(json, key));
    for (const Json& one : list) {
      if (!one.is_object()) return failure("\"{}\": a test is no object", key);
      TestCase test;
      ASSIGN_OR_RETURN(test.input, text_of(one, "input"));
      ASSIGN_OR_RETURN(test.output, text_of(one, "output"));
      if (!tests.function.empty()) test.input = argument_list(test.input);
      tests.cases.push_back(std::move(test));
    }
  }
  return row;
}

Expected<Row> read_cruxeval(const Json& json) {
  ASSIGN_OR_RETURN(const std::string code, text_of(json, "code"));
  ASSIGN_OR_RETURN(const std::string input, text_of(json, "input"));
  ASSIGN_OR_RETURN(std::string output, text_of(json, "output"));
  Row row{.id = text_or_empty(json, "id"),
          .verifier = {.kind = VerifierKind::kValue, .answer = std::move(output)}};
  row.prompt = fmt::format(
      "Here is a Python program:\n\n{}\n\nWhat is the value of f({})? Answer with a Python "
      "literal.",
      code, input);
  return row;
}

// Keys of one's own are left alone; one that is nearly "verifier" would leave the answer to another
// verifier than was meant.
Status check_spelling(const Json& json) {
  struct Optional {
    const char* key;
    std::size_t distance;
  };
  for (const auto& [key, unused] : json.items()) {
    for (const auto& [known, distance] : {Optional{"verifier", 2}, Optional{"level", 1},
                                          Optional{"options", 1}, Optional{"tolerance", 2}}) {
      if (key != known && !has(json, known) && edit_distance(key, known) <= distance)
        return failure("nothing reads \"{}\" (did you mean \"{}\"?)", key, known);
    }
  }
  return {};
}

Expected<Row> read_own(const Json& json) {
  RETURN_IF_ERROR(check_spelling(json));
  VerifierKind kind = VerifierKind::kMath;
  if (has(json, "verifier")) {
    ASSIGN_OR_RETURN(const std::string name, text_of(json, "verifier"));
    const auto found = kVerifierNames.get("verifier", name);
    if (!found) return failure("{}", found.error().message);
    kind = *found;
  }
  std::string answer = text_or_empty(json, "answer");
  if (kind != VerifierKind::kTests) {
    ASSIGN_OR_RETURN(answer, text_of(json, "answer"));
  }
  ASSIGN_OR_RETURN(Row row, row_with(json, "prompt", kind, std::move(answer)));
  ASSIGN_OR_RETURN(row.level, level_of(json, "level"));
  if (has(json, "tolerance")) {
    ASSIGN_OR_RETURN(row.verifier.tolerance, tolerance_from_json(json["tolerance"]));
  }
  if (kind == VerifierKind::kTests) {
    if (!has(json, "tests")) return failure("there is no \"tests\"");
    ASSIGN_OR_RETURN(row.verifier.tests, program_tests_from_json(json["tests"]));
  }
  if (kind == VerifierKind::kChoice) {
    ASSIGN_OR_RETURN(row.verifier.options, texts_of(json, "options"));
  }
  return row;
}

Expected<Row> read_form(const Json& json) {
  if (has(json, "prompt") && has(json, "reward_model")) return read_dapo(json);
  if (has(json, "prompt") && has(json, "entry_point") && has(json, "test"))
    return read_human_eval(json);
  if (has(json, "test_list") && (has(json, "text") || has(json, "prompt"))) return read_mbpp(json);
  if (has(json, "question_content")) return read_live_code_bench(json);
  if (has(json, "code") && has(json, "input") && has(json, "output")) return read_cruxeval(json);
  if (has(json, "prompt") && has(json, "base_input") && has(json, "plus_input")) {
    return failure(
        "EvalPlus's own form has no expected values; use its file in the original format "
        "(…-OriginFmt.jsonl), whose rows have \"test\"");
  }
  if (has(json, "prompt")) return read_own(json);
  if (has(json, "question") && has(json, "final_answer")) return read_deep_math(json);
  if (has(json, "body") && has(json, "question") && has(json, "answer"))
    return read_story(json, "body", "question", "answer");
  if (has(json, "Body") && has(json, "Question") && has(json, "Answer"))
    return read_story(json, "Body", "Question", "Answer");
  if (has(json, "question") && (has(json, "choices") || has(json, "options")))
    return read_mmlu(json);
  if (has(json, "question") && text_or_empty(json, "answer").find("####") != std::string::npos)
    return read_gsm8k(json);
  if (has(json, "problem") && has(json, "solution") && !has(json, "answer")) return read_math(json);
  if (has(json, "problem") || has(json, "question")) return read_aime(json);
  if (has(json, "input") && has(json, "target")) return read_bbeh(json);
  return failure(
      "there is no \"prompt\", and the other keys are those of no form that is known; see "
      "docs/data-sets.md");
}

}  // namespace

Expected<Row> read_row(const Json& json) {
  if (!json.is_object())
    return failure("a JSON object is expected, this is a JSON {}", json.type_name());
  ASSIGN_OR_RETURN(Row row, read_form(json));
  if (trim(row.prompt).empty()) return failure("the prompt is empty");
  RETURN_IF_ERROR(check(row.verifier));
  return row;
}

Json to_json(const Row& row) {
  Json json = Json::object();
  if (!row.id.empty()) json["id"] = row.id;
  json["prompt"] = row.prompt;
  json["answer"] = row.verifier.answer;
  json["verifier"] = std::string(kVerifierNames.name(row.verifier.kind));
  if (!row.verifier.options.empty()) json["options"] = row.verifier.options;
  if (row.verifier.tolerance) json["tolerance"] = to_json(*row.verifier.tolerance);
  if (row.verifier.kind == VerifierKind::kTests) json["tests"] = to_json(row.verifier.tests);
  json["level"] = row.level;
  return json;
}

std::vector<ReadRow> scan_rows(std::string_view text) {
  std::vector<ReadRow> rows;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) continue;
    const auto json = parse_json(line);
    rows.push_back({number, json ? read_row(*json) : tl::make_unexpected(json.error())});
  }
  return rows;
}

Expected<std::vector<Row>> parse_rows(std::string_view text, std::string_view name) {
  std::vector<Row> rows;
  for (ReadRow& read : scan_rows(text)) {
    if (!read.row) return failure("{}:{}: {}", name, read.line, read.row.error().message);
    rows.push_back(*std::move(read.row));
  }
  if (rows.empty())
    return failure("{}: there is no row in this file; a JSON object a line is expected", name);
  return rows;
}

Expected<std::vector<Row>> read_rows(const std::filesystem::path& file) {
  ASSIGN_OR_RETURN(const std::string text, read_text_file(file, ErrorKind::kUsage));
  return parse_rows(text, file.string());
}

}  // namespace redqueen::data_sets
