// The texts and the Python original that word_piece_test.cc and minilm_test.cc compare with.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "redqueen/base/json.h"
#include "redqueen/base/testing/source_dir.h"
#include "redqueen/embedding/minilm.h"
#include "redqueen/text/testing/tokenizers.h"

namespace redqueen::minilm_test {

inline Expected<std::filesystem::path> weights() { return find_minilm("", source_dir()); }

// True if both the weights and the Python original are here.
inline bool has_original() {
  static const bool found =
      weights() &&
      std::system(
          ".venv/bin/python -c 'import importlib.util as u, sys; "
          "sys.exit(u.find_spec(\"sentence_transformers\") is None)' 2>/dev/null") == 0;
  return found;
}

inline std::string hexadecimal(std::string_view text) {
  std::string digits;
  for (const char c : text) digits += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return digits;
}

// Returns the original's output for each text; `mode` is one of those of minilm_oracle.py.
template <typename Row>
std::vector<Row> original(const std::string& mode, const std::vector<std::string>& texts) {
  const TestFolder folder;
  Json list = Json::array();
  for (const std::string& text : texts) list.push_back(hexadecimal(text));
  std::ofstream(folder / "texts.json") << list.dump();
  const std::string command = fmt::format(
      ".venv/bin/python redqueen/embedding/testdata/minilm_oracle.py {} {} {} {} 2>/dev/null", mode,
      weights()->string(), (folder / "texts.json").string(), (folder / "out.json").string());
  if (std::system(command.c_str()) != 0) return {};
  return nlohmann::json::parse(read_file(folder / "out.json")).get<std::vector<Row>>();
}

// Texts of every kind: languages, code, white space, special tokens, long words, long texts, bytes
// that are no UTF-8.
inline std::vector<std::string> texts() {
  std::vector<std::string> texts = {
      "",
      " \t\n",
      "Sort the numbers in ascending order.",
      "Given N and a list of N integers, find the longest increasing subsequence modulo 998244353.",
      "Größe, naïve, Crème brûlée, Ångström, İstanbul, ŁÓDŹ, ẞ, ﬁne",
      "Даны два числа. Найдите их наибольший общий делитель.",
      "给定一个数组，求最长上升子序列的长度。",
      "配列を昇順に並べ替えてください。ひらがなとカタカナ。",
      "배열을 오름차순으로 정렬하세요.",
      "أوجد أقصر طريق بين عقدتين في الرسم البياني",
      "מצא את המסלול הקצר ביותר",
      "दो संख्याओं का योग ज्ञात कीजिए",
      "ค้นหาผลรวมของตัวเลข",
      "Βρείτε το άθροισμα των αριθμών ΟΔΟΣ",
      "𝒜𝓁𝑔𝑒𝒷𝓇𝒶 ∑ᵢ xᵢ² ≤ ∞ ± ½ №5 ™",
      "emoji 🙂👨‍👩‍👧 flags 🇪🇺",
      "[CLS] a [SEP] b [MASK][PAD] [UNK] [cls] [X] [[SEP]]",
      "def f(x):\n    return x ** 2 % 7  # power\n",
      std::string(100, 'a') + " " + std::string(101, 'a'),
      std::string(400, 'z') + "e",
      std::string("nul\0byte and \x01\x02\x7f controls", 25),
      "broken \xff\xfe UTF-8 \xc3( \xe2\x82 \xf0\x9f\x98 end",
      "\xed\xa0\x80 surrogate, overlong \xc0\xaf, beyond \xf4\x90\x80\x80",
      "soft\xc2\xadhyphen zero\xe2\x80\x8bwidth \xef\xbb\xbfmark no\xc2\xa0"
      "break",
  };
  for (const char* file : {"redqueen/base/rng.h", "redqueen/text/tokenizer.cc", "README.md",
                           "redqueen/embedding/testdata/minilm_oracle.py", "CMakeLists.txt"}) {
    texts.push_back(read_file(file));
  }
  for (const std::string& text : tokenizer_test::random_texts(7, 80)) texts.push_back(text);
  for (std::uint64_t i = 0; i < 20; ++i) {  // any bytes
    Rng rng({.seed = 7, .purpose = hash_name("bytes"), .index = i});
    std::string& text = texts.emplace_back();
    for (std::int64_t left = rng.integer(1, 200); left > 0; --left) {
      text += static_cast<char>(rng.below(256));
    }
  }
  return texts;
}

}  // namespace redqueen::minilm_test
