#include "redqueen/core/tool_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "redqueen/base/rng.h"

namespace redqueen {
namespace {

using testing::IsEmpty;

std::vector<ToolSpec> tools() {
  return {{.name = "find", .description = "", .parameters = Json::object()},
          {.name = "disk.read-all", .description = "", .parameters = Json::object()}};
}

Action parsed(std::string_view text) { return parse_action(text, tools()); }

ToolCall call(std::string id, std::string name, std::string_view arguments) {
  return {std::move(id), std::move(name), parse_json(arguments).value()};
}

TEST(ToolCalls, ReadsEveryFormThatModelsWrite) {
  struct Row {
    std::string text, rest;
    std::vector<ToolCall> calls;
  };
  const std::string arguments = R"({"q":"a \"b\" </x>","n":[1,2.5,null,true,{"k":"v"}]})";
  const ToolCall one = call("call_0", "find", arguments);
  const std::string json = R"({"name":"find","arguments":)" + arguments + "}";
  const std::string llama = R"({"name": "find", "parameters": )" + arguments + "}";
  const ToolCall none = call("call_1", "disk.read-all", "{}");
  const std::vector<Row> table = {
      {"<tool_call>\n" + json + "\n</tool_call>", "", {one}},
      {"Looking.\n<tool_call>" + json + "</tool_call>\n<tool_call>" + llama + "</tool_call> \n",
       "Looking.",
       {one, call("call_1", "find", arguments)}},
      {"<think>\n<tool_call>{}</tool_call>\n</think>\n\n<tool_call>" + json + "</tool_call>",
       "<think>\n<tool_call>{}</tool_call>\n</think>",
       {one}},
      {"<think>a</think>\n<think>b</think>\n<tool_call>" + json + "</tool_call>",
       "<think>a</think>\n<think>b</think>",
       {one}},
      // A call begins at the last opening before its end.
      {"<tool_call> or rather\n<tool_call>" + json + "</tool_call>",
       "<tool_call> or rather",
       {one}},
      {R"(<tool_call>{"id":"x7","name":"anything","arguments":"{\"a\": 1}"}</tool_call>)",
       "",
       {call("x7", "anything", R"({"a":1})")}},
      {R"(<tool_call>{"type":"function","function":{"name":"f"}}</tool_call>)",
       "",
       {call("call_0", "f", "{}")}},
      {"<function=anything>" + arguments + "</function> Done.",
       " Done.",
       {call("call_0", "anything", arguments)}},
      {llama, "", {one}},
      {R"({"name":"find","arguments":{"q":"5\" } wide"}})",
       "",
       {call("call_0", "find", R"({"q":"5\" } wide"})")}},
      {" " + llama + "; " + R"({"name":"disk.read-all","parameters":{}})" + "\n", "", {one, none}},
      {"[" + llama + R"(, {"name":"disk.read-all"}])", "", {one, none}},
      {R"([find(q='a "b" </x>', n=[1, 2.5, None, True, {'k': "v"}]), disk.read-all()])",
       "",
       {one, none}},
      {"find(q=\"it\\'s\\n\", n=(-3, 12345678901234567890123), )",
       "",
       {call("call_0", "find", R"({"q":"it's\n","n":[-3,12345678901234567890123]})")}},
      {"find(q='a')\n\ndisk.read-all();\n", "", {call("call_0", "find", R"({"q":"a"})"), none}},
      {R"([find(q="\u00e9\ud83d\ude00\u12")])",
       "",
       {call("call_0", "find", "{\"q\":\"\u00e9\U0001F600\\\\u12\"}")}},
      // A block without its end, in Python's way, and both.
      {"Well. <tool_call>\n" + json, "Well.", {one}},
      {"<tool_call>{\"name\": \"f\",}</tool_call>", "", {call("call_0", "f", "{}")}},
      {"<tool_call>{'name': 'f', 'arguments': {'on': True, 'to': None}}</tool_call>",
       "",
       {call("call_0", "f", R"({"on":true,"to":null})")}},
      {"<tool_call>{}</tool_call><tool_call>{'name': 'f'}<|im_end|>\n",
       "<tool_call>{}</tool_call>",
       {call("call_0", "f", "{}")}},
      // Behind a mark.
      {"<|python_tag|>" + llama + "<|eom_id|>", "", {one}},
      {"I search. <|python_tag|>find.call(q=\"x\")<|eot_id|>",
       "I search.",
       {call("call_0", "find", R"({"q":"x"})")}},
      {"[TOOL_CALLS][{\"name\": \"anything\", \"arguments\": {}}]",
       "",
       {call("call_0", "anything", "{}")}},
      // In a fence.
      {"```json\n" + llama + "\n```", "", {one}},
      {"```tool_code\nfind(q='x')\n```\n", "", {call("call_0", "find", R"({"q":"x"})")}},
      // OpenAI's messages.
      {R"({"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function",)"
       R"("function":{"name":"find","arguments":"{\"q\":\"x\"}"}},)"
       R"({"type":"function","function":{"name":"disk.read-all","arguments":"{}"}}]})",
       "",
       {call("c1", "find", R"({"q":"x"})"), none}},
      {R"({"content":"One moment.","tool_calls":[{"function":{"name":"find"}}]})",
       "One moment.",
       {call("call_0", "find", "{}")}},
  };
  for (const Row& row : table) {
    const Action action = parsed(row.text);
    EXPECT_EQ(action.tool_calls, row.calls) << row.text << '\n' << dump_json(to_json(action));
    EXPECT_EQ(action.text, row.rest) << row.text;
  }
}

