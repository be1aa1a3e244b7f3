// The suffix automaton: all pieces of a string in linear space.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace redqueen {

// The automaton of a string over the letters first … first + kLetters − 1. A state stands for the
// pieces that end at the same places; they are the endings of its longest piece that are longer
// than the longest of its link. A. Blumer et al., "The smallest automaton recognizing the subwords
// of a text", 1985.
template <int kLetters>
class SuffixAutomaton {
 public:
  struct State {
    int length = 0;                // of its longest piece
    int link = -1;                 // the state of the next shorter endings
    std::int64_t occurrences = 0;  // of each of its pieces; of the root: 0
    std::int64_t endings = 0;      // occurrences of all non-empty endings of its longest piece
    std::array<int, kLetters> next = filled_with(-1);  // −1: no such piece
  };

  // O(n) time and memory.
  explicit SuffixAutomaton(std::string_view s, char first = 'a') {
    states_.reserve(2 * s.size() + 1);
    states_.emplace_back();
    int last = kRoot;
    for (const char c : s) last = extended(last, c - first);
    count_occurrences(s.size());
  }

  static constexpr int kRoot = 0;  // the state of the empty piece

  int size() const { return static_cast<int>(states_.size()); }
  const State& operator[](int state) const { return states_[state]; }

 private:
  static constexpr std::array<int, kLetters> filled_with(int value) {
    std::array<int, kLetters> filled{};
    filled.fill(value);
    return filled;
  }

  int added(const State& state) {
    states_.push_back(state);
    return size() - 1;
  }

  // The state of the whole string with one letter more; `last` is that of the string so far.
  int extended(int last, int letter) {
    const int whole = added({.length = states_[last].length + 1, .link = kRoot, .occurrences = 1});
    int p = last;
    for (; p >= 0 && states_[p].next[letter] < 0; p = states_[p].link) {
      states_[p].next[letter] = whole;
    }
    if (p < 0) return whole;
    const int q = states_[p].next[letter];
    if (states_[q].length == states_[p].length + 1) {
      states_[whole].link = q;
      return whole;
    }
    State shorter = states_[q];
    shorter.length = states_[p].length + 1;
    shorter.occurrences = 0;
    const int copy = added(shorter);
    states_[q].link = copy;
    states_[whole].link = copy;
    for (; p >= 0 && states_[p].next[letter] == q; p = states_[p].link) {
      states_[p].next[letter] = copy;
    }
    return whole;
  }

  // A piece occurs where the longer pieces of the states that link to its own do.
  void count_occurrences(std::size_t longest) {
    std::vector<int> begin(longest + 2, 0);  // counting sort by length
    for (const State& state : states_) ++begin[state.length + 1];
    for (std::size_t i = 1; i < begin.size(); ++i) begin[i] += begin[i - 1];
    std::vector<int> order(states_.size());
    for (int state = 0; state < size(); ++state) order[begin[states_[state].length]++] = state;
    for (std::size_t i = order.size() - 1; i > 0; --i) {
      const State& state = states_[order[i]];
      if (state.link != kRoot) states_[state.link].occurrences += state.occurrences;
    }
    for (std::size_t i = 1; i < order.size(); ++i) {
      State& state = states_[order[i]];
      const State& shorter = states_[state.link];
      state.endings = shorter.endings + (state.length - shorter.length) * state.occurrences;
    }
  }

  std::vector<State> states_;
};

}  // namespace redqueen
