#include "redqueen/text/tokenizer.h"

#include <unicode/uniset.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "redqueen/base/text_file.h"
#include "redqueen/text/added_tokens.h"
#include "redqueen/text/bpe_model.h"
#include "redqueen/text/byte_alphabet.h"
#include "redqueen/text/normalizer.h"
#include "redqueen/text/pre_tokenizer.h"
#include "redqueen/text/split_pattern.h"
#include "redqueen/text/utf8.h"

namespace redqueen {
namespace {

// A token number beyond this is a corrupt file, not a vocabulary.
constexpr std::int64_t kMostTokens = 1 << 24;

constexpr const char* kTokenizerConfig = "tokenizer_config.json";
constexpr const char* kChatTemplate = "chat_template.jinja";
constexpr const char* kToolTemplate = "additional_chat_templates/tool_use.jinja";
constexpr const char* kSpecialTokensMap = "special_tokens_map.json";

// The content of a byte's token in vocabularies of characters.
std::string fallback_content(int byte) { return fmt::format("<0x{:02X}>", byte); }

}  // namespace

struct Tokenizer::Data {
  std::string json;  // as read
  std::vector<CompanionFile> companions;
  Normalizer normalizer;
  bool byte_level = true;       // false: a vocabulary of characters, with byte_fallback
  std::string space;            // if not byte_level: what the decoder turns into a space
  bool strips_space = false;    // the decoder takes one space off the beginning of a text
  std::string pattern_sources;  // joined by line ends
  PreTokenizer pre_tokenizer;
  BpeModel model;
  int missing_bytes = 0;  // which have no token of their own
  // If ignore_merges: pieces that are tokens and stay whole (Llama 3).
  bool ignore_merges = false;
  std::unordered_map<std::string, Token> whole;
  AddedTokens raw_tokens;         // found in the text as it came
  AddedTokens normalized_tokens;  // found in the normalized text
  std::vector<std::pair<Token, std::string>> special;
  std::vector<Token> before, after;  // what the post-processor puts around a text
  std::vector<std::string> bytes;    // [vocab_size], raw bytes; empty for special tokens
  std::unordered_map<std::string, Token> vocabulary;  // raw bytes of every token of the model
  std::unordered_map<std::string, Token> added;       // content of every added token

  // first: the text begins where the whole one does.
  void encode_pieces(std::string_view text, bool first, std::vector<Token>& tokens) const {
    for (const std::string_view piece : pre_tokenizer.cut(text, first).list) {
      encode_piece(piece, tokens);
    }
  }

  void encode_piece(std::string_view piece, std::vector<Token>& tokens) const {
    if (ignore_merges) {
      if (const auto found = whole.find(std::string(piece)); found != whole.end()) {
        tokens.push_back(found->second);
        return;
      }
    }
    model.encode(piece, tokens);
  }
};

namespace {

// The punctuation that `tokenizers` cuts at: that of ASCII and of Unicode 8. Two characters have
// been reclassified since.
std::string punctuation_pattern() {
  UErrorCode status = U_ZERO_ERROR;
  const char16_t* wanted = uR"([[[:P:]\$\+\<\=\>\^\`\|\~\u166D\U000111C9]&[:Age=8.0:]])";
  const icu::UnicodeSet set(wanted, status);
  std::string pattern = "[";
  for (int i = 0; i < set.getRangeCount(); ++i) {
    pattern += fmt::format(R"(\x{{{:X}}}-\x{{{:X}}})", set.getRangeStart(i), set.getRangeEnd(i));
  }
  return pattern + "]";
}

// Reads the parts of tokenizer.json into a Data. Every function returns an error that names the
// part.
template <typename Data>
class Reader {
 public:
  Reader(const nlohmann::json& json, Data& data, std::optional<int> vocabulary)
      : json_(json), data_(data), vocabulary_(vocabulary) {}

