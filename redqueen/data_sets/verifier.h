// Verifiers judge the answers to rows of a data set.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/base/enum_names.h"
#include "redqueen/base/error.h"
#include "redqueen/core/verdict.h"
#include "redqueen/data_sets/program_tests.h"
#include "redqueen/data_sets/work.h"

namespace redqueen::data_sets {

enum class VerifierKind {
  kExact,   // the same text, but for the amount of white space
  kNumber,  // the same number, exactly: 0.5, 1/2, 5e-1, 1,000
  kMath,    // the same mathematics (math_answer.h)
  kChoice,  // the same option, by its letter or by its text
  kValue,   // the same Python value: literals, as == has it
  kTests,   // a program that passes its tests (program_tests.h)
};
inline constexpr auto kVerifierNames = enum_names<VerifierKind>({{"exact", VerifierKind::kExact},
                                                                 {"number", VerifierKind::kNumber},
                                                                 {"math", VerifierKind::kMath},
                                                                 {"choice", VerifierKind::kChoice},
                                                                 {"value", VerifierKind::kValue},
                                                                 {"tests", VerifierKind::kTests}});

// True if verdicts come from the sandbox.
constexpr bool runs_python(VerifierKind kind) {
  return kind == VerifierKind::kValue || kind == VerifierKind::kTests;
}

// How far from right a number may be; within either is enough.
struct Tolerance {
  double absolute = 0;
  double relative = 0;  // times the right number
};

// A number, which is absolute, or {"absolute", "relative"}; 0 or more, one of them above 0.
Expected<Tolerance> tolerance_from_json(const Json& json);
Json to_json(const Tolerance& tolerance);

struct Verifier {
  VerifierKind kind = VerifierKind::kExact;
  std::string answer;                       // what is right; of a choice its letter, A to Z
  std::vector<std::string> options;         // of a choice: the texts, that of A first
  ProgramTests tests;                       // of a program; `answer` is one that passes, or empty
  std::optional<Tolerance> tolerance = {};  // of kNumber and kMath
};

// Fails where no answer could ever be right: an empty answer, a number that is none, a letter
// without an option, no test.
Status check(const Verifier& verifier);

// −1 for an answer that cannot be read or takes more work than a verdict may (work.h), 0 for a
// wrong one, 1 for the right one. Any bytes may stand in it. Not of kinds that run Python.
Verdict verify(const Verifier& verifier, std::string_view answer);

// The ground on which an answer is decided; kText for answers that cannot be read and for choices.
// Costs as much as the verdict and is not counted below. Not for kinds that run Python.
Ground ground_of(const Verifier& verifier, std::string_view answer);

// Verdicts of kMath, and those on the ground of a tolerance, in this process.
struct VerdictCounts {
  std::array<std::uint64_t, kGroundNames.list.size()> by_ground{};  // in the order of Ground
  std::uint64_t undecided = 0;  // took the answer for wrong, because nothing could be decided
  std::uint64_t exhausted = 0;  // took it for malformed, because it was too much work
  std::uint64_t work = 0;       // of all, in the units of work.h
};
VerdictCounts verdict_counts();  // thread-safe

struct VerifyRequest {
  const Verifier* verifier = nullptr;
  std::string_view answer;
};

// Verifies answers of the kinds that run Python, all at once.
std::vector<Verdict> verify_python(sandbox::Sandbox& sandbox,
                                   std::span<const VerifyRequest> requests);

// The letter of an answer to a multiple-choice question: "B", "(b)", "B.", "B) Paris", "option B",
// or the text of an option. nullopt: neither.
std::optional<char> choice_of(std::string_view answer, const std::vector<std::string>& options);

}  // namespace redqueen::data_sets
