// A run that is killed between any two system calls by which it saves something: its policies are
// whole, it goes on to the same end, and nothing is left behind.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "redqueen/base/file_queries.h"
#include "redqueen/cli/testing/fixture.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;
using testing::AnyOf;

// All of them, not one of each kind: several minutes.
constexpr const char* kEverywhere = "REDQUEEN_KILL_EVERYWHERE";

constexpr const char* kSmallest =
    " --quiet --set curriculum.suite=Sorting --set policy.prompt_format=terse"
    " --set model.hidden_size=16 --set model.intermediate_size=32 --set model.layers=1"
    " --set model.heads=2 --set model.key_value_heads=1 --set model.head_dim=8"
    " --set model.vocabulary=300 --set batch.prompts=2 --set batch.sampled_prompts=2"
    " --set batch.rollouts=2 --set batch.dynamic_sampling=false --set sampling.max_new_tokens=4"
    " --set run.threads=1 --set train.learning_rate=1e-3 --set train.entropy_coefficient=0.01"
    " --set evaluation.before=false --set evaluation.after=false --set evaluation.every=1"
    " --set evaluation.problems=1 --set evaluation.levels=[0] --set run.checkpoint_every=1"
    " --set run.keep_checkpoints=1 ";

// A policy's files and their bytes.
using Files = std::map<std::string, std::string>;

Files files_of(const fs::path& folder) {
  Files files;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (is_file(entry->path()))
      files[entry->path().lexically_relative(folder)] = read_file(entry->path());
  }
  return files;
}

// The name of a leftover without the process that left it, else the name.
std::string kind_of_name(const std::string& name) {
  for (const char* kind : {".draft-", ".former-"}) {
    if (const std::size_t at = name.find(kind); name.starts_with('.') && at != std::string::npos)
      return name.substr(0, at) + kind;
  }
  return name;
}

// The state of a run as its next process finds it: the names of all that lies there, and the bytes
// of the policies. What is in a leftover makes no difference, nor what SQLite keeps beside run.db.
std::string state_of(const fs::path& run) {
  std::set<std::string> lines;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(run, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    const std::string parent = entry->path().parent_path().lexically_relative(run).string();
    if (name.starts_with("run.db")) continue;
    if (kind_of_name(name) != name) entry.disable_recursion_pending();
    lines.insert(fmt::format("{}/{}", parent, kind_of_name(name)));
  }
  std::string state;
  for (const std::string& line : lines) state += line + "\n";
  for (const char* policy : {"policy", "best/policy"}) {
    for (const auto& [name, bytes] : files_of(run / policy))
      state += fmt::format("{}/{} {}\n", policy, name, std::hash<std::string>()(bytes));
  }
  return state;
}

class KilledSave : public CliFixture {
 protected:
  static constexpr const char* kGoOn =
      "train --quiet --set run.steps=4 --set 'evaluation.suites=[\"Division\"]' --resume ";

  // A run of two steps. Going on with it by kGoOn changes its settings, saves two checkpoints,
  // removes two, replaces the best policy, for that is told by another suite from there on, and the
  // run's policy.
  void SetUp() override {
    ASSERT_EQ(run("policy init" + std::string(kSmallest) + "--out " + at("start")).code, 0)
        << read(at("err"));
    ASSERT_EQ(run("train" + std::string(kSmallest) + "--set run.steps=2 --policy " + at("start") +
                  " --set 'evaluation.suites=[\"Sorting\"]' --run " + run_)
                  .code,
              0)
        << read(at("err"));
    fs::rename(run_, at("before"));
    for (const char* policy : {"policy", "best/policy"}) {
      ASSERT_FALSE(files_of(folder_ / "before" / policy).empty()) << policy;
    }
  }

  void begin_anew() const {
    fs::remove_all(run_);
    fs::copy(at("before"), run_, fs::copy_options::recursive);
  }

