#include "redqueen/text/bpe_trainer.h"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <queue>
#include <set>
#include <unordered_map>
#include <utility>

#include "redqueen/text/bpe_model.h"
#include "redqueen/text/byte_alphabet.h"

namespace redqueen {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kBytes = 256;

// A distinct piece of the corpus.
struct Word {
  std::vector<Token> tokens;
  std::int64_t count = 0;
};

// A pair with the count it had when it was queued.
struct Queued {
  std::int64_t count;
  TokenPair pair;
  bool operator<(const Queued& other) const {
    return count != other.count ? count < other.count : pair > other.pair;
  }
};

class Trainer {
 public:
  explicit Trainer(const BpeOptions& options) : options_(options) {
    for (const std::string& content : options.special_tokens) add_token(content);
    std::vector<char32_t> alphabet;
    for (int byte = 0; byte < kBytes; ++byte) {
      alphabet.push_back(byte_character(static_cast<std::uint8_t>(byte)));
    }
    // In the order of the characters, not of the bytes, as `tokenizers` numbers them.
    std::vector<int> order(kBytes);
    for (int byte = 0; byte < kBytes; ++byte) order[byte] = byte;
    std::sort(order.begin(), order.end(), [&](int a, int b) { return alphabet[a] < alphabet[b]; });
    byte_tokens_.resize(kBytes);
    for (const int byte : order) {
      const std::string raw(1, static_cast<char>(byte));
      byte_tokens_[byte] = add_token(to_byte_alphabet(raw));
    }
  }

  void count_words(std::span<const std::string> corpus, const SplitPattern& pattern) {
    std::unordered_map<std::string_view, std::int64_t> counts;
    std::vector<std::string_view> pieces;
    for (const std::string& text : corpus) {
      pieces.clear();
      pattern.split(text, SplitBehavior::kIsolated, false, pieces);
      for (const std::string_view piece : pieces) ++counts[piece];
    }
    std::vector<std::pair<std::string_view, std::int64_t>> sorted(counts.begin(), counts.end());
    std::sort(sorted.begin(), sorted.end());
    for (const auto& [piece, count] : sorted) {
      Word& word = words_.emplace_back();
      word.count = count;
      for (const char byte : piece) {
        word.tokens.push_back(byte_tokens_[static_cast<std::uint8_t>(byte)]);
      }
    }
    for (std::size_t i = 0; i < words_.size(); ++i) count_pairs(i, +1);
    changed_.clear();
    for (const auto& [pair, count] : pair_counts_) queue_.push({count, pair});
  }

  void learn_merges() {
    while (static_cast<int>(contents_.size()) < options_.vocab_size && !queue_.empty()) {
      const Queued top = queue_.top();
      queue_.pop();
      const std::int64_t count = pair_counts_[top.pair];
      if (count != top.count) {  // it has lost occurrences since
        if (count > 0) queue_.push({count, top.pair});
        continue;
      }
      if (count < std::max(options_.min_frequency, 1)) break;
      merge(top.pair);
    }
  }

  std::string to_json() const {
    Json added = Json::array();
    for (std::size_t i = 0; i < options_.special_tokens.size(); ++i) {
      added.push_back({{"id", i},
                       {"content", options_.special_tokens[i]},
                       {"single_word", false},
                       {"lstrip", false},
                       {"rstrip", false},
                       {"normalized", false},
                       {"special", true}});
    }
    const Json split = {{"type", "Split"},
                        {"pattern", {{"Regex", options_.pattern}}},
                        {"behavior", "Isolated"},
                        {"invert", false}};
    Json byte_level = {{"type", "ByteLevel"},
                       {"add_prefix_space", false},
                       {"trim_offsets", false},
                       {"use_regex", false}};
    const Json json = {
        {"version", "1.0"},
        {"truncation", nullptr},
        {"padding", nullptr},
        {"added_tokens", added},
        {"normalizer", nullptr},
        {"pre_tokenizer",
         {{"type", "Sequence"}, {"pretokenizers", Json::array({split, byte_level})}}},
        {"post_processor", nullptr},
        {"decoder", byte_level},
        {"model", model_json()}};
    return json.dump(1) + "\n";
  }

 private:
  // The token of this content; a new one unless it is there.
  Token add_token(const std::string& content) {
    const auto [found, is_new] = tokens_.emplace(content, static_cast<Token>(contents_.size()));
    if (is_new) contents_.push_back(content);
    return found->second;
  }