  Status read() {
    if (!json_.is_object()) return usage_error("the top level is not a JSON object");
    return read_model_type()
        .and_then([this] { return data_.byte_level ? Status() : read_decoder(); })
        .and_then([this] { return read_vocabulary(); })
        .and_then([this] { return read_merges(); })
        .and_then([this] { return read_normalizer(); })
        .and_then([this] { return read_pre_tokenizer(); })
        .and_then([this] { return data_.byte_level ? Status() : check_spaces(); })
        .and_then([this] { return read_added_tokens(); })
        .and_then([this] { return read_post_processor(member(json_, "post_processor")); });
  }

 private:
  // The member, or null JSON if it is absent.
  static const nlohmann::json& member(const nlohmann::json& object, const char* key) {
    static const nlohmann::json kNull;
    if (!object.is_object()) return kNull;
    const auto found = object.find(key);
    return found == object.end() ? kNull : *found;
  }

  static std::string text_of(const nlohmann::json& json) {
    return json.is_string() ? json.get<std::string>() : "";
  }
  static bool is_true(const nlohmann::json& json) { return json.is_boolean() && json.get<bool>(); }

  static Expected<Token> token_of(const nlohmann::json& json, std::string_view content) {
    if (!json.is_number_integer() || json.get<std::int64_t>() < 0 ||
        json.get<std::int64_t>() >= kMostTokens) {
      return usage_error("token {:?} has the number {}, which is not between 0 and {}", content,
                         json.dump(), kMostTokens - 1);
    }
    return json.get<Token>();
  }

  void set_bytes(Token token, const std::string& bytes) {
    const auto index = static_cast<std::size_t>(token);
    if (data_.bytes.size() <= index) data_.bytes.resize(index + 1);
    data_.bytes[index] = bytes;
  }

  Status read_model_type() {
    const nlohmann::json& model = member(json_, "model");
    // Old files leave the type out; only BPE has merges.
    const std::string type = text_of(member(model, "type"));
    if (type != "BPE" && !(type.empty() && model.is_object() && model.contains("merges"))) {
      return usage_error("model.type is {}, only BPE is supported", member(model, "type").dump());
    }
    data_.byte_level = has_byte_level();
    data_.ignore_merges = is_true(member(model, "ignore_merges"));
    if (!data_.byte_level && !is_true(member(model, "byte_fallback"))) {
      return usage_error(
          "pre_tokenizer has no ByteLevel and model.byte_fallback is not true: only byte-level "
          "BPE, "
          "and BPE of characters with byte_fallback, are supported");
    }
    return refuse_model_options(model);
  }

  // The steps of a member that may be a Sequence of them under `key`.
  static nlohmann::json steps_of(const nlohmann::json& step, const char* key) {
    if (step.is_null()) return nlohmann::json::array();
    if (text_of(member(step, "type")) != "Sequence") return nlohmann::json::array({step});
    nlohmann::json steps = nlohmann::json::array();
    for (const nlohmann::json& part : member(step, key)) {
      for (nlohmann::json& inner : steps_of(part, key)) steps.push_back(std::move(inner));
    }
    return steps;
  }

  bool has_byte_level() const {
    const nlohmann::json steps = steps_of(member(json_, "pre_tokenizer"), "pretokenizers");
    return std::any_of(steps.begin(), steps.end(), [](const nlohmann::json& step) {
      return text_of(member(step, "type")) == "ByteLevel";
    });
  }

  // What a token of the model, or an added one that is not special, stands for.
  std::string bytes_of(const std::string& content) const {
    // Special tokens need not be written in the byte alphabet.
    if (data_.byte_level) return from_byte_alphabet(content).value_or(content);
    const auto fallback = by_fallback_.find(content);
    if (fallback != by_fallback_.end()) return fallback->second;
    return replace_all(content, data_.space, " ");
  }

