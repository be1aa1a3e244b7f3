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
  bool tools = false;
  bool thinks = false;
  bool quick = false;            // the model is told not to think
  std::vector<Message> answers;  // to each turn
  [[nodiscard]] std::string said() const {
    return thinks ? "<think>\nhm, ünd?\n</think>\n\nLeft." : "Left <b>& </b>right.";
  }
};

std::vector<Game> games() {
  const Message one = chat_layout_message("tool", "one");
  std::vector<Game> all;
  for (const bool tools : {false, true}) {
    for (const auto& [thinks, quick] : {std::pair{false, false}, {true, false}, {false, true}}) {
      for (const Message& last :
           {chat_layout_message("user", "Well?"), chat_layout_message("tool", "two")})
        all.push_back({tools, thinks, quick, {one, last}});
      all.push_back({tools, thinks, quick, {chat_layout_message("user", "A wall. What now?")}});
    }
  }
  return all;
}

constexpr int kGameTurns = 3;
const std::vector<Message> kWhichWay{chat_layout_message("user", "Which way?")};

Json whole_conversation(const Game& game) {
  Json messages = Json::array({template_message(kWhichWay[0])});
  for (int turn = 0; turn < kGameTurns; ++turn) {
    messages.push_back(template_message(chat_layout_message("assistant", game.said())));
    for (const Message& answer : game.answers) messages.push_back(template_message(answer));
  }
  Json conversation{{"messages", messages}, {"add_generation_prompt", true}};
  if (game.quick) conversation["enable_thinking"] = false;
  if (game.tools) conversation["tools"] = Json::array({template_tool(tool())});
  return conversation;
}

Expected<ChatLayout> layout_of(const ChatTemplate& chat, bool tools, bool quick = false) {
  ChatOptions options{.now = fixed_day()};
  if (quick) options.enable_thinking = false;
  return ChatLayout::make(chat, std::vector<ToolSpec>(tools ? 1 : 0, tool()), options);
}

// The conversation turn by turn.
Expected<std::string> appended_turns(const ChatLayout& chat, const Game& game) {
  ASSIGN_OR_RETURN(std::string text, chat.opening(kWhichWay));
  for (int turn = 0; turn < kGameTurns; ++turn) {
    // Where a thought is opened already, the model writes the rest of it.
    const std::string said = game.said();
    text += text.ends_with("<think>\n") && game.thinks ? said.substr(8) : said;
    ASSIGN_OR_RETURN(const std::string between, chat.between(game.answers));
    text += between;
  }
  return text;
}

// The games of one template.
struct GamesLaidOut {
  int appended = 0;     // turn by turn what transformers renders of the whole
  int rewritten = 0;    // the layout says that the template rewrites them, and it does
  int like_others = 0;  // the layout says so of its kind; this game would have stayed
  int refused = 0;      // by transformers, and by the layout
};

// Plays all games with the template in `folder`, of which transformers rendered `answers`.
GamesLaidOut lay_out_games(const ChatTemplate& chat, const Json& answers) {
  GamesLaidOut counts;
  const std::vector<Game> played = games();
  EXPECT_EQ(answers.size(), played.size());
  for (std::size_t i = 0; i < played.size() && i < answers.size(); ++i) {
    const Game& game = played[i];
    SCOPED_TRACE(fmt::format("tools {} thinks {} quick {} answers {} {}", game.tools, game.thinks,
                             game.quick, game.answers.front().role, game.answers.back().role));
    const auto layout = layout_of(chat, game.tools, game.quick);
    EXPECT_TRUE(layout) << layout.error().message;
    if (!layout) continue;
    const bool told = !layout->rewrites_history(reply_kind(game.answers)).empty();
    const auto text = appended_turns(*layout, game);
    if (answers[i].is_null()) {
      EXPECT_TRUE(told || !text) << "transformers refuses it";
      ++counts.refused;
    } else if (!text || *text != answers[i].get<std::string>()) {
      EXPECT_TRUE(told) << (text ? *text : text.error().message) << "\n--- but transformers:\n"
                        << answers[i].get<std::string>();
      ++counts.rewritten;
    } else {
      ++(told ? counts.like_others : counts.appended);
    }
  }
  return counts;
}

