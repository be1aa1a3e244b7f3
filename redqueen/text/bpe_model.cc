#include "redqueen/text/bpe_model.h"

#include <algorithm>
#include <cstddef>
#include <queue>
#include <tuple>

#include "redqueen/text/utf8.h"

namespace redqueen {
namespace {

constexpr std::int32_t kNone = -1;

// One token of the piece; merged tokens are unlinked from their neighbours.
struct Symbol {
  Token token;
  std::int32_t previous;
  std::int32_t next;
  bool alive;
};

// A merge that was possible when it was noted; stale once either symbol has changed.
struct Candidate {
  std::int32_t rank;
  std::int32_t position;  // of the left symbol
  TokenPair pair;
  Token merged;
};

struct LaterMerge {
  bool operator()(const Candidate& a, const Candidate& b) const {
    return std::tie(a.rank, a.position) > std::tie(b.rank, b.position);
  }
};

class Merger {
 public:
  Merger(const BpeModel& model, std::string_view piece) : model_(model) {
    symbols_.reserve(piece.size());
    while (!piece.empty()) piece.remove_prefix(add_first(piece));
    end_unknown();
    if (!symbols_.empty()) symbols_.back().next = kNone;
    const auto size = static_cast<std::int32_t>(symbols_.size());
    for (std::int32_t i = 0; i + 1 < size; ++i) note(i);
  }

  void run() {
    while (!candidates_.empty()) {
      const Candidate candidate = candidates_.top();
      candidates_.pop();
      if (is_current(candidate)) merge(candidate);
    }
  }

  void append_to(std::vector<Token>& tokens) const {
    // The leftmost symbol of a merge stays, so that the first one is always alive.
    std::int32_t i = symbols_.empty() ? kNone : 0;
    for (; i != kNone; i = at(i).next) tokens.push_back(at(i).token);
  }

 private:
  void add(Token token) {
    const auto i = static_cast<std::int32_t>(symbols_.size());
    symbols_.push_back({token, i - 1, i + 1, true});
  }

  // Adds the first character of a text, or its first byte. Returns how many bytes that were.
  std::size_t add_first(std::string_view text) {
    if (model_.characters.empty()) {
      add_or_note(of_byte(text[0]));
      return 1;
    }
    const Character first = first_character(text);
    const std::string_view bytes = text.substr(0, first.size);
    const auto found = model_.characters.find(first.code);
    if (found != model_.characters.end()) {
      add_or_note(found->second);
    } else if (std::ranges::all_of(bytes, [&](char byte) { return of_byte(byte) != kNoToken; })) {
      // As `tokenizers` has it, bytes come before the unknown characters in front of them.
      for (const char byte : bytes) add(of_byte(byte));
    } else {
      add_or_note(kNoToken);
    }
    return first.size;
  }

  Token of_byte(char byte) const { return model_.byte_tokens[static_cast<std::uint8_t>(byte)]; }

  void add_or_note(Token token) {
    if (token != kNoToken) {
      end_unknown();
      add(token);
    } else if (model_.unknown != kNoToken) {
      if (!model_.fuse_unknown) end_unknown();
      in_unknown_ = true;
    }
  }

  // Adds the token of the unknown characters that were noted, if there are any.
  void end_unknown() {
    if (in_unknown_) add(model_.unknown);
    in_unknown_ = false;
  }

  Symbol& at(std::int32_t i) { return symbols_[i]; }
  const Symbol& at(std::int32_t i) const { return symbols_[i]; }

  void note(std::int32_t position) {
    const TokenPair pair{at(position).token, at(at(position).next).token};
    const auto found = model_.merges.find(pair);
    if (found == model_.merges.end()) return;
    candidates_.push({found->second.rank, position, pair, found->second.merged});
  }

  bool is_current(const Candidate& candidate) const {
    const Symbol& left = at(candidate.position);
    return left.alive && left.next != kNone && left.token == candidate.pair.left &&
           at(left.next).token == candidate.pair.right;
  }

  void merge(const Candidate& candidate) {
    Symbol& left = at(candidate.position);
    Symbol& right = at(left.next);
    left.token = candidate.merged;
    left.next = right.next;
    right.alive = false;
    if (left.next != kNone) {
      at(left.next).previous = candidate.position;
      note(candidate.position);
    }
    if (left.previous != kNone) note(left.previous);
  }

  const BpeModel& model_;
  std::vector<Symbol> symbols_;
  bool in_unknown_ = false;
  std::priority_queue<Candidate, std::vector<Candidate>, LaterMerge> candidates_;
};

}  // namespace

void BpeModel::encode(std::string_view piece, std::vector<Token>& tokens) const {
  // Positions are 32-bit: a piece of gigabytes is cut, which no merge would notice but at the cut.
  constexpr std::size_t kLongestPiece = std::size_t{1} << 30;
  for (std::size_t start = 0; start < piece.size(); start += kLongestPiece) {
    Merger merger(*this, piece.substr(start, kLongestPiece));
    merger.run();
    merger.append_to(tokens);
  }
}

}  // namespace redqueen
