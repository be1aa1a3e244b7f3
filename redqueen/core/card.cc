#include "redqueen/core/card.h"

#include "redqueen/base/enum_names.h"

namespace redqueen {
namespace {

constexpr auto kFamilies = enum_names<Family>({{"algebra", Family::kAlgebra},
                                               {"arithmetic", Family::kArithmetic},
                                               {"bits", Family::kBits},
                                               {"code", Family::kCode},
                                               {"counting", Family::kCounting},
                                               {"data_sets", Family::kDataSets},
                                               {"games", Family::kGames},
                                               {"geometry", Family::kGeometry},
                                               {"graphs", Family::kGraphs},
                                               {"grids", Family::kGrids},
                                               {"number_theory", Family::kNumberTheory},
                                               {"optimization", Family::kOptimization},
                                               {"probability", Family::kProbability},
                                               {"puzzles", Family::kPuzzles},
                                               {"sequences", Family::kSequences},
                                               {"strings", Family::kStrings},
                                               {"trees", Family::kTrees},
                                               {"worlds", Family::kWorlds}});

constexpr auto kAnswerKinds =
    enum_names<AnswerKind>({{"integer", AnswerKind::kInteger},
                            {"real number", AnswerKind::kReal},
                            {"fraction", AnswerKind::kFraction},
                            {"list of integers", AnswerKind::kIntegerList},
                            {"matrix of integers", AnswerKind::kIntegerMatrix},
                            {"pairs of integers", AnswerKind::kPairs},
                            {"text", AnswerKind::kString},
                            {"choice", AnswerKind::kChoice},
                            {"expression", AnswerKind::kExpression},
                            {"turns", AnswerKind::kTurns},
                            {"other", AnswerKind::kOther}});

constexpr auto kScorings = enum_names<Scoring>({{"exact", Scoring::kExact},
                                                {"closeness", Scoring::kCloseness},
                                                {"ratio to the maximum", Scoring::kMaximise},
                                                {"ratio to the minimum", Scoring::kMinimise},
                                                {"element-wise", Scoring::kElementWise},
                                                {"feasibility", Scoring::kFeasibility},
                                                {"feasibility with quality", Scoring::kQuality},
                                                {"other", Scoring::kOther}});

constexpr auto kSlowReasons = enum_names<SlowReason>({{"none", SlowReason::kNone},
                                                      {"stricter", SlowReason::kStricter},
                                                      {"tiny", SlowReason::kTiny},
                                                      {"more work", SlowReason::kMoreWork}});

}  // namespace

bool Card::allows_guessing() const {
  return guess_until_level >= 0 || guess_bound > Card{}.guess_bound;
}

std::string_view to_string(Family family) { return kFamilies.name(family); }
std::string_view to_string(AnswerKind kind) { return kAnswerKinds.name(kind); }
std::string_view to_string(Scoring scoring) { return kScorings.name(scoring); }
std::string_view to_string(SlowReason reason) { return kSlowReasons.name(reason); }

}  // namespace redqueen
