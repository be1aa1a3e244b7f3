// Environments in Python behind the interface of the native ones.
#include "redqueen/arena/simulators/python_simulator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "redqueen/arena/environments/hosted.h"
#include "redqueen/arena/simulators/hosted_texts.h"
#include "redqueen/base/testing/folder.h"

namespace redqueen::arena {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

bool has_gymnasium() {
  return std::system(".venv/bin/python -c 'import gymnasium, minigrid' 2>/dev/null") == 0;
}

std::unique_ptr<Simulator> must_make(std::string_view id) {
  auto simulator = make_simulator(id);
  EXPECT_TRUE(simulator) << simulator.error().message;
  return simulator ? std::move(*simulator) : nullptr;
}

TEST(PythonSimulator, AnswersAsTheNativeOneToTheBit) {
  if (!has_gymnasium()) GTEST_SKIP() << "no Python package gymnasium or minigrid in .venv";
  for (const std::string id : {"CartPole-v1", "Blackjack-v1", "MiniGrid-DoorKey-5x5-v0"}) {
    const auto hosted = must_make("python:" + id);
    const auto native = must_make(id);
    ASSERT_TRUE(hosted && native);
    EXPECT_EQ(hosted->card().id, id);
    EXPECT_EQ(schema(hosted->card().action_space), schema(native->card().action_space));
    Transition theirs;
    Transition ours;
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      ASSERT_TRUE(hosted->reset(seed, theirs));
      ASSERT_TRUE(native->reset(seed, ours));
      EXPECT_TRUE(conforms(hosted->card().observation_space, theirs.observation)) << id;
      EXPECT_EQ(theirs.observation, ours.observation) << id;
      for (std::int64_t i = 0; i < 20 && !ours.done(); ++i) {
        ASSERT_TRUE(hosted->step(Value{i % 2}, theirs));
        ASSERT_TRUE(native->step(Value{i % 2}, ours));
        EXPECT_EQ(theirs.observation, ours.observation) << id << " at " << i;
        EXPECT_EQ(theirs.reward, ours.reward) << id << " at " << i;
        EXPECT_EQ(theirs.done(), ours.done()) << id << " at " << i;
      }
    }
  }
}

TEST(PythonSimulator, RefusesWhatIsNoActionAndGoesOn) {
  if (!has_gymnasium()) GTEST_SKIP() << "no Python package gymnasium in .venv";
  const auto simulator = must_make("python:MountainCarContinuous-v0");
  ASSERT_TRUE(simulator);
  Transition out;
  const auto early = simulator->step(Value{0.5}, out);
  ASSERT_FALSE(early);
  EXPECT_THAT(early.error().message, HasSubstr("reset it first"));
  ASSERT_TRUE(simulator->reset(1, out));
  const auto refused = simulator->step(Value{std::string("left")}, out);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kUsage);
  EXPECT_TRUE(simulator->step(Value{0.5}, out));
}

TEST(PythonSimulator, SaysWhatPythonSaid) {
  if (!has_gymnasium()) GTEST_SKIP() << "no Python package gymnasium in .venv";
  const auto unknown = make_simulator("python:CartPole-v77");
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().message, HasSubstr("CartPole-v77"));
  EXPECT_THAT(unknown.error().message, HasSubstr("v1"));
}

// A package that is there and lacks another one is not passed over as if it were not there.
TEST(PythonSimulator, SaysWhichPackageCannotBeImported) {
  if (!has_gymnasium()) GTEST_SKIP() << "no Python package gymnasium in .venv";
  const TestFolder folder;
  const fs::path packages = folder / "packages";
  fs::create_directories(packages / "gymnasium_robotics");
  write_file(packages / "gymnasium_robotics/__init__.py", "import no_such_codec\n");
  write_file(folder / "python", "#!/bin/sh\nshift  # -I\nPYTHONPATH=" + packages.string() +
                                    " exec " + fs::absolute(".venv/bin/python").string() +
                                    " \"$@\"\n");
  fs::permissions(folder / "python", fs::perms::owner_all);
  const auto refused = make_python_simulator("FetchPush-v4", folder / "python", false);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("gymnasium_robotics is installed and cannot be "
                                                 "imported: No module named 'no_such_codec'"));
}