  Status read_vocabulary() {
    for (int byte = 0; byte < 256; ++byte) {
      by_fallback_[fallback_content(byte)] = std::string(1, static_cast<char>(byte));
    }
    const nlohmann::json& vocab = member(member(json_, "model"), "vocab");
    if (!vocab.is_object()) return usage_error("model.vocab is missing or not an object");
    for (const auto& [content, number] : vocab.items()) {
      ASSIGN_OR_RETURN(const Token token, token_of(number, content));
      const std::string bytes = bytes_of(content);
      set_bytes(token, bytes);
      by_content_[content] = token;
      if (data_.ignore_merges) note_whole(content, token);
      const bool fallback = !data_.byte_level && by_fallback_.contains(content);
      if (!fallback || !data_.vocabulary.contains(bytes)) data_.vocabulary[bytes] = token;
      if (data_.byte_level) continue;
      const Character first = first_character(content);
      if (first.code >= 0 && first.size == content.size()) {
        data_.model.characters[first.code] = token;
      }
    }
    return find_byte_tokens();
  }

  void note_whole(const std::string& content, Token token) {
    const auto bytes =
        data_.byte_level ? from_byte_alphabet(content) : std::optional<std::string>(content);
    if (bytes) data_.whole.emplace(*bytes, token);
  }

  static Status refuse_model_options(const nlohmann::json& model) {
    for (const char* key : {"dropout", "continuing_subword_prefix", "end_of_word_suffix"}) {
      const nlohmann::json& value = member(model, key);
      if (value.is_null() || value == "" || value == 0) continue;
      return usage_error("model.{} is {}, which is not supported", key, value.dump());
    }
    return {};
  }

  // A byte that model.vocab lacks becomes the unknown token or is left out, as with `tokenizers`.
  Status find_byte_tokens() {
    data_.model.byte_tokens.assign(256, kNoToken);
    for (int byte = 0; byte < 256; ++byte) {
      const std::string raw(1, static_cast<char>(byte));
      const auto found =
          by_content_.find(data_.byte_level ? to_byte_alphabet(raw) : fallback_content(byte));
      if (found == by_content_.end()) {
        ++data_.missing_bytes;
      } else {
        data_.model.byte_tokens[byte] = found->second;
      }
    }
    if (data_.missing_bytes == 256 && data_.byte_level) {
      return usage_error(
          "model.vocab has no token of a single byte: it is not a byte-level vocabulary");
    }
    return data_.missing_bytes == 0 ? Status() : read_unknown();
  }

  Status read_unknown() {
    const nlohmann::json& model = member(json_, "model");
    const nlohmann::json& unknown = member(model, "unk_token");
    data_.model.fuse_unknown = is_true(member(model, "fuse_unk"));
    if (unknown.is_null()) return {};
    const auto found = by_content_.find(text_of(unknown));
    if (found == by_content_.end()) {
      return usage_error(
          "model.vocab lacks {} of 256 bytes and model.unk_token, {}, which would stand for them",
          data_.missing_bytes, unknown.dump());
    }
    data_.model.unknown = found->second;
    return {};
  }

  // A merge is "left right" or ["left", "right"].
  static std::optional<std::pair<std::string, std::string>> merge_of(const nlohmann::json& json) {
    if (json.is_array() && json.size() == 2 && json[0].is_string() && json[1].is_string()) {
      return std::pair{json[0].get<std::string>(), json[1].get<std::string>()};
    }
    if (!json.is_string()) return std::nullopt;
    const auto& text = json.get_ref<const std::string&>();
    const std::size_t space = text.find(' ');
    if (space == std::string::npos || text.find(' ', space + 1) != std::string::npos)
      return std::nullopt;
    return std::pair{text.substr(0, space), text.substr(space + 1)};
  }

