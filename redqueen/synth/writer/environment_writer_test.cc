#include "redqueen/synth/writer/environment_writer.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "redqueen/sandbox/testing/sandbox.h"
#include "redqueen/synth/validation/validation.h"

namespace redqueen::synth {
namespace {

Rng rng_of(std::uint64_t index) { return Rng({.seed = 5, .index = index}); }

std::vector<WrittenEnvironment> environment_writer_written(int count, Defect defect) {
  std::vector<WrittenEnvironment> all;
  for (int i = 0; i < count; ++i) {
    Rng rng = rng_of(static_cast<std::uint64_t>(i));
    all.push_back(write_environment(rng, defect));
  }
  return all;
}

std::vector<ValidationReport> judged(const std::vector<WrittenEnvironment>& all) {
  std::vector<std::string> sources;
  for (const WrittenEnvironment& one : all) sources.push_back(one.source);
  return validate(sandbox::shared_sandbox(), sources);
}

TEST(EnvironmentWriter, WritesTheSameAtTheSameAddressAndManyDifferent) {
  std::set<std::string> sources;
  std::set<std::string> families;
  for (const WrittenEnvironment& one : environment_writer_written(500, Defect::kNone)) {
    sources.insert(one.source);
    families.insert(one.family);
  }
  EXPECT_GT(sources.size(), 400u);
  EXPECT_EQ(families.size(), 7u);
  Rng one = rng_of(3);
  Rng other = rng_of(3);
  EXPECT_EQ(write_environment(one).source, write_environment(other).source);
}

TEST(EnvironmentWriter, WritesSoundEnvironments) {
  const auto all = environment_writer_written(20, Defect::kNone);
  const auto reports = judged(all);
  int sound = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    sound += reports[i].sound();
    EXPECT_GE(reports[i].layer, 3) << reports[i].sentence << "\n" << all[i].source;
  }
  // A few tasks are too easy by chance of their constants: "how many multiples of 5" is often 0.
  EXPECT_GE(sound, 17);
}

TEST(EnvironmentWriter, BuildsDefectsInThatTheirLayerFinds) {
  const std::map<Defect, int> layer{{Defect::kSyntax, 0},
                                    {Defect::kMissingMethod, 0},
                                    {Defect::kForbiddenImport, 0},
                                    {Defect::kRaises, 1},
                                    {Defect::kUnseeded, 2},
                                    {Defect::kConstant, 3},
                                    {Defect::kIgnoresDifficulty, 3},
                                    {Defect::kLeak, 4},
                                    {Defect::kAcceptsAnything, 4}};
  for (const auto& [defect, reached] : layer) {
    const auto all = environment_writer_written(2, defect);
    const auto reports = judged(all);
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_EQ(reports[i].layer, reached)
          << name_of(defect) << ": " << reports[i].code() << ": " << reports[i].sentence << "\n"
          << all[i].source;
    }
  }
}

// Only words and code tell that these are wrong: another reference, the same prompts. They come as
// far as layer 5, which remarks on what contradicts its words plainly.
TEST(EnvironmentWriter, WritesWrongReferencesThatRun) {
  const auto all = environment_writer_written(8, Defect::kWrongReference);
  int ran = 0;
  int doubted = 0;
  for (const ValidationReport& report : judged(all)) {
    ran += report.layer >= 4;
    doubted += report.layer == 4 || !report.remarks.empty();
  }
  EXPECT_GE(ran, 5);
  EXPECT_GE(doubted, 1);
}

}  // namespace
}  // namespace redqueen::synth