// highway-env says how long an episode is in seconds.
TEST(PythonSimulator, TellsTheStepsAfterWhichAnEnvironmentEndsByItself) {
  if (!has_gymnasium()) GTEST_SKIP() << "no Python package gymnasium in .venv";
  const TestFolder folder;
  fs::create_directories(folder / "packages/highway_env");
  write_file(folder / "packages/highway_env/__init__.py", R"(import gymnasium
class Environment(gymnasium.Env):
    def __init__(self, render_mode=None): pass
    config = {"duration": 100, "policy_frequency": 5}
    observation_space = action_space = gymnasium.spaces.Discrete(2)
    def reset(self, *, seed=None, options=None): return 0, {}
    def step(self, action): return 0, 0.0, False, False, {}
gymnasium.register("parking-v0", Environment)
)");
  write_file(folder / "python",
             "#!/bin/sh\nshift  # -I\nPYTHONPATH=" + (folder / "packages").string() + " exec " +
                 fs::absolute(".venv/bin/python").string() + " \"$@\"\n");
  fs::permissions(folder / "python", fs::perms::owner_all);
  const auto simulator = make_python_simulator("parking-v0", folder / "python", false);
  ASSERT_TRUE(simulator) << simulator.error().message;
  EXPECT_EQ((*simulator)->card().max_episode_steps, 500);
  EXPECT_THAT((*simulator)->card().description, HasSubstr("Park a car in a given space"));
}

TEST(HostedTexts, SayWhatIsSeenDoneAndPaid) {
  for (const std::string_view id : hosted_simulator_ids()) {
    if (id.starts_with("Bipedal") || id.starts_with("Lunar")) continue;
    const std::string text = hosted_text(id);
    for (const char* part : {"Observation: ", "Action: ", "Reward", "End: "}) {
      EXPECT_THAT(text, HasSubstr(part)) << id;
    }
  }
}

// The host draws less of what is not on the screen than Gymnasium does; what is seen is the same.
TEST(PythonSimulator, ShowsTheFramesOfCarRacingAsGymnasiumDoes) {
  if (std::system(".venv/bin/python -c 'import Box2D, gymnasium, pygame' 2>/dev/null") != 0) {
    GTEST_SKIP() << "no Python package Box2D, gymnasium or pygame in .venv";
  }
  const TestFolder folder;
  write_file(folder / "play.py", R"(import os, sys
os.environ["SDL_VIDEODRIVER"] = "dummy"
import gymnasium, numpy
environment = gymnasium.make("CarRacing-v3")
frames = environment.reset(seed=3)[0].tobytes()
for step in range(60):
    action = numpy.array([0.4 if step > 30 else -0.1, 0.5, 0], dtype=numpy.float32)
    frames += environment.step(action)[0].tobytes()
open(sys.argv[1], "wb").write(frames)
)");
  const std::string play = ".venv/bin/python " + (folder / "play.py").string() + " ";
  ASSERT_EQ(std::system((play + (folder / "frames").string() + " 2>/dev/null").c_str()), 0);
  const auto simulator = must_make("CarRacing-v3");
  ASSERT_TRUE(simulator);
  Transition out;
  std::string frames;
  const auto keep = [&] {
    const Array& frame = std::get<Array>(out.observation.form);
    frames.append(reinterpret_cast<const char*>(frame.bytes.data()), frame.bytes.size());
  };
  ASSERT_TRUE(simulator->reset(3, out));
  keep();
  for (int step = 0; step < 60; ++step) {
    Array action = Array::zeros(ElementType::kFloat32, {3});
    action.elements<float>()[0] = step > 30 ? 0.4F : -0.1F;
    action.elements<float>()[1] = 0.5F;
    ASSERT_TRUE(simulator->step(Value{action}, out));
    keep();
  }
  EXPECT_EQ(frames.size(), 61U * 96 * 96 * 3);
  EXPECT_TRUE(frames == read_file(folder / "frames"));
}

TEST(PythonSimulator, DrawsWhereItIsAskedTo) {
  if (!has_gymnasium()) GTEST_SKIP() << "no Python package gymnasium in .venv";
  const auto simulator = make_drawing_simulator("MiniGrid-Empty-5x5-v0");
  ASSERT_TRUE(simulator) << simulator.error().message;
  Transition out;
  ASSERT_TRUE((*simulator)->reset(1, out));
  const auto before = (*simulator)->picture();
  ASSERT_TRUE(before) << before.error().message;
  EXPECT_EQ(before->shape[2], 3);
  EXPECT_EQ(*before, (*simulator)->picture().value());
  ASSERT_TRUE((*simulator)->step(Value{std::int64_t{1}}, out));  // turns
  EXPECT_NE(*before, (*simulator)->picture().value());
}

TEST(PythonSimulator, AnInterpreterThatIsNoneIsAFailure) {
  for (const char* program : {"/nonexistent/python", "/bin/true", "/bin/cat"}) {
    const auto simulator = make_python_simulator("CartPole-v1", program);
    ASSERT_FALSE(simulator) << program;
    EXPECT_EQ(simulator.error().kind, ErrorKind::kFailure);
    EXPECT_THAT(simulator.error().message, HasSubstr(program));
  }
}

