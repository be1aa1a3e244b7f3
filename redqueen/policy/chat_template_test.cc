#include "redqueen/policy/chat_template.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "redqueen/policy/chat_prompt.h"
#include "redqueen/policy/checkpoint.h"
#include "redqueen/policy/embedded_policy.h"
#include "redqueen/policy/oracle_request.h"
#include "redqueen/policy/test_support.h"

namespace redqueen {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;

Json message(const char* role, const Json& content) {
  return {{"role", role}, {"content", content}};
}

Json call(const char* name, const Json& arguments) {
  return {{"type", "function"}, {"function", {{"name", name}, {"arguments", arguments}}}};
}

std::vector<Json> conversations() {
  const Json system = message("system", "  Speak briefly.\n"), question = message("user", "What?");
  const Json thought = message("assistant", "<think>\nhm, ünd?\n</think>\n\nThat.");
  Json calls = message("assistant", nullptr), two_calls = message("assistant", "Looking.");
  calls["tool_calls"] = Json::array({call("find", {{"q", "a \"b\"\n"}, {"n", 3}})});
  two_calls["tool_calls"] =
      Json::array({call("console", {{"x", "1"}, {"y", "é"}}),
                   call("find", {{"deep", {{"er", {1, 2.5, nullptr, true}}}}})});
  Json reasoned = message("assistant", "Plain.");
  reasoned["reasoning_content"] = "\nbecause\n";
  const Json parts = Json::array({{{"type", "text"}, {"text", "seen"}}, {{"type", "image"}}});
  return {
      Json::array({question}),
      Json::array({system, question}),
      Json::array({message("user", "  <tag> & \"quotes\" \\n {{ x }} 答案 🙂\t\n ")}),
      Json::array({question, thought, question}),
      Json::array({system, question, thought, message("user", "<answer>1</answer>"), thought}),
      Json::array({question, calls, message("tool", "one"), message("tool", "two"), thought}),
      Json::array({system, question, two_calls, message("tool", "one")}),
      Json::array({question, calls, message("tool", {{"found", {1, 2}}})}),
      Json::array({question, reasoned, question, reasoned}),
      Json::array({question, message("assistant", "A"), message("system", "Now shout."), question}),
      Json::array({message("user", parts)}),
      Json::array({message("hidden", "x"), question, message("assistant", "")}),
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

class ChatTemplateTest : public testing::Test {
 protected:
  static constexpr const char* kNames[] = {"turns", "thinking", "headers", "reasoner", "loops"};

  // A folder as transformers wants it; every other one has its template in tokenizer_config.json.
  void make_folder(const std::string& name, bool in_config) {
    const auto folder = scratch_ / name;
    std::filesystem::create_directories(folder);
    ASSERT_TRUE(byte_tokenizer().save(folder / "tokenizer.json"));
    const std::filesystem::path source = "redqueen/policy/testdata/chat/" + name + ".jinja";
    Json config = {{"tokenizer_class", "PreTrainedTokenizerFast"},
                   {"bos_token", {{"content", "<begin>"}, {"__type", "AddedToken"}}},
                   {"eos_token", "<end>"}};
    if (in_config) {
      std::ifstream stream(source);
      config["chat_template"] = std::string(std::istreambuf_iterator<char>(stream), {});
    } else {
      std::filesystem::copy_file(source, folder / "chat_template.jinja");
    }
    std::ofstream(folder / "tokenizer_config.json") << config;
  }

  ScratchFolder scratch_;
};

TEST_F(ChatTemplateTest, LaysOutConversationsAsTransformersDoes) {
  if (!has_transformers()) GTEST_SKIP() << "transformers is not in .venv; run scripts/bootstrap";
  std::vector<Json> asked;
  for (const Json& messages : conversations()) {
    for (Json options : option_sets()) {
      options["messages"] = messages;
      asked.push_back(std::move(options));
    }
  }
  Json requests = Json::array();
  for (std::size_t i = 0; i < std::size(kNames); ++i) {
    make_folder(kNames[i], i % 2 == 0);
    requests.push_back({{"folder", (scratch_ / kNames[i]).string()}, {"conversations", asked}});
  }
  ASSERT_TRUE(ask_in_order((scratch_ / "").string(), {{"chat", requests}}));
  int refused = 0, thought = 0;
  for (const char* name : kNames) {
    const Json answers = Json::parse(std::ifstream(scratch_ / name / "chats.json"));
    const auto chat = Tokenizer::load(scratch_ / name / "tokenizer.json")->chat_template();
    ASSERT_TRUE(chat) << chat.error().message;
    ASSERT_EQ(answers.size(), asked.size());
    for (std::size_t i = 0; i < asked.size(); ++i) {
      ChatOptions options;
      options.values = asked[i];
      options.values.erase("messages");
      options.add_generation_prompt = asked[i]["add_generation_prompt"];
      if (asked[i].contains("enable_thinking")) {
        options.enable_thinking = asked[i]["enable_thinking"].get<bool>();
      }
      const auto text = chat->render(asked[i]["messages"], options);
      if (answers[i].is_null()) {
        EXPECT_FALSE(text) << name << ' ' << asked[i];
        ++refused;
      } else {
        ASSERT_TRUE(text) << name << ' ' << asked[i] << text.error().message;
        EXPECT_EQ(*text, answers[i].get<std::string>()) << name << ' ' << asked[i];
        thought += text && text->find("<think>") != std::string::npos;
      }
    }
  }
  EXPECT_GT(refused, 5);
  EXPECT_GT(thought, 50);
}

TEST_F(ChatTemplateTest, APolicysOwnTemplateFramesProblems) {
  make_folder("thinking", true);
  const auto tokenizer = Tokenizer::load(scratch_ / "thinking/tokenizer.json").value();
  const auto policy =
      EmbeddedPolicy::make(Transformer::initialise(small_config(), 1), tokenizer, "tiny").value();
  const auto render = [&](const char* format) {
    return prompt_format_for(*policy, format)->render("2 + 2 = ?");
  };
  EXPECT_THAT(render("chat"), testing::StartsWith("[user]2 + 2 = ?\n\nReason"));
  EXPECT_THAT(render("chat"), testing::EndsWith("[end]\n[assistant]"));
  EXPECT_EQ(render("chat:nothink"), render("chat") + "<think>\n\n</think>\n\n");
  EXPECT_EQ(render("bare"), "2 + 2 = ?");
  const auto format = prompt_format_for(*policy, "chat").value();
  EXPECT_EQ(format.marker, MarkerStyle::kBoxed);
  EXPECT_EQ(PromptFormat::parse(format.text)->marker, MarkerStyle::kBoxed);
  EXPECT_THAT(PromptFormat::parse("chat").error().message, HasSubstr("no policy"));

  const auto mute =
      EmbeddedPolicy::make(Transformer::initialise(small_config(), 1), byte_tokenizer(), "mute")
          .value();
  EXPECT_THAT(prompt_format_for(*mute, "chat").error().message, HasSubstr("no chat template"));
}

TEST_F(ChatTemplateTest, TheMessageMustComeThroughAsItIs) {
  make_folder("thinking", true);
  std::ofstream(scratch_ / "thinking/chat_template.jinja") << "{{ messages[0].content | upper }}";
  const auto tokenizer = Tokenizer::load(scratch_ / "thinking/tokenizer.json").value();
  const auto policy =
      EmbeddedPolicy::make(Transformer::initialise(small_config(), 1), tokenizer, "loud").value();
  EXPECT_THAT(prompt_format_for(*policy, "chat").error().message, HasSubstr("word for word"));
}

TEST_F(ChatTemplateTest, CheckpointsKeepTheirTemplate) {
  for (const char* name : {"turns", "thinking"}) {
    make_folder(name, std::string_view(name) == "turns");
    const auto tokenizer = Tokenizer::load(scratch_ / name / "tokenizer.json").value();
    const Transformer model = Transformer::initialise(small_config(), 1);
    ASSERT_TRUE(save_checkpoint(scratch_ / "saved", model, tokenizer));
    const auto again = Tokenizer::load(scratch_ / "saved/tokenizer.json").value();
    EXPECT_EQ(again.chat_template()->source(), tokenizer.chat_template()->source());
    EXPECT_EQ(*again.chat_template()->prompt("x"), *tokenizer.chat_template()->prompt("x"));
  }
}

}  // namespace
}  // namespace redqueen
