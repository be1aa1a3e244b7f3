#include "redqueen/base/json.h"

#include <gtest/gtest.h>

#include "redqueen/base/fields.h"
#include "redqueen/base/rng.h"

namespace redqueen {
namespace {

TEST(Json, KeepsIntegersOfAnySize) {
  const std::string text =
      R"({"a":123456789012345678901234567890,"b":[-99999999999999999999,18446744073709551615,1.5,1e300]})";
  const auto json = parse_json(text);
  ASSERT_TRUE(json.has_value());
  EXPECT_EQ(
      dump_json(*json),
      R"({"a":123456789012345678901234567890,"b":[-99999999999999999999,18446744073709551615,1.5,1e+300]})");
}

TEST(Json, SaysWhereAFaultLies) {
  const auto json = parse_json("{\"a\": 1,}");
  ASSERT_FALSE(json.has_value());
  EXPECT_NE(json.error().message.find("character 9"), std::string::npos) << json.error().message;
}

TEST(Json, SurvivesHostileText) {
  EXPECT_FALSE(parse_json(std::string(1'000'000, '[')).has_value());
  EXPECT_FALSE(parse_json("").has_value());
  EXPECT_FALSE(parse_json("1e999").has_value());
  EXPECT_EQ(dump_json(Json("\xff\xfe")), "\"\xEF\xBF\xBD\xEF\xBF\xBD\"");
  Rng rng({.seed = 1, .purpose = hash_name("json"), .step = 0, .index = 0, .salt = 0});
  for (int i = 0; i < 20000; ++i) {
    std::string text(rng.below(30), ' ');
    for (char& c : text)
      c = rng.chance(0.1) ? static_cast<char>(rng.below(256))
                          : "{}[]\",:0123456789.eE-tfnul "[rng.below(27)];
    if (const auto json = parse_json(text)) {
      EXPECT_TRUE(parse_json(dump_json(*json)).has_value()) << text;
    }
  }
}

// dump_json writes texts by itself, as nlohmann's writer does.
TEST(Json, WritesTextsAsItsLibraryDoes) {
  Rng rng({.purpose = hash_name("json texts")});
  const std::vector<std::string> parts{"a",
                                       "\"",
                                       "\\",
                                       "/",
                                       " ",
                                       "\n",
                                       "\x01",
                                       "\x1f",
                                       "\x7f",
                                       "\xC3\xA9",
                                       "\xE2\x80\xA8",
                                       "\xff",
                                       std::string(1, '\0')};
  for (int i = 0; i < 2000; ++i) {
    std::string text;
    for (std::size_t k = rng.below(12); k > 0; --k) text += parts[rng.below(parts.size())];
    const Json value{{text, Json::array({text, true, false, nullptr, 7, -0.5})}};
    ASSERT_EQ(dump_json(value), value.dump(-1, ' ', false, Json::error_handler_t::replace));
  }
}

struct Inner {
  int x = 0;
  REDQUEEN_FIELDS(x)
};
struct Outer {
  bool flag = false;
  std::int8_t small = 0;
  std::uint64_t big = 0;
  BigInt bigger;
  double real = 0.0;
  std::string text;
  std::vector<std::pair<int, double>> pairs;
  std::array<int, 2> two{};
  std::map<int, std::string> names;
  std::optional<int> maybe;
  std::vector<Inner> inners;
  int operator_ = 0;
  REDQUEEN_FIELDS(flag, small, big, bigger, real, text, pairs, two, names, maybe, inners, operator_)
};

const char* const kOuter =
    R"({"flag":true,"small":-7,"big":18446744073709551615,"bigger":123456789012345678901234567890,)"
    R"("real":0.1,"text":"é\n","pairs":[[1,2.5],[3,4.0]],"two":[5,6],"names":{"-1":"a","2":"b"},)"
    R"("maybe":null,"inners":[{"x":1},{"x":2}],"operator":9})";

TEST(Fields, ReadBackWhatTheyWrite) {
  const auto value = from_json<Outer>(*parse_json(kOuter));
  ASSERT_TRUE(value.has_value()) << value.error().message;
  EXPECT_EQ(value->operator_, 9);
  EXPECT_EQ(value->names.at(-1), "a");
  EXPECT_EQ(dump_json(to_json(*value)), kOuter);
}

TEST(Json, BoundsTheDepthOfWhatItReads) {
  const auto nested = [](int depth, std::string_view open, std::string_view close) {
    std::string text;
    for (int i = 0; i < depth; ++i) text += open;
    text += '1';
    for (int i = 0; i < depth; ++i) text += close;
    return text;
  };
  for (const auto& [open, close] : {std::pair{"[", "]"}, std::pair{"{\"a\":", "}"}}) {
    const std::string deepest = nested(kMaxJsonDepth, open, close);
    ASSERT_TRUE(parse_json(deepest).has_value());
    EXPECT_EQ(dump_json(*parse_json(deepest)), deepest);
    const auto deeper = parse_json(nested(kMaxJsonDepth + 1, open, close));
    ASSERT_FALSE(deeper.has_value());
    EXPECT_EQ(deeper.error().message,
              fmt::format("invalid JSON: lists and objects nest more than {} deep", kMaxJsonDepth));
    EXPECT_FALSE(parse_json(nested(1'000'000, open, "")).has_value());
  }
  // Depth, not number.
  std::string many = "[";
  for (int i = 0; i < 2 * kMaxJsonDepth; ++i) many += "[],{},";
  EXPECT_TRUE(parse_json(many + "0]").has_value());
}

// A list of anything, of which only the depth counts.
struct Depth {
  int levels = 0;

