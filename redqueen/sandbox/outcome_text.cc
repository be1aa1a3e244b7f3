#include "redqueen/sandbox/outcome_text.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace redqueen::sandbox {
namespace {

constexpr int kMaxJsonDepth = 100;

// Brackets outside strings never go deeper than the bound; whether they match is the parser's
// business.
bool is_shallow(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      if (c == '"') quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if ((c == '[' || c == '{') && ++depth > kMaxJsonDepth) {
      return false;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return true;
}

// By what worker/value_text.h allows.
bool is_too_long(const wire::Report& report, std::uint64_t output_bytes) {
  constexpr std::uint64_t kLongestRemark = 64U << 10;
  const std::uint64_t other = output_bytes > (1ULL << 40) ? output_bytes : 16 * output_bytes + 1024;
  return report.value.size() > output_bytes || report.canonical.size() > other ||
         report.json.size() > other ||
         report.exception.size() + report.message.size() + report.traceback.size() > kLongestRemark;
}

double finite(double value) { return std::isfinite(value) ? std::clamp(value, 0.0, 1e9) : 0; }

void add_report(const wire::Report& report, Outcome& outcome) {
  outcome.status = report.status;
  outcome.value = valid_utf8(report.value);
  outcome.canonical = valid_utf8(report.canonical);
  if (is_sound_json(report.json)) outcome.json = report.json;
  outcome.exception = valid_utf8(report.exception);
  outcome.message = valid_utf8(report.message);
  outcome.traceback = valid_utf8(report.traceback);
  outcome.exit_code = static_cast<int>(report.exit_code & 0xFF);
  outcome.line = static_cast<int>(std::min<std::uint32_t>(report.line, 1U << 30));
  outcome.wall_seconds = finite(report.wall_seconds);
  outcome.cpu_seconds = finite(report.cpu_seconds);
  outcome.peak_bytes = report.peak_bytes;
}

}  // namespace

bool is_sound_json(std::string_view text) {
  return !text.empty() && is_shallow(text) && nlohmann::json::accept(text);
}

Outcome make_outcome(const wire::Result& result, std::uint64_t output_bytes) {
  Outcome outcome;
  outcome.out = valid_utf8(result.out);
  outcome.err = valid_utf8(result.err);
  outcome.files = result.files;
  outcome.wall_seconds = finite(result.wall_seconds);
  if (result.status != OutcomeStatus::kOk) {
    outcome.status = result.status;
    outcome.message = valid_utf8(result.message);
    outcome.cpu_seconds = finite(result.cpu_seconds);
    outcome.peak_bytes = result.peak_bytes;
    return outcome;
  }
  const auto report = wire::decode_report(result.report);
  if (report && is_too_long(*report, output_bytes)) {
    outcome.status = OutcomeStatus::kOutputLimit;
    outcome.message = "the answer is longer than the output limit allows";
  } else if (report) {
    add_report(*report, outcome);
  } else {
    outcome.message = "the process sent an answer that cannot be read";
  }
  return outcome;
}

}  // namespace redqueen::sandbox
