#include "redqueen/arena/simulators/space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <limits>

#include "redqueen/base/rng.h"

namespace redqueen::arena {
namespace {

using testing::HasSubstr;

const Space kMixed{DictSpace{
    {{"where", Space{Box{.type = ElementType::kFloat32, .shape = {2}, .low = {-1}, .high = {1}}}},
     {"what", Space{TupleSpace{{Space{Discrete{.n = 3, .start = 1}}, Space{MultiBinary{{2}}}}}}},
     {"levels", Space{MultiDiscrete{.nvec = {2, 5}}}},
     {"word", Space{Text{.min_length = 0, .max_length = 4, .charset = "abc"}}}}}};

// The value that a policy would write so.
Value written(std::string_view json) { return *value_from_json(*parse_json(json)); }

TEST(Spaces, TakeWhatIsWrittenInListsInTheirOwnForm) {
  const auto value = conform(kMixed, written(R"({"levels": [1, 4], "where": [0.5, 2], "word": "ab",
                                                 "what": [3, [0, 1]]})"));
  ASSERT_TRUE(value) << value.error().message;
  EXPECT_EQ(dump_json(to_json(*value)),
            R"({"where":[0.5,2.0],"what":[3,[0,1]],"levels":[1,4],"word":"ab"})");
  EXPECT_TRUE(conforms(kMixed, *value));
  EXPECT_TRUE(conforms(kMixed, blank(kMixed)));
}

TEST(Spaces, SayWhereAndWhatIsWrong) {
  const auto fault = [](std::string_view json) {
    const auto value = conform(kMixed, written(json));
    return value ? std::string("sound") : value.error().message;
  };
  const auto with = [&](std::string_view where, std::string_view what, std::string_view levels,
                        std::string_view word) {
    return fault(fmt::format(R"({{"where": {}, "what": {}, "levels": {}, "word": {}}})", where,
                             what, levels, word));
  };
  EXPECT_EQ(with("[0, 0]", "[1, [0, 0]]", "[0, 0]", "\"\""), "sound");
  EXPECT_THAT(
      with("[0, \"NaN\"]", "[1, [0, 0]]", "[0, 0]", "\"\""),
      HasSubstr(
          "at \"where\": expected finite numbers of float32 in the shape (2,), found nan at 1"));
  EXPECT_THAT(with("[1e39, 0]", "[1, [0, 0]]", "[0, 0]", "\"\""), HasSubstr("found 1e+39 at 0"));
  EXPECT_THAT(with("[0]", "[1, [0, 0]]", "[0, 0]", "\"\""), HasSubstr("found a list of 1"));
  EXPECT_THAT(
      with("[0, 0]", "[0, [0, 0]]", "[0, 0]", "\"\""),
      HasSubstr("at \"what\": at [0]: expected an integer from 1 to 3, found the integer 0"));
  EXPECT_THAT(with("[0, 0]", "[1.0, [0, 0]]", "[0, 0]", "\"\""), HasSubstr("found the number 1"));
  EXPECT_THAT(with("[0, 0]", "[1, [0, 2]]", "[0, 0]", "\"\""),
              HasSubstr("expected zeros and ones, found 2"));
  EXPECT_THAT(with("[0, 0]", "[1, [0, 0]]", "[0, 5]", "\"\""),
              HasSubstr("from 0 to 4 at 1, found 5"));
  EXPECT_THAT(with("[0, 0]", "[1, [0, 0]]", "[0, 0]", "\"abcab\""),
              HasSubstr("of 0 to 4 bytes, found 5"));
  EXPECT_THAT(with("[0, 0]", "[1, [0, 0]]", "[0, 0]", "\"x\""), HasSubstr("of the characters abc"));
  EXPECT_THAT(fault("[]"), HasSubstr("expected a dictionary of 4, found a list of 0"));
  EXPECT_THAT(fault(R"({"a": 1, "b": 2, "c": 3, "d": 4})"),
              HasSubstr("the key \"where\" is missing"));
}

TEST(Spaces, DescribeThemselvesAsTheProtocolDoes) {
  EXPECT_EQ(dump_json(schema(Space{Discrete{.n = 4}})), R"({"type":"Discrete","n":4,"start":0})");
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(
      dump_json(schema(Space{Box{.shape = {2}, .low = {-infinity}, .high = {1, 2}}})),
      R"({"type":"Box","shape":[2],"dtype":"float32","low":["-Inf","-Inf"],"high":[1.0,2.0]})");
  const Json image = schema(Space{Box{.type = ElementType::kUint8,
                                      .shape = {96, 96, 3},
                                      .low = {0},
                                      .high = {255},
                                      .image = true}});
  EXPECT_EQ(image["type"], "Image");
  EXPECT_EQ(image["channels"], 3);
  EXPECT_EQ(dump_json(image["high"]), R"({"shape":[96,96,3],"min":255.0,"max":255.0})");
}

// A value of any form, with arrays whose shapes and bytes need not belong together.
Value random_value(Rng& rng, int depth) {
  switch (rng.below(depth > 0 ? 7 : 5)) {
    case 0:
      return Value{static_cast<std::int64_t>(rng.bits())};
    case 1:
      return Value{rng.integer(-2, 5)};
    case 2:
      return Value{std::bit_cast<double>(rng.bits())};
    case 3:
      return Value{std::string(rng.below(6), 'a')};
    case 4: {
      Array array{.type = static_cast<ElementType>(rng.below(11))};
      for (auto axes = rng.below(3); axes > 0; --axes) array.shape.push_back(rng.integer(-1, 3));
      array.bytes.resize(rng.below(40));
      for (std::byte& byte : array.bytes) byte = static_cast<std::byte>(rng.below(256));
      return Value{std::move(array)};
    }
    case 5: {
      Value::Tuple tuple;
      for (auto size = rng.below(4); size > 0; --size)
        tuple.push_back(random_value(rng, depth - 1));
      return Value{std::move(tuple)};
    }
    default: {
      Value::Dict dict;
      for (const std::string_view key : {"where", "what", "levels", "word"}) {
        if (rng.chance(0.9)) dict.emplace_back(key, random_value(rng, depth - 1));
      }
      return Value{std::move(dict)};
    }
  }
}

TEST(Spaces, WhatTheyTakeFromRandomValuesIsOfTheirForm) {
  Rng rng({.seed = 1});
  int taken = 0;
  const auto& parts = std::get<DictSpace>(kMixed.form).parts;
  for (int i = 0; i < 20000; ++i) {
    const Space& space = i % 5 == 0 ? kMixed : parts[static_cast<std::size_t>(i % 4)].second;
    const Value value = random_value(rng, 3);
    const bool own = conforms(space, value);
    const auto result = conform(space, value);
    EXPECT_TRUE(!own || result);
    if (!result) continue;
    ++taken;
    EXPECT_TRUE(conforms(space, *result)) << dump_json(to_json(*result));
    EXPECT_EQ(*conform(space, *result), *result);
  }
  EXPECT_GT(taken, 200);
}

TEST(Values, AreWrittenAsTrajectoriesHaveThem) {
  Array matrix = Array::zeros(ElementType::kUint8, {2, 2});
  matrix.elements<std::uint8_t>()[3] = 255;
  EXPECT_EQ(dump_json(to_json(Value{matrix})), "[[0,0],[0,255]]");
  Array numbers = Array::zeros(ElementType::kFloat32, {3});
  numbers.elements<float>()[0] = std::numeric_limits<float>::infinity();
  numbers.elements<float>()[1] = std::numeric_limits<float>::quiet_NaN();
  numbers.elements<float>()[2] = 0.1f;
  EXPECT_EQ(dump_json(to_json(Value{numbers})), R"(["Inf","NaN",0.10000000149011612])");
  EXPECT_EQ(dump_json(to_json(written(R"({"a": [1, 2.5, "-Inf", true, "x"]})"))),
            R"({"a":[1,2.5,"-Inf",1,"x"]})");
  EXPECT_FALSE(value_from_json(Json(nullptr)));
  EXPECT_FALSE(value_from_json(*parse_json("[18446744073709551615]")));
  EXPECT_FALSE(value_from_json(*parse_json("[123456789012345678901234567890]")));
}

}  // namespace
}  // namespace redqueen::arena
