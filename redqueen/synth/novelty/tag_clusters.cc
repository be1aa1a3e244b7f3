#include "redqueen/synth/novelty/tag_clusters.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <set>

#include "redqueen/base/ascii.h"
#include "redqueen/base/fields.h"
#include "redqueen/synth/novelty/novelty_text.h"

namespace redqueen::synth {
namespace {

// Words are single-spaced; "prim*" stands for every word that begins with "prim". Operators are
// those of Python.
struct Tag {
  std::string_view name;
  std::string_view words;      // alternatives, parted by '|'
  std::string_view operators;  // alternatives, parted by a space
};

constexpr std::array kTags{
    Tag{"arrays", "array*|list of|elements|integers|numbers|arr|nums", ""},
    Tag{"strings",
        "string*|substring*|character*|letter*|palindrom*|anagram*|text|word|words|"
        "prefix*|suffix*|alphabet*",
        ""},
    Tag{"graphs", "graph*|vertex|vertices|node|nodes|edge|edges|adjacen*|adj|bipartite", ""},
    Tag{"trees", "tree|trees|subtree*|leaf|leaves|ancestor*|rooted|lca|forest", ""},
    Tag{"paths", "path|paths|route*|dijkstra|reachab*|hops|cycle*|walk|walks", ""},
    Tag{"traversal", "bfs|dfs|traver*|visited|visit|breadth first|depth first", ""},
    Tag{"dynamic programming", "dp|memo*|knapsack|lru cache|subproblem*|optimal substructure", ""},
    Tag{"recurrences", "recurren*|recurs*|fibonacci|ackermann|collatz|iterat*", ""},
    Tag{"number theory", "prim*|divis*|factor*|gcd|lcm|coprim*|totient|sieve|euclid*|congruen*",
        ""},
    Tag{"modular arithmetic", "mod|modul*|remainder*|residue*", "%"},
    Tag{"digits", "digit*|decimal|hexadecimal|numeral*|base b|in base", ""},
    Tag{"combinatorics",
        "combin*|permut*|binomial*|arrangement*|partition*|comb|perm|catalan|"
        "multiset*",
        ""},
    Tag{"counting", "count*|how many|number of|tally", ""},
    Tag{"subsets", "subset*|submultiset*|subsequence*|choose|pick", ""},
    Tag{"sequences", "sequence*|series|progression*|subsequence*|term|terms", ""},
    Tag{"intervals", "interval*|segment*|overlap*|window*|range sum|subarray*", ""},
    Tag{"sets", "set of|union|disjoint|distinct|membership|intersection*|cover", ""},
    Tag{"geometry",
        "point|points|distance*|polygon*|triangle*|circle*|coordinate*|angle*|area|"
        "convex|hull|perimeter|rectangle*|slope",
        ""},
    Tag{"grids", "grid*|cell|cells|maze*|board|row|rows|column*", ""},
    Tag{"matrices", "matri*|determinant*|transpos*|eigen*", ""},
    Tag{"games", "game*|player*|winner|winning|nim|grundy|alice|bob|move|moves|optimally", ""},
    Tag{"bit operations", "bit|bits|bitmask*|bitwise|xor|popcount|binary",
        "^ & << >> ^= &= <<= >>="},
    Tag{"sorting", "sort*|ascending|descending|inversion*|rank|ranks|median*|bisect*", ""},
    Tag{"searching", "search*|binary search|backtrack*|lookup|bisect*", ""},
    Tag{"stacks and queues", "stack*|queue*|deque*|heap*|fifo|lifo|monotonic", ""},
    Tag{"parsing", "pars*|expression*|bracket*|parenthes*|token*|grammar*|operand*|operator*", ""},
    Tag{"simulation",
        "simulat*|step by step|state machine|automat*|robot*|instruction*|register*|"
        "time step*|rounds|conway",
        ""},
    Tag{"probability",
        "probabilit*|expected value|expectation*|dice|coin|coins|random variable*|"
        "chance",
        ""},
    Tag{"optimization",
        "minimi*|maximi*|optim*|minimum|maximum|largest|smallest|shortest|longest|"
        "cheapest|best|fewest",
        ""},
    Tag{"greedy", "greed*|schedul*|deadline*|huffman|coin change", ""},
    Tag{"feasibility",
        "feasib*|satisf*|constraint*|any valid|valid assignment|exactly to|witness|"
        "possible to",
        ""},
    Tag{"logic", "logic*|boolean*|truth|clause*|satisfiab*|implication*|knight*|knave*", ""},
    Tag{"puzzles", "puzzle*|sudoku|queens|magic square*|latin square*|crypt*|riddle*", ""},
    Tag{"colouring", "colou*|color*", ""},
    Tag{"flows and matchings",
        "flow|flows|matching*|max flow|min cut|capacity|capacities|assignment*", ""},
    Tag{"spanning structures",
        "spanning|mst|union find|kruskal|bridge*|component*|connectiv*|"
        "articulation",
        ""},
    Tag{"arithmetic", "sum|sums|product*|average|mean|quotient*|multipl*|add|subtract*", ""},
    Tag{"algebra",
        "polynomial*|equation*|coefficient*|root|roots|linear system|variable*|solve for", ""},
    Tag{"rationals", "fraction*|rational*|numerator*|denominator*|ratio|ratios", ""},
    Tag{"dates and clocks", "date|dates|calendar*|weekday*|clock*|hour*|minute*|leap year", ""},
    Tag{"encoding", "encod*|decod*|cipher*|caesar|compress*|run length|checksum*|hash", ""},
    Tag{"pattern matching",
        "pattern*|regex|regular expression*|wildcard*|occurrence*|edit distance|"
        "levenshtein",
        ""},
};

// The names of the interface and of its helpers (configs/evoenv/base.py), which every environment
// has: "parse_int" makes none a task about parsing. In the order of their bytes.
constexpr std::array<std::string_view, 27> kInterfaceNames{"Random",
                                                           "VerifiableEnvironment",
                                                           "_generate",
                                                           "_process",
                                                           "_prompt_generate",
                                                           "closeness_reward",
                                                           "difficulty",
                                                           "grow",
                                                           "instance",
                                                           "parameter",
                                                           "parse_int",
                                                           "parse_int_list",
                                                           "parse_int_rows",
                                                           "parsed",
                                                           "passing",
                                                           "prompt_template",
                                                           "random",
                                                           "ratio_reward",
                                                           "ref_answer",
                                                           "reference",
                                                           "reference_text",
                                                           "response",
                                                           "rng",
                                                           "scorer",
                                                           "seed",
                                                           "self",
                                                           "share_reward"};

constexpr auto kTagNames = [] {
  std::array<std::string_view, kTags.size()> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = kTags[i].name;
  return names;
}();

bool is_alphabetic(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }

// Appends the words of a text in lower case, each followed by a space; camelCase and snake_case
// come apart.
void append_words(std::string& words, std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (!is_alphabetic(c)) {
      if (!words.ends_with(' ')) words += ' ';
      continue;
    }
    const bool ends_acronym = i > 0 && is_capital(text[i - 1]) && i + 1 < text.size() &&
                              is_alphabetic(text[i + 1]) && !is_capital(text[i + 1]);
    const bool begins_word = i > 0 && is_alphabetic(text[i - 1]) && is_capital(c) &&
                             (!is_capital(text[i - 1]) || ends_acronym);
    if (begins_word) words += ' ';
    words += ascii_lower(c);
  }
  if (!words.ends_with(' ')) words += ' ';
}

// Calls wanted(part) for the parts of a list until one is true.
template <typename Wanted>
bool any_part(std::string_view list, char separator, Wanted&& wanted) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(separator), list.size());
    if (wanted(list.substr(0, end))) return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