  // Goes on with the run under the eyes of file_calls.cc, which has these orders besides.
  Outcome go_on(const std::string& orders) const {
    const fs::path library =
        fs::path(redqueen_binary()).parent_path() / "libredqueen_file_calls.so";
    return run_program(
        fmt::format("LD_PRELOAD={} FILE_CALLS_BELOW={} FILE_CALLS_EXCEPT=run.db {} {}",
                    library.string(), run_, orders, redqueen_binary()),
        kGoOn + run_);
  }

  void expect_whole_policies(const fs::path& run, const std::string& when) const {
    for (const char* policy : {"policy", "best/policy"}) {
      const Files found = files_of(run / policy);
      EXPECT_TRUE(found == files_of(folder_ / "before" / policy) ||
                  found == files_of(folder_ / "after" / policy))
          << policy << " " << when;
    }
  }

  // What a run is at its end, whatever happened to it: two names of the settings before are one
  // more file, but no model.
  std::string end_state(const fs::path& run) const {
    const auto entries = list_folder(run);
    for (const fs::path& entry : *entries) {
      if (entry.filename().string().starts_with("config-until-step-2-")) fs::remove(entry);
    }
    return state_of(run);
  }

  // Kills the run in every state that is seen for the first time and has `part` in it, and goes on
  // with it.
  void kill_everywhere(const std::string& orders, const std::string& part) {
    begin_anew();
    ASSERT_EQ(go_on(orders).code, 0) << read(at("err"));
    fs::rename(run_, at("after"));
    const std::string end = end_state(folder_ / "after");
    ASSERT_NE(files_of(folder_ / "after/policy"), files_of(folder_ / "before/policy"));
    ASSERT_NE(files_of(folder_ / "after/best/policy"), files_of(folder_ / "before/best/policy"));

    // The state before each call, of one run that is not killed.
    begin_anew();
    fs::create_directory(at("states"));
    ASSERT_EQ(go_on(orders + " FILE_CALLS_COPY_TO=" + at("states")).code, 0) << read(at("err"));
    const long calls = static_cast<long>(list_folder(at("states")).value().size());
    ASSERT_GT(calls, 100);
    std::set<std::string> seen;
    for (long call = 1; call <= calls; ++call) {
      const fs::path copy = folder_ / "states" / std::to_string(call);
      const std::string when = fmt::format("before call {} of {}", call, calls);
      if (part.empty()) expect_whole_policies(copy, when);
      const std::string state = state_of(copy);
      const bool is_new = state.find(part) != std::string::npos && seen.insert(state).second;
      if (is_new || std::getenv(kEverywhere) != nullptr) kill_at(call, orders, end, when);
      if (HasFailure()) return;
    }
    EXPECT_GE(seen.size(), part.empty() ? 10u : 3u);
  }

  void kill_at(long call, const std::string& orders, const std::string& end,
               const std::string& when) {
    begin_anew();
    const int code = go_on(fmt::format("{} FILE_CALLS_KILL_AT={}", orders, call)).code;
    ASSERT_THAT(code, AnyOf(-1, 128 + SIGKILL)) << when << read(at("err"));
    if (is_there(fs::path(run_) / "policy")) {
      ASSERT_EQ(run("eval --problems 1 --levels 0 --suite Sorting --run " + run_).code, 0)
          << when << read(at("err"));
    }
    ASSERT_EQ(run(kGoOn + run_).code, 0) << when << read(at("err"));
    EXPECT_EQ(end_state(run_), end) << when;
  }

  const std::string run_ = at("run");
};

TEST_F(KilledSave, LeavesWholePoliciesAndARunThatGoesOn) { kill_everywhere("", ""); }

// The policy may be missing for a moment then, until the run goes on.
TEST_F(KilledSave, GoesOnAlsoWhereFoldersCannotBeExchanged) {
  kill_everywhere("FILE_CALLS_NO_EXCHANGE=1", ".former-");
}

}  // namespace
}  // namespace redqueen