  Status read_merges() {
    const nlohmann::json& model = member(json_, "model");
    const nlohmann::json& merges = member(model, "merges");
    if (!merges.is_array()) return usage_error("model.merges is missing or not an array");
    data_.model.merges.reserve(merges.size());
    std::int32_t rank = 0;
    for (const nlohmann::json& merge : merges) {
      if (text_of(merge).starts_with("#version")) continue;  // the first line of a merges.txt
      const auto pair = merge_of(merge);
      if (!pair)
        return usage_error("model.merges[{}] is {}, not a pair of tokens", rank, merge.dump());
      const auto left = by_content_.find(pair->first);
      const auto right = by_content_.find(pair->second);
      const auto merged = by_content_.find(pair->first + pair->second);
      if (left == by_content_.end() || right == by_content_.end() || merged == by_content_.end()) {
        return usage_error(
            "model.merges[{}] is {}, but model.vocab lacks a part or the result of it", rank,
            merge.dump());
      }
      data_.model.merges[{left->second, right->second}] = {rank++, merged->second};
    }
    return {};
  }

  Status read_normalizer() {
    const nlohmann::json& normalizer = member(json_, "normalizer");
    for (const nlohmann::json& part : steps_of(normalizer, "normalizers")) {
      RETURN_IF_ERROR(read_normalizer_step(part));
    }
    return {};
  }

  Status read_normalizer_step(const nlohmann::json& part) {
    using Kind = NormalizerStep::Kind;
    const std::string type = text_of(member(part, "type"));
    for (const auto& [name, kind] : {std::pair{"NFC", Kind::kNfc},
                                     {"NFD", Kind::kNfd},
                                     {"NFKC", Kind::kNfkc},
                                     {"NFKD", Kind::kNfkd}}) {
      if (type != name) continue;
      data_.normalizer.add({.kind = kind});
      return {};
    }
    if (type == "Strip") {
      data_.normalizer.add({.kind = Kind::kStrip,
                            .left = is_true(member(part, "strip_left")),
                            .right = is_true(member(part, "strip_right"))});
      return {};
    }
    if (type == "Prepend") {
      data_.normalizer.add({.kind = Kind::kPrepend, .to = text_of(member(part, "prepend"))});
      return {};
    }
    if (type == "Replace") return read_replace(part);
    return usage_error(
        "normalizer has {}, supported are NFC, NFD, NFKC, NFKD, Strip, Prepend and Replace",
        member(part, "type").dump());
  }

  Status read_replace(const nlohmann::json& part) {
    const nlohmann::json& pattern = member(part, "pattern");
    NormalizerStep step{.kind = NormalizerStep::Kind::kReplace,
                        .from = text_of(member(pattern, "String")),
                        .to = text_of(member(part, "content"))};
    if (const std::string regex = text_of(member(pattern, "Regex")); !regex.empty()) {
      auto compiled = SplitPattern::compile(regex);
      if (!compiled) return usage_error("normalizer: {}", compiled.error().message);
      step.pattern = std::move(*compiled);
    } else if (step.from.empty()) {
      return usage_error("normalizer has a Replace whose pattern is neither Regex nor String");
    }
    data_.normalizer.add(std::move(step));
    return {};
  }

  // Replace, ByteFallback and Fuse, and Strip of one space at the beginning: the order in which
  // transformers writes them.
  Status read_decoder() {
    const nlohmann::json& decoder = member(json_, "decoder");
    const nlohmann::json& parts = member(decoder, "decoders");
    const auto has = [&](std::size_t i, const nlohmann::json& expected) {
      return parts.is_array() && i < parts.size() && parts[i] == expected;
    };
    const nlohmann::json& first = parts.is_array() && !parts.empty() ? parts[0] : parts;
    data_.space = text_of(member(member(first, "pattern"), "String"));
    data_.strips_space = has(3, {{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}});
    const std::size_t count = data_.strips_space ? 4 : 3;
    if (data_.space.empty() || text_of(member(first, "type")) != "Replace" ||
        member(first, "content") != " " || !has(1, {{"type", "ByteFallback"}}) ||
        !has(2, {{"type", "Fuse"}}) || parts.size() != count) {
      return usage_error(
          "decoder is {}; with byte_fallback, supported are Replace (by a space), ByteFallback and "
          "Fuse, and Strip of one space at the beginning after them",
          decoder.dump());
    }
    return {};
  }

