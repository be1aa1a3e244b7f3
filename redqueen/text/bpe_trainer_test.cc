#include "redqueen/text/bpe_trainer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "redqueen/text/testing/tokenizers.h"

namespace redqueen {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using tokenizer_test::has_tokenizers;
using tokenizer_test::random_texts;
using tokenizer_test::run_oracle;

std::string saved(const Tokenizer& tokenizer) {
  const TestFolder folder;
  EXPECT_TRUE(tokenizer.save(folder / "tokenizer.json"));
  return read_file(folder / "tokenizer.json");
}

TEST(BpeTrainer, LearnsTheVocabularyThatTheTokenizersPackageLearns) {
  if (!has_tokenizers()) GTEST_SKIP() << "no Python package tokenizers in .venv";
  for (const int min_frequency : {1, 2, 5}) {
    const TestFolder folder;
    const std::vector<std::string> corpus = random_texts(20, 500);
    const BpeOptions options{.vocab_size = 1100,
                             .special_tokens = {"<|endoftext|>", "<|im_start|>", "a b"},
                             .pattern = std::string(kQwenPattern),
                             .min_frequency = min_frequency};
    write_file(folder / "corpus.json", json(corpus).dump());
    write_file(folder / "options.json", json{{"vocab_size", options.vocab_size},
                                             {"special_tokens", options.special_tokens},
                                             {"pattern", options.pattern},
                                             {"min_frequency", options.min_frequency}}
                                            .dump());
    ASSERT_TRUE(run_oracle("train", folder / "options.json", folder / "corpus.json",
                           folder / "theirs.json"));
    const json theirs = json::parse(read_file(folder / "theirs.json"));
    const json ours = json::parse(saved(train_bpe(corpus, options).value()));
    EXPECT_EQ(ours["model"]["merges"], theirs["model"]["merges"]);
    EXPECT_EQ(ours["model"]["vocab"], theirs["model"]["vocab"]);
    EXPECT_EQ(ours["added_tokens"], theirs["added_tokens"]);
  }
}

TEST(BpeTrainer, LearnsPhrasesWhereTheyMaySpanWords) {
  const std::string line = "        return 1.0 if parsed == self.ref_answer else 0.0\n";
  const std::vector<std::string> corpus(20, "def f(x):\n" + line + "\n" + line);
  const auto count = [&](std::string_view pattern) {
    const auto tokenizer =
        train_bpe(corpus, {.vocab_size = 400, .pattern = std::string(pattern)}).value();
    const auto tokens = tokenizer.encode(line);
    EXPECT_EQ(tokenizer.decode(tokens), line);
    for (const Token token : tokens) {
      const std::string text = tokenizer.decode(std::vector<Token>{token});
      EXPECT_TRUE(text.find('\n') >= text.size() - 1) << "a token ends where its line ends";
      EXPECT_TRUE(text.size() == 1 || text.find_first_of("0123456789") == std::string::npos);
    }
    return tokens.size();
  };
  // "        return ", "1", ".", "0", " if parsed == self.ref_answer else ", "0", ".", "0", "\n"
  EXPECT_EQ(count(kLinePattern), 9u);
  EXPECT_GT(count(kQwenPattern), 16u);
}

TEST(BpeTrainer, WritesFilesThatTheTokenizersPackageReads) {
  if (!has_tokenizers()) GTEST_SKIP() << "no Python package tokenizers in .venv";
  const TestFolder folder;
  const std::vector<std::string> texts = random_texts(21, 1000);
  const Tokenizer tokenizer =
      train_bpe(texts, {.vocab_size = 700, .special_tokens = {"<|endoftext|>"}}).value();
  ASSERT_TRUE(tokenizer.save(folder / "tokenizer.json"));
  write_file(folder / "texts.json", json(texts).dump());
  ASSERT_TRUE(
      run_oracle("encode", folder / "tokenizer.json", folder / "texts.json", folder / "out.json"));
  const json expected = json::parse(read_file(folder / "out.json"));
  for (std::size_t i = 0; i < texts.size(); ++i) {
    ASSERT_EQ(tokenizer.encode(texts[i]), expected[i][0].get<std::vector<Token>>());
  }
}

// The definition, step by step: recount everything after every merge.
std::vector<std::pair<std::string, std::string>> merges_by_definition(
    std::vector<std::vector<std::string>> words, std::vector<std::string> vocabulary,
    std::size_t vocab_size) {
  const auto number = [&](const std::string& token) {
    return std::find(vocabulary.begin(), vocabulary.end(), token) - vocabulary.begin();
  };
  std::vector<std::pair<std::string, std::string>> merges;
  while (vocabulary.size() < vocab_size) {
    std::map<std::pair<std::string, std::string>, int> counts;
    for (const auto& word : words) {
      for (std::size_t i = 0; i + 1 < word.size(); ++i) ++counts[{word[i], word[i + 1]}];
    }
    std::pair<std::string, std::string> best;
    int best_count = 1;
    for (const auto& [pair, count] : counts) {
      const auto key = std::pair{number(pair.first), number(pair.second)};
      const bool lower = count == best_count && count > 1 &&
                         key < std::pair{number(best.first), number(best.second)};
      if (count > best_count || lower) {
        best = pair;
        best_count = count;
      }
    }
    if (best_count < 2) break;
    const std::string merged = best.first + best.second;
    for (auto& word : words) {
      for (std::size_t i = 0; i + 1 < word.size(); ++i) {
        if (word[i] != best.first || word[i + 1] != best.second) continue;
        word[i] = merged;
        word.erase(word.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      }
    }
    merges.push_back(best);
    if (number(merged) == std::ssize(vocabulary)) vocabulary.push_back(merged);
  }
  return merges;
}

TEST(BpeTrainer, MergesAsTheDefinitionSays) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Rng rng({.seed = seed});
    std::vector<std::string> corpus;
    std::vector<std::vector<std::string>> words;
    for (int i = 0; i < 12; ++i) {
      std::string text;
      for (std::int64_t left = rng.integer(1, 14); left > 0; --left) text += "abc"[rng.below(3)];
      corpus.push_back(text);
      auto& word = words.emplace_back();
      for (const char c : text) word.emplace_back(1, c);
    }
    const json trained =
        json::parse(saved(train_bpe(corpus, {.vocab_size = 280, .special_tokens = {}}).value()));
    std::vector<std::string> alphabet(256);
    for (const auto& [content, token] : trained["model"]["vocab"].items()) {
      if (token.get<int>() < 256) alphabet[token.get<std::size_t>()] = content;
    }
    const auto expected = merges_by_definition(words, alphabet, 280);
    ASSERT_EQ((trained["model"]["merges"].get<std::vector<std::pair<std::string, std::string>>>()),
              expected);
  }
}