bool is_interface_name(std::string_view name) {
  return std::ranges::binary_search(kInterfaceNames, name);
}

// Whether a line begins the method that reads answers, whose words (tokens, rows, parts) are about
// the answer's text and not about the task.
bool opens_process(const PythonLine& line) {
  const auto is = [&](std::size_t place, std::string_view text) {
    return line.tokens.size() > place && line.tokens[place].text == text;
  };
  return is(0, "def") && is(1, "_process");
}

bool has_word(const std::string& words, std::string_view word) {
  std::string wanted = " " + std::string(word) + " ";
  if (word.ends_with('*')) wanted.resize(wanted.size() - 2);
  return words.find(wanted) != std::string::npos;
}

}  // namespace

std::span<const std::string_view> tag_names() { return kTagNames; }

TagVector find_tags(std::string_view source, std::string_view prompt) {
  std::string words = " ";
  append_words(words, prompt);
  std::set<std::string_view> operators;
  std::optional<std::size_t> process_indent;  // while within the body of _process
  for (const PythonLine& line : python_lines(source)) {
    if (process_indent && line.indent > *process_indent) continue;
    process_indent = opens_process(line) ? std::optional(line.indent) : std::nullopt;
    if (process_indent) continue;
    for (const PythonToken& token : line.tokens) {
      if (token.kind == PythonTokenKind::kName && !is_interface_name(token.text))
        append_words(words, token.text);
      if (token.kind == PythonTokenKind::kOperator) operators.insert(token.text);
    }
  }
  TagVector tags;
  for (const Tag& tag : kTags) {
    tags.push_back(
        any_part(tag.words, '|', [&](std::string_view word) { return has_word(words, word); }) ||
        any_part(tag.operators, ' ', [&](std::string_view op) { return operators.contains(op); }));
  }
  return tags;
}

