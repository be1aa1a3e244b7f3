#include "redqueen/session/distributed/distributed_policy.h"

#include <gtest/gtest.h>

namespace redqueen {
namespace {

TEST(ExpectedWork, CountsPromptAndResponses) {
  const SampleParameters parameters{.max_new_tokens = 100};
  const auto work = [&](const SampleRequest& request) {
    return expected_work(request, parameters);
  };
  EXPECT_EQ(work({.prompt = "12345678", .addresses = {{}, {}}}), 202U);
  EXPECT_EQ(work({.prompt = "", .addresses = {{}}, .prompt_tokens = {1, 2, 3}}), 103U);
  EXPECT_EQ(work({.prompt = "", .addresses = {{}}, .messages = {{"user", "1234", {}, ""}}}), 101U);
}

}  // namespace
}  // namespace redqueen
