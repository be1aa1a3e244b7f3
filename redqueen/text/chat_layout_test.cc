#include "redqueen/text/chat_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "redqueen/text/testing/chat_folders.h"
#include "redqueen/text/testing/transformers_oracle.h"

namespace redqueen {
namespace {

using testing::HasSubstr;

Message chat_layout_message(const char* role, std::string content) {
  return {.role = role, .content = std::move(content), .tool_calls = {}, .tool_call_id = {}};
}

ToolSpec tool() {
  return {.name = "find",
          .description = "Finds \"it\"",
          .parameters = {{"type", "object"}, {"properties", Json::object()}}};
}

// A game in which each turn of the assistant is answered, three times.
struct Game {
  std::string family;
  bool tools = false, thinks = false;
  std::vector<Message> answers;  // to each turn
  [[nodiscard]] std::string said() const {
    return thinks ? "<think>\nhm, ünd?\n</think>\n\nLeft." : "Left <b>& </b>right.";
  }
};

std::vector<Game> games() {
  std::vector<Game> all;
  for (const char* family : kChatTemplates) {
    for (const bool tools : {false, true}) {
      for (const bool thinks : {false, true}) {
        all.push_back({family, tools, thinks, {chat_layout_message("user", "A wall. What now?")}});
        all.push_back({family,
                       tools,
                       thinks,
                       {chat_layout_message("tool", "one"), chat_layout_message("tool", "two")}});
        all.push_back({family,
                       tools,
                       thinks,
                       {chat_layout_message("tool", "one"), chat_layout_message("user", "Well?")}});
      }
    }
  }
  return all;
}

class ChatLayoutTest : public testing::Test {
 protected:
  ChatLayoutTest() {
    for (const char* family : kChatTemplates) {
      templates_.emplace(family,
                         make_chat_folder(scratch_ / family, family, true).chat_template().value());
    }
  }
  ChatLayout layout(const Game& game) const {
    const std::vector<ToolSpec> tools(game.tools ? 1 : 0, tool());
    return ChatLayout::make(templates_.at(game.family), tools).value();
  }

