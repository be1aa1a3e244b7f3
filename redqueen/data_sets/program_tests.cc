#include "redqueen/data_sets/program_tests.h"

#include <fmt/format.h>

#include <random>

#include "redqueen/base/fields.h"
#include "redqueen/core/answer.h"

namespace redqueen::data_sets {
namespace {

std::string_view without_end_spaces(std::string_view text) {
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

// With its spaces, and empty ones too, unlike split_lines().
std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

// A word that no program can foresee. It changes no verdict.
std::string unforeseen_word() {
  std::random_device random;
  return fmt::format("passed-{:08x}{:08x}{:08x}", random(), random(), random());
}

std::string source_of(const ProgramTests& tests, const std::string& program) {
  const bool continues =
      !tests.entry_point.empty() && program.find("def " + tests.entry_point) == std::string::npos;
  if (continues) return tests.stub + program + "\n";
  return tests.before + (tests.before.empty() ? "" : "\n") + program + "\n";
}

sandbox::Job job_of(std::string source) {
  sandbox::Job job;
  job.program.source = std::move(source);
  job.program.profile = sandbox::program_profile();
  job.program.limits.wall_seconds = kTestSeconds;
  return job;
}

// The jobs of one program: its cases, then its statements.
std::vector<sandbox::Job> jobs_of(const Submission& submission, const std::string& word) {
  const ProgramTests& tests = *submission.tests;
  const std::string source = source_of(tests, submission.program);
  std::vector<sandbox::Job> jobs;
  for (const TestCase& one : tests.cases) {
    sandbox::Job& job = jobs.emplace_back(job_of(source));
    if (tests.function.empty()) {
      job.program.input = one.input;
    } else {
      job.calls.push_back(sandbox::Call::json(tests.function, one.input));
    }
  }
  if (!tests.code.empty())
    jobs.push_back(job_of(fmt::format("{}\n{}\nprint('\\n{}')\n", source, tests.code, word)));
  return jobs;
}

bool passed(const ProgramTests& tests, const TestCase& one, const sandbox::Outcome& outcome) {
  if (!outcome.ok()) return false;
  if (tests.function.empty()) return same_output(outcome.out, one.output);
  const auto given = parse_json(outcome.json);
  const auto expected = parse_json(one.output);
  return given && expected && *given == *expected;
}

bool passed_all(const Submission& submission, std::span<const sandbox::Outcome> outcomes,
                const std::string& word) {
  const ProgramTests& tests = *submission.tests;
  for (std::size_t i = 0; i < tests.cases.size(); ++i) {
    if (!passed(tests, tests.cases[i], outcomes[i])) return false;
  }
  return tests.code.empty() ||
         (outcomes.back().ok() && outcomes.back().out.ends_with("\n" + word + "\n"));
}

Expected<std::string> text_or_none(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end()) return std::string();
  if (!found->is_string())
    return failure("\"{}\" is a JSON {}, expected a text", key, found->type_name());
  return found->get<std::string>();
}

}  // namespace

Status check(const ProgramTests& tests) {
  if (tests.cases.empty() && trim(tests.code).empty())
    return failure("\"tests\" has neither cases nor code");
  if (tests.function.empty()) return {};
  for (std::size_t i = 0; i < tests.cases.size(); ++i) {
    const auto input = parse_json(tests.cases[i].input);
    if (!input || !input->is_array())
      return failure("\"tests\": the input of case {} is no JSON list of arguments", i + 1);
    if (!parse_json(tests.cases[i].output))
      return failure("\"tests\": the output of case {} is no JSON", i + 1);
  }
  return {};
}

Json to_json(const ProgramTests& tests) {
  Json json = Json::object();
  for (const TestCase& one : tests.cases)
    json["cases"].push_back({{"input", one.input}, {"output", one.output}});
  const auto put = [&](const char* key, const std::string& text) {
    if (!text.empty()) json[key] = text;
  };
  put("function", tests.function);
  put("code", tests.code);
  put("before", tests.before);
  put("entry_point", tests.entry_point);
  put("stub", tests.stub);
  return json;
}

Expected<ProgramTests> program_tests_from_json(const Json& json) {
  if (!json.is_object())
    return failure("\"tests\" is a JSON {}, expected an object", json.type_name());
  ProgramTests tests;
  ASSIGN_OR_RETURN(tests.function, text_or_none(json, "function"));
  ASSIGN_OR_RETURN(tests.code, text_or_none(json, "code"));
  ASSIGN_OR_RETURN(tests.before, text_or_none(json, "before"));
  ASSIGN_OR_RETURN(tests.entry_point, text_or_none(json, "entry_point"));
  ASSIGN_OR_RETURN(tests.stub, text_or_none(json, "stub"));
  const auto cases = json.find("cases");
  if (cases == json.end()) return tests;
  if (!cases->is_array()) return failure("\"cases\" is no list");
  for (const Json& one : *cases) {
    if (!one.is_object()) return failure("\"cases\": a case is no object");
    TestCase test;
    ASSIGN_OR_RETURN(test.input, text_or_none(one, "input"));
    ASSIGN_OR_RETURN(test.output, text_or_none(one, "output"));
    tests.cases.push_back(std::move(test));
  }
  return tests;
}

std::string program_of(std::string_view answer) {
  std::string longest;
  std::string block;
  bool fenced = false;
  bool any = false;
  for (std::string_view rest = answer; !rest.empty();) {
    const std::string_view line = take_line(rest);
    if (trim(line).starts_with("```")) {
      any = true;
      if (fenced && block.size() > longest.size()) longest = block;
      block.clear();
      fenced = !fenced;
    } else if (fenced) {
      block.append(line).push_back('\n');
    }
  }
  if (fenced && block.size() > longest.size()) longest = block;  // an answer that was cut
  return any ? longest : std::string(without_end_spaces(answer));
}

std::vector<bool> judge(sandbox::Sandbox& sandbox, std::span<const Submission> submissions) {
  const std::string word = unforeseen_word();
  std::vector<sandbox::Job> jobs;
  std::vector<std::size_t> begins;
  for (const Submission& submission : submissions) {
    begins.push_back(jobs.size());
    for (sandbox::Job& job : jobs_of(submission, word)) jobs.push_back(std::move(job));
  }
  begins.push_back(jobs.size());
  const std::vector<sandbox::Outcome> outcomes = sandbox.run_many(jobs);
  std::vector<bool> verdicts;
  for (std::size_t i = 0; i < submissions.size(); ++i) {
    const std::span own(outcomes.data() + begins[i], begins[i + 1] - begins[i]);
    verdicts.push_back(passed_all(submissions[i], own, word));
  }
  return verdicts;
}

bool same_output(std::string_view given, std::string_view expected) {
  given = without_end_spaces(given);
  expected = without_end_spaces(expected);
  while (!given.empty() || !expected.empty()) {
    if (given.empty() != expected.empty() ||
        without_end_spaces(take_line(given)) != without_end_spaces(take_line(expected)))
      return false;
  }
  return true;
}

}  // namespace redqueen::data_sets
