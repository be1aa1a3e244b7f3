// The card of an environment: its name, its task, its levels and its rewards. Documentation and
// audits are made from it.
#pragma once

#include <string_view>

namespace redqueen {

enum class Family {
  kAlgebra,
  kArithmetic,
  kBits,
  kCode,  // written by a policy, or tasks on code
  kCounting,
  kDataSets,  // rows of a file
  kGames,
  kGeometry,
  kGraphs,
  kGrids,
  kNumberTheory,
  kOptimization,
  kProbability,
  kPuzzles,
  kSequences,
  kStrings,
  kTrees,
  kWorlds,  // tools and turns
};

enum class AnswerKind {
  kInteger,
  kReal,
  kFraction,  // p/q
  kIntegerList,
  kIntegerMatrix,
  kPairs,
  kString,
  kChoice,
  kExpression,
  kTurns,  // a transcript of the assistant's turns
  kOther,
};

enum class Scoring {
  kExact,        // right or wrong
  kCloseness,    // (min/max)^β
  kMaximise,     // (value/best)^β
  kMinimise,     // (best/value)^β
  kElementWise,  // (matches/N)^β
  kFeasibility,  // every answer that keeps the rules is right
  kQuality,      // keeps the rules, and is paid by quality
  kOther,
};

// Every text is for a reader who sees nothing else: whole sentences, no markup.
struct Card {
  std::string_view name;  // the published identifier: the key of the registry
  Family family;
  AnswerKind answer;
  Scoring scoring;
  std::string_view task;     // what is given and what is asked, in one or two sentences
  std::string_view levels;   // what grows with the level
  std::string_view rewards;  // what earns what, worst first
  // The differences from the published environment of this name, and why; empty: none.
  std::string_view differences = "";
  // The reason why a constant, an example or a simple rule collects much (a yes/no task, say);
  // empty: none does. An environment without a word here is held to the bounds of the audit.
  std::string_view small_answer_space = "";
  // The origin of the task: paper, contest or textbook, with a link if there is one.
  std::string_view source = "";
  int version = 1;      // rises whenever a problem or a score changes
  int max_level = 100;  // the highest level that any algorithm at hand can make; see `levels`
};

std::string_view to_string(Family family);
std::string_view to_string(AnswerKind kind);
std::string_view to_string(Scoring scoring);

}  // namespace redqueen
