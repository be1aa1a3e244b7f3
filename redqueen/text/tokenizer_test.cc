#include "redqueen/text/tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "redqueen/text/bpe_trainer.h"
#include "redqueen/text/testing/tokenizers.h"

namespace redqueen {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using tokenizer_test::as_utf8;
using tokenizer_test::has_tokenizers;
using tokenizer_test::random_texts;
using tokenizer_test::run_oracle;

const Tokenizer& small_tokenizer() {
  static const Tokenizer tokenizer = [] {
    const std::vector<std::string> corpus = random_texts(1, 400);
    return train_bpe(corpus, {.vocab_size = 600, .special_tokens = {"<|endoftext|>", "<|pad|>"}})
        .value();
  }();
  return tokenizer;
}

json small_json() {
  static const json parsed = [] {
    const TestFolder folder;
    EXPECT_TRUE(small_tokenizer().save(folder / "tokenizer.json"));
    return json::parse(read_file(folder / "tokenizer.json"));
  }();
  return parsed;
}

std::string error_of(const json& tokenizer) {
  const auto parsed = Tokenizer::parse(tokenizer.dump());
  return parsed ? "no error" : parsed.error().message;
}

class TokenizerKind : public testing::TestWithParam<const char*> {};

TEST_P(TokenizerKind, EncodesAndDecodesAsTheTokenizersPackage) {
  if (!has_tokenizers()) GTEST_SKIP() << "no Python package tokenizers in .venv";
  const TestFolder folder;
  write_file(folder / "corpus.json", json(random_texts(7, 600)).dump());
  const std::vector<std::string> texts = random_texts(8, 4000);
  write_file(folder / "texts.json", json(texts).dump());
  ASSERT_TRUE(run_oracle("make", GetParam(), folder / "corpus.json", folder / "tokenizer.json"));
  ASSERT_TRUE(
      run_oracle("encode", folder / "tokenizer.json", folder / "texts.json", folder / "out.json"));
  const auto tokenizer = Tokenizer::load(folder / "tokenizer.json");
  ASSERT_TRUE(tokenizer) << tokenizer.error().message;

  const json expected = json::parse(read_file(folder / "out.json"));
  ASSERT_EQ(expected.size(), texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto tokens = tokenizer->encode(texts[i]);
    ASSERT_EQ(tokens, expected[i][0].get<std::vector<Token>>())
        << json(texts[i]).dump(-1, ' ', true);
    ASSERT_EQ(tokenizer->encode_whole(texts[i]), expected[i][1].get<std::vector<Token>>());
    ASSERT_EQ(as_utf8(tokenizer->decode(tokens)), expected[i][2].get<std::string>())
        << json(texts[i]).dump(-1, ' ', true);
  }
}

INSTANTIATE_TEST_SUITE_P(All, TokenizerKind,
                         testing::Values("qwen", "gpt2", "llama3", "deepseek", "distilled",
                                         "smollm", "digit_runs", "llama_spm", "mistral", "always",
                                         "never", "gemma", "gaps", "gaps_whole", "gaps_unknown",
                                         "gaps_fused", "gaps_characters", "gaps_characters_unknown",
                                         "gaps_characters_fused", "removed", "falcon", "prefix",
                                         "prefix_pieces", "split", "whole"),
                         [](const auto& kind) { return std::string(kind.param); });

TEST(Tokenizer, DecodingGivesTheTextBack) {
  for (const std::string& text : random_texts(9, 3000)) {
    if (text.find("<|endoftext|>") != std::string::npos) continue;
    if (text.find("<|pad|>") != std::string::npos) continue;
    ASSERT_EQ(small_tokenizer().decode(small_tokenizer().encode(text)), text);
  }
}

TEST(Tokenizer, AnyBytesAreEncodedAndGivenBack) {
  json with_nfc = small_json();
  with_nfc["normalizer"] = {{"type", "NFC"}};
  const Tokenizer nfc = Tokenizer::parse(with_nfc.dump()).value();
  for (std::uint64_t i = 0; i < 3000; ++i) {
    Rng rng({.seed = 3, .index = i});
    std::string bytes;
    for (std::int64_t left = rng.integer(0, 60); left > 0; --left)
      bytes += static_cast<char>(rng.below(256));
    ASSERT_EQ(small_tokenizer().decode(small_tokenizer().encode(bytes)), bytes);
    nfc.encode(bytes);
  }
  // No composing characters: NFC must leave bad bytes, and everything else, alone.
  const std::string broken = "ab\xFF\xC3 caf\xC3\xA9 \xED\xA0\x80 \xF0\x9F\x98 end\xC3";
  EXPECT_EQ(nfc.decode(nfc.encode(broken)), broken);
}

// A vocabulary of three characters, with byte_fallback.
json characters_json() {
  json vocab = {{"<unk>", 0}, {"▁", 1}, {"a", 2}, {"é", 3}, {"▁a", 4}, {"aé", 5}, {"▁aé", 6}};
  for (int byte = 0; byte < 256; ++byte) vocab[fmt::format("<0x{:02X}>", byte)] = 7 + byte;
  const json space = {{"type", "Replace"}, {"pattern", {{"String", "▁"}}}, {"content", " "}};
  const json strip = {{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}};
  return {{"added_tokens", {{{"id", 0}, {"content", "<unk>"}, {"special", true}}}},
          {"normalizer", nullptr},
          {"pre_tokenizer",
           {{"type", "Metaspace"},
            {"replacement", "▁"},
            {"prepend_scheme", "first"},
            {"split", false}}},
          {"post_processor", nullptr},
          {"decoder",
           {{"type", "Sequence"},
            {"decoders", {space, {{"type", "ByteFallback"}}, {{"type", "Fuse"}}, strip}}}},
          {"model",
           {{"type", "BPE"},
            {"unk_token", "<unk>"},
            {"byte_fallback", true},
            {"vocab", vocab},
            {"merges", {"a é", "▁ a", "▁ aé"}}}}};
}

TEST(Tokenizer, CharactersThatAreNoTokenBecomeBytes) {
  const Tokenizer tokenizer = Tokenizer::parse(characters_json().dump()).value();
  // "▁aé", "▁a", "a", and "b", which is no token
  EXPECT_EQ(tokenizer.encode("aé aab"), (std::vector<Token>{6, 4, 2, 7 + 'b'}));
  EXPECT_EQ(tokenizer.decode(tokenizer.encode("aé aab")), "aé aab");
  EXPECT_EQ(tokenizer.encode("ñ"), (std::vector<Token>{1, 7 + 0xC3, 7 + 0xB1}));
  EXPECT_EQ(tokenizer.encode(" a"), (std::vector<Token>{4}));
  EXPECT_EQ(tokenizer.encode("<unk>a"), (std::vector<Token>{0, 2}));
  EXPECT_EQ(tokenizer.encode(""), std::vector<Token>{});
  EXPECT_EQ(tokenizer.token_bytes(4), " a");
  EXPECT_EQ(tokenizer.token_bytes(7 + 0xC3), "\xC3");
  EXPECT_EQ(tokenizer.token_id("a"), 2) << "not its byte";
  EXPECT_EQ(tokenizer.token_id("b"), 7 + 'b');
  EXPECT_FALSE(tokenizer.describe().byte_level);
  json prepends = characters_json();
  const json steps = {{{"type", "Prepend"}, {"prepend", "▁"}},
                      {{"type", "Replace"}, {"pattern", {{"String", " "}}}, {"content", "▁"}}};
  prepends["normalizer"] = {{"type", "Sequence"}, {"normalizers", steps}};
  prepends["pre_tokenizer"] = nullptr;
  const Tokenizer other = Tokenizer::parse(prepends.dump()).value();
  EXPECT_EQ(other.describe().normalizer, "Prepend, Replace");
  for (std::uint64_t i = 0; i < 3000; ++i) {
    Rng rng({.seed = 13, .index = i});
    std::string bytes;
    for (std::int64_t left = rng.integer(0, 60); left > 0; --left)
      bytes += rng.chance(0.3) ? ' ' : static_cast<char>(rng.below(256));
    ASSERT_EQ(other.decode(other.encode(bytes)), bytes);
    tokenizer.encode(bytes);
  }
}

TEST(Tokenizer, NamesWhatItCannotReadOfCharacters) {
  const auto changed = [](const char* pointer, const json& value) {
    json tokenizer = characters_json();
    tokenizer[json::json_pointer(pointer)] = value;
    return error_of(tokenizer);
  };
  EXPECT_THAT(changed("/decoder", nullptr), HasSubstr("decoder is null"));
  EXPECT_THAT(changed("/decoder", {{"type", "ByteLevel"}}), HasSubstr("ByteLevel"));
  EXPECT_THAT(changed("/decoder/decoders/3/start", 2), HasSubstr("Strip of one space"));
  EXPECT_THAT(changed("/decoder/decoders/0/content", "_"), HasSubstr("Replace (by a space)"));
  EXPECT_THAT(changed("/pre_tokenizer/prepend_scheme", "often"), HasSubstr("often"));
  EXPECT_THAT(changed("/pre_tokenizer", nullptr), HasSubstr("spaces must be replaced"));
  EXPECT_THAT(changed("/model/byte_fallback", false), HasSubstr("byte_fallback is not true"));
  EXPECT_THAT(changed("/normalizer", {{"type", "Replace"}, {"pattern", {{"Regex", "(a"}}}}),
              HasSubstr("split pattern"));
  json without = characters_json();
  without["model"]["vocab"].erase("<0x0A>");
  without["model"]["unk_token"] = "<none>";
  EXPECT_THAT(error_of(without), AllOf(HasSubstr("1 of 256 bytes"), HasSubstr("<none>")));
}

TEST(Tokenizer, TakesWhatOldFilesHold) {
  json old = small_json();
  old["model"].erase("type");
  old["model"]["merges"].insert(old["model"]["merges"].begin(), "#version: 0.2");
  old["added_tokens"].push_back({{"id", 5}, {"content", ""}});
  const Tokenizer tokenizer = Tokenizer::parse(old.dump()).value();
  for (const std::string& text : random_texts(14, 200)) {
    ASSERT_EQ(tokenizer.encode(text), small_tokenizer().encode(text));
  }
  json spaces = characters_json();
  spaces["pre_tokenizer"] = {
      {"type", "Metaspace"}, {"replacement", "▁"}, {"add_prefix_space", false}};
  EXPECT_EQ(Tokenizer::parse(spaces.dump())->encode("a a"), (std::vector<Token>{2, 4}));
}

TEST(Tokenizer, SaysHowToConvertOtherFormats) {
  const TestFolder folder;
  EXPECT_THAT(Tokenizer::load(folder / "tokenizer.json").error().message,
              Not(HasSubstr("transformers")));
  write_file(folder / "tokenizer.model", "x");
  EXPECT_THAT(Tokenizer::load(folder / "tokenizer.json").error().message,
              AllOf(HasSubstr("tokenizer.model instead"), HasSubstr("save_pretrained")));
}

TEST(Tokenizer, ATextThatLooksLikeATokenOfAnotherAlphabetIsNotThatToken) {
  json whole = small_json();
  whole["model"]["ignore_merges"] = true;
  whole["model"]["vocab"]["日"] = 600;  // not of the byte alphabet: no text is it
  const Tokenizer tokenizer = Tokenizer::parse(whole.dump()).value();
  EXPECT_THAT(tokenizer.encode("日"), Not(testing::Contains(600)));
  EXPECT_EQ(tokenizer.token_bytes(600), "日");
}

// A megabyte of each: a quadratic step would take hours.
TEST(Tokenizer, LongRunsAreEncodedInReasonableTime) {
  const Tokenizer characters = Tokenizer::parse(characters_json().dump()).value();
  for (const std::string& unit :
       {std::string(" "), std::string("a"), std::string("\n"), std::string("\r\n"),
        std::string("\xFF"), std::string("ab"), std::string(" \n"), std::string("é"),
        std::string(1, '\0'), std::string("\xED\xA0\x80")}) {
    std::string text = "x";
    while (text.size() < 1'000'000) text += unit;
    EXPECT_EQ(small_tokenizer().decode(small_tokenizer().encode(text)), text);
    EXPECT_EQ(characters.decode(characters.encode(text)).size(), text.size()) << unit;
  }
}

TEST(Tokenizer, NfcComposesBeforeItEncodes) {
  json with_nfc = small_json();
  with_nfc["normalizer"] = {{"type", "NFC"}};
  const Tokenizer nfc = Tokenizer::parse(with_nfc.dump()).value();
  EXPECT_EQ(nfc.decode(nfc.encode("cafe\xCC\x81")), "caf\xC3\xA9");
  EXPECT_EQ(small_tokenizer().decode(small_tokenizer().encode("cafe\xCC\x81")), "cafe\xCC\x81");
}

TEST(Tokenizer, APromptBeginsWithTheTokenOfItsBeginningOnce) {
  json with_begin = small_json();
  with_begin["post_processor"] = {
      {"type", "TemplateProcessing"},
      {"single",
       {{{"SpecialToken", {{"id", "<|pad|>"}}}},
        {{"Sequence", {{"id", "A"}}}},
        {{"SpecialToken", {{"id", "<|endoftext|>"}}}}}},
      {"special_tokens", {{"<|pad|>", {{"ids", {1}}}}, {"<|endoftext|>", {{"ids", {0}}}}}}};
  const Tokenizer tokenizer = Tokenizer::parse(with_begin.dump()).value();
  std::vector<Token> expected = tokenizer.encode("text");
  expected.insert(expected.begin(), 1);
  EXPECT_EQ(tokenizer.encode_prompt("text"), expected);
  EXPECT_EQ(tokenizer.encode_prompt("<|pad|>text"), expected);
  EXPECT_EQ(tokenizer.encode_prompt(""), std::vector<Token>{1});
  EXPECT_EQ(small_tokenizer().encode_prompt("text"), small_tokenizer().encode("text"));
}

TEST(Tokenizer, CompanionsStayWithIt) {
  const TestFolder folder;
  ASSERT_TRUE(small_tokenizer().save(folder / "tokenizer.json"));
  EXPECT_THAT(Tokenizer::load(folder / "tokenizer.json")->chat_template().error().message,
              HasSubstr("no chat template"));
  write_file(folder / "tokenizer_config.json",
             R"({"bos_token": {"content": "<b>"}, "chat_template": "{{ bos_token }}inside"})");
  EXPECT_EQ(Tokenizer::load(folder / "tokenizer.json")->chat_template()->prompt("x"), "<b>inside");
  write_file(folder / "chat_template.jinja", "{{ bos_token }}{{ messages[0].content }}");
  const Tokenizer tokenizer = Tokenizer::load(folder / "tokenizer.json").value();
  EXPECT_EQ(tokenizer.companions().size(), 2u);
  EXPECT_EQ(tokenizer.chat_template()->prompt("x"), "<b>x");
  write_file(folder / "chat_template.jinja", "a\n{% for %}");
  EXPECT_THAT(Tokenizer::load(folder / "tokenizer.json")->chat_template().error().message,
              HasSubstr("line 2"));
}

TEST(Tokenizer, SpecialTokensAreRecognisedAndSkipped) {
  const Tokenizer& tokenizer = small_tokenizer();
  const Token end = tokenizer.token_id("<|endoftext|>").value();
  const auto tokens = tokenizer.encode("one<|endoftext|><|pad|>two<|endof");
  EXPECT_EQ(std::count(tokens.begin(), tokens.end(), end), 1);
  EXPECT_EQ(tokenizer.decode(tokens), "onetwo<|endof");
  EXPECT_EQ(tokenizer.token_bytes(end), "");
}

TEST(Tokenizer, TokensAndTheirBytesAgree) {
  const Tokenizer& tokenizer = small_tokenizer();
  for (int byte = 0; byte < 256; ++byte) {
    const std::string raw(1, static_cast<char>(byte));
    ASSERT_TRUE(tokenizer.token_id(raw));
    EXPECT_EQ(tokenizer.token_bytes(*tokenizer.token_id(raw)), raw);
  }
  for (Token token = 2; token < tokenizer.vocab_size(); ++token) {
    EXPECT_EQ(tokenizer.token_id(tokenizer.token_bytes(token)), token);
  }
  EXPECT_EQ(tokenizer.token_id("no such token"), std::nullopt);
  EXPECT_EQ(tokenizer.token_bytes(-1), "");
  EXPECT_EQ(tokenizer.token_bytes(tokenizer.vocab_size()), "");
  EXPECT_EQ(tokenizer.decode(std::vector<Token>{-5, 1 << 30}), "");
}

TEST(Tokenizer, SavesWhatItLoaded) {
  const TestFolder folder;
  ASSERT_TRUE(small_tokenizer().save(folder / "a.json"));
  const Tokenizer again = Tokenizer::load(folder / "a.json").value();
  ASSERT_TRUE(again.save(folder / "b.json"));
  EXPECT_EQ(read_file(folder / "a.json"), read_file(folder / "b.json"));
  for (const std::string& text : random_texts(10, 200)) {
    ASSERT_EQ(again.encode(text), small_tokenizer().encode(text));
  }
  EXPECT_THAT(small_tokenizer().save(folder / "missing/a.json").error().message,
              HasSubstr("missing/a.json"));
}

TEST(Tokenizer, MayBeSharedBetweenThreads) {
  const std::vector<std::string> texts = random_texts(11, 300);
  std::vector<std::vector<std::vector<Token>>> results(4);
  std::vector<std::thread> threads;
  for (auto& result : results) {
    threads.emplace_back([&result, &texts, tokenizer = small_tokenizer()] {
      for (const std::string& text : texts) result.push_back(tokenizer.encode(text));
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& result : results) EXPECT_EQ(result, results[0]);
}

TEST(Tokenizer, NamesWhatItCannotRead) {
  EXPECT_THAT(Tokenizer::load("no/such/tokenizer.json").error().message,
              HasSubstr("no/such/tokenizer.json"));
  EXPECT_THAT(Tokenizer::load("redqueen").error().message, HasSubstr("cannot be read"));
  EXPECT_THAT(Tokenizer::parse("{\"model\":").error().message, HasSubstr("not valid JSON"));
  EXPECT_THAT(error_of(json::array()), HasSubstr("not a JSON object"));
  EXPECT_THAT(error_of(json::object()), HasSubstr("model.type"));

  const auto changed = [](const char* pointer, const json& value) {
    json tokenizer = small_json();
    tokenizer[json::json_pointer(pointer)] = value;
    return error_of(tokenizer);
  };
  EXPECT_THAT(changed("/model/type", "Unigram"), HasSubstr("Unigram"));
  EXPECT_THAT(changed("/model/dropout", 0.1), HasSubstr("dropout"));
  EXPECT_THAT(changed("/model/vocab/a", -1), HasSubstr("\"a\""));
  EXPECT_THAT(changed("/model/vocab/a", 1'000'000'000'000), HasSubstr("\"a\""));
  EXPECT_THAT(changed("/model/vocab/a", "x"), HasSubstr("\"a\""));
  EXPECT_THAT(changed("/model/merges/0", "a"), HasSubstr("merges[0]"));
  EXPECT_THAT(changed("/model/merges/1", json::array({"a", "☃"})), HasSubstr("merges[1]"));
  EXPECT_THAT(changed("/model/merges", nullptr), HasSubstr("model.merges"));
  EXPECT_THAT(changed("/normalizer", {{"type", "Lowercase"}}), HasSubstr("Lowercase"));
  EXPECT_THAT(changed("/pre_tokenizer", nullptr), HasSubstr("pre_tokenizer"));
  EXPECT_THAT(changed("/pre_tokenizer", {{"type", "Metaspace"}}), HasSubstr("pre_tokenizer"));
  EXPECT_THAT(changed("/pre_tokenizer/pretokenizers/0/type", "UnicodeScripts"),
              HasSubstr("UnicodeScripts"));
  EXPECT_THAT(changed("/pre_tokenizer/pretokenizers/0/behavior", "Doubled"), HasSubstr("Doubled"));
  EXPECT_THAT(changed("/pre_tokenizer/pretokenizers/0/pattern/Regex", "(a"),
              HasSubstr("split pattern"));
  EXPECT_THAT(changed("/post_processor", {{"type", "Doubling"}}), HasSubstr("Doubling"));
  EXPECT_THAT(changed("/post_processor", {{"type", "RobertaProcessing"}}), HasSubstr("cls"));
  EXPECT_THAT(changed("/post_processor", {{"type", "TemplateProcessing"},
                                          {"single", {{{"SpecialToken", {{"id", "<s>"}}}}}}}),
              HasSubstr("<s>"));
  EXPECT_THAT(
      changed("/normalizer", {{"type", "Sequence"}, {"normalizers", {{{"type", "StripAccents"}}}}}),
      HasSubstr("StripAccents"));
  EXPECT_THAT(changed("/added_tokens/0/content", nullptr), HasSubstr("added_tokens"));
  EXPECT_THAT(changed("/added_tokens/0/id", 1.5), HasSubstr("1.5"));

  json without_byte = small_json();
  without_byte["model"]["merges"] = json::array();
  without_byte["model"]["vocab"].erase("Ā");
  without_byte["model"]["unk_token"] = "<none>";
  EXPECT_THAT(error_of(without_byte), AllOf(HasSubstr("1 of 256 bytes"), HasSubstr("<none>")));
  without_byte["model"]["vocab"] = {{"ab", 0}};
  EXPECT_THAT(error_of(without_byte), HasSubstr("not a byte-level vocabulary"));
}

TEST(Tokenizer, AByteThatTheVocabularyLacksIsLeftOutOrUnknown) {
  json lacking = small_json();
  lacking["model"]["merges"] = {"a b"};
  lacking["model"]["vocab"]["ab"] = 599;
  for (const char* byte : {"x", "y"}) lacking["model"]["vocab"].erase(byte);
  const Tokenizer leaves_out = Tokenizer::parse(lacking.dump()).value();
  EXPECT_EQ(leaves_out.describe().missing_bytes, 2);
  EXPECT_EQ(leaves_out.describe().unknown, std::nullopt);
  EXPECT_EQ(leaves_out.encode("xaxyb"), std::vector<Token>{599}) << "neighbours merge";
  EXPECT_EQ(leaves_out.encode("xy"), std::vector<Token>{});
  lacking["model"]["unk_token"] = "<|pad|>";
  const Tokenizer unknown = Tokenizer::parse(lacking.dump()).value();
  const Token a = unknown.token_id("a").value(), b = unknown.token_id("b").value();
  EXPECT_EQ(unknown.describe().unknown, 1);
  EXPECT_EQ(unknown.encode("xaxyb"), (std::vector<Token>{1, a, 1, 1, b}));
  lacking["model"]["fuse_unk"] = true;
  EXPECT_EQ(Tokenizer::parse(lacking.dump())->encode("xaxyb"), (std::vector<Token>{1, a, 1, b}));
}

TEST(Tokenizer, DamagedFilesAreErrorsAndNotCrashes) {
  const std::string good = small_json().dump();
  for (std::uint64_t i = 0; i < 300; ++i) {
    Rng rng({.seed = 5, .index = i});
    std::string damaged = good;
    if (rng.chance(0.3)) damaged.resize(rng.below(damaged.size()));
    for (std::int64_t left = rng.integer(1, 8); left > 0 && !damaged.empty(); --left) {
      damaged[rng.below(damaged.size())] = static_cast<char>(rng.below(256));
    }
    const auto parsed = Tokenizer::parse(damaged);
    if (parsed) {
      parsed->decode(parsed->encode("some text"));
    } else {
      EXPECT_THAT(parsed.error().message, HasSubstr("tokenizer.json"));
    }
  }
}

}  // namespace
}  // namespace redqueen
