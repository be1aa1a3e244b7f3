#include "redqueen/text/chat_template.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "redqueen/text/testing/chat_folders.h"
#include "redqueen/text/testing/transformers_oracle.h"

namespace redqueen {
namespace {

using Json = nlohmann::ordered_json;

Json chat_template_message(const char* role, const Json& content) {
  return {{"role", role}, {"content", content}};
}

Json call(const char* name, const Json& arguments) {
  return {{"type", "function"}, {"function", {{"name", name}, {"arguments", arguments}}}};
}

std::vector<Json> conversations() {
  const Json system = chat_template_message("system", "  Speak briefly.\n"),
             question = chat_template_message("user", "What?");
  const Json thought = chat_template_message("assistant", "<think>\nhm, ünd?\n</think>\n\nThat.");
  Json calls = chat_template_message("assistant", nullptr),
       two_calls = chat_template_message("assistant", "Looking.");
  calls["tool_calls"] = Json::array({call("find", {{"q", "a \"b\"\n"}, {"n", 3}})});
  two_calls["tool_calls"] =
      Json::array({call("console", {{"x", "1"}, {"y", "é"}}),
                   call("find", {{"deep", {{"er", {1, 2.5, nullptr, true}}}}})});
  Json reasoned = chat_template_message("assistant", "Plain.");
  reasoned["reasoning_content"] = "\nbecause\n";
  Json thinking = chat_template_message("assistant", "Then."), both = thinking;
  thinking["thinking"] = "so";
  both["reasoning"] = "as";
  const Json parts = Json::array({{{"type", "text"}, {"text", "seen"}}, {{"type", "image"}}});
  return {
      Json::array({question}),
      Json::array({system, question}),
      Json::array({chat_template_message("user", "  <tag> & \"quotes\" \\n {{ x }} 答案 🙂\t\n ")}),
      Json::array({question, thought, question}),
      Json::array({system, question, thought, chat_template_message("user", "<answer>1</answer>"),
                   thought}),
      Json::array({question, calls, chat_template_message("tool", "one"),
                   chat_template_message("tool", "two"), thought}),
      Json::array({system, question, two_calls, chat_template_message("tool", "one")}),
      Json::array({question, calls, chat_template_message("tool", {{"found", {1, 2}}})}),
      Json::array({question, reasoned, question, reasoned}),
      Json::array({question, thinking, question, both}),
      Json::array({question, chat_template_message("assistant", "A"),
                   chat_template_message("system", "Now shout."), question}),
      Json::array({chat_template_message("user", parts)}),
      Json::array(
          {chat_template_message("hidden", "x"), question, chat_template_message("assistant", "")}),
  };
}

std::vector<Json> option_sets() {
  const Json tool = {{"type", "function"},
                     {"function",
                      {{"name", "find"},
                       {"description", "Finds \"it\" — fast"},
                       {"parameters", {{"type", "object"}, {"properties", Json::object()}}}}}};
  std::vector<Json> sets;
  for (const bool opening : {true, false}) {
    for (const Json& thinking : {Json(), Json(true), Json(false)}) {
      for (const Json& tools : {Json(), Json::array({tool, tool})}) {
        Json set = {{"add_generation_prompt", opening}};
        if (!thinking.is_null()) set["enable_thinking"] = thinking;
        if (!tools.is_null()) set["tools"] = tools;
        sets.push_back(set);
      }
    }
  }
  sets.push_back({{"add_generation_prompt", true},
                  {"builtin_tools", {"console", "browser"}},
                  {"date_string", "2 May 2021"}});
  sets.push_back({{"add_generation_prompt", false},
                  {"tools", Json::array({tool})},
                  {"tools_in_user_message", false}});
  return sets;
}

// Every conversation under every set of options.
std::vector<Json> requests_of_conversations() {
  std::vector<Json> asked;
  for (const Json& messages : conversations()) {
    for (Json options : option_sets()) {
      options["messages"] = messages;
      asked.push_back(std::move(options));
    }
  }
  return asked;
}

Expected<std::string> laid_out(const ChatTemplate& chat, const Json& request) {
  ChatOptions options;
  options.now = fixed_day();
  options.values = request;
  options.values.erase("messages");
  options.add_generation_prompt = request["add_generation_prompt"];
  if (request.contains("enable_thinking")) {
    options.enable_thinking = request["enable_thinking"].get<bool>();
  }
  return chat.render(request["messages"], options);
}

struct ComparedTemplates {
  int refused = 0, written = 0, thought = 0;  // conversations
};

// The templates in the files `sources` against transformers.
ComparedTemplates compare_templates(const std::vector<std::filesystem::path>& sources) {
  const TestFolder scratch;
  const std::vector<Json> asked = requests_of_conversations();
  Json requests = Json::array();
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const auto folder = scratch / sources[i].stem().string();
    make_template_folder(folder, sources[i], i % 2 == 0);
    requests.push_back({{"folder", folder.string()}, {"conversations", asked}});
  }
  ComparedTemplates counts;
  if (!ask_transformers(scratch, Json{{"chat", requests}})) {
    ADD_FAILURE() << "transformers did not answer";
    return counts;
  }
  for (const auto& source : sources) {
    const std::string name = source.stem().string();
    const Json answers = Json::parse(std::ifstream(scratch / name / "chats.json"));
    const auto chat = Tokenizer::load(scratch / name / "tokenizer.json")->chat_template();
    EXPECT_TRUE(chat) << name << ": " << chat.error().message;
    EXPECT_EQ(answers.size(), asked.size());
    if (!chat || answers.size() != asked.size()) continue;
    int written = 0;
    for (std::size_t i = 0; i < asked.size(); ++i) {
      const auto text = laid_out(*chat, asked[i]);
      if (answers[i].is_null()) {
        EXPECT_FALSE(text) << name << ' ' << asked[i];
        ++counts.refused;
        continue;
      }
      EXPECT_TRUE(text) << name << ' ' << asked[i] << text.error().message;
      if (!text) continue;
      EXPECT_EQ(*text, answers[i].get<std::string>()) << name << ' ' << asked[i];
      ++written;
      counts.thought += text->find("<think>") != std::string::npos;
    }
    EXPECT_GT(written, 0) << name << " refuses everything";
    counts.written += written;
  }
  return counts;
}

TEST(ChatTemplateTest, LaysOutConversationsAsTransformersDoes) {
  if (!has_transformers()) GTEST_SKIP() << "transformers is not in .venv; run scripts/bootstrap";
  const ComparedTemplates counts = compare_templates(chat_template_files());
  EXPECT_GT(counts.refused, 5);
  EXPECT_GT(counts.thought, 50);
}

TEST(ChatTemplateTest, OfSeveralTemplatesTheOneForToolsIsTakenWithTools) {
  const Json hello = Json::array({chat_template_message("user", "hello")});
  ChatOptions tools;
  tools.values["tools"] = Json::array({Json::object()});
  const Json list = Json::array({{{"name", "default"}, {"template", "plain {{ bos_token }}"}},
                                 {{"name", "tool_use"}, {"template", "tools {{ boi_token }}"}}});
  const std::string config =
      Json{{"chat_template", list}, {"extra_special_tokens", {{"boi_token", "<boi>"}}}}.dump();
  const auto listed = ChatTemplate::from_files(
      {.tokenizer_config = config, .special_tokens_map = R"({"bos_token": {"content": "<s>"}})"});
  ASSERT_TRUE(listed) << listed.error().message;
  EXPECT_EQ(listed->render(hello), "plain <s>");
  EXPECT_EQ(listed->render(hello, tools), "tools <boi>");
  const auto files =
      ChatTemplate::from_files({.chat_template = "plain", .tool_template = "with tools"});
  EXPECT_EQ(files->render(hello), "plain");
  EXPECT_EQ(files->render(hello, tools), "with tools");
  const auto other = ChatTemplate::from_files(
      {.tokenizer_config = R"({"chat_template": [{"name": "rag", "template": "x"}]})"});
  EXPECT_THAT(other.error().message, testing::HasSubstr("only rag"));
}

// The templates of released models that the Python package trl brings along.
TEST(ChatTemplateTest, PublishedTemplatesAreLaidOutAsTransformersDoes) {
  if (!has_transformers()) GTEST_SKIP() << "transformers is not in .venv; run scripts/bootstrap";
  const auto sources = published_template_files();
  if (sources.empty()) GTEST_SKIP() << "trl is not in .venv; run scripts/bootstrap";
  EXPECT_GE(sources.size(), 60u);
  const ComparedTemplates counts = compare_templates(sources);
  EXPECT_GT(counts.written, 5000);
}

}  // namespace
}  // namespace redqueen
