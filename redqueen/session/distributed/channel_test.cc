#include "redqueen/session/distributed/channel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmath>
#include <thread>

#include "redqueen/base/rng.h"
#include "redqueen/session/distributed/messages.h"

namespace redqueen {
namespace {

using testing::HasSubstr;

TEST(Channel, BringsMessagesOverAsTheyWere) {
  auto [here, there] = Channel::make().value();
  const Json message{{"text", std::string("\xff\x00\xc3 ä", 6)},
                     {"numbers", {1, -2.5, 0.1F, 18446744073709551615ULL}},
                     {"long", std::string(3'000'000, 'x')}};
  std::thread sender([&, end = &here] { ASSERT_TRUE(end->send(message)); });
  const auto received = there.receive();
  sender.join();
  ASSERT_TRUE(received.has_value());
  EXPECT_EQ(*received, message);
}

TEST(Channel, TellsAnEndFromASilence) {
  auto [here, there] = Channel::make().value();
  const auto silent = there.receive(std::chrono::milliseconds(20));
  ASSERT_FALSE(silent.has_value());
  EXPECT_THAT(silent.error().message, HasSubstr("does not answer"));
  { const Channel gone = std::move(here); }
  const auto ended = there.receive();
  ASSERT_FALSE(ended.has_value());
  EXPECT_THAT(ended.error().message, HasSubstr("has ended"));
  EXPECT_FALSE(there.send(Json::object()).has_value()) << "and no signal kills the sender";
}

TEST(Channel, BearsBytesThatAreNoMessage) {
  Rng rng({.seed = 1, .purpose = hash_name("channel_test")});
  for (int round = 0; round < 300; ++round) {
    auto [here, there] = Channel::make().value();
    std::string bytes(static_cast<std::size_t>(rng.integer(0, 40)), '\0');
    for (char& byte : bytes) byte = static_cast<char>(rng.integer(0, 255));
    if (rng.chance(0.5) && bytes.size() > 8) {  // a length that is right
      bytes.replace(0, 8, std::string(8, '\0'));
      bytes[0] = static_cast<char>(bytes.size() - 8);
    }
    ASSERT_EQ(::send(here.descriptor(), bytes.data(), bytes.size(), 0),
              static_cast<ssize_t>(bytes.size()));
    { const Channel gone = std::move(here); }
    const auto received = there.receive(std::chrono::seconds(5));
    EXPECT_TRUE(received.has_value() || !received.error().message.empty());
  }
}

TEST(Messages, CarryGroupsRequestsAndErrors) {
  SampleRequest request{.prompt = std::string("a\0\xfe", 3)};
  request.addresses = {{.seed = ~0ULL, .purpose = 2, .step = 3, .index = 4, .salt = 5}, {}};
  const SampleRequest asked = sample_request(to_message(request));
  EXPECT_EQ(asked.prompt, request.prompt);
  EXPECT_EQ(asked.addresses, request.addresses);

  SampleRequest turn{.prompt_tokens = {7, 8}, .keep = true};
  const ToolCall call{.id = "c", .name = "find", .arguments = {{"q", 1}}};
  turn.messages = {{.role = "user", .content = "?", .tool_calls = {}, .tool_call_id = {}},
                   {.role = "assistant", .content = "", .tool_calls = {call}, .tool_call_id = {}},
                   {.role = "tool", .content = "42", .tool_calls = {}, .tool_call_id = "c"}};
  turn.tools = {{.name = "find", .description = "d", .parameters = {{"type", "object"}}}};
  const SampleRequest sent = sample_request(to_message(turn));
  EXPECT_EQ(sent.prompt_tokens, turn.prompt_tokens);
  EXPECT_EQ(sent.messages, turn.messages);
  EXPECT_TRUE(sent.keep);
  EXPECT_EQ(sent.tools, turn.tools);

  const SampleParameters parameters =
      sample_parameters(to_message(SampleParameters{.max_new_tokens = 7,
                                                    .temperature = 0.1,
                                                    .top_k = 3,
                                                    .top_p = 0.3,
                                                    .min_p = 0.01,
                                                    .stop = {"\n"}}));
  EXPECT_EQ(parameters.max_new_tokens, 7);
  EXPECT_EQ(parameters.temperature, 0.1);
  EXPECT_EQ(parameters.top_p, 0.3);
  EXPECT_EQ(parameters.stop, std::vector<std::string>{"\n"});

  const Completion completion{
      .text = "\xc3", .tokens = {1, 2}, .log_probs = {-0.1F, NAN}, .finish = FinishReason::kLength};
  ScoredGroup group{.role = "proposer",
                    .task = "deduction",
                    .rule = AdvantageRule::kRoleTaskNormalised,
                    .loss_weight = 0.3,
                    .prompt = {5, 6}};
  group.rollouts.push_back(
      {.completion = completion, .reward = -0.5, .solved = false, .well_formed = true});
  group.rollouts.back().given = {{1, 2}};
  const ScoredGroup back = scored_group(to_message(group));
  EXPECT_EQ(back.role, group.role);
  EXPECT_EQ(back.rule, group.rule);
  EXPECT_EQ(back.loss_weight, group.loss_weight);
  EXPECT_EQ(back.prompt, group.prompt);
  EXPECT_EQ(back.rollouts.at(0).reward, -0.5);
  EXPECT_TRUE(back.rollouts[0].well_formed);
  EXPECT_EQ(back.rollouts[0].given, group.rollouts[0].given);
  const CompletionGroup completions =
      completion_group(to_message(CompletionGroup{{9}, {completion}}));
  for (const Completion& one : {back.rollouts[0].completion, completions.completions.at(0)}) {
    EXPECT_EQ(one.text, completion.text);
    EXPECT_EQ(one.tokens, completion.tokens);
    EXPECT_EQ(one.log_probs[0], -0.1F);
    EXPECT_TRUE(std::isnan(one.log_probs[1]));
    EXPECT_EQ(one.finish, FinishReason::kLength);
  }
  const Completion lost{.finish = FinishReason::kFailed, .failure = "no \xc3\xa4nswer"};
  const CompletionGroup without = completion_group(to_message(CompletionGroup{{9}, {lost}}));
  EXPECT_EQ(without.completions.at(0).finish, FinishReason::kFailed);
  EXPECT_EQ(without.completions[0].failure, lost.failure);
  const Error error = error_of(to_message(Error{ErrorKind::kUsage, "no"}));
  EXPECT_EQ(error.kind, ErrorKind::kUsage);
  EXPECT_EQ(error.message, "no");
}

}  // namespace
}  // namespace redqueen
