#include "redqueen/policy/chat_prompt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <optional>

#include "redqueen/base/testing/folder.h"
#include "redqueen/text/testing/chat_folders.h"

namespace redqueen {
namespace {

using testing::HasSubstr;

// Has a chat template, or none, and never answers.
class Mute final : public Policy {
 public:
  explicit Mute(std::optional<ChatTemplate> chat = std::nullopt) : chat_(std::move(chat)) {}

  Expected<std::vector<CompletionGroup>> sample(std::span<const SampleRequest>,
                                                const SampleParameters&) override {
    return failure("mute");
  }
  Expected<ChatLayout> chat_layout(std::span<const ToolSpec> tools, bool thinking) const override {
    if (!chat_) return Policy::chat_layout(tools, thinking);
    ChatOptions options;
    if (!thinking) options.enable_thinking = false;
    return ChatLayout::make(*chat_, tools, options);
  }
  std::string_view name() const override { return "mute"; }

 private:
  std::optional<ChatTemplate> chat_;
};

Mute policy_with(const std::string& name) {
  const TestFolder scratch;
  return Mute(make_chat_folder(scratch / name, name, true).chat_template().value());
}

TEST(ChatPrompt, APolicysOwnTemplateFramesProblems) {
  const Mute policy = policy_with("thinking");
  const auto render = [&](const char* format) {
    return prompt_format_for(policy, format)->render("2 + 2 = ?");
  };
  EXPECT_THAT(render("chat"), testing::StartsWith("[user]2 + 2 = ?\n\nReason"));
  EXPECT_THAT(render("chat"), testing::EndsWith("[end]\n[assistant]"));
  EXPECT_EQ(render("chat:nothink"), render("chat") + "<think>\n\n</think>\n\n");
  EXPECT_EQ(render("chat:bare"), "[user]2 + 2 = ?[end]\n[assistant]");
  EXPECT_EQ(render("chat:bare:nothink"), render("chat:bare") + "<think>\n\n</think>\n\n");
  EXPECT_EQ(prompt_format_for(policy, "chat:answer")->marker, MarkerStyle::kAnswerTag);
  EXPECT_THAT(render("chat:answer"), HasSubstr("<answer>"));
  EXPECT_EQ(render("bare"), "2 + 2 = ?");
  EXPECT_EQ(render("statement"), "2 + 2 = ?");
  EXPECT_EQ(render("chat:statement"), render("chat:bare"));
  for (const char* name : {"statement", "chat:statement"}) {
    const auto boxed = prompt_format_for(policy, name).value();
    EXPECT_EQ(boxed.marker, MarkerStyle::kBoxed);
    const auto again = PromptFormat::parse(boxed.text).value();  // as a run keeps it
    EXPECT_EQ(again.marker, MarkerStyle::kBoxed);
    EXPECT_EQ(again.render("2 + 2 = ?"), boxed.render("2 + 2 = ?"));
  }
  const auto format = prompt_format_for(policy, "chat").value();
  EXPECT_EQ(format.marker, MarkerStyle::kBoxed);
  EXPECT_EQ(PromptFormat::parse(format.text)->marker, MarkerStyle::kBoxed);
  EXPECT_THAT(PromptFormat::parse("chat").error().message, HasSubstr("no policy"));
  EXPECT_THAT(prompt_format_for(Mute(), "chat").error().message, HasSubstr("no chat template"));
}

TEST(ChatPrompt, ASystemMessageStandsBeforeTheUsers) {
  const Mute policy(ChatTemplate::parse("{% for m in messages %}[{{ m.role }}]{{ m.content }}"
                                        "{% endfor %}")
                        .value());
  EXPECT_EQ(prompt_format_for(policy, "chat:bare", "Be brief.")->render("2 + 2 = ?"),
            "[system]Be brief.[user]2 + 2 = ?");
  EXPECT_THAT(prompt_format_for(policy, "plain", "Be brief.").error().message,
              HasSubstr("policy.system_prompt"));
  const Mute deaf(ChatTemplate::parse("{{ messages[-1].content }}").value());
  EXPECT_THAT(prompt_format_for(deaf, "chat", "Be brief.").error().message,
              HasSubstr("policy.system_prompt"));
}

TEST(ChatPrompt, TheMessageMustComeThroughAsItIs) {
  const Mute loud(ChatTemplate::parse("{{ messages[0].content | upper }}").value());
  EXPECT_THAT(prompt_format_for(loud, "chat").error().message, HasSubstr("word for word"));
}

}  // namespace
}  // namespace redqueen