  void count_pairs(std::size_t word_index, std::int64_t sign) {
    const Word& word = words_[word_index];
    for (std::size_t i = 0; i + 1 < word.tokens.size(); ++i) {
      const TokenPair pair{word.tokens[i], word.tokens[i + 1]};
      pair_counts_[pair] += sign * word.count;
      if (sign < 0) continue;
      std::vector<std::size_t>& places = places_[pair];
      if (places.empty() || places.back() != word_index) places.push_back(word_index);
      changed_.insert(pair);
    }
  }

  void merge(const TokenPair& pair) {
    const std::string left = contents_[pair.left];
    const std::string right = contents_[pair.right];
    const Token merged = add_token(left + right);
    merges_.emplace_back(left, right);
    std::vector<std::size_t> places = std::move(places_[pair]);
    places_.erase(pair);
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    for (const std::size_t place : places) {
      count_pairs(place, -1);
      replace(words_[place].tokens, pair, merged);
      count_pairs(place, +1);
    }
    for (const TokenPair& touched : changed_) queue_.push({pair_counts_[touched], touched});
    changed_.clear();
  }

  static void replace(std::vector<Token>& tokens, const TokenPair& pair, Token merged) {
    std::size_t size = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const bool matches =
          i + 1 < tokens.size() && tokens[i] == pair.left && tokens[i + 1] == pair.right;
      tokens[size++] = matches ? merged : tokens[i];
      if (matches) ++i;
    }
    tokens.resize(size);
  }

  Json model_json() const {
    Json::object_t vocab;
    // push_back: operator[] searches an ordered object from its beginning every time.
    for (std::size_t i = 0; i < contents_.size(); ++i) vocab.push_back({contents_[i], i});
    Json merges = Json::array();
    for (const auto& [left, right] : merges_) merges.push_back(Json::array({left, right}));
    return {{"type", "BPE"},
            {"dropout", nullptr},
            {"unk_token", nullptr},
            {"continuing_subword_prefix", nullptr},
            {"end_of_word_suffix", nullptr},
            {"fuse_unk", false},
            {"byte_fallback", false},
            {"ignore_merges", false},
            {"vocab", std::move(vocab)},
            {"merges", std::move(merges)}};
  }

  const BpeOptions& options_;
  std::vector<std::string> contents_;              // [tokens], in the byte alphabet
  std::unordered_map<std::string, Token> tokens_;  // the reverse
  std::vector<Token> byte_tokens_;                 // [256]
  std::vector<Word> words_;                        // sorted, so that nothing depends on hashing
  std::unordered_map<TokenPair, std::int64_t, TokenPairHash> pair_counts_;
  std::unordered_map<TokenPair, std::vector<std::size_t>, TokenPairHash>
      places_;                   // words, may be stale
  std::set<TokenPair> changed_;  // pairs whose count may have grown since the last merge
  std::priority_queue<Queued> queue_;
  std::vector<std::pair<std::string, std::string>> merges_;
};

bool is_utf8(const std::string& text) {
  const std::string json = Json(text).dump(-1, ' ', false, Json::error_handler_t::ignore);
  return Json::parse(json).get_ref<const std::string&>() == text;
}

Status check(const BpeOptions& options) {
  std::set<std::string> seen;
  for (const std::string& content : options.special_tokens) {
    if (content.empty()) return usage_error("train_bpe: a special token is empty");
    if (!is_utf8(content)) return usage_error("train_bpe: a special token is not UTF-8");
    if (!seen.insert(content).second) {
      return usage_error("train_bpe: the special token {:?} is given twice", content);
    }
  }
  const int least = kBytes + static_cast<int>(options.special_tokens.size());
  if (options.vocab_size < least) {
    return usage_error("train_bpe: vocab_size is {}, but 256 bytes and {} special tokens need {}",
                       options.vocab_size, options.special_tokens.size(), least);
  }
  return {};
}

}  // namespace

Expected<Tokenizer> train_bpe(std::span<const std::string> corpus, const BpeOptions& options) {
  RETURN_IF_ERROR(check(options));
  ASSIGN_OR_RETURN(const auto pattern, SplitPattern::compile(options.pattern));
  Trainer trainer(options);
  trainer.count_words(corpus, pattern);
  trainer.learn_merges();
  return Tokenizer::parse(trainer.to_json());
}

}  // namespace redqueen
