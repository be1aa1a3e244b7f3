#include "redqueen/recipes/sandbox_settings.h"

#include <gtest/gtest.h>

namespace redqueen {
namespace {

sandbox::SandboxConfig read(std::string_view toml) {
  run::Settings settings(run::Config::parse(toml, "test").value());
  SandboxSettings sandbox;
  sandbox.declare(settings);
  const Status status = settings.finish();
  EXPECT_TRUE(status) << status.error().message;
  return sandbox.config();
}

TEST(SandboxSettings, HaveTheDefaultsOfTheSandbox) {
  const sandbox::SandboxConfig expected;
  const sandbox::SandboxConfig found = read("");
  EXPECT_EQ(found.workers, expected.workers);
  EXPECT_EQ(found.require, expected.require);
  EXPECT_EQ(found.limits, expected.limits);
  EXPECT_EQ(found.warm_hash_seeds, expected.warm_hash_seeds);
  EXPECT_EQ(found.preload, expected.preload);
  EXPECT_EQ(found.worker_path, expected.worker_path);
  EXPECT_EQ(found.cgroup, expected.cgroup);
  EXPECT_EQ(found.cgroup_memory_bytes, expected.cgroup_memory_bytes);
  EXPECT_EQ(found.use_namespaces, expected.use_namespaces);
  EXPECT_EQ(found.use_landlock, expected.use_landlock);
  EXPECT_EQ(found.use_cgroup, expected.use_cgroup);
}

TEST(SandboxSettings, HaveEveryLimitWithinItsBounds) {
  sandbox::for_each_limit([](const auto& limit) {
    const auto least = static_cast<double>(limit.least_setting());
    const auto most = static_cast<double>(limit.most_setting());
    for (const auto value : {limit.least_setting(), limit.most_setting()}) {
      sandbox::Limits expected;
      expected.*limit.member = value * limit.unit;
      EXPECT_EQ(read(fmt::format("[sandbox]\n{} = {}", limit.setting, value)).limits, expected);
    }
    for (const double value : {least - 1, most + 1}) {
      const auto toml = fmt::format("[sandbox]\n{} = {}", limit.setting, value);
      run::Settings settings(run::Config::parse(toml, "test").value());
      SandboxSettings().declare(settings);
      EXPECT_FALSE(settings.finish()) << toml;
    }
  });
}

TEST(SandboxSettings, ReachEveryField) {
  const sandbox::SandboxConfig found = read(R"(
[sandbox]
workers = 3
require = "strict"
wall_seconds = 0.5
cpu_seconds = 2
memory_mib = 64
output_kib = 4
recursion = 200
warm_hash_seeds = 2
preload = ["json"]
worker = "bin/worker"
use_namespaces = false
use_landlock = false
use_cgroup = false
cgroup = "group"
cgroup_memory_mib = 128
)");
  EXPECT_EQ(found.workers, 3);
  EXPECT_EQ(found.require, sandbox::Require::kStrict);
  EXPECT_EQ(found.limits, (sandbox::Limits{0.5, 2, 64ULL << 20, 4096, 200}));
  EXPECT_EQ(found.warm_hash_seeds, 2);
  EXPECT_EQ(found.preload, std::vector<std::string>{"json"});
  EXPECT_EQ(found.worker_path, "bin/worker");
  EXPECT_FALSE(found.use_namespaces || found.use_landlock || found.use_cgroup);
  EXPECT_EQ(found.cgroup, "group");
  EXPECT_EQ(found.cgroup_memory_bytes, 128ULL << 20);
}

TEST(SandboxSettings, RefuseWhatTheyDoNotKnow) {
  for (const std::string_view toml :
       {"[sandbox]\nrequire = \"lax\"", "[sandbox]\nwall_seconds = 0", "[sandbox]\nlayers = 1"}) {
    run::Settings settings(run::Config::parse(toml, "test").value());
    SandboxSettings sandbox;
    sandbox.declare(settings);
    EXPECT_FALSE(settings.finish()) << toml;
  }
}

}  // namespace
}  // namespace redqueen
