// The small parts: values as bytes, repair of actions, cases, files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "redqueen/arena/judge/case_pools.h"
#include "redqueen/arena/judge/core16.h"
#include "redqueen/arena/judge/episode.h"
#include "redqueen/arena/judge/feedback.h"
#include "redqueen/arena/judge/ledger.h"
#include "redqueen/arena/judge/snapshot.h"
#include "redqueen/arena/policies/action_repair.h"
#include "redqueen/arena/policies/value_frames.h"
#include "redqueen/arena/testing/seats.h"
#include "redqueen/base/rng.h"
#include "redqueen/base/testing/folder.h"

namespace redqueen::arena {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

Value array_of(std::vector<float> numbers, std::vector<std::int64_t> shape) {
  Array array = Array::zeros(ElementType::kFloat32, std::move(shape));
  std::copy(numbers.begin(), numbers.end(), array.elements<float>().begin());
  return Value{std::move(array)};
}

std::string bytes_of(const Value& value) {
  std::string bytes;
  append_value(value, bytes);
  return bytes;
}

Value sample() {
  return Value{Value::Dict{{"image", array_of({1, 2, 3, 4, 5, 6}, {2, 3})},
                           {"mission", Value{std::string("get to the goal")}},
                           {"both", Value{Value::Tuple{Value{std::int64_t{-7}}, Value{2.5}}}}}};
}

// Pays what is no number in its second step.
class NoNumber final : public Simulator {
 public:
  NoNumber() {
    card_.id = "NoNumber";
    card_.observation_space.form = Discrete{.n = 2};
    card_.action_space.form = Discrete{.n = 2};
    card_.max_episode_steps = 2;
  }
  const SimulatorCard& card() const override { return card_; }
  Status reset(std::uint64_t, Transition& out) override {
    steps_ = 0;
    out = {.observation = Value{std::int64_t{0}}};
    return {};
  }
  Status step(const Value&, Transition& out) override {
    out = {.observation = Value{std::int64_t{0}}, .reward = ++steps_ == 2 ? std::nan("") : 1.0};
    out.truncated = steps_ == 2;
    return {};
  }

 private:
  SimulatorCard card_;
  int steps_ = 0;
};

TEST(PlayEpisode, ReturnsThatAreNoNumberCountForNothing) {
  NoNumber simulator;
  const PolicySeats::Taken seat(shared_seats());
  PolicyProcess policy(seat,
                       {{.path = "policy.py",
                         .bytes = "class Policy:\n    def __init__(self, *a): pass\n"
                                  "    def act(self, obs): return 0\n"}},
                       {}, {}, false);
  const auto episode = play_episode(simulator, policy, {});
  ASSERT_TRUE(episode) << episode.error().message;
  EXPECT_EQ(episode->length, 2);
  EXPECT_TRUE(episode->lost());
  EXPECT_THAT(episode->fault->what, HasSubstr("no number"));
}

TEST(ValueFrames, ReadWhatTheyWrote) { EXPECT_EQ(read_value(bytes_of(sample())), sample()); }

TEST(ValueFrames, RefuseWhatIsNoValue) {
  const std::string whole = bytes_of(sample());
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    EXPECT_EQ(read_value(std::string_view(whole).substr(0, cut)), std::nullopt);
  }
  EXPECT_EQ(read_value(whole + "x"), std::nullopt);
  EXPECT_EQ(read_value(std::string("a\x0a\x02\xff\xff\xff\xff\xff\xff\xff\xff", 11)), std::nullopt);
  std::string nested;
  for (int i = 0; i < 100; ++i) nested += std::string("t\x01\0\0\0", 5);
  EXPECT_EQ(read_value(nested + "i12345678"), std::nullopt);
  Rng rng({.seed = 3});
  for (int i = 0; i < 20'000; ++i) {  // whatever comes is a value or none
    std::string mutated = whole;
    for (int k = 0; k < 3; ++k)
      mutated[rng.below(mutated.size())] = static_cast<char>(rng.below(256));
    if (const auto value = read_value(mutated)) (void)to_json(*value);
  }
}

TEST(ActionRepair, FollowsV010) {
  const Space three{Discrete{.n = 3, .start = 1}};
  const auto discrete = [&](Value value) {
    const RepairedAction made = repair_action(three, value);
    return fmt::format("{}{}", std::get<std::int64_t>(made.action.form), made.repaired ? "!" : "");
  };
  EXPECT_EQ(discrete(Value{std::int64_t{2}}), "2");
  EXPECT_EQ(discrete(Value{std::int64_t{9}}), "3!");
  EXPECT_EQ(discrete(Value{-1.5}), "1!");
  EXPECT_EQ(discrete(Value{2.9}), "2");
  EXPECT_EQ(discrete(Value{std::nan("")}), "1!");
  EXPECT_EQ(discrete(Value{std::string("left")}), "1!");

  const Space box{Box{.type = ElementType::kFloat32, .shape = {2}, .low = {-1}, .high = {1}}};
  const auto boxed = [&](Value value) {
    const RepairedAction made = repair_action(box, value);
    EXPECT_TRUE(conforms(box, made.action));
    const auto elements = std::get<Array>(made.action.form).elements<float>();
    return fmt::format("{} {}{}", elements[0], elements[1], made.repaired ? "!" : "");
  };
  EXPECT_EQ(boxed(array_of({0.5, -1}, {2})), "0.5 -1");
  EXPECT_EQ(boxed(array_of({0.5, 3}, {2})), "0.5 1!");
  EXPECT_EQ(boxed(Value{0.25}), "0.25 0.25");
  EXPECT_EQ(boxed(array_of({0.5, 0.5, 0.5}, {3})), "0 0!");
  EXPECT_EQ(boxed(Value{Value::Tuple{Value{0.5}, Value{std::nan("")}}}), "0.5 0!");
  EXPECT_EQ(boxed(Value{HUGE_VAL}), "1 1!");
  EXPECT_EQ(boxed(Value{std::string("x")}), "0 0!");
}

