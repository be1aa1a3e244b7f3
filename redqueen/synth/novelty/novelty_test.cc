#include "redqueen/synth/novelty/novelty.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "redqueen/base/rng.h"
#include "redqueen/text/testing/tokenizers.h"

namespace redqueen::synth {
namespace {

using testing::HasSubstr;

// A unit vector of the plane, at this many degrees.
Embedding at_degrees(double degrees) {
  const double radians = degrees * M_PI / 180;
  return {static_cast<float>(std::cos(radians)), static_cast<float>(std::sin(radians))};
}

Views views(double prompt_degrees, double code_degrees) {
  return {at_degrees(prompt_degrees), at_degrees(code_degrees)};
}

Views random_views(Rng& rng) { return views(rng.real(0, 360), rng.real(0, 360)); }

TEST(NoveltyArchiveTest, TakesEachMaximumByItself) {
  NoveltyArchive archive;
  EXPECT_EQ(archive.similarity(views(0, 0), 0.5), 0);
  archive.add("a", views(0, 90));
  archive.add("b", views(90, 0));
  // cos 60° to a's prompt is the larger, cos 30° to b's code.
  EXPECT_NEAR(archive.similarity(views(60, 30), 0.5),
              0.5 * std::cos(M_PI / 6) + 0.5 * std::cos(M_PI / 6), 1e-6);
  EXPECT_NEAR(archive.similarity(views(20, 0), 0.3), 0.3 * std::cos(M_PI / 9) + 0.7, 1e-6);
  EXPECT_NEAR(archive.similarity(views(225, 225), 0.5), -std::sqrt(0.5), 1e-6);
}

TEST(NoveltyArchiveTest, EqualsBruteForce) {
  Rng rng({.seed = 1, .purpose = hash_name("archive")});
  NoveltyArchive archive;
  std::vector<std::pair<double, double>> angles;
  for (int i = 0; i < 50; ++i) {
    angles.emplace_back(rng.real(0, 360), rng.real(0, 360));
    archive.add(std::to_string(i), views(angles.back().first, angles.back().second));
    const double u = rng.real(0, 360), v = rng.real(0, 360), share = rng.real();
    double prompt = -1, code = -1;
    for (const auto& [a, b] : angles) {
      prompt = std::max(prompt, std::cos((a - u) * M_PI / 180));
      code = std::max(code, std::cos((b - v) * M_PI / 180));
    }
    EXPECT_NEAR(archive.similarity(views(u, v), share), share * prompt + (1 - share) * code, 1e-6);
  }
}

TEST(NoveltyArchiveTest, ComesBackFromItsFileBitForBit) {
  const TestFolder folder;
  Rng rng({.seed = 2, .purpose = hash_name("archive")});
  for (const int size : {0, 1, 7}) {
    NoveltyArchive archive;
    for (int i = 0; i < size; ++i) archive.add("évo/\"x\"" + std::to_string(i), random_views(rng));
    ASSERT_TRUE(archive.save(folder / "archive"));
    const NoveltyArchive loaded = NoveltyArchive::load(folder / "archive").value();
    EXPECT_EQ(loaded.names(), archive.names());
    ASSERT_EQ(loaded.size(), archive.size());
    for (std::size_t i = 0; i < archive.size(); ++i) {
      EXPECT_EQ(loaded.views()[i].prompt, archive.views()[i].prompt);
      EXPECT_EQ(loaded.views()[i].code, archive.views()[i].code);
    }
  }
}

TEST(NoveltyArchiveTest, RefusesDamagedFiles) {
  const TestFolder folder;
  Rng rng({.seed = 3, .purpose = hash_name("archive")});
  NoveltyArchive archive;
  archive.add("a", random_views(rng));
  ASSERT_TRUE(archive.save(folder / "archive"));
  const std::string good = read_file(folder / "archive");
  for (std::size_t length = 0; length < good.size(); length += 3) {
    write_file(folder / "cut", good.substr(0, length));
    EXPECT_FALSE(NoveltyArchive::load(folder / "cut")) << length;
  }
  for (int i = 0; i < 500; ++i) {  // other bytes may be other names or numbers, but never a crash
    std::string bad = good;
    bad[rng.below(bad.size())] = static_cast<char>(rng.below(256));
    write_file(folder / "bad", bad);
    const auto loaded = NoveltyArchive::load(folder / "bad");
    EXPECT_LE(loaded ? loaded->size() : 0, 1u);
  }
  EXPECT_THAT(NoveltyArchive::load(folder / "none").error().message, HasSubstr("none"));
}

TEST(AssessNoveltyTest, FindsDuplicatesInTheOrderOfTheBatch) {
  NoveltyArchive archive;
  archive.add("old", views(180, 180));
  const std::vector<Views> batch = {views(0, 0), views(90, 90), views(10, 10), views(50, 50),
                                    views(20, 20)};
  // cos 30° > 0.8 > cos 40°. The third repeats the first. The fourth is near the third alone, which
  // is a duplicate and does not count. The fifth is nearest to the third, then to the first.
  const auto result = assess_novelty(archive, batch, {});
  EXPECT_FALSE(result[0].duplicate_of);
  EXPECT_FALSE(result[1].duplicate_of);
  EXPECT_EQ(result[2].duplicate_of, 0u);
  EXPECT_FALSE(result[3].duplicate_of);
  EXPECT_EQ(result[4].duplicate_of, 0u);
  EXPECT_NEAR(result[0].similarity, -1, 1e-6);
  EXPECT_NEAR(result[1].similarity, 0, 1e-6);
  EXPECT_NEAR(result[2].similarity, std::cos(10 * M_PI / 180), 1e-6);
  EXPECT_NEAR(result[3].similarity, std::cos(130 * M_PI / 180), 1e-6);
  for (const CandidateNovelty& candidate : result) {
    EXPECT_DOUBLE_EQ(candidate.novelty, 1 - candidate.similarity);
  }
}

TEST(AssessNoveltyTest, NamesTheNearestOriginal) {
  const std::vector<Views> batch = {views(0, 0), views(50, 50), views(30, 30)};
  const auto result = assess_novelty({}, batch, {});
  EXPECT_FALSE(result[1].duplicate_of);
  EXPECT_EQ(result[2].duplicate_of, 1u);
  EXPECT_TRUE(assess_novelty({}, {}, {}).empty());
}

TEST(AssessNoveltyTest, LeavesOneOfManyCopies) {
  const std::vector<Views> batch(6, views(12, 34));
  const auto result = assess_novelty({}, batch, {});
  EXPECT_FALSE(result[0].duplicate_of);
  EXPECT_EQ(result[0].novelty, 1);
  for (std::size_t i = 1; i < batch.size(); ++i) {
    EXPECT_EQ(result[i].duplicate_of, 0u);
    EXPECT_NEAR(result[i].novelty, 0, 1e-6);
  }
}

// A repaired twin of a broken candidate earns the bonus, wherever it stands in the batch.
TEST(AssessNoveltyTest, LetsTheBestValidatedStandForItsCluster) {
  const std::vector<Views> batch = {views(0, 0), views(10, 10), views(90, 90), views(5, 5)};
  const auto result = assess_novelty({}, batch, {}, std::vector{4, 5, 2, 5});
  EXPECT_EQ(result[0].duplicate_of, 1u);
  EXPECT_FALSE(result[1].duplicate_of);
  EXPECT_FALSE(result[2].duplicate_of);
  EXPECT_EQ(result[3].duplicate_of, 1u) << "of two as good, the first";
  EXPECT_GT(result[1].novelty, result[0].novelty + 0.9);
}

// A batch of two candidates that are as near as this to each other.
std::vector<CandidateNovelty> novelty_of(double similarity) {
  return std::vector<CandidateNovelty>(2, {.largest_in_batch = similarity});
}

TEST(AssessNoveltyTest, MeasuresTheNearestOtherOfTheBatch) {
  const std::vector<Views> batch = {views(0, 0), views(10, 10), views(10, 10), views(90, 90)};
  const auto result = assess_novelty({}, batch, {});
  const double ten = std::cos(10 * M_PI / 180);
  EXPECT_NEAR(result[0].largest_in_batch.value(), ten, 1e-6);
  EXPECT_NEAR(result[1].largest_in_batch.value(), 1, 1e-6);
  EXPECT_NEAR(result[2].largest_in_batch.value(), 1, 1e-6);
  EXPECT_NEAR(result[3].largest_in_batch.value(), std::cos(80 * M_PI / 180), 1e-6);
  EXPECT_FALSE(assess_novelty({}, {batch.data(), 1}, {})[0].largest_in_batch);
}

// Equation 4: a batch of copies of something that nobody admitted yet is repetitive.
TEST(NoveltyWeightTest, CopiesWithinABatchRaiseIt) {
  NoveltyWeight weight{NoveltySettings{}};
  const std::vector<Views> copies(8, views(12, 34));
  weight.observe(assess_novelty({}, copies, {}));
  EXPECT_NEAR(weight.mean_similarity(), 0.6 * 0.5 + 0.4 * 1, 1e-6);
  EXPECT_DOUBLE_EQ(weight.gamma(), 5);

  NoveltyWeight other{{.stream = StreamSimilarity::kArchive}};
  other.observe(assess_novelty({}, copies, {}));
  EXPECT_NEAR(other.mean_similarity(), 0.6 * 0.5, 1e-6);
  EXPECT_DOUBLE_EQ(other.gamma(), 2);
}

TEST(NoveltyWeightTest, RisesWithTheMovingAverage) {
  NoveltyWeight weight{NoveltySettings{}};
  EXPECT_DOUBLE_EQ(weight.mean_similarity(), 0.5);
  EXPECT_NEAR(weight.gamma(), 2.75, 1e-12);  // a quarter of the way from 0.45 to 0.65
  weight.observe(novelty_of(0.7));
  EXPECT_NEAR(weight.mean_similarity(), 0.58, 1e-12);  // 0.6·0.5 + 0.4·0.7
  EXPECT_NEAR(weight.gamma(), 3.95, 1e-12);            // 2 + 3·0.13/0.2
  weight.observe(novelty_of(0.9));
  EXPECT_NEAR(weight.mean_similarity(), 0.708, 1e-12);
  EXPECT_DOUBLE_EQ(weight.gamma(), 5);
  for (int i = 0; i < 10; ++i) weight.observe(novelty_of(0.1));
  EXPECT_DOUBLE_EQ(weight.gamma(), 2);
}

TEST(NoveltyWeightTest, AveragesWhatIsNoDuplicate) {
  NoveltyWeight weight{{.stream = StreamSimilarity::kArchive}};
  weight.observe(std::vector<CandidateNovelty>{
      {.similarity = 0.2}, {.similarity = 0.6}, {.similarity = 0.99, .duplicate_of = 1}});
  EXPECT_NEAR(weight.mean_similarity(), 0.6 * 0.5 + 0.4 * 0.4, 1e-12);
  weight.observe({});
  EXPECT_NEAR(weight.mean_similarity(), 0.46, 1e-12);
}

TEST(NoveltyWeightTest, GoesOnWhereItWas) {
  NoveltyWeight weight{NoveltySettings{}};
  weight.observe(novelty_of(0.123456789));
  NoveltyWeight other{NoveltySettings{}};
  ASSERT_TRUE(other.restore(parse_json(dump_json(weight.state())).value()));
  EXPECT_EQ(other.mean_similarity(), weight.mean_similarity());
  EXPECT_FALSE(other.restore(Json::object()));
}

}  // namespace
}  // namespace redqueen::synth