std::vector<std::string> names_of_tags(const TagVector& tags) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(tags.size(), kTags.size()); ++i) {
    if (tags[i]) names.emplace_back(kTags[i].name);
  }
  return names;
}

double jaccard(const TagVector& a, const TagVector& b) {
  int common = 0, either = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    common += a[i] && b[i] ? 1 : 0;
    either += a[i] || b[i] ? 1 : 0;
  }
  return either == 0 ? 1 : static_cast<double>(common) / either;
}

bool TagClusters::offer(const TagVector& tags) {
  const bool is_new = std::all_of(all_.begin(), all_.end(), [&](const TagVector& cluster) {
    return jaccard(tags, cluster) < threshold_;
  });
  if (is_new) all_.push_back(tags);
  return is_new;
}

Json TagClusters::state() const {
  Json list = Json::array();
  for (const TagVector& cluster : all_) list.push_back(redqueen::to_json(names_of_tags(cluster)));
  return list;
}

Status TagClusters::restore(const Json& state) {
  if (!state.is_array()) return failure("the state of the clusters is no list");
  std::vector<TagVector> all;
  for (const Json& names : state) {
    if (!names.is_array()) return failure("the state of the clusters: a cluster is no list");
    TagVector tags(kTags.size());
    for (const Json& name : names) {
      const auto found =
          std::find_if(kTagNames.begin(), kTagNames.end(), [&](std::string_view known) {
            return name.is_string() && name.get_ref<const std::string&>() == known;
          });
      if (found == kTagNames.end()) {
        return failure("the state of the clusters: {} is no tag", dump_json(name));
      }
      tags[found - kTagNames.begin()] = true;
    }
    all.push_back(std::move(tags));
  }
  all_ = std::move(all);
  return {};
}

void TagWindows::add(std::int64_t step, const TagVector& tags) {
  Window& window = windows_[step / steps_ * steps_];
  window.counts.resize(kTags.size());
  ++window.environments;
  for (std::size_t i = 0; i < std::min(tags.size(), kTags.size()); ++i) {
    window.counts[i] += tags[i] ? 1 : 0;
  }
}

}  // namespace redqueen::synth
