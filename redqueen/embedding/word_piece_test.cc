#include "redqueen/embedding/word_piece.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "redqueen/embedding/testing/minilm.h"

namespace redqueen {
namespace {

using minilm_test::has_original;
using minilm_test::original;
using minilm_test::weights;
using testing::ElementsAre;
using testing::HasSubstr;

// [PAD] 0, [UNK] 1, [CLS] 2, [SEP] 3, then the words given.
WordPiece small(const std::vector<std::string>& words) {
  const TestFolder folder;
  std::ofstream file(folder / "vocab.txt");
  file << "[PAD]\n[UNK]\n[CLS]\n[SEP]\n";
  for (const std::string& word : words) file << word << "\n";
  file.close();
  return WordPiece::load(folder / "vocab.txt").value();
}

TEST(WordPieceTest, TakesTheLongestPiecesFromTheLeft) {
  const WordPiece tokenizer = small({"un", "##aff", "##able", "una", "##ffable"});
  EXPECT_THAT(tokenizer.encode("unaffable", 10), ElementsAre(2, 7, 8, 3));
  EXPECT_THAT(tokenizer.encode("UNAFF", 10), ElementsAre(2, 1, 3));  // una + ff, which is no piece
  EXPECT_THAT(tokenizer.encode("un un", 10), ElementsAre(2, 4, 4, 3));
}

TEST(WordPieceTest, FindsNoPieceAcrossPunctuation) {
  const WordPiece tokenizer = small({"a", "b", "ab", ",", "##b"});
  EXPECT_THAT(tokenizer.encode("a,b ab", 10), ElementsAre(2, 4, 7, 5, 6, 3));
}

TEST(WordPieceTest, CutsAtTheLimitAndKeepsTheEnds) {
  const WordPiece tokenizer = small({"a", "##a"});
  EXPECT_THAT(tokenizer.encode("a a a a", 4), ElementsAre(2, 4, 4, 3));
  EXPECT_THAT(tokenizer.encode("aaaa", 4), ElementsAre(2, 4, 5, 3));
  EXPECT_THAT(tokenizer.encode("a", 2), ElementsAre(2, 3));
}

TEST(WordPieceTest, BothFilesOfTheModelSayTheSame) {
  if (!weights()) GTEST_SKIP() << weights().error().message;
  const WordPiece from_json = WordPiece::load(*weights() / "tokenizer.json").value();
  const WordPiece from_text = WordPiece::load(*weights() / "vocab.txt").value();
  EXPECT_EQ(from_json.vocab_size(), from_text.vocab_size());
  for (const std::string& text : minilm_test::texts()) {
    EXPECT_EQ(from_json.encode(text, 256), from_text.encode(text, 256));
  }
}

TEST(WordPieceTest, EqualsTheOriginalOnTextsOfEveryKind) {
  if (!has_original()) GTEST_SKIP() << "sentence_transformers or its weights are not in .venv";
  const WordPiece tokenizer = WordPiece::load(*weights() / "tokenizer.json").value();
  std::vector<std::string> texts = minilm_test::texts();
  for (std::string& text : tokenizer_test::random_texts(8, 1500)) texts.push_back(std::move(text));
  const auto expected = original<std::vector<Token>>("tokens", texts);
  ASSERT_EQ(expected.size(), texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ(tokenizer.encode(texts[i], 256), expected[i]) << texts[i];
  }
}

// Every character that all tables of Unicode of the last years know, between two letters.
TEST(WordPieceTest, EqualsTheOriginalOnEveryCharacter) {
  if (!has_original()) GTEST_SKIP() << "sentence_transformers or its weights are not in .venv";
  const WordPiece tokenizer = WordPiece::load(*weights() / "tokenizer.json").value();
  std::vector<std::string> texts(1);
  int characters = 0;
  for (char32_t c = 0; c < 0xF0100; ++c) {
    const bool private_use = c >= 0xE100 && c < 0xF8FF;  // all alike
    if (!tokenizer_test::is_settled(c) || private_use) continue;
    if (++characters % 20 == 0) texts.emplace_back();
    texts.back() += " a";
    tokenizer_test::append_utf8(texts.back(), c);
    texts.back() += "b";
  }
  EXPECT_GT(characters, 100'000);
  const auto expected = original<std::vector<Token>>("tokens", texts);
  ASSERT_EQ(expected.size(), texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    ASSERT_LT(expected[i].size(), 256u);
    EXPECT_EQ(tokenizer.encode(texts[i], 256), expected[i]) << texts[i];
  }
}

TEST(WordPieceTest, RefusesWhatItIsNot) {
  const TestFolder folder;
  const auto load = [&](const std::string& name, const std::string& text) {
    std::ofstream(folder / name) << text;
    return WordPiece::load(folder / name);
  };
  EXPECT_THAT(load("vocab.txt", "a\nb\n").error().message, HasSubstr("[UNK]"));
  EXPECT_THAT(load("a.json", "{").error().message, HasSubstr("a.json"));
  EXPECT_THAT(load("b.json", R"({"model": {"type": "BPE"}})").error().message,
              HasSubstr("not WordPiece"));
  EXPECT_THAT(load("c.json", R"({"model": {"type": "WordPiece", "vocab": {}},
                                 "normalizer": {"type": "BertNormalizer", "lowercase": false}})")
                  .error()
                  .message,
              HasSubstr("uncased"));
  EXPECT_THAT(WordPiece::load(folder / "none.txt").error().message, HasSubstr("cannot be read"));
}

}  // namespace
}  // namespace redqueen
