// Episodes that are played again to be looked at, and the animated pictures of them.
#include "redqueen/arena/judge/replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "redqueen/arena/judge/animation.h"
#include "redqueen/arena/judge/judge.h"
#include "redqueen/arena/judge/run_files.h"
#include "redqueen/arena/judge/run_report.h"
#include "redqueen/arena/testing/seats.h"
#include "redqueen/base/rng.h"
#include "redqueen/base/testing/folder.h"

namespace redqueen::arena {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;

bool python_has(const std::string& packages) {
  return std::system((".venv/bin/python -c 'import " + packages + "' 2>/dev/null").c_str()) == 0;
}

Array picture_of(std::vector<std::int64_t> shape) {
  return Array::zeros(ElementType::kUint8, std::move(shape));
}

// Pillow reads every frame and shows the pixels that went in.
TEST(AnimatedPng, IsWhatAnotherReaderSees) {
  if (!python_has("PIL")) GTEST_SKIP() << "no Python package pillow in .venv";
  const TestFolder folder;
  Rng rng({.seed = 7, .purpose = 1});
  std::vector<Array> pictures = {picture_of({9, 14, 3})};
  for (std::uint8_t& byte : pictures[0].elements<std::uint8_t>()) {
    byte = static_cast<std::uint8_t>(rng.below(256));
  }
  const auto change = [&](const std::vector<std::size_t>& places) {
    Array next = pictures.back();
    for (const std::size_t place : places) next.elements<std::uint8_t>()[place] ^= 0x55;
    pictures.push_back(std::move(next));
  };
  change({});                             // the same again
  change({0});                            // its first corner
  change({9 * 14 * 3 - 1});               // and its last
  change({5 * 14 * 3, 2 * 14 * 3 + 41});  // both edges
  std::vector<std::size_t> all(9 * 14 * 3);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  change(all);
  std::string pixels;
  for (const Array& picture : pictures) {
    pixels.append(reinterpret_cast<const char*>(picture.bytes.data()), picture.bytes.size());
  }
  write_file(folder / "pixels", pixels);
  write_file(folder / "a.png", animated_png(pictures, 40));
  write_file(folder / "read.py", R"(import sys
from PIL import Image
folder = sys.argv[1]
image = Image.open(folder + "/a.png")
assert image.n_frames == 6 and image.size == (14, 9), (image.n_frames, image.size)
pixels = b""
for frame in range(6):
    image.seek(frame)
    pixels += image.convert("RGB").tobytes()
    assert image.info["duration"] == (40 if frame < 5 else 2000), image.info
assert pixels == open(folder + "/pixels", "rb").read()
)");
  const std::string read = ".venv/bin/python " + (folder / "read.py").string() + " ";
  EXPECT_EQ(std::system((read + folder.path().string()).c_str()), 0);
}

TEST(AnimatedPng, ShrinksToMeansOfSquares) {
  Array picture = picture_of({5, 7, 3});
  const auto bytes = picture.elements<std::uint8_t>();
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(2 * i);
  const Array small = shrunk(picture, 3);
  EXPECT_THAT(small.shape, testing::ElementsAre(1, 2, 3));  // squares of 3: 7 / 3 and 5 / 3
  for (std::size_t x = 0; x < 2; ++x) {
    for (std::size_t colour = 0; colour < 3; ++colour) {
      std::size_t sum = 0;
      for (std::size_t i = 0; i < 9; ++i) {
        sum += bytes[((i / 3) * 7 + x * 3 + i % 3) * 3 + colour];
      }
      EXPECT_EQ(small.elements<std::uint8_t>()[x * 3 + colour], sum / 9);
    }
  }
  EXPECT_EQ(shrunk(picture, 7), picture);
  EXPECT_THAT(shrunk(picture_of({1, 90, 3}), 10).shape, testing::ElementsAre(1, 10, 3));
}

// Leans to where the pole does, and so falls after a while that differs from case to case.
constexpr const char* kReplayTilt =
    "class Policy:\n    def __init__(self, *a): pass\n"
    "    def act(self, obs): return int(obs[2] > 0) if obs[0] < 0.03 else 7.5\n";

class ReplayTest : public testing::Test {
 protected:
  // A closed run over CartPole with one submission of three episodes.
  Json play() {
    RunSettings settings;
    settings.budget = 3;
    settings.sizes = {.train = 20, .validation = 1, .heldout = 1};
    settings.seed = 1;
    auto judge = Judge::open(run(), settings, {.seats = &shared_seats(), .workers = 1}).value();
    write_file(judge->program() / "policy.py", kReplayTilt);
    EXPECT_EQ(judge->submit({4, 5, 6}).kind, SubmitAnswer::Kind::kAccepted);
    return record_of_run(run()).value();
  }
  fs::path run() const { return folder_ / "run"; }
  fs::path trajectory(const std::string& episode) const {
    return run() / "workspace/feedback/submit_000/episodes" / episode / "trajectory.jsonl";
  }