  TestFolder scratch_;
  std::map<std::string, ChatTemplate> templates_;
};

// What is appended turn by turn is what transformers renders of the whole conversation, unless the
// layout says that the template rewrites it.
TEST_F(ChatLayoutTest, AppendsWhatTransformersRenders) {
  if (!has_transformers()) GTEST_SKIP() << "transformers is not in .venv; run scripts/bootstrap";
  constexpr int kTurns = 3;
  std::map<std::string, Json> asked;
  for (const Game& game : games()) {
    Json messages = Json::array({template_message(chat_layout_message("user", "Which way?"))});
    for (int turn = 0; turn < kTurns; ++turn) {
      messages.push_back(template_message(chat_layout_message("assistant", game.said())));
      for (const Message& answer : game.answers) messages.push_back(template_message(answer));
    }
    Json conversation{{"messages", messages}, {"add_generation_prompt", true}};
    if (game.tools) conversation["tools"] = Json::array({template_tool(tool())});
    asked[game.family].push_back(std::move(conversation));
  }
  Json requests = Json::array();
  for (const auto& [family, conversations] : asked)
    requests.push_back(
        {{"folder", (scratch_ / family).string()}, {"conversations", conversations}});
  ASSERT_TRUE(ask_transformers(scratch_, Json{{"chat", requests}}));
  std::map<std::string, Json> answers;
  std::map<std::string, std::size_t> next;
  for (const char* family : kChatTemplates)
    answers[family] = Json::parse(std::ifstream(scratch_ / family / "chats.json"));

  std::map<std::string, int> appended, rewritten;
  for (const Game& game : games()) {
    SCOPED_TRACE(fmt::format("{} tools {} thinks {} {}", game.family, game.tools, game.thinks,
                             game.answers.front().role));
    const Json& whole = answers[game.family][next[game.family]++];
    ASSERT_TRUE(whole.is_string());
    const ChatLayout chat = layout(game);
    const std::vector<Message> question{chat_layout_message("user", "Which way?")};
    std::string text = chat.opening(question).value();
    for (int turn = 0; turn < kTurns; ++turn) {
      // Where a thought is opened already, the model writes the rest of it.
      const std::string said = game.said();
      text += text.ends_with("<think>\n") && game.thinks ? said.substr(8) : said;
      const auto between = chat.between(game.answers);
      ASSERT_TRUE(between) << between.error().message;
      text += *between;
    }
    const std::string& why = chat.rewrites_history(reply_kind(game.answers));
    if (why.empty()) {
      EXPECT_EQ(text, whole.get<std::string>());
      ++appended[game.family];
    } else {
      rewritten[game.family] += text != whole.get<std::string>();
    }
  }
  EXPECT_EQ(appended["turns"], 12);
  EXPECT_EQ(appended["headers"], 12);
  EXPECT_EQ(appended["thinking"], 4) << "after tools alone thoughts stay";
  EXPECT_GE(rewritten["thinking"], 4);
  EXPECT_EQ(appended["reasoner"], 0);
  EXPECT_GT(rewritten["reasoner"], 0);
}

TEST_F(ChatLayoutTest, SaysWhatATemplateRewrites) {
  const auto why = [&](const char* family, ReplyKind kind) {
    return layout({.family = family, .answers = {}}).rewrites_history(kind);
  };
  for (const char* family : {"turns", "headers"}) {
    EXPECT_EQ(why(family, ReplyKind::kUser), "") << family;
    EXPECT_EQ(why(family, ReplyKind::kTool), "") << family;
  }
  EXPECT_THAT(why("thinking", ReplyKind::kUser), HasSubstr("<think>"));
  EXPECT_EQ(why("thinking", ReplyKind::kTool), "");
  EXPECT_THAT(why("reasoner", ReplyKind::kUser), HasSubstr("<think>"));
  // It opens turns otherwise than it repeats them.
  EXPECT_THAT(why("loops", ReplyKind::kUser), HasSubstr("REPLY:"));

  const auto made = [](const char* source) {
    return ChatLayout::make(ChatTemplate::parse(source).value(), {});
  };
  const std::vector<Message> question{chat_layout_message("user", "Which way?")};
  const auto loud = made("{{ messages[0].content | upper }}");
  ASSERT_TRUE(loud);
  EXPECT_EQ(loud->opening(question).value(), "WHICH WAY?");
  EXPECT_THAT(loud->between(question).error().message, HasSubstr("word for word"));
  EXPECT_THAT(loud->rewrites_history(), HasSubstr("word for word"));
  // It stops at its seventh message.
  const auto forgetful = made(
      "{% for m in messages %}{% if loop.index <= 6 %}[{{ m.role }}]{{ m.content }}{% endif %}"
      "{% endfor %}{% if add_generation_prompt %}[assistant]{% endif %}");
  EXPECT_THAT(forgetful->rewrites_history(), HasSubstr("after turn 3"));
  EXPECT_FALSE(made("{{ raise_exception('no') }}"));
}

// Gemma's way: turns alternate, or the template refuses; it has no tools, puts a system's message
// before the first question, and trims what is said.
TEST_F(ChatLayoutTest, LaysOutTurnsThatMustAlternate) {
  const auto chat = ChatLayout::make(
      ChatTemplate::parse(
          "<bos>{% set head = '' %}{% if messages[0].role == 'system' %}"
          "{% set head = messages[0].content ~ '\n' %}{% set messages = messages[1:] %}{% endif %}"
          "{% for m in messages %}"
          "{% if (m.role == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('turns') }}"
          "{% endif %}<turn>{{ 'model' if m.role == 'assistant' else m.role }}\n"
          "{{ head if loop.first }}{{ m.content | trim }}<end>\n{% endfor %}"
          "{% if add_generation_prompt %}<turn>model\n{% endif %}")
          .value(),
      {});
  ASSERT_TRUE(chat) << chat.error().message;
  const std::vector<Message> question{chat_layout_message("system", "Be brief."),
                                      chat_layout_message("user", "Which way?\n")};
  EXPECT_EQ(chat->opening(question).value(),
            "<bos><turn>user\nBe brief.\nWhich way?<end>\n<turn>model\n");
  const std::vector<Message> wall{chat_layout_message("user", "A wall.")};
  EXPECT_EQ(chat->between(wall).value(), "<end>\n<turn>user\nA wall.<end>\n<turn>model\n");
  EXPECT_EQ(chat->rewrites_history(), "");
}

// What the messages say cannot be taken for the place that is looked for.
TEST_F(ChatLayoutTest, FindsTheEndOfATurnWhateverTheMessagesSay) {
  const ChatLayout chat = layout({.family = "turns", .answers = {}});
  const std::vector<Message> plain{chat_layout_message("user", "x")};
  const std::string frame = chat.between(plain).value();
  for (const std::string word : {"Northwards", "Northwardsx", "Which way?", "", "<|shut|>\n"}) {
    const std::vector<Message> reply{chat_layout_message("user", word)};
    std::string expected = frame;
    expected.replace(expected.find('x'), 1, word);
    EXPECT_EQ(chat.between(reply).value(), expected);
  }
}

}  // namespace
}  // namespace redqueen
