// SandboxFusion's /run_code and /submit (CommonOJ: programs judged by what they print), on the
// sandbox's profile `program`: nothing is banned, the kernel's layers contain it.
#include <charconv>
#include <cmath>

#include "redqueen/base/ascii.h"
#include "redqueen/base/base64.h"
#include "redqueen/core/answer.h"
#include "redqueen/data_sets/program_tests.h"
#include "redqueen/sandbox/sandbox.h"
#include "redqueen/serve/protocols/protocols.h"
#include "redqueen/serve/routes.h"

namespace redqueen::serve {
namespace {

constexpr double kMostSeconds = 60;
constexpr double kMostMebibytes = 4096;
constexpr std::size_t kMostFiles = 64;
constexpr std::size_t kMostCases = 512;
constexpr std::size_t kShownBytes = 1000;  // of a case that was passed
constexpr double kSubmitSeconds = 20;      // for a case, where the request says nothing
constexpr double kNumberTolerance = 1e-5;  // relative

struct CodeFields {
  std::string code;
  std::string language;
  std::optional<std::string> stdin_;
  std::optional<double> run_timeout;
  std::optional<double> memory_limit_MB;
  std::optional<std::map<std::string, std::optional<std::string>>> files;  // Base64
  std::optional<std::vector<std::string>> fetch_files;
  REDQUEEN_FIELDS(code, language, stdin_, run_timeout, memory_limit_MB, files, fetch_files)
};

Expected<sandbox::Program> program_of(CodeFields fields, const sandbox::Limits& defaults) {
  sandbox::Program program{.source = std::move(fields.code),
                           .input = fields.stdin_.value_or(""),
                           .profile = sandbox::program_profile(),
                           .limits = defaults};
  const double seconds = fields.run_timeout.value_or(10);
  if (!(seconds > 0)) return usage_error("\"run_timeout\": expected a number above 0");
  program.limits.wall_seconds = std::min(seconds, kMostSeconds);
  if (fields.memory_limit_MB && *fields.memory_limit_MB > 0) {
    program.limits.memory_bytes = static_cast<std::uint64_t>(
        std::min(std::max(*fields.memory_limit_MB, 16.0), kMostMebibytes) * 1048576.0);
  }
  const auto files = fields.files.value_or(std::map<std::string, std::optional<std::string>>{});
  program.fetch = fields.fetch_files.value_or(std::vector<std::string>{});
  if (files.size() + program.fetch.size() > kMostFiles)
    return usage_error("\"files\": at most {}", kMostFiles);
  for (const auto& [name, content] : files) {
    if (!sandbox::is_file_name(name))
      return usage_error(R"("files": "{}" is no name of a file here)", name);
    auto bytes = from_base64(content.value_or(""), Base64::kPadded);
    if (!bytes) return usage_error(R"("files": "{}" is not Base64)", name);
    program.files.push_back({name, std::move(*bytes)});
  }
  for (const std::string& name : program.fetch)
    if (!sandbox::is_file_name(name))
      return usage_error(R"("fetch_files": "{}" is no name of a file here)", name);
  return program;
}

// What SandboxFusion says of such a run. A program that the sandbox ended has no exit code of its
// own: it counts as killed.
Json run_json(const sandbox::Outcome& outcome) {
  using enum sandbox::OutcomeStatus;
  const bool is_late = outcome.status == kTimeout || outcome.status == kCpu;
  const bool is_its_own = outcome.status == kOk || outcome.status == kError;
  std::string err = outcome.err;
  if (!is_late && !is_its_own) err += outcome.message + "\n";
  return {{"status", is_late ? "TimeLimitExceeded" : "Finished"},
          {"execution_time", outcome.wall_seconds},
          {"return_code", is_late      ? Json(nullptr)
                          : is_its_own ? Json(outcome.exit_code)
                                       : Json(-9)},
          {"stdout", outcome.out},
          {"stderr", std::move(err)},
          {"cpu_time", outcome.cpu_seconds}};
}

Json answer_json(const char* status, const std::string& message, Json run, Json files) {
  return {{"status", status},
          {"message", message},
          {"compile_result", nullptr},
          {"run_result", std::move(run)},
          {"executor_pod_name", nullptr},
          {"files", std::move(files)}};
}

Json ended_json(const sandbox::Outcome& outcome) {
  Json files = Json::object();
  for (const sandbox::File& file : outcome.files)
    files[file.name] = base64(file.bytes, Base64::kPadded);
  Json run = run_json(outcome);
  const bool is_good = run["return_code"] == 0;
  return answer_json(is_good ? "Success" : "Failed", "", std::move(run), std::move(files));
}

net::Response run_code(const Service& service, CodeFields fields) {
  auto sandbox = service.engine().sandbox()->get();
  if (!sandbox)
    return net::json_response(
        answer_json("SandboxError", sandbox.error().message, nullptr, Json::object()));
  auto program = program_of(std::move(fields), (*sandbox)->config().limits);
  if (!program) return field_error({"body"}, program.error().message);
  return net::json_response(
      ended_json((*sandbox)->run(sandbox::Job{.program = std::move(*program)})));
}

// ------------------------------------------------------------------------------------------------
// Submissions

struct SubmitConfig {
  std::optional<std::string> dataset_type;
  std::optional<std::string> language;
  std::optional<double> run_timeout;
  std::optional<std::string> custom_extract_logic;
  REDQUEEN_FIELDS(dataset_type, language, run_timeout, custom_extract_logic)
};

struct OjCase {
  std::map<std::string, std::string> input;   // "stdin"
  std::map<std::string, std::string> output;  // "stdout"
  REDQUEEN_FIELDS(input, output)
};

struct OjRow {
  std::vector<OjCase> test;
  REDQUEEN_FIELDS(test)
};

struct Submitted {
  Json id;
  std::string program;
  std::vector<OjCase> cases;
  double seconds = kSubmitSeconds;
  bool runs_all = false;     // cases behind one that failed, too
  bool shows_whole = false;  // texts of cases that were passed
};

// The row of the request's problem: `provided_data` is it, or a list in which its id is.
Expected<Json> provided_row(const Json& config, const Json& id) {
  const auto data = config.find("provided_data");
  if (data != config.end() && data->is_object()) return *data;
  if (data == config.end() || !data->is_array())
    return usage_error("\"provided_data\": this server has no data sets, a request brings its row");
  const auto found = std::ranges::find_if(*data, [&](const Json& row) {
    return row.is_object() && row.contains("id") && row["id"] == id;
  });
  if (found == data->end())
    return usage_error("\"provided_data\": there is no row with the id {}", dump_json(id));
  return *found;
}

Expected<std::vector<OjCase>> cases_of(Json row) {
  if (row.contains("test") && row["test"].is_string()) {  // tables hold it as text
    ASSIGN_OR_RETURN(row["test"], read_json(row["test"].get<std::string>()));
  }
  ASSIGN_OR_RETURN(auto read, read_fields<OjRow>(row));
  if (read.test.empty() || read.test.size() > kMostCases)
    return usage_error("\"test\": from 1 to {} cases", kMostCases);
  for (const OjCase& one : read.test) {
    if (one.input.size() != 1 || !one.input.contains("stdin") || one.output.size() != 1 ||
        !one.output.contains("stdout"))
      return usage_error(R"("test": the cases supported have "stdin" and "stdout" alone)");
  }
  return std::move(read.test);
}

bool flag_of(const Json& config, const char* key) {
  const auto extra = config.find("extra");
  return extra != config.end() && extra->is_object() && extra->value(key, Json(false)) == true;
}

Expected<Submitted> read_submitted(const Json& body) {
  const auto completion = body.find("completion");
  const auto config = body.find("config");
  if (completion == body.end() || !completion->is_string())
    return usage_error("\"completion\": expected a string");
  if (config == body.end() || !config->is_object())
    return usage_error("\"config\": expected an object");
  ASSIGN_OR_RETURN(const auto given, read_fields<SubmitConfig>(*config));
  if (given.dataset_type.value_or("CommonOJDataset") != "CommonOJDataset")
    return usage_error("\"dataset_type\": the only one here is CommonOJDataset");
  if (given.language != "python") return usage_error("\"language\": the only one here is python");
  if (given.custom_extract_logic.value_or("") != "")
    return usage_error("\"custom_extract_logic\": not supported");
  Submitted submitted{.id = body.value("id", Json(0)),
                      .program = data_sets::program_of(completion->get<std::string>()),
                      .cases = {},
                      .runs_all = flag_of(*config, "run_all_cases"),
                      .shows_whole = flag_of(*config, "return_full_case")};
  const double seconds = given.run_timeout.value_or(kSubmitSeconds);
  if (!(seconds > 0)) return usage_error("\"run_timeout\": expected a number above 0");
  submitted.seconds = std::min(seconds, kMostSeconds);
  ASSIGN_OR_RETURN(Json row, provided_row(*config, submitted.id));
  ASSIGN_OR_RETURN(submitted.cases, cases_of(std::move(row)));
  return submitted;
}

std::optional<double> number_of(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// As CommonOJ compares a line: without its outer spaces and letter case, or as numbers.
bool same_line(std::string_view given, std::string_view expected) {
  given = trim(given);
  expected = trim(expected);
  if (same_but_for_case(given, expected)) return true;
  const auto a = number_of(given);
  const auto b = number_of(expected);
  return a && b && std::abs(*a - *b) < kNumberTolerance * std::max(std::abs(*b), 1e-10);
}

bool same_lines(std::string_view given, std::string_view expected) {
  given = trim(given);
  expected = trim(expected);
  while (true) {
    const std::size_t a = given.find('\n');
    const std::size_t b = expected.find('\n');
    if (!same_line(given.substr(0, a), expected.substr(0, b))) return false;
    if (a == std::string_view::npos || b == std::string_view::npos) return a == b;
    given.remove_prefix(a + 1);
    expected.remove_prefix(b + 1);
  }
}

Json shown_texts(const std::map<std::string, std::string>& texts, bool whole) {
  Json json = Json::object();
  for (const auto& [name, text] : texts)
    json[name] = whole || text.size() <= kShownBytes ? text : text.substr(0, kShownBytes) + "…";
  return json;
}

std::vector<sandbox::Outcome> run_cases(sandbox::Sandbox& sandbox, const Submitted& submitted) {
  std::vector<sandbox::Job> jobs;
  for (const OjCase& one : submitted.cases) {
    sandbox::Program& program = jobs.emplace_back().program;
    program.source = submitted.program;
    program.input = one.input.at("stdin");
    program.profile = sandbox::program_profile();
    program.limits = sandbox.config().limits;
    program.limits.wall_seconds = submitted.seconds;
  }
  return sandbox.run_many(jobs);
}

net::Response submit_program(const Service& service, const Submitted& submitted) {
  auto sandbox = service.engine().sandbox()->get();
  if (!sandbox) return net::error_response(500, sandbox.error().message);
  const auto outcomes = run_cases(**sandbox, submitted);
  Json tests = Json::array();
  bool accepted = true;
  for (std::size_t i = 0; i < outcomes.size() && (accepted || submitted.runs_all); ++i) {
    const OjCase& one = submitted.cases[i];
    Json ended = ended_json(outcomes[i]);
    const bool passed =
        ended["status"] == "Success" && same_lines(outcomes[i].out, one.output.at("stdout"));
    accepted = accepted && passed;
    const bool whole = submitted.shows_whole || !passed;
    tests.push_back(
        {{"passed", passed},
         {"exec_info", std::move(ended)},
         {"test_info",
          {{"input", shown_texts(one.input, whole)}, {"output", shown_texts(one.output, whole)}}}});
  }
  return net::json_response(Json{{"id", submitted.id},
                                 {"accepted", accepted},
                                 {"extracted_code", submitted.program},
                                 {"full_code", nullptr},
                                 {"test_code", nullptr},
                                 {"tests", std::move(tests)},
                                 {"extracted_type", nullptr},
                                 {"extra", nullptr}});
}

}  // namespace

void add_sandbox_fusion_routes(net::Router& router, const Service& service) {
  router.add(
      net::Method::kPost, "/run_code",
      with_fields<CodeFields>([&service](const net::Request&, CodeFields fields) -> net::Answer {
        if (fields.language != "python") {
          return field_error({"body", "language"}, "Input should be 'python'", "literal_error");
        }
        return net::Later(
            [&service, fields = std::move(fields)] { return run_code(service, fields); });
      }),
      {.summary = "Runs a Python program, contained", .group = "SandboxFusion"});
  router.add(net::Method::kPost, "/submit",
             with_json([&service](const net::Request&, const Json& body) -> net::Answer {
               auto submitted = read_submitted(body);
               if (!submitted) return field_error({"body"}, submitted.error().message);
               return net::Later([&service, submitted = std::move(*submitted)] {
                 return submit_program(service, submitted);
               });
             }),
             {.summary = "Judges a program by the tests that the request brings (CommonOJ)",
              .group = "SandboxFusion"});
}

}  // namespace redqueen::serve