TEST(ToolCalls, WhatIsNoCallStaysText) {
  for (const std::string text :
       {"", "plain", "<tool_call>", "</tool_call>", "<tool_call></tool_call>",
        "<tool_call>{\"name\": \"find\"", "<tool_call>{\"name\": 3}</tool_call>",
        "<tool_call>[]</tool_call>", R"(<tool_call>{"name":"find","arguments":[1]}</tool_call>)",
        R"(<tool_call>{"name":"find","arguments":"text"}</tool_call>)",
        R"(<think>perhaps <tool_call>{"name":"find"}</tool_call>)", "<function=find>{</function>",
        "<function=find{}</function>",
        // Could be answers.
        R"({"name":"Ann","parameters":{}})", "print(x=1)", "[1, 2]", "{}", "[]", "[find]",
        R"(The call is {"name":"find"}.)", R"({"name":"find"} {"name":"Ann"})", "find(1)",
        "find(a=1, a=2)", "find(a=b)", "find(a=1", "find(a='x)", "find(a=1) # x", "[find(a=1)",
        "find(a=1), find(a=2)", "find(a=1)\nprint(a=2)", "Ann.call(x=1)", "find(a=1)\nDone.",
        "```json\n{\"name\":\"Ann\"}\n```", "```\nfind(a=1)\n``` or ```\nfind(a=2)\n```",
        R"({"tool_calls":[]})", R"({"tool_calls":[{"function":{"name":"Ann"}}]})",
        R"({"tool_calls":[{"function":{"name":"find"}},{}]})", "<|python_tag|>1 + 1",
        "<|python_tag|>", "[TOOL_CALLS]", "<tool_call>{'name': find}</tool_call>",
        "<tool_call>{'name': 'find'} and so on"}) {
    const Action action = parsed(text);
    EXPECT_THAT(action.tool_calls, IsEmpty()) << text;
    EXPECT_EQ(action.text, text);
  }
  // A malformed call beside a sound one.
  const Action mixed =
      parsed("a <tool_call>{</tool_call> b<tool_call>{\"name\":\"f\"}</tool_call>c");
  EXPECT_EQ(mixed.tool_calls.size(), 1u);
  EXPECT_EQ(mixed.text, "a <tool_call>{</tool_call> bc");
  // Nobody offered a tool.
  EXPECT_THAT(parse_action("find(a=1)", {}).tool_calls, IsEmpty());
}