  // A space that comes through to the model is a character of its own; with it the vocabulary would
  // not fit the decoder.
  Status check_spaces() {
    if (data_.pre_tokenizer.replaces_spaces() || data_.normalizer.replaces_spaces()) return {};
    return usage_error(
        "with byte_fallback, spaces must be replaced: by a normalizer Replace or a pre-tokenizer "
        "Metaspace");
  }

  Status read_pre_tokenizer() {
    for (const nlohmann::json& part : steps_of(member(json_, "pre_tokenizer"), "pretokenizers")) {
      RETURN_IF_ERROR(read_pre_tokenizer_step(part));
    }
    return {};
  }

  Status read_pre_tokenizer_step(const nlohmann::json& part) {
    const std::string type = text_of(member(part, "type"));
    if (type == "ByteLevel") return read_byte_level(part);
    if (type == "Metaspace") return read_metaspace(part);
    if (type == "Split") return read_split(part);
    if (type == "Digits") {
      // One by one, or in runs; any number of Unicode's is a digit here.
      const bool single = is_true(member(part, "individual_digits"));
      return add_pattern(single ? R"(\p{N})" : R"(\p{N}+)", SplitBehavior::kIsolated, false);
    }
    if (type == "Punctuation") {
      ASSIGN_OR_RETURN(const SplitBehavior behavior, behavior_of(part));
      return add_pattern(punctuation_pattern(), behavior, false);
    }
    return usage_error(
        "pre_tokenizer has {}, supported are ByteLevel, Metaspace, Split, Digits and Punctuation",
        member(part, "type").dump());
  }

  Status read_byte_level(const nlohmann::json& part) {
    // Old files leave use_regex out, which meant true. The pattern comes after the space.
    const nlohmann::json& use_regex = member(part, "use_regex");
    const bool cuts = use_regex.is_null() || is_true(use_regex);
    if (is_true(member(part, "add_prefix_space"))) data_.pre_tokenizer.add(PrefixSpaceStep{});
    if (cuts) RETURN_IF_ERROR(add_pattern(kGpt2Pattern, SplitBehavior::kIsolated, false));
    data_.pre_tokenizer.add(ByteLevelStep{});
    return {};
  }

  Status read_metaspace(const nlohmann::json& json) {
    using Prepend = MetaspaceStep::Prepend;
    MetaspaceStep step{.replacement = text_of(member(json, "replacement")),
                       .prepend = Prepend::kAlways,
                       .split = true};
    // Old files say add_prefix_space instead, and leave split out, which meant true.
    const nlohmann::json& scheme = member(json, "prepend_scheme");
    const nlohmann::json& split = member(json, "split");
    if (scheme == "first") {
      step.prepend = Prepend::kFirst;
    } else if (scheme == "never" || member(json, "add_prefix_space") == false) {
      step.prepend = Prepend::kNever;
    } else if (scheme != "always" && !scheme.is_null()) {
      return usage_error("pre_tokenizer: prepend_scheme is {}", scheme.dump());
    }
    if (!split.is_null()) step.split = is_true(split);
    if (step.replacement.empty()) {
      return usage_error("pre_tokenizer: Metaspace has no replacement");
    }
    data_.pre_tokenizer.add(std::move(step));
    return {};
  }

  // Absent means Isolated.
  static Expected<SplitBehavior> behavior_of(const nlohmann::json& part) {
    const nlohmann::json& behavior = member(part, "behavior");
    if (behavior.is_null()) return SplitBehavior::kIsolated;
    for (const auto& [name, value] : {std::pair{"Isolated", SplitBehavior::kIsolated},
                                      {"Removed", SplitBehavior::kRemoved},
                                      {"Contiguous", SplitBehavior::kContiguous},
                                      {"MergedWithPrevious", SplitBehavior::kMergedWithPrevious},
                                      {"MergedWithNext", SplitBehavior::kMergedWithNext}}) {
      if (behavior == name) return value;
    }
    return usage_error("pre_tokenizer: behavior is {}", behavior.dump());
  }

