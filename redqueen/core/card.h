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

// The reason why making and scoring a problem may take more than a tenth of the time that the
// published environment takes (scripts/check_speed).
enum class SlowReason {
  kNone,      // it may not
  kStricter,  // problems are selected: those that a simple rule solves are rejected, or answers are
              // drawn evenly; `differences` says how
  kTiny,      // both take a few microseconds
  kMoreWork,  // a problem takes more work than a published one: a search, a prime, a shuffle
};

// Texts are for a reader who sees nothing else: whole sentences, no markup. No program reads them;
// what tests and audits need to know has a field of its own.
struct Card {
  std::string_view name;   // the key of the registry
  bool published = false;  // whether RLVE-Gym has an environment of this name
  Family family;
  AnswerKind answer;
  Scoring scoring;
  std::string_view task;     // what is given and what is asked, in one or two sentences
  std::string_view levels;   // what grows with the level
  std::string_view rewards;  // what earns what, worst first
  // The differences from the published environment of this name, and why; empty: none.
  std::string_view differences = "";
  SlowReason slow_reason = SlowReason::kNone;
  // Why a constant, an example or a simple rule solves much (a yes/no task, say): explains the next
  // two fields, and is empty where they are left out.
  std::string_view small_answer_space = "";
  // The highest level at which a guess may solve any share of the problems; -1: none.
  int guess_until_level = -1;
  // The share of the problems that a guess may solve at the levels above (gym/audit.h).
  double guess_bound = 0.2;
  // The origin of the task: paper, contest or textbook, with a link if there is one.
  std::string_view source = "";
  int version = 1;      // rises whenever a problem or a score changes
  int max_level = 100;  // the highest level that any algorithm at hand can make; see `levels`
  // Whether a problem's parameter says everything twice, so that a change of one place is refused.
  bool redundant_parameter = false;

  // Whether guesses may solve more than in other environments, at some levels or at all.
  bool allows_guessing() const;
};

std::string_view to_string(Family family);
std::string_view to_string(AnswerKind kind);
std::string_view to_string(Scoring scoring);
std::string_view to_string(SlowReason reason);

}  // namespace redqueen