// By the name of the template.
std::map<std::string, GamesLaidOut> lay_out_games(
    const std::vector<std::filesystem::path>& sources) {
  const TestFolder scratch;
  Json conversations = Json::array();
  for (const Game& game : games()) conversations.push_back(whole_conversation(game));
  Json requests = Json::array();
  for (const auto& source : sources) {
    const auto folder = scratch / source.stem().string();
    make_template_folder(folder, source, true);
    requests.push_back({{"folder", folder.string()}, {"conversations", conversations}});
  }
  std::map<std::string, GamesLaidOut> counts;
  if (!ask_transformers(scratch, Json{{"chat", requests}})) {
    ADD_FAILURE() << "transformers did not answer";
    return counts;
  }
  for (const auto& source : sources) {
    const std::string name = source.stem().string();
    SCOPED_TRACE(name);
    const auto chat = Tokenizer::load(scratch / name / "tokenizer.json")->chat_template();
    counts[name] =
        lay_out_games(chat.value(), Json::parse(std::ifstream(scratch / name / "chats.json")));
  }
  return counts;
}

class ChatLayoutTest : public testing::Test {
 protected:
  ChatLayoutTest() {
    for (const char* family : kChatTemplates) {
      templates_.emplace(family,
                         make_chat_folder(scratch_ / family, family, true).chat_template().value());
    }
  }
  ChatLayout layout(const char* family, bool tools = false) const {
    return layout_of(templates_.at(family), tools).value();
  }

  TestFolder scratch_;
  std::map<std::string, ChatTemplate> templates_;
};

// What is appended turn by turn is what transformers renders of the whole conversation, unless the
// layout says that the template rewrites it.
TEST(ChatLayoutOracleTest, AppendsWhatTransformersRenders) {
  if (!has_transformers()) GTEST_SKIP() << "transformers is not in .venv; run scripts/bootstrap";
  const int all = static_cast<int>(games().size());
  const auto played = lay_out_games(chat_template_files());
  for (const char* name : {"turns", "headers", "modes"})
    EXPECT_EQ(played.at(name).appended, all) << name;
  EXPECT_EQ(played.at("thinking").appended, 4) << "after tools alone thoughts stay";
  EXPECT_EQ(played.at("thinking").rewritten, 10) << "thoughts before a user's turn, and empty ones";
  for (const char* name : {"reasoner", "loops"}) EXPECT_EQ(played.at(name).rewritten, all) << name;
  EXPECT_EQ(played.at("inst").rewritten, 6) << "turns without the blank that begins them";
  EXPECT_EQ(played.at("inst").refused, 12) << "answers of tools that name no call";
}

// The same of templates of released models.
TEST(ChatLayoutOracleTest, AppendsWhatPublishedTemplatesRender) {
  if (!has_transformers()) GTEST_SKIP() << "transformers is not in .venv; run scripts/bootstrap";
  const auto sources = published_template_files();
  if (sources.empty()) GTEST_SKIP() << "trl is not in .venv; run scripts/bootstrap";
  const int all = static_cast<int>(games().size());
  const auto played = lay_out_games(sources);
  for (const char* name :
       {"qwen2_5", "qwen3_instruct_2507", "llama3", "llama3_1", "llama3_2", "phi3", "gemma4_v2"})
    EXPECT_EQ(played.at(name).appended, all) << name;
  EXPECT_EQ(played.at("qwen3").appended, 4);
  EXPECT_EQ(played.at("qwen3").rewritten, 10);
  EXPECT_EQ(played.at("deepseek_r1_distill").rewritten, all);
  int appended = 0;
  for (const auto& [name, each] : played) appended += each.appended;
  EXPECT_GT(appended, 400);
}

TEST_F(ChatLayoutTest, SaysWhatATemplateRewrites) {
  const auto why = [&](const char* family, ReplyKind kind) {
    return layout(family).rewrites_history(kind);
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
  // Nobody names a day.
  EXPECT_TRUE(ChatLayout::make(templates_.at("modes"), {}));
  // Its models write the blank that begins a turn; offered tools move to the last question.
  EXPECT_THAT(why("inst", ReplyKind::kTool), HasSubstr("names its call"));
  for (const bool tools : {false, true}) {
    const ChatLayout inst = layout("inst", tools);
    const Message reply = chat_layout_message("user", "Well?");
    const std::string appended =
        inst.opening(kWhichWay).value() + " Left." + inst.between(std::vector{reply}).value();
    const std::string whole =
        inst.opening(std::vector{kWhichWay[0], chat_layout_message("assistant", " Left."), reply})
            .value();
    EXPECT_EQ(appended == whole, !tools);
    EXPECT_NE(inst.rewrites_history(ReplyKind::kUser), "");
  }

  const auto made = [](const char* source) {
    return ChatLayout::make(ChatTemplate::parse(source).value(), {});
  };
  const auto loud = made("{{ messages[0].content | upper }}");
  ASSERT_TRUE(loud);
  EXPECT_EQ(loud->opening(kWhichWay).value(), "WHICH WAY?");
  EXPECT_THAT(loud->between(kWhichWay).error().message, HasSubstr("word for word"));
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
  const ChatLayout chat = layout("turns");
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