  Status read_split(const nlohmann::json& part) {
    ASSIGN_OR_RETURN(const SplitBehavior behavior, behavior_of(part));
    const bool invert = is_true(member(part, "invert"));
    const nlohmann::json& pattern = member(part, "pattern");
    if (const nlohmann::json& regex = member(pattern, "Regex"); regex.is_string()) {
      return add_pattern(regex.get_ref<const std::string&>(), behavior, invert);
    }
    if (const nlohmann::json& text = member(pattern, "String"); text.is_string()) {
      return add_pattern(escaped_pattern(text.get_ref<const std::string&>()), behavior, invert);
    }
    return usage_error("pre_tokenizer has a Split whose pattern is neither Regex nor String");
  }

  Status add_pattern(std::string_view source, SplitBehavior behavior, bool invert) {
    auto pattern = SplitPattern::compile(source);
    if (!pattern) return usage_error("pre_tokenizer: {}", pattern.error().message);
    if (!data_.pattern_sources.empty()) data_.pattern_sources += '\n';
    data_.pattern_sources += source;
    data_.pre_tokenizer.add(SplitStep{std::move(*pattern), behavior, invert});
    return {};
  }

  Status read_added_tokens() {
    const nlohmann::json& tokens = member(json_, "added_tokens");
    if (tokens.is_null()) return {};
    if (!tokens.is_array()) return usage_error("added_tokens is not an array");
    for (const nlohmann::json& json : tokens) {
      if (auto status = read_added_token(json); !status) return status;
    }
    return {};
  }

  Status read_added_token(const nlohmann::json& json) {
    const std::string content = text_of(member(json, "content"));
    if (!member(json, "content").is_string()) {
      return usage_error("added_tokens has an entry without content");
    }
    if (content.empty()) return {};  // found nowhere
    ASSIGN_OR_RETURN(Token token, token_of(member(json, "id"), content));
    // A token of the model keeps its number there.
    if (const auto known = by_content_.find(content); known != by_content_.end()) {
      token = known->second;
    }
    if (vocabulary_ && token >= *vocabulary_) return {};
    const bool special = is_true(member(json, "special"));
    const bool normalized = is_true(member(json, "normalized"));
    const std::string as_found = normalized ? data_.normalizer.apply(content) : content;
    // The decoder reads what is not special as if it were of the model.
    set_bytes(token, special ? "" : bytes_of(as_found));
    data_.added[content] = token;
    if (special) data_.special.emplace_back(token, content);
    AddedToken added{.content = as_found,
                     .token = token,
                     .single_word = is_true(member(json, "single_word")),
                     .lstrip = is_true(member(json, "lstrip")),
                     .rstrip = is_true(member(json, "rstrip"))};
    (normalized ? data_.normalized_tokens : data_.raw_tokens).add(std::move(added));
    return {};
  }

  Status read_post_processor(const nlohmann::json& json) {
    if (json.is_null()) return {};
    const std::string type = text_of(member(json, "type"));
    if (type == "ByteLevel") return {};  // moves offsets only
    if (type == "TemplateProcessing") return read_surroundings(json);
    if (type == "RobertaProcessing" || type == "BertProcessing") return read_ends(json);
    if (type != "Sequence") {
      return usage_error(
          "post_processor.type is {}, supported are ByteLevel, TemplateProcessing, "
          "RobertaProcessing, BertProcessing and Sequences of them",
          member(json, "type").dump());
    }
    for (const nlohmann::json& part : member(json, "processors")) {
      if (auto status = read_post_processor(part); !status) return status;
    }
    return {};
  }

  // "cls" stands before a text, "sep" after it, each as [content, number].
  Status read_ends(const nlohmann::json& json) {
    for (const auto& [key, tokens] : {std::pair{"cls", &data_.before}, {"sep", &data_.after}}) {
      const nlohmann::json& pair = member(json, key);
      if (!pair.is_array() || pair.size() != 2) {
        return usage_error("post_processor: {} is {}, not a token and its number", key,
                           pair.dump());
      }
      ASSIGN_OR_RETURN(const Token token, token_of(pair[1], text_of(pair[0])));
      tokens->push_back(token);
    }
    return {};
  }