TEST(ToolCalls, SurvivesHostileText) {
  const int many = 50'000;
  const auto repeated = [&](std::string_view piece) {
    std::string text;
    for (int i = 0; i < many; ++i) text += piece;
    return text;
  };
  std::string keys;
  for (int i = 0; i < many; ++i) keys += fmt::format("k{}=1,", i);
  for (const std::string& text :
       {repeated("<tool_call>"), repeated("<tool_call>") + repeated("</tool_call>"),
        "<tool_call>" + repeated("{\"a\":") + "</tool_call>", repeated("["), repeated("{\"a\":["),
        "find(a=" + repeated("["), "find(a=" + repeated("{'a':"), "find(" + keys + ")",
        repeated("<function="), repeated("<think></think>"), repeated("{};"),
        repeated("<|python_tag|>"), repeated("[TOOL_CALLS]"), repeated("```"),
        repeated("<tool_call>{'name':"), "find(a='" + repeated("\\u12"), repeated("find(a=1)\n;"),
        "{\"tool_calls\":[" + repeated("{\"name\":\"find\"},"),
        std::string(many, ' ') + repeated("<|im_end|>\n")}) {
    EXPECT_EQ(parsed(text).text, text);
  }
  const Action all = parsed(repeated("<tool_call>{\"name\":\"f\"}</tool_call>"));
  EXPECT_EQ(all.tool_calls.size(), static_cast<std::size_t>(many));

  const std::vector<std::string> pieces{"<tool_call>",
                                        "</tool_call>",
                                        "{\"name\":\"find\"",
                                        "}",
                                        "<function=f>",
                                        "</function>",
                                        "find(",
                                        ")",
                                        "a=",
                                        "'",
                                        "\"",
                                        "\\",
                                        "[",
                                        "]",
                                        "{",
                                        ",",
                                        ":",
                                        "1e9",
                                        "\xff",
                                        "\n",
                                        "<think>",
                                        "</think>",
                                        "None",
                                        "{\"name\":\"find\"}",
                                        "<|python_tag|>",
                                        "[TOOL_CALLS]",
                                        "```json\n",
                                        "\n```",
                                        "<|im_end|>",
                                        "{\"tool_calls\":[",
                                        "\\ud83d"};
  int found = 0;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    Rng rng({.seed = 8, .purpose = hash_name("tool calls"), .index = i});
    std::string text;
    for (std::int64_t left = rng.integer(0, 12); left > 0; --left) text += rng.choice(pieces);
    const Action action = parsed(text);
    found += !action.tool_calls.empty();
    if (action.tool_calls.empty()) {
      EXPECT_EQ(action.text, text);
    }
    (void)dump_json(to_json(action));
  }
  EXPECT_GT(found, 100);
}

// A sound turn in which bytes are changed is read somehow, and never as more than it could say.
TEST(ToolCalls, SurvivesMutatedTurns) {
  const std::vector<std::string> sound{
      R"(<tool_call>{"name":"find","arguments":{"q":"x","n":[1,2.5,null]}}</tool_call>)",
      R"([find(q='x', n=[1, 2.5, None]), disk.read-all()])",
      R"({"content":"","tool_calls":[{"id":"c","function":{"name":"find","arguments":"{}"}}]})",
      R"(<|python_tag|>{"name":"find","parameters":{"q":"x"}}<|eom_id|>)"};
  int found = 0;
  for (std::uint64_t i = 0; i < 8'000; ++i) {
    Rng rng({.seed = 9, .purpose = hash_name("mutated turns"), .index = i});
    std::string text = rng.choice(sound);
    for (std::int64_t edits = rng.integer(1, 3); edits > 0; --edits) {
      const std::size_t at = rng.below(text.size());
      switch (rng.below(3)) {
        case 0:
          text[at] = static_cast<char>(rng.below(256));
          break;
        case 1:
          text.erase(at, 1);
          break;
        default:
          text.insert(at, text.substr(at, rng.below(20)));
          break;
      }
    }
    const Action action = parsed(text);
    found += !action.tool_calls.empty();
    EXPECT_LE(action.tool_calls.size(), 6u) << text;
    for (const ToolCall& call : action.tool_calls) EXPECT_TRUE(call.arguments.is_object()) << text;
  }
  EXPECT_GT(found, 500);
}

}  // namespace
}  // namespace redqueen
