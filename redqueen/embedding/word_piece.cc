#include "redqueen/embedding/word_piece.h"

#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <string>
#include <unordered_map>

#include "redqueen/base/json.h"
#include "redqueen/base/text_file.h"

namespace redqueen {
namespace {

constexpr std::size_t kLongestWord = 100;  // characters; a longer one is unknown as a whole
constexpr std::string_view kInner = "##";  // marks a piece that continues a word
constexpr std::array<std::string_view, 5> kSpecialTokens{"[PAD]", "[UNK]", "[CLS]", "[SEP]",
                                                         "[MASK]"};

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>{}(text);
  }
};
using Vocabulary = std::unordered_map<std::string, Token, TextHash, std::equal_to<>>;

// ---- What kind of character. ----

// The tables of `tokenizers` are those of Unicode 8: to them, younger characters are of no kind,
// and the few that changed are what they were.
UCharCategory category(UChar32 c) {
  switch (c) {
    case 0x166D:
    case 0x111C9:
      return U_OTHER_PUNCTUATION;
    case 0x1734:
      return U_NON_SPACING_MARK;
    case 0x1885:
    case 0x1886:
      return U_OTHER_LETTER;
    case 0xA9BD:
      return U_COMBINING_SPACING_MARK;
    default:
      break;
  }
  UVersionInfo age;
  u_charAge(c, age);
  return age[0] >= 1 && age[0] <= 8 ? static_cast<UCharCategory>(u_charType(c)) : U_UNASSIGNED;
}

// Dropped from the text. Tabs and line ends count as white space.
bool is_dropped(UChar32 c) {
  if (c == 0 || c == 0xFFFD) return true;
  if (c == '\t' || c == '\n' || c == '\r') return false;
  const UCharCategory kind = category(c);
  return kind == U_CONTROL_CHAR || kind == U_FORMAT_CHAR || kind == U_PRIVATE_USE_CHAR;
}

bool is_ideograph(UChar32 c) {
  // The seventh range begins 0x100 late, as it does in `tokenizers`.
  return (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3400 && c <= 0x4DBF) ||
         (c >= 0x20000 && c <= 0x2A6DF) || (c >= 0x2A700 && c <= 0x2B73F) ||
         (c >= 0x2B740 && c <= 0x2B81F) || (c >= 0x2B920 && c <= 0x2CEAF) ||
         (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x2F800 && c <= 0x2FA1F);
}

bool is_punctuation(UChar32 c) {
  if (c < 0x80) {
    return (c >= 33 && c <= 47) || (c >= 58 && c <= 64) || (c >= 91 && c <= 96) ||
           (c >= 123 && c <= 126);
  }
  switch (category(c)) {
    case U_CONNECTOR_PUNCTUATION:
    case U_DASH_PUNCTUATION:
    case U_START_PUNCTUATION:
    case U_END_PUNCTUATION:
    case U_INITIAL_PUNCTUATION:
    case U_FINAL_PUNCTUATION:
    case U_OTHER_PUNCTUATION:
      return true;
    default:
      return false;
  }
}

// ---- Normalisation. ----

// Calls each(code point) for every character.
template <typename Each>
void for_each_character(const icu::UnicodeString& text, Each&& each) {
  for (std::int32_t i = 0; i < text.length(); i = text.moveIndex32(i, 1)) each(text.char32At(i));
}

void append_utf8(std::string& text, char32_t c) {
  if (c < 0x80) {
    text += static_cast<char>(c);
  } else {
    icu::UnicodeString(static_cast<UChar32>(c)).toUTF8String(text);
  }
}

