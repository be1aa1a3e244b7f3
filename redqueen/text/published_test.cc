// The tokenizers of released models. testdata/published holds each with a vocabulary cut to some
// hundred tokens, and digests of what `tokenizers` makes of 500 texts with it; scripts/real_models
// writes them, and has the whole files compared here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "redqueen/base/sha256.h"
#include "redqueen/base/testing/folder.h"
#include "redqueen/text/testing/tokenizers.h"
#include "redqueen/text/testing/transformers_oracle.h"
#include "redqueen/text/tokenizer.h"

namespace redqueen {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kPublished = "redqueen/text/testdata/published";

std::string digest_of_text(const std::string& text) { return sha256(text).substr(0, 16); }

std::string digest_of_tokens(const std::vector<Token>& tokens) {
  return digest_of_text(fmt::format("{}", fmt::join(tokens, " ")));
}

// How often the engine and the libraries differ, and where first, by kind.
class Differences {
 public:
  void check(const char* kind, bool equal, const std::string& where) {
    int& count = counts_[kind];
    if (equal) return;
    if (++count == 1) first_[kind] = where;
  }
  int count(const char* kind) { return counts_[kind]; }
  const Json& first() const { return first_; }

 private:
  std::map<std::string, int> counts_;
  Json first_ = Json::object();
};

void compare_texts(const Tokenizer& tokenizer, const Json& texts, const Json& recorded,
                   Differences& differences) {
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto text = texts[i].get<std::string>();
    const std::string shown = Json(text).dump(-1, ' ', true).substr(0, 300);
    const std::vector<Token> tokens = tokenizer.encode(text);
    differences.check("ids", digest_of_tokens(tokens) == recorded["ids"][i],
                      fmt::format("{} [{}]", shown, fmt::join(tokens, " ")));
    differences.check(
        "whole", digest_of_tokens(tokenizer.encode_whole(text)) == recorded["whole"][i], shown);
    const std::string decoded = tokenizer_test::as_utf8(tokenizer.decode(tokens));
    differences.check("text", digest_of_text(decoded) == recorded["text"][i],
                      fmt::format("{} {}", shown, Json(decoded).dump(-1, ' ', true)));
  }
}

TEST(PublishedTokenizers, CutFilesAgreeWithWhatWasRecorded) {
  const Json texts = Json::parse(read_file(std::string(kPublished) + "/texts.json"));
  const Json recorded = Json::parse(read_file(std::string(kPublished) + "/recorded.json"));
  EXPECT_EQ(texts.size(), 500u);
  EXPECT_GE(recorded.size(), 10u);
  for (const auto& [family, expected] : recorded.items()) {
    const auto tokenizer =
        Tokenizer::load(std::filesystem::path(kPublished) / family / "tokenizer.json");
    ASSERT_TRUE(tokenizer) << tokenizer.error().message;
    Differences differences;
    compare_texts(*tokenizer, texts, expected, differences);
    for (const char* kind : {"ids", "whole", "text"}) {
      EXPECT_EQ(differences.count(kind), 0) << family << ' ' << kind << ' ' << differences.first();
    }
  }
  const auto smollm2 =
      Tokenizer::load(std::filesystem::path(kPublished) / "smollm2/tokenizer.json");
  EXPECT_EQ(smollm2->describe().missing_bytes, 21);
}

void compare_chats(const Tokenizer& tokenizer, const Json& chats, Differences& differences,
                   int& refused) {
  if (chats.empty()) return;
  const auto chat = tokenizer.chat_template();
  if (!chat) return differences.check("chat", false, chat.error().message);
  for (const Json& asked : chats) {
    ChatOptions options;
    options.now = fixed_day();
    options.values = asked;
    for (const char* key : {"messages", "rendered"}) options.values.erase(key);
    options.add_generation_prompt = asked["add_generation_prompt"];
    const auto text = chat->render(asked["messages"], options);
    const Json& expected = asked["rendered"];
    refused += expected.is_null();
    const bool equal = expected.is_null() ? !text : text && *text == expected.get<std::string>();
    differences.check(
        "chat", equal,
        fmt::format("{} ours: {}", asked.dump(), text ? Json(*text).dump() : text.error().message));
  }
}

// Compares the folders that scripts/real_models names, and leaves counted.json there.
TEST(PublishedTokenizers, RealFilesAreCounted) {
  const char* place = std::getenv("REDQUEEN_REAL_MODELS");
  if (place == nullptr) GTEST_SKIP() << "scripts/real_models runs it";
  const std::filesystem::path folder = place;
  const Json texts = Json::parse(read_file(folder / "texts.json"));
  const Json recorded = Json::parse(read_file(folder / "recorded.json"));
  Json counted = Json::object();
  for (const auto& [family, expected] : recorded.items()) {
    const auto tokenizer = Tokenizer::load(folder / family / "tokenizer.json");
    if (!tokenizer) {
      ADD_FAILURE() << tokenizer.error().message;
      counted[family] = {{"error", tokenizer.error().message}};
      continue;
    }
    Differences differences;
    int refused = 0;
    compare_texts(*tokenizer, texts, expected, differences);
    compare_chats(*tokenizer, expected["chats"], differences, refused);
    counted[family] = {{"tokens", tokenizer->vocab_size()},
                       {"chats", expected["chats"].size()},
                       {"refused", refused},
                       {"first", differences.first()}};
    for (const char* kind : {"ids", "whole", "text", "chat"}) {
      counted[family][kind] = differences.count(kind);
      EXPECT_EQ(differences.count(kind), 0) << family << ' ' << kind;
    }
  }
  write_file(folder / "counted.json", counted.dump());
}

}  // namespace
}  // namespace redqueen
