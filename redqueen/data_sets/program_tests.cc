#include "redqueen/data_sets/program_tests.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <random>

#include "redqueen/base/fields.h"
#include "redqueen/core/answer.h"
#include "redqueen/data_sets/embedded_files.h"
#include "redqueen/data_sets/separate_tests.h"

namespace redqueen::data_sets {
namespace {

// A word that no program can foresee. It changes no verdict.
std::string unforeseen_word() {
  std::random_device random;
  return fmt::format("passed-{:08x}{:08x}{:08x}", random(), random(), random());
}

// More output than four times what is expected is not right.
std::uint64_t output_limit(const TestCase& one) {
  constexpr std::uint64_t kSlack = std::uint64_t{64} << 10;
  return std::max(sandbox::Limits().output_bytes, kSlack + 4 * one.output.size());
}

sandbox::Job job_of(const ProgramTests& tests, const TestCase& one, const std::string& program) {
  if (!tests.function.empty()) {
    sandbox::Job job = loading_job(tests, program);
    job.program.limits.output_bytes = output_limit(one);
    job.calls.push_back(sandbox::Call::json(tests.function, one.input));
    return job;
  }
  sandbox::Job job;
  job.program.preludes = {"__import__('sys').set_int_max_str_digits(0)\n" + tests.before};
  job.program.source = program;
  job.program.input = one.input;
  job.program.profile = profile_for(tests.before, program);
  job.program.limits.wall_seconds = kTestSeconds;
  job.program.limits.output_bytes = output_limit(one);
  return job;
}

// A JSON value as Python writes it.
std::string python_value(const Json& json) {
  if (json.is_null()) return "None";
  if (json.is_boolean()) return json.get<bool>() ? "True" : "False";
  std::string text;
  if (json.is_array()) {
    for (const Json& item : json) text += python_value(item) + ", ";
    return "[" + text + "]";
  }
  if (!json.is_object()) return dump_json(json);
  for (const auto& [key, item] : json.items())
    text += python_text(key) + ": " + python_value(item) + ", ";
  return "{" + text + "}";
}

// Values that JSON tells apart are compared once more by Python, to which True is 1: `doubt` takes
// that comparison.
Judgement judge_case(const ProgramTests& tests, const TestCase& one,
                     const sandbox::Outcome& outcome, std::optional<sandbox::Comparison>& doubt) {
  if (tests.function.empty()) {
    // sys.exit(1) ends a program as well as any other way.
    const bool ended =
        outcome.ok() || (outcome.status == sandbox::OutcomeStatus::kError &&
                         (outcome.exception.empty() || outcome.exception == "SystemExit"));
    const std::string& raised = outcome.exception;
    if (raised == "SyntaxError" || raised == "IndentationError" || raised == "TabError" ||
        raised == "PermissionError")
      return Judgement::kBroken;
    if (!ended) return fault_of(outcome);
    return same_output(outcome.out, one.output, tests.compare) ? Judgement::kPassed
                                                               : Judgement::kFailed;
  }
  if (!outcome.ok()) return fault_of(outcome);
  const auto given = parse_json(outcome.json);
  const auto expected = parse_json(one.output);
  if (given && expected && *given == *expected) return Judgement::kPassed;
  if (expected && !outcome.canonical.empty())
    doubt = sandbox::Comparison{outcome.canonical, python_value(*expected)};
  return Judgement::kFailed;
}

// Runs the cases of programs in rounds: one of each program, two more of those that passed, four, …
// so that a program that takes all its time in each costs little. `verdicts` holds kPassed.
void judge_cases(sandbox::Sandbox& sandbox, std::span<const Submission> submissions,
                 std::vector<Judgement>& verdicts) {
  constexpr std::size_t kJobsAtOnce = 256;  // bounds the outputs that are held
  std::size_t first = 0;
  for (std::size_t count = 1;; first += count, count *= 2) {
    struct Place {
      std::size_t submission;
      const TestCase* one;
    };
    std::vector<Place> places;
    for (std::size_t i = 0; i < submissions.size(); ++i) {
      if (verdicts[i] != Judgement::kPassed) continue;
      const std::vector<TestCase>& cases = submissions[i].tests->cases;
      for (std::size_t k = first; k < std::min(first + count, cases.size()); ++k)
        places.push_back({i, &cases[k]});
    }
    if (places.empty()) return;
    for (std::size_t begin = 0; begin < places.size(); begin += kJobsAtOnce) {
      const auto some =
          std::span(places).subspan(begin, std::min(kJobsAtOnce, places.size() - begin));
      std::vector<sandbox::Job> jobs;
      for (const Place& place : some) {
        const Submission& own = submissions[place.submission];
        jobs.push_back(job_of(*own.tests, *place.one, own.program));
      }
      const std::vector<sandbox::Outcome> outcomes = sandbox.run_many(jobs);
      std::vector<sandbox::Comparison> doubts;
      std::vector<std::size_t> doubted;
      for (std::size_t k = 0; k < some.size(); ++k) {
        std::optional<sandbox::Comparison> doubt;
        const Judgement verdict =
            judge_case(*submissions[some[k].submission].tests, *some[k].one, outcomes[k], doubt);
        if (doubt) {
          doubts.push_back(*std::move(doubt));
          doubted.push_back(some[k].submission);
        } else if (verdict != Judgement::kPassed) {
          verdicts[some[k].submission] = verdict;
        }
      }
      const std::vector<sandbox::Equality> equal = sandbox.compare_many(doubts);
      for (std::size_t k = 0; k < doubts.size(); ++k) {
        Judgement& verdict = verdicts[doubted[k]];
        if (equal[k] != sandbox::Equality::kEqual && verdict == Judgement::kPassed)
          verdict = Judgement::kFailed;
      }
    }
  }
}

// Runs the statements of each in the program's own process.
std::vector<Judgement> judge_inside(sandbox::Sandbox& sandbox,
                                    std::span<const Submission> submissions) {
  const std::string word = unforeseen_word();
  std::vector<sandbox::Job> jobs;
  for (const Submission& one : submissions) {
    sandbox::Job& job = jobs.emplace_back(loading_job(*one.tests, one.program));
    job.program.source += fmt::format("{}\nprint('\\n{}')\n", one.tests->code, word);
  }
  std::vector<Judgement> verdicts;
  for (const sandbox::Outcome& outcome : sandbox.run_many(jobs)) {
    const bool ended = outcome.out.ends_with("\n" + word + "\n");
    verdicts.push_back(!outcome.ok() ? fault_of(outcome)
                       : ended       ? Judgement::kPassed
                                     : Judgement::kBroken);
  }
  return verdicts;
}

void judge_code(sandbox::Sandbox& sandbox, std::span<const Submission> submissions,
                std::vector<Judgement>& verdicts) {
  std::vector<Submission> asked;
  std::vector<std::size_t> places;
  std::vector<Submission> references;
  for (std::size_t i = 0; i < submissions.size(); ++i) {
    if (verdicts[i] != Judgement::kPassed || submissions[i].tests->code.empty()) continue;
    asked.push_back(submissions[i]);
    references.push_back({submissions[i].tests,
                          program_of(submissions[i].reference, entry_name(*submissions[i].tests))});
    places.push_back(i);
  }
  if (asked.empty()) return;
  const auto recorded = record_calls(sandbox, references);
  std::array<std::vector<std::size_t>, 2> groups;  // inside, apart
  for (std::size_t k = 0; k < asked.size(); ++k)
    groups[recorded[k]->fault.empty() ? 1 : 0].push_back(k);
  for (const bool apart : {false, true}) {
    std::vector<Submission> own;
    std::vector<std::shared_ptr<const RecordedCalls>> calls;
    for (const std::size_t k : groups[apart ? 1 : 0]) {
      own.push_back(asked[k]);
      calls.push_back(recorded[k]);
    }
    const auto found = apart ? judge_apart(sandbox, own, calls) : judge_inside(sandbox, own);
    for (std::size_t j = 0; j < own.size(); ++j)
      verdicts[places[groups[apart ? 1 : 0][j]]] = found[j];
  }
}

Expected<std::string> text_or_none(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || found->is_null()) return std::string();
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
  if (tests.compare != OutputCompare::kLines)
    json["compare"] = std::string(kOutputCompareNames.name(tests.compare));
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
  ASSIGN_OR_RETURN(const std::string compare, text_or_none(json, "compare"));
  if (!compare.empty()) {
    const auto found = kOutputCompareNames.get("compare", compare);
    if (!found) return failure("\"tests\": {}", found.error().message);
    tests.compare = *found;
  }
  const auto cases = json.find("cases");
  if (cases == json.end() || cases->is_null()) return tests;
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

std::string entry_name(const ProgramTests& tests) {
  if (!tests.entry_point.empty()) return tests.entry_point;
  return tests.function.substr(0, tests.function.find_first_of("(."));
}

std::string python_text(std::string_view text) { return dump_json(Json(std::string(text))); }

sandbox::Profile profile_for(std::string_view tests, std::string_view program) {
  for (const std::string_view package :
       {"numpy", "scipy", "pandas", "sympy", "networkx", "sortedcontainers"}) {
    if (tests.find(package) != std::string_view::npos ||
        program.find(package) != std::string_view::npos)
      return sandbox::data_profile();
  }
  return sandbox::program_profile();
}

sandbox::Job loading_job(const ProgramTests& tests, const std::string& program) {
  sandbox::Job job;
  job.program.preludes.emplace_back(test_helper_source());
  job.program.source = fmt::format("_redqueen_load({}, {}, {}, {})\n", python_text(program),
                                   python_text(tests.before), python_text(tests.stub),
                                   python_text(tests.entry_point));
  job.program.profile = profile_for(tests.before + tests.code, program);
  job.program.limits.wall_seconds = kTestSeconds;
  return job;
}

Judgement fault_of(const sandbox::Outcome& outcome) {
  if (outcome.status != sandbox::OutcomeStatus::kError &&
      outcome.status != sandbox::OutcomeStatus::kOk)
    return Judgement::kBroken;
  if (outcome.exception == "SystemExit") return Judgement::kBroken;
  // What test_helper.py says of a program that cannot be asked.
  for (const std::string_view sentence :
       {"the program did not load", "the program left before its tests"}) {
    if (outcome.message.find(sentence) != std::string::npos) return Judgement::kBroken;
  }
  return Judgement::kFailed;
}

std::vector<Judgement> judge(sandbox::Sandbox& sandbox, std::span<const Submission> submissions) {
  std::vector<Judgement> verdicts(submissions.size(), Judgement::kPassed);
  judge_cases(sandbox, submissions, verdicts);
  judge_code(sandbox, submissions, verdicts);
  return verdicts;
}

}  // namespace redqueen::data_sets