  TestFolder folder_;
};

TEST_F(ReplayTest, DrawsTheBestAndTheWorstEpisodeForThePage) {
  if (!python_has("gymnasium, pygame")) GTEST_SKIP() << "no gymnasium or pygame in .venv";
  const Json record = play();
  const auto replays = replay_best_and_worst(run(), record);
  ASSERT_TRUE(replays.has_value()) << replays.error().message;
  ASSERT_EQ(replays->size(), 2U);
  const auto returns =
      summary_of_submission(run(), 0).value()["returns"].get<std::vector<double>>();
  EXPECT_EQ((*replays)[0].total, *std::max_element(returns.begin(), returns.end()));
  EXPECT_EQ((*replays)[1].total, *std::min_element(returns.begin(), returns.end()));
  for (const Replay& replay : *replays) {
    EXPECT_EQ(replay.steps, replay.total);  // CartPole pays 1 for a step
    EXPECT_THAT(replay.png, StartsWith("\x89PNG"));
    EXPECT_THAT(replay.png, HasSubstr("fdAT"));  // more than one picture
  }
  const auto page = write_run_report(run(), folder_ / "page", {}, *replays);
  ASSERT_TRUE(page.has_value()) << page.error().message;
  EXPECT_THAT(read_file(*page), HasSubstr("src=\"data:image/png;base64,iVBORw0KGgo"));
  EXPECT_THAT(read_file(*page), HasSubstr("img-src data:"));
}

// The feedback lies where the agent may write.
TEST_F(ReplayTest, RefusesWhatTheJudgeDidNotSee) {
  if (!python_has("gymnasium, pygame")) GTEST_SKIP() << "no gymnasium or pygame in .venv";
  const Json record = play();
  const auto returns =
      summary_of_submission(run(), 0).value()["returns"].get<std::vector<double>>();
  const auto best = std::max_element(returns.begin(), returns.end()) - returns.begin();
  const fs::path path = trajectory(fmt::format("ep_{:03}", best));
  const std::string lines = read_file(path);
  const std::string first = lines.substr(0, lines.find('\n') + 1);
  for (const std::string& changed :
       {first, lines + first, first + lines.substr(first.size() / 2)}) {
    write_file(path, changed);
    const auto replays = replay_best_and_worst(run(), record);
    ASSERT_FALSE(replays.has_value());
    EXPECT_EQ(replays.error().kind, ErrorKind::kFailure);
  }
  write_file(path, first);
  EXPECT_THAT(replay_best_and_worst(run(), record).error().message, HasSubstr("was changed"));
  fs::remove(path);
  fs::create_symlink("/etc/passwd", path);
  EXPECT_THAT(replay_best_and_worst(run(), record).error().message, HasSubstr("no trajectory"));
}

TEST_F(ReplayTest, SaysWhatIsMissing) {
  const TestFolder nothing;
  const Json record = play();
  const auto replays = replay_best_and_worst(run(), record, {.packages = nothing.path()});
  ASSERT_FALSE(replays.has_value());
  EXPECT_THAT(replays.error().message, HasSubstr("virtual environment"));
  EXPECT_FALSE(replay_best_and_worst(run(), Json::object()).has_value());
}

}  // namespace
}  // namespace redqueen::arena