TEST(CasePools, PublishedOnesAreThoseOfV010) {
  const CasePools pools =
      published_pools({.train = 1024, .validation = 64, .heldout = 256}).value();
  EXPECT_EQ(pools.train.front(), 1654615998U);  // Python: random.Random(0).randrange(2**31)
  EXPECT_EQ(pools.train.back(), 2063356109U);
  EXPECT_EQ(pools.validation.front(), 1106378843U);
  EXPECT_EQ(pools.heldout[0], 47113601U);
  EXPECT_EQ(pools.heldout[1], 1076138659U);
  EXPECT_EQ(pools.heldout[2], 870966622U);
  EXPECT_FALSE(published_pools({.train = 1025}).has_value());
}

TEST(CasePools, DrawnOnesAreDisjointAndFollowTheSeed) {
  const PoolSizes sizes{.train = 300, .validation = 40, .heldout = 50};
  const CasePools pools = draw_pools(9, sizes);
  EXPECT_EQ(draw_pools(9, sizes), pools);
  EXPECT_NE(draw_pools(10, sizes).heldout, pools.heldout);
  std::set<std::uint64_t> all(pools.train.begin(), pools.train.end());
  all.insert(pools.validation.begin(), pools.validation.end());
  all.insert(pools.heldout.begin(), pools.heldout.end());
  EXPECT_EQ(all.size(), 390U);
  EXPECT_EQ(read_pool(pool_text(pools.heldout)), pools.heldout);
}

TEST(Ledger, ForgetsALineThatWasCutOff) {
  const TestFolder folder;
  const fs::path path = folder / "ledger.jsonl";
  {
    Ledger ledger = Ledger::open(path).value();
    ASSERT_TRUE(ledger.append({{"event", "a"}}));
    ASSERT_TRUE(ledger.append({{"event", "b"}}));
  }
  write_file(path, read_file(path) + "{\"event\": \"c");
  {
    Ledger ledger = Ledger::open(path).value();
    EXPECT_EQ(ledger.records().size(), 2U);
    ASSERT_TRUE(ledger.note({{"event", "d"}}));
  }
  EXPECT_EQ(read_file(path), "{\"event\":\"a\"}\n{\"event\":\"b\"}\n{\"event\":\"d\"}\n");
  write_file(path, "{\"event\":\"a\"}\nrubbish\n");
  EXPECT_THAT(Ledger::open(path).error().message, HasSubstr("line 2 is damaged"));
}

TEST(Snapshot, TakesPlainFilesAndLeavesOutCaches) {
  const TestFolder folder;
  fs::create_directories(folder / "system/sub/__pycache__");
  write_file(folder / "system/policy.py", "1");
  write_file(folder / "system/sub/a.bin", std::string("\0\xff", 2));
  write_file(folder / "system/sub/__pycache__/a.pyc", "x");
  const auto files = read_system(folder / "system").value();
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(files[1], (SystemFile{"sub/a.bin", std::string("\0\xff", 2)}));
  ASSERT_TRUE(write_checkpoint(files, "{}\n", folder / "checkpoint"));
  EXPECT_EQ(read_system(folder / "checkpoint").value(), files);
  EXPECT_FALSE(write_checkpoint(files, "{}\n", folder / "checkpoint").has_value());
  EXPECT_THAT(read_system(folder / "system", {.files = 1}).error().message, HasSubstr("1 files"));
  write_file(folder / "system/large", std::string(3 << 20, 'x'));
  EXPECT_THAT(read_system(folder / "system", {.bytes = 2U << 20}).error().message,
              HasSubstr("2 MiB"));
}

TEST(Core16, KnowsThreeNames) {
  EXPECT_EQ(simulator_id_of("gym/halfcheetah5"), "HalfCheetah-v5");
  EXPECT_EQ(simulator_id_of("minigrid_fourrooms"), "MiniGrid-FourRooms-v0");
  EXPECT_EQ(simulator_id_of("gymnasium/Taxi-v3"), "Taxi-v3");
  EXPECT_EQ(simulator_id_of("CartPole-v1"), "CartPole-v1");
}

}  // namespace
}  // namespace redqueen::arena