TEST(BpeTrainer, TheSameCorpusGivesTheSameFile) {
  const std::vector<std::string> corpus = random_texts(22, 300);
  const BpeOptions options{.vocab_size = 500, .special_tokens = {"<|endoftext|>"}};
  const std::string first = saved(train_bpe(corpus, options).value());
  EXPECT_EQ(saved(train_bpe(corpus, options).value()), first);
  const std::vector<std::string> reversed(corpus.rbegin(), corpus.rend());
  EXPECT_EQ(saved(train_bpe(reversed, options).value()), first);
}

TEST(BpeTrainer, AnEmptyCorpusGivesBytes) {
  const Tokenizer tokenizer =
      train_bpe({}, {.vocab_size = 1000, .special_tokens = {"<eos>"}}).value();
  EXPECT_EQ(tokenizer.vocab_size(), 257);
  EXPECT_EQ(tokenizer.encode("abc").size(), 3u);
}

TEST(BpeTrainer, DigitsStayApart) {
  const std::vector<std::string> corpus(50, "123 1234 12");
  const Tokenizer tokenizer = train_bpe(corpus, {.vocab_size = 400, .special_tokens = {}}).value();
  EXPECT_EQ(tokenizer.encode("1234").size(), 4u);
}

TEST(BpeTrainer, RefusesWhatCannotBe) {
  EXPECT_THAT(train_bpe({}, {.vocab_size = 256, .special_tokens = {"<eos>"}}).error().message,
              HasSubstr("257"));
  EXPECT_THAT(train_bpe({}, {.special_tokens = {""}}).error().message, HasSubstr("empty"));
  EXPECT_THAT(train_bpe({}, {.special_tokens = {"<a>", "<a>"}}).error().message, HasSubstr("<a>"));
  EXPECT_THAT(train_bpe({}, {.special_tokens = {"\xFF"}}).error().message, HasSubstr("UTF-8"));
  EXPECT_THAT(train_bpe({}, {.special_tokens = {}, .pattern = "["}).error().message,
              HasSubstr("split pattern"));
}

}  // namespace
}  // namespace redqueen
