#include "redqueen/synth/validation/spelling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "redqueen/base/rng.h"

namespace redqueen::synth {
namespace {

using testing::HasSubstr;

ValidationFinding check(const std::string& sentence, const std::vector<std::string>& names = {}) {
  return check_spelling(std::vector{sentence}, names);
}

TEST(English, HasWordsInBothSpellingsAndTheFieldsTerms) {
  for (const char* word : {"find", "neighbours", "neighbors", "colour", "doesn't", "list's",
                           "subsequence", "bitwise", "xor", "gcd", "an", "optimally", "submultiset",
                           "backticks", "nonempty", "columnwise", "plaintext"}) {
    EXPECT_TRUE(is_english(word)) << word;
  }
  for (const char* word : {"leagigits", "totits", "folloved", "movto", "", "'s", "zzz", "subb",
                           "ly", "unzork", "zorkly", "nonthe"}) {
    EXPECT_FALSE(is_english(word)) << word;
  }
}

// Statements that a small policy wrote over sound code.
TEST(Spelling, FindsWordsThatAreNone) {
  for (const auto& [sentence, word] : std::vector<std::pair<std::string, std::string>>{
           {"Work out the leagigits of {}.", "leagigits"},
           {"Find how often a letter of {} is folloved by a later one.", "folloved"},
           {"Compute the remainderCT often a letter occurs.", "remainderCT"},
           {"Find how many values there are amongvalues in {}.", "amongvalues"},
           {"Give {} with the first number movto the end.", "movto"},
           {"Find eepritnumbers above 2 in {}.", "eepritnumbers"},
           {"Give {} in reversest number moved to the end.", "reversest"},
           {"Find how many neighbour{} are equal.", "neighbour"},
           {"Compute the bitwiexclusive or of {} and {}.", "bitwiexclusive"}}) {
    const ValidationFinding finding = check(sentence);
    EXPECT_EQ(finding.fault, ValidationFault::kUnknownWord) << sentence;
    EXPECT_THAT(finding.sentence, HasSubstr("\"" + word + "\"")) << sentence;
  }
}

TEST(Spelling, LetsTermsNamesSymbolsAndOtherAlphabetsPass) {
  for (const char* sentence :
       {"Let x_maxx be the number of zork0 cells, dist(u) and `qwrt` with \\fracc{}{}.",
        "Josephus and Zbigniew don't share; the list's sum is 0x1fq.",
        "The sub-array is non-empty, multi-coloured and vice versa optimally cut.",
        "Print 'qqq' or \"yyy\" and call a.sortt for the {}th of {}x{} cells.", "ab cd ef {} gh",
        "", "{}{}"}) {
    EXPECT_EQ(check(sentence).fault, ValidationFault::kNone) << check(sentence).sentence;
  }
  EXPECT_EQ(check("Give the toposort of {}.", {"toposort"}).fault, ValidationFault::kNone);
  EXPECT_EQ(check("Give the toposort of {}.").fault, ValidationFault::kUnknownWord);
}

TEST(Spelling, LeavesOtherLanguagesAlone) {
  EXPECT_EQ(check("Ein Kunde kauft Waren und zahlt mit einem Schein von {} Euro. Wie viel Cent "
                  "bekommt er als Wechselgeld?")
                .fault,
            ValidationFault::kNone);
  EXPECT_EQ(check("Finde die kleinste Zahl.").fault, ValidationFault::kUnknownWord);
}

TEST(Spelling, MeetsAnyBytes) {
  Rng rng({.seed = 9, .purpose = hash_name("spelling test")});
  for (int i = 0; i < 2000; ++i) {
    std::string bytes(rng.below(40), ' ');
    for (char& c : bytes) c = static_cast<char>(rng.below(256));
    static_cast<void>(check(bytes));
  }
}

}  // namespace
}  // namespace redqueen::synth
