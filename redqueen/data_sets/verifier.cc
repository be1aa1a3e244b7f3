#include "redqueen/data_sets/verifier.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>

#include "redqueen/base/ascii.h"
#include "redqueen/core/answer.h"
#include "redqueen/data_sets/math_answer.h"
#include "redqueen/data_sets/math_expression.h"

namespace redqueen::data_sets {
namespace {

constexpr double kWrongReward = 0.0;
constexpr std::size_t kMaxDigits = 4300;
constexpr long kMaxExponent = 4300;
constexpr std::size_t kMaxOptions = 26;

std::string with_single_spaces(std::string_view text) {
  return fmt::format("{}", fmt::join(split_words(text), " "));
}

std::string folded_option(std::string_view text) {
  std::string result;
  for (const std::string_view word : split_words(text)) {
    for (const char c : word) {
      result += c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
    }
    result += ' ';
  }
  std::erase_if(result, [](char c) { return c == '$' || c == '`'; });
  while (!result.empty() && (result.back() == ' ' || result.back() == '.')) result.pop_back();
  return result;
}

// Digits with commas between groups of three; the commas are dropped.
std::optional<std::string> without_separators(std::string_view text) {
  if (text.find(',') == std::string_view::npos) return std::string(text);
  std::string result;
  std::size_t group = 0;
  bool first = true;
  for (const char c : text) {
    if (c == ',') {
      if (group == 0 || group > 3 || (!first && group != 3)) return std::nullopt;
      first = false;
      group = 0;
    } else {
      ++group;
      result += c;
    }
  }
  if (group != 3) return std::nullopt;
  return result;
}

// digits [. digits] [e sign digits]
std::optional<Rational> parse_decimal(std::string_view text) {
  bool minus = false;
  if (text.starts_with('-') || text.starts_with('+')) {
    minus = text.front() == '-';
    text.remove_prefix(1);
  }
  const std::size_t e = std::min(text.find_first_of("eE"), text.size());
  const std::string_view power = text.substr(e);
  const std::string_view mantissa = text.substr(0, e);
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  const auto whole = without_separators(mantissa.substr(0, point));
  const std::string_view part = mantissa.substr(std::min(point + 1, mantissa.size()));
  if (!whole || whole->size() + part.size() > kMaxDigits) return std::nullopt;
  const std::string digits = *whole + std::string(part);
  if (digits.empty() || !std::ranges::all_of(digits, is_ascii_digit)) return std::nullopt;
  std::int64_t exponent = 0;
  if (!power.empty()) {
    const auto read = parse_int64(power.substr(1));
    if (!read || *read < -kMaxExponent || *read > kMaxExponent) return std::nullopt;
    exponent = *read;
  }
  exponent -= static_cast<std::int64_t>(part.size());
  const std::size_t leading = std::min(digits.find_first_not_of('0'), digits.size() - 1);
  const BigInt value(digits.substr(leading));  // a leading zero would make it octal
  const BigInt scale = pow(BigInt(10), static_cast<unsigned>(exponent < 0 ? -exponent : exponent));
  const Rational result = exponent < 0 ? Rational(value, scale) : Rational(BigInt(value * scale));
  return minus ? Rational(-result) : result;
}

// A decimal, or two of them with a slash between.
std::optional<Rational> parse_number(std::string_view text) {
  text = trim(text);
  if (text.starts_with('$')) text = trim(text.substr(1));
  if (text.ends_with('.')) text.remove_suffix(1);
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return parse_decimal(text);
  const auto above = parse_decimal(trim(text.substr(0, slash)));
  const auto below = parse_decimal(trim(text.substr(slash + 1)));
  if (!above || !below || *below == 0) return std::nullopt;
  return *above / *below;
}

struct Counters {
  std::array<std::atomic<std::uint64_t>, kGroundNames.list.size()> by_ground{};
  std::atomic<std::uint64_t> undecided{0};
  std::atomic<std::uint64_t> exhausted{0};
  std::atomic<std::uint64_t> work{0};
};
Counters counters;

void count(const MathComparison& found) {
  ++counters.by_ground[static_cast<std::size_t>(found.ground)];
  if (found.undecided) ++counters.undecided;
  if (found.exhausted) ++counters.exhausted;
  counters.work += found.work;
}

Verdict right_or_wrong(bool right) { return verdict_of(right ? kSolvedReward : kWrongReward); }

}  // namespace

VerdictCounts verdict_counts() {
  VerdictCounts counts;
  for (std::size_t i = 0; i < counts.by_ground.size(); ++i)
    counts.by_ground[i] = counters.by_ground[i];
  counts.undecided = counters.undecided;
  counts.exhausted = counters.exhausted;
  counts.work = counters.work;
  return counts;
}

std::optional<char> choice_of(std::string_view answer, const std::vector<std::string>& options) {
  std::string text = folded_option(unboxed(answer));
  while (text.ends_with(',')) text.pop_back();
  if (text.size() == 3 && text.front() == '[' && text.back() == ']') text = text.substr(1, 1);
  for (const std::string_view noise : {"\\text{", "**", "option ", "answer: ", "the answer is "}) {
    if (text.starts_with(noise)) text.erase(0, noise.size());
  }
  const std::size_t begin = text.starts_with('(') ? 1 : 0;
  if (text.size() > begin && text[begin] >= 'a' && text[begin] <= 'z') {
    const std::string_view rest = std::string_view(text).substr(begin + 1);
    const bool ends =
        rest.empty() || std::string_view(").:}* ").find(rest[0]) != std::string_view::npos;
    // "a dog" begins with a word, "a) dog" with a letter.
    const bool letter = ends && !(begin == 0 && !rest.empty() && rest[0] == ' ');
    if (letter && static_cast<std::size_t>(text[begin] - 'a') < options.size())
      return static_cast<char>(text[begin] - 'a' + 'A');
  }
  std::optional<char> found;
  for (std::size_t i = 0; i < options.size() && i < kMaxOptions; ++i) {
    if (folded_option(options[i]) != text) continue;
    if (found) return std::nullopt;  // two options of one text
    found = static_cast<char>('A' + i);
  }
  return found;
}

Status check(const Verifier& verifier) {
  if (verifier.tolerance && verifier.kind != VerifierKind::kNumber &&
      verifier.kind != VerifierKind::kMath)
    return failure("\"tolerance\" is for the verifiers number and math");
  if (verifier.kind == VerifierKind::kTests) return check(verifier.tests);
  if (trim(verifier.answer).empty()) return failure("\"answer\" is empty");
  if (verifier.kind == VerifierKind::kNumber && !parse_number(verifier.answer))
    return failure("\"answer\": \"{}\" is no number", verifier.answer);
  if (verifier.kind == VerifierKind::kMath && verifier.answer.size() > kMaxMathBytes)
    return failure("\"answer\" has more than {} bytes", kMaxMathBytes);
  if (verifier.kind == VerifierKind::kMath) {
    const MathAnswer answer = MathAnswer::parse(verifier.answer);
    if (!answer.accepts(answer))
      return failure("\"answer\": no answer could be shown to equal \"{}\"", verifier.answer);
  }
  if (verifier.kind != VerifierKind::kChoice) return {};
  if (verifier.options.size() < 2 || verifier.options.size() > kMaxOptions)
    return failure("\"options\" has {} texts, expected 2 to {}", verifier.options.size(),
                   kMaxOptions);
  if (!choice_of(verifier.answer, verifier.options))
    return failure("\"answer\": \"{}\" is none of the options", verifier.answer);
  return {};
}

Expected<Tolerance> tolerance_from_json(const Json& json) {
  Tolerance tolerance;
  const auto read = [](const Json& number, double& value) {
    if (!number.is_number()) return false;
    value = number.get<double>();
    return value >= 0 && std::isfinite(value);
  };
  bool good = false;
  if (json.is_object()) {
    good = true;
    for (const auto& [key, number] : json.items()) {
      if (number.is_null()) continue;
      good = good && (key == "absolute"   ? read(number, tolerance.absolute)
                      : key == "relative" ? read(number, tolerance.relative)
                                          : false);
    }
  } else {
    good = read(json, tolerance.absolute);
  }
  if (!good || (tolerance.absolute == 0 && tolerance.relative == 0)) {
    return failure(
        "\"tolerance\": {} is neither a number above 0 nor {{\"absolute\": number, \"relative\": "
        "number}} with one above 0",
        dump_json(json));
  }
  return tolerance;
}

Json to_json(const Tolerance& tolerance) {
  Json json = Json::object();
  if (tolerance.absolute > 0) json["absolute"] = tolerance.absolute;
  if (tolerance.relative > 0) json["relative"] = tolerance.relative;
  return json;
}

namespace {

struct Decision {
  Verdict verdict = verdict_of(kMalformedReward);
  Ground ground = Ground::kText;
  std::optional<MathComparison> compared = {};
};

// The decimal that a row writes, not the nearest binary fraction.
Rational written(double value) {
  return parse_decimal(fmt::format("{}", value)).value_or(Rational(value));
}

bool within_tolerance(const Verifier& verifier, std::string_view answer) {
  return verifier.tolerance &&
         MathAnswer::parse(verifier.answer)
             .is_near(MathAnswer::parse(answer), written(verifier.tolerance->absolute),
                      written(verifier.tolerance->relative));
}

Decision decide_number(const Verifier& verifier, std::string_view answer) {
  auto given = parse_number(unboxed(answer));
  const std::string_view text = trim(unboxed(answer));
  if (!given && !text.starts_with(',') && text.find("--") == std::string_view::npos)
    given = MathAnswer::parse(text).number();
  if (!given) return {};
  const auto expected = parse_number(verifier.answer);
  if (*given == expected || !verifier.tolerance)
    return {.verdict = right_or_wrong(*given == expected), .ground = Ground::kExact};
  const Rational off = abs(Rational(*given - *expected));
  const bool near = off <= written(verifier.tolerance->absolute) ||
                    off <= written(verifier.tolerance->relative) * abs(*expected);
  return {.verdict = right_or_wrong(near), .ground = Ground::kTolerance};
}

Decision decide_math(const Verifier& verifier, std::string_view answer) {
  const MathAnswer given = MathAnswer::parse(answer);
  if (given.empty()) return {};
  Decision decision;
  decision.compared = MathAnswer::parse(verifier.answer).compare(given);
  decision.ground = decision.compared->ground;
  if (decision.compared->exhausted) return decision;
  decision.verdict = right_or_wrong(decision.compared->equal);
  if (!decision.compared->equal && within_tolerance(verifier, answer)) {
    decision.verdict = right_or_wrong(true);
    decision.ground = Ground::kTolerance;
    decision.compared->ground = Ground::kTolerance;
    decision.compared->undecided = false;
  }
  return decision;
}

Decision decide(const Verifier& verifier, std::string_view answer) {
  if (trim(answer).empty()) return {};
  switch (verifier.kind) {
    case VerifierKind::kExact:
      return {.verdict = right_or_wrong(with_single_spaces(answer) ==
                                        with_single_spaces(verifier.answer))};
    case VerifierKind::kNumber:
      return decide_number(verifier, answer);
    case VerifierKind::kMath:
      return decide_math(verifier, answer);
    case VerifierKind::kChoice: {
      const auto given = choice_of(answer, verifier.options);
      if (!given) return {};
      return {.verdict = right_or_wrong(given == choice_of(verifier.answer, verifier.options))};
    }
    case VerifierKind::kValue:
    case VerifierKind::kTests:
      break;
  }
  return {};
}

}  // namespace

Verdict verify(const Verifier& verifier, std::string_view answer) {
  const Decision decision = decide(verifier, answer);
  if (decision.compared) {
    count(*decision.compared);
  } else if (decision.ground == Ground::kTolerance) {
    count({.ground = Ground::kTolerance});
  }
  return decision.verdict;
}

Ground ground_of(const Verifier& verifier, std::string_view answer) {
  return decide(verifier, answer).ground;
}

std::vector<Verdict> verify_python(sandbox::Sandbox& sandbox,
                                   std::span<const VerifyRequest> requests) {
  std::vector<Submission> programs;
  std::vector<sandbox::Comparison> values;
  std::vector<std::size_t> program_places;
  std::vector<std::size_t> value_places;
  std::vector<Verdict> verdicts(requests.size(), verdict_of(kMalformedReward));
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const Verifier& verifier = *requests[i].verifier;
    if (verifier.kind == VerifierKind::kTests) {
      std::string program = program_of(requests[i].answer, entry_name(verifier.tests));
      if (trim(program).empty()) continue;
      programs.push_back({&verifier.tests, std::move(program), verifier.answer});
      program_places.push_back(i);
    } else if (const std::string_view value = trim(requests[i].answer); !value.empty()) {
      values.push_back({std::string(value), verifier.answer});
      value_places.push_back(i);
    }
  }
  const std::vector<Judgement> judged = judge(sandbox, programs);
  for (std::size_t k = 0; k < judged.size(); ++k) {
    if (judged[k] != Judgement::kBroken)
      verdicts[program_places[k]] = right_or_wrong(judged[k] == Judgement::kPassed);
  }
  const std::vector<sandbox::Equality> equal = sandbox.compare_many(values);
  for (std::size_t k = 0; k < equal.size(); ++k) {
    if (equal[k] != sandbox::Equality::kNotComparable)
      verdicts[value_places[k]] = right_or_wrong(equal[k] == sandbox::Equality::kEqual);
  }
  return verdicts;
}

}  // namespace redqueen::data_sets