  // The template for one text: special tokens, the text, special tokens.
  Status read_surroundings(const nlohmann::json& json) {
    bool text_seen = false;
    for (const nlohmann::json& piece : member(json, "single")) {
      if (piece.is_object() && piece.contains("Sequence")) {
        text_seen = true;
        continue;
      }
      const std::string name = text_of(member(member(piece, "SpecialToken"), "id"));
      const nlohmann::json& ids =
          member(member(member(json, "special_tokens"), name.c_str()), "ids");
      if (!ids.is_array()) {
        return usage_error("post_processor: special_tokens lacks the token {:?}", name);
      }
      for (const nlohmann::json& id : ids) {
        ASSIGN_OR_RETURN(const Token token, token_of(id, name));
        (text_seen ? data_.after : data_.before).push_back(token);
      }
    }
    return {};
  }

  const nlohmann::json& json_;
  Data& data_;
  std::optional<int> vocabulary_;
  std::unordered_map<std::string, Token> by_content_;         // as written in model.vocab
  std::unordered_map<std::string, std::string> by_fallback_;  // "<0x41>" → "A"
};

// How to get tokenizer.json where its folder has a tokenizer of another format; else nothing.
std::string how_to_make(const std::filesystem::path& tokenizer_json) {
  const auto folder = tokenizer_json.parent_path();
  for (const char* name : {"tokenizer.model", "tekken.json", "vocab.json", "tiktoken.model"}) {
    std::error_code ignored;
    if (std::filesystem::exists(tokenizer_json, ignored) ||
        !std::filesystem::exists(folder / name, ignored)) {
      continue;
    }
    return fmt::format(
        "; the folder has {} instead, which transformers converts: "
        "AutoTokenizer.from_pretrained({:?}).save_pretrained({:?})",
        name, folder.string(), folder.string());
  }
  return {};
}

}  // namespace

Expected<Tokenizer> Tokenizer::parse(std::string_view json_text,
                                     std::vector<CompanionFile> companions,
                                     std::optional<int> vocabulary) {
  const nlohmann::json json = nlohmann::json::parse(json_text, nullptr, false);
  if (json.is_discarded()) return usage_error("tokenizer.json: not valid JSON");
  auto data = std::make_shared<Data>();
  if (auto status = Reader<Data>(json, *data, vocabulary).read(); !status) {
    return usage_error("tokenizer.json: {}", status.error().message);
  }
  data->json = json_text;
  data->companions = std::move(companions);
  return Tokenizer(std::move(data));
}

Expected<Tokenizer> Tokenizer::load(const std::filesystem::path& tokenizer_json,
                                    std::optional<int> vocabulary) {
  const auto text = read_text_file(tokenizer_json);
  if (!text)
    return failure("{}: cannot be read{}", tokenizer_json.string(), how_to_make(tokenizer_json));
  std::vector<CompanionFile> companions;
  for (const char* name : {kTokenizerConfig, kChatTemplate, kToolTemplate, kSpecialTokensMap}) {
    if (auto content = read_text_file(tokenizer_json.parent_path() / name)) {
      companions.push_back({name, std::move(*content)});
    }
  }
  auto tokenizer = parse(*text, std::move(companions), vocabulary);
  if (!tokenizer) {
    Error error = tokenizer.error();
    error.message = fmt::format("{}: {}", tokenizer_json.string(), error.message);
    return tl::make_unexpected(std::move(error));
  }
  return tokenizer;
}

TokenizerDescription Tokenizer::describe() const {
  TokenizerDescription description{.pattern = "other",
                                   .byte_level = data_->byte_level,
                                   .missing_bytes = data_->missing_bytes,
                                   .normalizer = data_->normalizer.names(),
                                   .ignore_merges = data_->ignore_merges,
                                   .special = data_->special,
                                   .before = data_->before};
  if (data_->model.unknown != kNoToken) description.unknown = data_->model.unknown;
  std::sort(description.special.begin(), description.special.end());
  const std::string& sources = data_->pattern_sources;
  if (sources.empty() || !data_->byte_level) description.pattern = "none";
  if (sources == kQwenPattern) description.pattern = "qwen";
  if (sources == kLlama3Pattern) description.pattern = "llama3";
  if (sources == kGpt2Pattern) description.pattern = "gpt2";
  if (sources.starts_with("\\p{N}{1,3}\n[一-龥")) description.pattern = "deepseek";
  return description;
}

std::span<const CompanionFile> Tokenizer::companions() const { return data_->companions; }

Expected<ChatTemplate> Tokenizer::chat_template() const {
  TemplateFiles files;
  for (const CompanionFile& file : data_->companions) {
    if (file.name == kTokenizerConfig) files.tokenizer_config = file.content;
    if (file.name == kChatTemplate) files.chat_template = file.content;
    if (file.name == kToolTemplate) files.tool_template = file.content;
    if (file.name == kSpecialTokensMap) files.special_tokens_map = file.content;
  }
  return ChatTemplate::from_files(files);
}

Status Tokenizer::save(const std::filesystem::path& tokenizer_json) const {
  std::ofstream file(tokenizer_json, std::ios::binary | std::ios::trunc);
  file << data_->json;
  file.flush();
  if (!file) return failure("{}: cannot be written", tokenizer_json.string());
  return {};
}

std::vector<Token> Tokenizer::encode(std::string_view text) const {
  std::vector<Token> tokens;
  for (const TextPart& raw : data_->raw_tokens.cut(text)) {
    if (raw.is_token) {
      tokens.push_back(raw.token);
      continue;
    }
    const bool changes = data_->normalizer.concerns(raw.text);
    const std::string changed = changes ? data_->normalizer.apply(raw.text) : "";
    const std::string_view whole = changes ? changed : raw.text;
    for (const TextPart& part : data_->normalized_tokens.cut(whole)) {
      if (part.is_token) {
        tokens.push_back(part.token);
      } else {
        const bool first = raw.text.data() == text.data() && part.text.data() == whole.data();
        data_->encode_pieces(part.text, first, tokens);
      }
    }
  }
  return tokens;
}

std::vector<Token> Tokenizer::encode_whole(std::string_view text) const {
  std::vector<Token> tokens = data_->before;
  const std::vector<Token> inner = encode(text);
  tokens.insert(tokens.end(), inner.begin(), inner.end());
  tokens.insert(tokens.end(), data_->after.begin(), data_->after.end());
  return tokens;
}

std::vector<Token> Tokenizer::encode_prompt(std::string_view text) const {
  std::vector<Token> tokens = encode(text);
  const std::vector<Token>& before = data_->before;
  const bool there =
      tokens.size() >= before.size() && std::equal(before.begin(), before.end(), tokens.begin());
  if (!there) tokens.insert(tokens.begin(), before.begin(), before.end());
  return tokens;
}

std::string Tokenizer::decode(std::span<const Token> tokens) const {
  std::string text;
  for (const Token token : tokens) text += token_bytes(token);
  if (data_->strips_space && text.starts_with(' ')) text.erase(0, 1);
  return text;
}

std::string_view Tokenizer::token_bytes(Token token) const {
  if (token < 0 || token >= vocab_size()) return {};
  return data_->bytes[token];
}

int Tokenizer::vocab_size() const { return static_cast<int>(data_->bytes.size()); }

std::optional<Token> Tokenizer::token_id(std::string_view content) const {
  const std::string key(content);
  for (const auto* map : {&data_->added, &data_->vocabulary}) {
    if (const auto found = map->find(key); found != map->end()) return found->second;
  }
  return std::nullopt;
}

}  // namespace redqueen
