// What environments need, and its installation from a folder of wheels: nothing here asks a
// network.
#include "redqueen/arena/simulators/setup.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "redqueen/arena/environments/packages.h"
#include "redqueen/arena/judge/core16.h"
#include "redqueen/base/testing/folder.h"
#include "redqueen/base/testing/source_dir.h"

namespace redqueen::arena {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

// Changes a variable of the environment until the object goes.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    setenv(name, value.c_str(), 1);
  }
  ~Variable() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

std::vector<std::string> names_of(const std::vector<Requirement>& requirements) {
  std::vector<std::string> names;
  for (const Requirement& each : requirements) names.emplace_back(each.distribution);
  return names;
}

TEST(Requirements, AreKnownOfTheWholeSuite) {
  for (const Core16Entry& entry : core16()) {
    for (const char* profile : {"paper", "current"}) {
      const auto requirements = requirements_of(entry.id, profile);
      ASSERT_TRUE(requirements) << entry.id << requirements.error().message;
      const bool grid_or_classic = entry.id.starts_with("MiniGrid") ||
                                   entry.id.starts_with("Acrobot") ||
                                   entry.id.starts_with("MountainCar");
      if (grid_or_classic) {
        EXPECT_THAT(*requirements, IsEmpty()) << entry.id;
      } else if (!requirements->empty()) {
        EXPECT_THAT(names_of(*requirements), Contains("gymnasium")) << entry.id;
        EXPECT_THAT(names_of(*requirements), Contains("numpy")) << entry.id;
      }
    }
  }
}

// Nothing is left for pip to choose: what a package needs is in the list, and before it.
TEST(Requirements, HoldWhatPackagesNeedOfEachOther) {
  const auto parking = names_of(requirements_of("parking-v0", "paper").value());
  EXPECT_THAT(parking, testing::UnorderedElementsAre(
                           "cloudpickle", "farama-notifications", "numpy", "typing-extensions",
                           "gymnasium", "contourpy", "cycler", "fonttools", "kiwisolver",
                           "packaging", "pillow", "pyparsing", "six", "python-dateutil",
                           "matplotlib", "pandas", "pygame-ce", "scipy", "highway-env"));
  EXPECT_EQ(parking.back(), "highway-env");
  EXPECT_THAT(names_of(requirements_of("HalfCheetah-v5", "current").value()),
              testing::UnorderedElementsAre("cloudpickle", "farama-notifications", "numpy",
                                            "typing-extensions", "gymnasium", "absl-py", "fsspec",
                                            "zipp", "etils", "glfw", "pyopengl", "mujoco"));
  EXPECT_THAT(names_of(requirements_of("python:MiniGrid-Empty-5x5-v0", "paper").value()),
              testing::IsSupersetOf({"minigrid", "pygame-ce", "gymnasium"}));
}

// The build's own packages are an independent list of the same versions.
TEST(Requirements, OfProfilePaperAreThoseThatTheTestsAlignWith) {
  const std::string pins = read_file(source_dir() / "scripts/requirements.txt");
  for (const char* distribution : {"gymnasium", "mujoco", "minigrid"}) {
    const auto version = insisted_version(distribution, "paper");
    ASSERT_TRUE(version) << distribution;
    EXPECT_THAT(pins, HasSubstr(fmt::format("\n{}=={}\n", distribution, *version)));
    EXPECT_FALSE(insisted_version(distribution, "current"));
  }
  EXPECT_FALSE(insisted_version("pillow", "paper"));
}

TEST(Requirements, OfUnknownEnvironmentsAreUsageErrors) {
  const auto unknown = requirements_of("CarRacin-v3", "paper");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(unknown.error().message, HasSubstr("CarRacin-v3"));
  const auto hosted = requirements_of("python:Tetris-v9", "paper");
  ASSERT_FALSE(hosted);
  EXPECT_THAT(hosted.error().message, HasSubstr("REDQUEEN_ARENA_PACKAGES"));
}

// The tests share one virtual environment, for making one takes seconds.
class SetupTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TestFolder();
    std::string command = fmt::format(
        "python3 {} {}", (source_dir() / "redqueen/arena/testdata/make_wheels.py").string(),
        (*folder_ / "wheels").string());
    const auto requirements = requirements_of("HalfCheetah-v5", "paper").value();
    for (const Requirement& each : requirements) {
      command += fmt::format(" {}=={}", each.distribution, each.version);
    }
    ASSERT_EQ(std::system(command.c_str()), 0);
  }
  static void TearDownTestSuite() {
    delete folder_;
    folder_ = nullptr;
  }

  static SetupPlan plan(std::vector<std::string> environments) {
    return {.environments = std::move(environments),
            .folder = *folder_ / "data/redqueen/arena/paper",
            .wheels = *folder_ / "wheels"};
  }

  static TestFolder* folder_;
};
TestFolder* SetupTest::folder_ = nullptr;