  static Expected<Depth> read_json(const Json& json) {
    Depth depth;
    for (const Json* part = &json; part->is_array(); part = &part->front()) {
      if (part->empty()) return failure("expected a part in every list");
      ++depth.levels;
    }
    return depth;
  }

  Json write_json() const {
    Json json = 0;
    for (int i = 0; i < levels; ++i) json = Json::array({json});
    return json;
  }
};
struct Deep {
  std::vector<Depth> depths;
  REDQUEEN_FIELDS(depths)
};

TEST(Fields, TakeTypesWithTheirOwnForm) {
  const std::string text = R"({"depths":[0,[[0]],[0]]})";
  const auto value = from_json<Deep>(*parse_json(text));
  ASSERT_TRUE(value.has_value()) << value.error().message;
  EXPECT_EQ(value->depths[1].levels, 2);
  EXPECT_EQ(dump_json(to_json(*value)), text);
  const auto faulty = from_json<Deep>(*parse_json(R"({"depths":[0,[[]]]})"));
  ASSERT_FALSE(faulty.has_value());
  EXPECT_EQ(faulty.error().message, "\"depths[1]\": expected a part in every list");
}

TEST(Fields, NameWhatIsWrong) {
  const auto message = [](std::string_view key, std::string_view replacement) {
    Json json = *parse_json(kOuter);
    json[std::string(key)] = *parse_json(replacement);
    const auto value = from_json<Outer>(json);
    return value ? std::string("accepted") : value.error().message;
  };
  EXPECT_EQ(message("flag", "1"), "\"flag\": expected true or false, found number");
  EXPECT_EQ(message("small", "128"), "\"small\": 128 is out of range");
  EXPECT_EQ(message("small", "-129"), "\"small\": -129 is out of range");
  EXPECT_EQ(message("small", "-128"), "accepted");
  EXPECT_EQ(message("small", "127"), "accepted");
  EXPECT_EQ(message("big", "-1"), "\"big\": -1 is out of range");
  EXPECT_EQ(message("small", "1.0"), "\"small\": expected an integer, found number");
  EXPECT_EQ(message("pairs", "[[1,2],[3]]"), "\"pairs[1]\": expected a list of 2, found 1");
  EXPECT_EQ(message("inners", "[{\"x\":1},{\"y\":1}]"), "\"inners[1].x\": missing");
  EXPECT_EQ(message("names", "{\"a\":\"b\"}"), "\"names\": key \"a\" is not an integer");
  EXPECT_EQ(message("bigger", "\"12\""), "\"bigger\": expected an integer, found string");
  EXPECT_EQ(message("maybe", "3"), "accepted");
  EXPECT_EQ(message("stranger", "3"), "accepted");
  EXPECT_FALSE(from_json<Outer>(Json(3)).has_value());
}

}  // namespace
}  // namespace redqueen