// The text as its words are spelled in the vocabulary.
std::u32string normalize(std::string_view text) {
  icu::UnicodeString clean;
  // ICU turns malformed UTF-8 into U+FFFD, which is dropped here.
  for_each_character(icu::UnicodeString::fromUTF8(text), [&](UChar32 c) {
    if (is_dropped(c)) return;
    const bool apart = is_ideograph(c);
    if (apart) clean.append(UChar32{' '});
    clean.append(u_isUWhiteSpace(c) ? UChar32{' '} : c);
    if (apart) clean.append(UChar32{' '});
  });
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* nfd = icu::Normalizer2::getNFDInstance(status);
  std::u32string result;
  if (U_FAILURE(status)) return result;  // ICU's data are compiled in: cannot happen
  for_each_character(nfd->normalize(clean, status), [&](UChar32 c) {
    if (category(c) != U_NON_SPACING_MARK) result += static_cast<char32_t>(u_tolower(c));
  });
  return result;
}

// ---- Files. ----

Expected<Vocabulary> read_vocab_txt(std::string_view text) {
  Vocabulary vocabulary;
  Token next = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    vocabulary.insert_or_assign(std::string(line), next++);
  }
  return vocabulary;
}

// The first thing in which a tokenizer.json is not the tokenizer we are; empty if it is.
std::string_view difference(const Json& json) {
  const auto has = [&](const char* pointer, const Json& wanted) {
    const Json::json_pointer place(pointer);
    return json.contains(place) && json[place] == wanted;
  };
  const auto is_absent = [&](const char* pointer) {
    const Json::json_pointer place(pointer);
    return !json.contains(place) || json[place].is_null();
  };
  if (!has("/model/type", "WordPiece")) return "its model is not WordPiece";
  if (!is_absent("/model/continuing_subword_prefix") &&
      !has("/model/continuing_subword_prefix", kInner)) {
    return "its pieces are not marked with ##";
  }
  if (!is_absent("/model/max_input_chars_per_word") &&
      !has("/model/max_input_chars_per_word", kLongestWord)) {
    return "its longest word is not of 100 characters";
  }
  if (!has("/normalizer/type", "BertNormalizer") || !has("/normalizer/lowercase", true) ||
      !has("/normalizer/clean_text", true) || !has("/normalizer/handle_chinese_chars", true) ||
      has("/normalizer/strip_accents", false)) {
    return "its normalizer is not the one of uncased BERT";
  }
  if (!has("/pre_tokenizer/type", "BertPreTokenizer")) return "its pre-tokenizer is not BERT's";
  return {};
}

Expected<Vocabulary> read_tokenizer_json(std::string_view text) {
  const auto json = parse_json(text);
  if (!json) return failure("{}", json.error().message);
  if (const auto fault = difference(*json); !fault.empty()) return failure("{}", fault);
  Vocabulary vocabulary;
  const Json::json_pointer place("/model/vocab");
  if (!json->contains(place) || !(*json)[place].is_object()) return failure("it has no vocabulary");
  for (const auto& [piece, token] : (*json)[place].items()) {
    if (!token.is_number_unsigned() ||
        token.get<std::uint64_t>() >= std::numeric_limits<Token>::max()) {
      return failure("the token of \"{}\" is not a small number", piece);
    }
    vocabulary.insert_or_assign(piece, token.get<Token>());
  }
  return vocabulary;
}

// Where the next special token written out in the text begins, and which it is.
std::pair<std::size_t, std::string_view> find_special(std::string_view text) {
  for (std::size_t at = text.find('['); at < text.size(); at = text.find('[', at + 1)) {
    for (const std::string_view special : kSpecialTokens) {
      if (text.substr(at).starts_with(special)) return {at, special};
    }
  }
  return {text.size(), {}};
}

}  // namespace

struct WordPiece::Data {
  Vocabulary vocabulary;
  Token unknown = 0, begin = 0, end = 0;
  int size = 0;

  // The longest piece that begins at cuts[first] and the cut where it ends; first itself if none.
  std::pair<Token, std::size_t> longest_piece(std::string_view word,
                                              const std::vector<std::size_t>& cuts,
                                              std::size_t first, std::string& buffer) const {
    for (std::size_t last = cuts.size() - 1; last > first; --last) {
      buffer.assign(first > 0 ? kInner : std::string_view());
      buffer.append(word.substr(cuts[first], cuts[last] - cuts[first]));
      if (const auto found = vocabulary.find(buffer); found != vocabulary.end()) {
        return {found->second, last};
      }
    }
    return {unknown, first};
  }