TEST_F(SetupTest, InstallsWhatIsMissingAndThenStartsNothing) {
  const SetupPlan wanted = plan({"HalfCheetah-v5", "CartPole-v1"});
  const auto before = look_at_setup(wanted).value();
  EXPECT_EQ(before[0].missing.size(), 12U);
  EXPECT_TRUE(before[1].complete());
  const auto states = set_up(wanted);
  ASSERT_TRUE(states) << states.error().message;
  EXPECT_TRUE((*states)[0].complete()) << (*states)[0].reason;
  EXPECT_EQ((*states)[0].there.size(), 12U);
  SetupPlan again = wanted;
  again.python = "/nonexistent/python";
  again.wheels = "/nonexistent/wheels";
  const auto second = set_up(again);
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_TRUE((*second)[0].complete());

  // The judge finds it where it lies, unless another is named.
  const Variable home("XDG_DATA_HOME", (*folder_ / "data").string());
  const std::vector<std::string_view> distributions = {"gymnasium", "mujoco"};
  const auto found = find_packages({}, distributions);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(*found, packages_of_venv(wanted.folder));
  EXPECT_EQ(installed_version(*found, "Typing_Extensions").value(), "4.15.0");
  EXPECT_TRUE(fs::exists(find_python(*found).value()));
  const std::vector<std::string_view> others = {"gymnasium", "no-such-distribution"};
  EXPECT_EQ(find_packages({}, others).value(), *found) << "none has them: the first is named";
  const Variable named("REDQUEEN_ARENA_PACKAGES", wanted.folder.string());
  EXPECT_EQ(find_packages({.profile = "current"}, distributions).value(), *found);
}

TEST_F(SetupTest, SaysWhatIsMissingAndWhy) {
  const auto states = set_up(plan({"CarRacing-v3", "HalfCheetah-v5"}));
  ASSERT_TRUE(states) << states.error().message;
  EXPECT_FALSE((*states)[0].complete());
  EXPECT_THAT((*states)[0].reason, HasSubstr("No matching distribution found for Box2D==2.3.10"));
  EXPECT_THAT((*states)[0].missing, Contains(Requirement{"Box2D", "2.3.10"}));
  EXPECT_TRUE((*states)[1].complete()) << (*states)[1].reason;  // the other one is whole
}

TEST_F(SetupTest, AnIndexThatDoesNotAnswerIsSaidOnce) {
  SetupPlan wanted = plan({"CarRacing-v3", "parking-v0"});
  wanted.wheels.clear();
  wanted.index = "http://127.0.0.1:9/simple";
  const Variable configuration("PIP_CONFIG_FILE", "/dev/null");  // may name further indices
  const Variable extra("PIP_EXTRA_INDEX_URL", "");
  const Variable links("PIP_FIND_LINKS", "");
  const auto states = set_up(wanted);
  ASSERT_TRUE(states) << states.error().message;
  for (const SetupState& state : *states) {
    EXPECT_THAT(state.reason, HasSubstr("cannot be reached")) << state.environment;
    EXPECT_THAT(state.reason, HasSubstr("--wheels"));
  }
}

TEST_F(SetupTest, OneThatWasKilledIsBegunAnew) {
  const SetupPlan wanted = plan({"HalfCheetah-v5"});
  ASSERT_TRUE(set_up(wanted));
  const fs::path half = packages_of_venv(wanted.folder) / "half_written.py";
  write_file(half, "?");
  write_file(wanted.folder / "setup.unfinished", "");
  const auto states = set_up(wanted);
  ASSERT_TRUE(states) << states.error().message;
  EXPECT_TRUE(states->front().complete()) << states->front().reason;
  EXPECT_FALSE(fs::exists(half));
  EXPECT_FALSE(fs::exists(wanted.folder / "setup.unfinished"));
}

TEST_F(SetupTest, ASecondOneOfTheSameFolderIsTurnedAway) {
  const SetupPlan wanted = plan({"CarRacing-v3"});
  ASSERT_TRUE(set_up(wanted));
  const int held = ::open(wanted.folder.c_str(), O_RDONLY | O_DIRECTORY);
  ASSERT_EQ(::flock(held, LOCK_EX | LOCK_NB), 0);
  const auto second = set_up(wanted);
  ::close(held);
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message, HasSubstr("another setup is at work"));
}

TEST_F(SetupTest, TouchesNobodyElsesFolder) {
  SetupPlan wanted = plan({"HalfCheetah-v5"});
  wanted.folder = *folder_ / "photos";
  fs::create_directories(wanted.folder);
  write_file(wanted.folder / "lib", "a file of this name");
  const auto refused = set_up(wanted);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(refused.error().message, HasSubstr("is not empty"));
  EXPECT_EQ(read_file(wanted.folder / "lib"), "a file of this name");
  wanted.folder /= "lib";
  EXPECT_THAT(set_up(wanted).error().message, HasSubstr("is no folder"));
}

TEST_F(SetupTest, WithoutPythonOrWheelsTheErrorSaysSo) {
  SetupPlan wanted = plan({"HalfCheetah-v5"});
  wanted.folder = *folder_ / "fresh";
  wanted.wheels = *folder_ / "no-wheels";
  EXPECT_THAT(set_up(wanted).error().message, HasSubstr("no such folder of wheels"));
  wanted.wheels = *folder_ / "wheels";
  wanted.python = "/nonexistent/python";
  EXPECT_THAT(set_up(wanted).error().message, HasSubstr("/nonexistent/python cannot be started"));
  wanted.python = "false";  // a Python whose venv fails
  EXPECT_THAT(set_up(wanted).error().message, HasSubstr("python3-venv"));
}

}  // namespace
}  // namespace redqueen::arena
