// redqueen export metrics, as a user calls it.

#include <gmock/gmock.h>

#include "redqueen/cli/testing/fixture.h"
#include "redqueen/run/event_store.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class Export : public CliFixture {
 protected:
  void SetUp() override {
    fs::create_directory(at("run"));
    run::EventStore store = run::EventStore::open(at("run/run.db")).value();
    ASSERT_TRUE(store.append({.step = 1, .time = 10, .seconds = 1, .metrics = {{"reward", 0.5}}}));
  }
};

TEST_F(Export, WritesWhereItSays) {
  for (const char* format : {"csv", "jsonl", "tensorboard"}) {
    const Outcome outcome = run("export metrics " + at("run") + " --to " + format);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    const fs::path out = outcome.out.substr(0, outcome.out.find('\n'));
    EXPECT_TRUE(fs::exists(out)) << outcome.out;
  }
  const std::string to = at("deep/table.csv");
  EXPECT_EQ(run("export metrics " + at("run") + " --to csv --out " + to).code, 0);
  EXPECT_EQ(read(to), "step,time,seconds,reward\r\n1,10,1,0.5\r\n");
}

// Nobody works on this run, so that one round is enough.
TEST_F(Export, FollowsARunToItsEnd) {
  const Outcome outcome = run("export metrics " + at("run") + " --to tensorboard --follow");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(fs::exists(at("run/tensorboard")));
  EXPECT_EQ(run("export metrics " + at("run") + " --to wandb --follow").code, 2);
}

TEST_F(Export, SaysWhatIsWrong) {
  const Outcome format = run("export metrics " + at("run") + " --to csw");
  EXPECT_EQ(format.code, 2);
  EXPECT_THAT(format.err, HasSubstr("did you mean csv?"));
  const Outcome none = run("export metrics " + at("none") + " --to csv");
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.err, HasSubstr("this is no run"));
  EXPECT_EQ(run("export metrics " + at("run")).code, 2);
}

}  // namespace
}  // namespace redqueen
