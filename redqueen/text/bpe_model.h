// Byte-pair encoding merges the bytes or characters of one piece of text into tokens.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "redqueen/text/token.h"

namespace redqueen {

// Two neighbouring tokens.
struct TokenPair {
  Token left = 0;
  Token right = 0;
  auto operator<=>(const TokenPair&) const = default;
};

struct TokenPairHash {
  std::size_t operator()(const TokenPair& pair) const {
    const std::uint64_t key =
        (static_cast<std::uint64_t>(static_cast<std::uint32_t>(pair.left)) << 32) |
        static_cast<std::uint32_t>(pair.right);
    const std::uint64_t mixed = key * 0x9E3779B97F4A7C15ULL;
    return static_cast<std::size_t>(mixed ^ (mixed >> 32));
  }
};

// The result of merging a pair. Lower ranks merge first.
struct Merge {
  std::int32_t rank = 0;
  Token merged = 0;
};

inline constexpr Token kNoToken = -1;

// The merges of a vocabulary. Immutable once filled.
struct BpeModel {
  std::vector<Token> byte_tokens;  // [256]; kNoToken for a byte that the vocabulary lacks
  // Stands for what has no token. kNoToken: such bytes and characters are left out.
  Token unknown = kNoToken;
  bool fuse_unknown = false;  // one `unknown` for a run of them
  // Characters that are tokens, by their code; merging begins with them. A character that is none,
  // and every one if there are none here, is taken as its bytes.
  std::unordered_map<std::int32_t, Token> characters;
  std::unordered_map<TokenPair, Merge, TokenPairHash> merges;

  // Appends the tokens of `piece` to `tokens`. Bytes and characters without a token are replaced or
  // left out first, so that their neighbours may merge. From single bytes or characters on, the
  // pair of lowest rank is merged, the leftmost first among equals, until no pair merges (Sennrich
  // et al., "Neural Machine Translation of Rare Words with Subword Units", 2016, algorithm 1).
  // O(n log n) for n bytes.
  void encode(std::string_view piece, std::vector<Token>& tokens) const;
};

}  // namespace redqueen
