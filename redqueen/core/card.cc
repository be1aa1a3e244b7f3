#include "redqueen/core/card.h"

namespace redqueen {

std::string_view to_string(Family family) {
  switch (family) {
    case Family::kAlgebra:
      return "algebra";
    case Family::kArithmetic:
      return "arithmetic";
    case Family::kBits:
      return "bits";
    case Family::kCode:
      return "code";
    case Family::kCounting:
      return "counting";
    case Family::kGames:
      return "games";
    case Family::kGeometry:
      return "geometry";
    case Family::kGraphs:
      return "graphs";
    case Family::kGrids:
      return "grids";
    case Family::kNumberTheory:
      return "number_theory";
    case Family::kOptimization:
      return "optimization";
    case Family::kProbability:
      return "probability";
    case Family::kPuzzles:
      return "puzzles";
    case Family::kSequences:
      return "sequences";
    case Family::kStrings:
      return "strings";
    case Family::kTrees:
      return "trees";
  }
  return "";
}

std::string_view to_string(AnswerKind kind) {
  switch (kind) {
    case AnswerKind::kInteger:
      return "integer";
    case AnswerKind::kReal:
      return "real number";
    case AnswerKind::kIntegerList:
      return "list of integers";
    case AnswerKind::kIntegerMatrix:
      return "matrix of integers";
    case AnswerKind::kPairs:
      return "pairs of integers";
    case AnswerKind::kString:
      return "text";
    case AnswerKind::kChoice:
      return "choice";
    case AnswerKind::kExpression:
      return "expression";
    case AnswerKind::kOther:
      return "other";
  }
  return "";
}

std::string_view to_string(Scoring scoring) {
  switch (scoring) {
    case Scoring::kExact:
      return "exact";
    case Scoring::kCloseness:
      return "closeness";
    case Scoring::kMaximise:
      return "ratio to the maximum";
    case Scoring::kMinimise:
      return "ratio to the minimum";
    case Scoring::kElementWise:
      return "element-wise";
    case Scoring::kFeasibility:
      return "feasibility";
    case Scoring::kQuality:
      return "feasibility with quality";
    case Scoring::kOther:
      return "other";
  }
  return "";
}

}  // namespace redqueen