  void encode_word(std::u32string_view characters, std::vector<Token>& tokens) const {
    if (characters.size() > kLongestWord) return tokens.push_back(unknown);
    std::string word;
    std::vector<std::size_t> cuts{0};  // bytes before each character, and all bytes
    for (const char32_t c : characters) {
      append_utf8(word, c);
      cuts.push_back(word.size());
    }
    const std::size_t before = tokens.size();
    std::string buffer;
    for (std::size_t first = 0; first + 1 < cuts.size();) {
      const auto [token, last] = longest_piece(word, cuts, first, buffer);
      if (last == first) {
        tokens.resize(before);
        return tokens.push_back(unknown);
      }
      tokens.push_back(token);
      first = last;
    }
  }

  // Stops soon after `enough` tokens.
  void encode_plain(std::string_view text, std::size_t enough, std::vector<Token>& tokens) const {
    const std::u32string normal = normalize(text);
    const std::u32string_view all = normal;
    std::size_t word = 0;  // where the word in hand begins
    const auto end_word = [&](std::size_t end) {
      if (end > word) encode_word(all.substr(word, end - word), tokens);
    };
    for (std::size_t i = 0; i < all.size() && tokens.size() < enough; ++i) {
      const auto c = static_cast<UChar32>(all[i]);
      const bool is_space = u_isUWhiteSpace(c);
      if (!is_space && !is_punctuation(c)) continue;
      end_word(i);
      if (!is_space) encode_word(all.substr(i, 1), tokens);
      word = i + 1;
    }
    if (tokens.size() < enough) end_word(all.size());
  }
};

Expected<WordPiece> WordPiece::load(const std::filesystem::path& file) {
  ASSIGN_OR_RETURN(const std::string text, read_text_file(file));
  auto vocabulary = file.extension() == ".json" ? read_tokenizer_json(text) : read_vocab_txt(text);
  if (!vocabulary) {
    return failure("{}: not the tokenizer of an uncased BERT: {}", file.string(),
                   vocabulary.error().message);
  }
  auto data = std::make_shared<Data>();
  for (const auto& [name, token] :
       {std::pair{"[UNK]", &data->unknown}, {"[CLS]", &data->begin}, {"[SEP]", &data->end}}) {
    const auto found = vocabulary->find(std::string_view(name));
    if (found == vocabulary->end()) {
      return failure("{}: the vocabulary lacks {}. Is this the vocabulary of a BERT model?",
                     file.string(), name);
    }
    *token = found->second;
  }
  for (const auto& entry : *vocabulary) data->size = std::max(data->size, entry.second + 1);
  data->vocabulary = *std::move(vocabulary);
  return WordPiece(std::move(data));
}

std::vector<Token> WordPiece::encode(std::string_view text, std::size_t max_tokens) const {
  // ICU counts in 32 bits; no text of this length reaches far into its second half.
  constexpr std::size_t kLongestText = std::size_t{1} << 28;
  text = text.substr(0, kLongestText);
  const std::size_t enough = max_tokens - 1;
  std::vector<Token> tokens{data_->begin};
  while (!text.empty() && tokens.size() < enough) {
    const auto [at, special] = find_special(text);
    data_->encode_plain(text.substr(0, at), enough, tokens);
    text.remove_prefix(at);
    if (special.empty()) break;
    if (const auto found = data_->vocabulary.find(special); found != data_->vocabulary.end()) {
      tokens.push_back(found->second);
    } else {
      data_->encode_plain(special, enough, tokens);
    }
    text.remove_prefix(special.size());
  }
  tokens.resize(std::min(tokens.size(), enough));
  tokens.push_back(data_->end);
  return tokens;
}

int WordPiece::vocab_size() const { return data_->size; }

}  // namespace redqueen
