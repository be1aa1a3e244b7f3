// Examines Python programs without running them: a helper of ours (syntax_helper.py) reads their
// syntax trees inside the sandbox, as data.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "redqueen/code_tasks/tree_distance.h"
#include "redqueen/sandbox/sandbox.h"

namespace redqueen::code_tasks {

// Measures of how hard a program is to read.
struct ProgramMeasures {
  // Cognitive complexity (Campbell, SonarSource, 2018): one for each break in the linear flow, and
  // one more for each level it is nested in. The loops of a comprehension count as loops.
  double cognitive = 0;
  // Halstead's volume N log2 η (1977): N operators and operands, η different ones. Operators are
  // those of expressions and augmented assignments.
  double halstead = 0;
  double lines = 0;  // that are not blank
};

struct SyntaxReport {
  std::string fault;                     // why it does not parse; empty: it does
  bool defines_entry = false;            // f is a function of the top level
  std::vector<std::string> unused;       // components that f's program never calls
  std::vector<std::string> redefined;    // components that it defines itself
  std::vector<std::string> no_literals;  // inputs that are no argument lists of literals
  ProgramMeasures measures;
  LabelledTree tree;  // without names of variables; empty: more nodes than kMaxTreeNodes
};

struct SyntaxQuery {
  std::string source;
  std::vector<std::string> components = {};  // functions that it must call; usually none
  std::vector<std::string> inputs = {};  // argument lists to be checked (LiteralKind::kArguments)
};

// Returns reports in the order of the queries. A program that breaks the helper (nested too deeply,
// say) has a fault.
std::vector<SyntaxReport> inspect_programs(sandbox::Sandbox& sandbox,
                                           std::span<const SyntaxQuery> queries);

struct TransformRequest {
  std::string source;
  bool strip_comments = false;  // comments and docstrings
  bool strip_globals = false;   // of the top level all but imports, functions and classes
  std::string entry = "f";      // what f shall be called; for programs that become components
};

// The sources changed as asked; one in which there is nothing to change stays as it is, layout
// included, others come back in Python's standard layout. nullopt: it does not parse.
std::vector<std::optional<std::string>> transform_programs(
    sandbox::Sandbox& sandbox, std::span<const TransformRequest> requests);

struct VariationRequest {
  std::string arguments;
  std::uint64_t seed = 0;
  int count = 0;
};

// For each request `count` argument lists that are like the given one, number by number and item by
// item, but random; the same for the same request, and perhaps not all different. Empty: it is no
// list of literals.
std::vector<std::vector<std::string>> vary_arguments(sandbox::Sandbox& sandbox,
                                                     std::span<const VariationRequest> requests);

enum class LiteralKind {
  // a value written out: no arithmetic, no conversion, no name; set() and the like as repr writes
  // them
  kValue,
  // an argument list of literals, keywords allowed; arithmetic on literals is allowed too
  kArguments,
};

struct LiteralQuery {
  std::string text;
  LiteralKind kind = LiteralKind::kValue;
};

std::vector<bool> are_literals(sandbox::Sandbox& sandbox, std::span<const LiteralQuery> queries);

}  // namespace redqueen::code_tasks