// A virtual environment whose Python answers with what its environment's name asks for.
constexpr std::string_view kLiar = R"(#!/usr/bin/python3
import json, socket, struct, sys
channel = socket.socket(fileno=3)
def receive():
    size = struct.unpack("<I", channel.recv(4, socket.MSG_WAITALL))[0]
    return channel.recv(size, socket.MSG_WAITALL)
def send(frame):
    channel.sendall(struct.pack("<I", len(frame)) + frame)
name = receive()[1:].decode()
space = {"type": "Discrete", "n": 2, "start": 0}
card = {"description": "Lies.", "observation_space": space, "action_space": space, "max_episode_steps": 5,
        "versions": {"gymnasium": "0.1" if name == "old" else "1.3.0"}}
transition = struct.pack("<cdBI", b"o", 0.0, 0, 2) + b"{}" + struct.pack("<cq", b"i", 1)
if name == "huge":
    channel.sendall(b"\xff\xff\xff\xff")
if name == "empty":
    channel.sendall(bytes(4))
send({"junk": b"x", "card": b"c{}", "text": b"c\xff"}.get(name) or b"c" + json.dumps(card).encode())
receive()
if name == "wide":  # more than the memory of the two holds
    transition = transition[:-9] + b"s" + struct.pack("<I", 9 << 20) + bytes(9 << 20)
send({"garbage": b"o123", "cut": transition[:-3], "more": transition + b"!", "raises": b"eit broke"}.get(name, transition))
receive()
sys.exit(0)
)";

class LyingPython : public testing::Test {
 protected:
  LyingPython() {
    std::filesystem::create_directories(folder_.path() / "bin");
    std::filesystem::create_directories(packages());
    const auto program = folder_.path() / "bin" / "python";
    write_file(program, kLiar);
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  }

  std::filesystem::path packages() const {
    return folder_.path() / "lib" / "python3" / "site-packages";
  }

  Expected<std::unique_ptr<Simulator>> make(const std::string& name) const {
    return make_simulator("python:" + name, {.packages = packages()});
  }

 private:
  TestFolder folder_;
};

TEST_F(LyingPython, IsRefusedAtItsFirstWord) {
  for (const char* name : {"huge", "junk", "card", "text", "empty"}) {
    const auto simulator = make(name);
    ASSERT_FALSE(simulator) << name;
    EXPECT_EQ(simulator.error().kind, ErrorKind::kFailure);
    EXPECT_THAT(simulator.error().message, HasSubstr(name));
  }
}

TEST_F(LyingPython, WithOtherVersionsIsRefusedByTheProfileThatNamesThem) {
  const auto simulator = make("old");
  ASSERT_FALSE(simulator);
  EXPECT_THAT(simulator.error().message, HasSubstr("gymnasium 0.1 is installed"));
  EXPECT_TRUE(
      make_simulator("python:old", {.profile = "current", .packages = packages()}).has_value());
}

TEST_F(LyingPython, WhoseTransitionsAreNoneIsAFailureOfTheEpisode) {
  for (const char* name : {"garbage", "cut", "more", "raises"}) {
    const auto simulator = make(name);
    ASSERT_TRUE(simulator) << simulator.error().message;
    Transition out;
    const auto reset = (*simulator)->reset(1, out);
    ASSERT_FALSE(reset) << name;
    EXPECT_EQ(reset.error().kind, ErrorKind::kFailure);
    EXPECT_FALSE((*simulator)->step(Value{std::int64_t{1}}, out)) << name;
  }
}

TEST_F(LyingPython, MaySayMoreThanTheMemoryHolds) {
  const auto simulator = make("wide");
  ASSERT_TRUE(simulator) << simulator.error().message;
  Transition out;
  ASSERT_TRUE((*simulator)->reset(1, out));
  EXPECT_EQ(std::get<std::string>(out.observation.form).size(), 9U << 20);
}

TEST_F(LyingPython, ThatDiesInAStepIsAFailureOfTheEpisode) {
  const auto simulator = make("mortal");
  ASSERT_TRUE(simulator) << simulator.error().message;
  Transition out;
  ASSERT_TRUE((*simulator)->reset(1, out));
  EXPECT_EQ(out.observation, Value{std::int64_t{1}});
  const auto step = (*simulator)->step(Value{std::int64_t{1}}, out);
  ASSERT_FALSE(step);
  EXPECT_EQ(step.error().kind, ErrorKind::kFailure);
  EXPECT_THAT(step.error().message, HasSubstr("ended"));
  EXPECT_FALSE((*simulator)->reset(2, out));
}

}  // namespace
}  // namespace redqueen::arena
