// SandboxFusion's /run_code, on the sandbox's profile `program`: nothing is banned, the kernel's
// layers contain it.
#include "redqueen/sandbox/sandbox.h"
#include "redqueen/serve/base64.h"
#include "redqueen/serve/protocols/protocols.h"
#include "redqueen/serve/routes.h"

namespace redqueen::serve {
namespace {

constexpr double kMostSeconds = 60;
constexpr double kMostMebibytes = 4096;
constexpr std::size_t kMostFiles = 64;

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
      return usage_error("\"files\": \"{}\" is no name of a file here", name);
    auto bytes = from_base64(content.value_or(""), Base64::kPadded);
    if (!bytes) return usage_error("\"files\": \"{}\" is not Base64", name);
    program.files.push_back({name, std::move(*bytes)});
  }
  for (const std::string& name : program.fetch)
    if (!sandbox::is_file_name(name))
      return usage_error("\"fetch_files\": \"{}\" is no name of a file here", name);
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

net::Response run_code(const Service& service, CodeFields fields) {
  auto sandbox = service.engine().sandbox()->get();
  if (!sandbox)
    return net::json_response(
        answer_json("SandboxError", sandbox.error().message, nullptr, Json::object()));
  auto program = program_of(std::move(fields), (*sandbox)->config().limits);
  if (!program) return field_error({"body"}, program.error().message);
  const sandbox::Outcome outcome = (*sandbox)->run(sandbox::Job{.program = std::move(*program)});
  Json files = Json::object();
  for (const sandbox::File& file : outcome.files)
    files[file.name] = base64(file.bytes, Base64::kPadded);
  Json run = run_json(outcome);
  const bool is_good = run["return_code"] == 0;
  return net::json_response(
      answer_json(is_good ? "Success" : "Failed", "", std::move(run), std::move(files)));
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
      {.summary = "SandboxFusion: runs a Python program, contained", .group = "SandboxFusion"});
}

}  // namespace redqueen::serve
