#include <algorithm>
#include <array>
#include <bit>
#include <map>

#include "redqueen/base/ascii.h"
#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/redraw.h"
#include "redqueen/gym/common/parameter/reference.h"

namespace redqueen {
namespace {

struct KnightsAndKnaves {
  static constexpr Card card{
      .name = "KnightsAndKnaves",
      .published = true,
      .family = Family::kPuzzles,
      .answer = AnswerKind::kString,
      .scoring = Scoring::kElementWise,
      .task =
          "Find out who of several people always tells the truth and who always lies, from one "
          "statement of each.",
      .levels =
          "From 3 people, one more a level. Beyond level 17 trying all roles would take too long.",
      .rewards = "-1 a role is missing or named twice, else (roles that are right / N)^10.",
      .differences =
          "There are people of both kinds, nobody's statement is about one person twice, and the "
          "statements all have the same simple frame. Names of the answer are read as whole words.",
      .small_answer_space = "Three people at level 0 have six combinations of both roles.",
      .guess_until_level = 0,
      .source = "R. Smullyan, What Is the Name of This Book?, 1978.",
      .version = 2,
      .max_level = 17,
  };

  static constexpr int kLeastPeople = 2;
  static constexpr int kMaxPeople = 22;  // all 2^22 combinations can be tried
  static constexpr std::size_t kMaxText = 100'000;
  static constexpr double kBeta = 10.0;
  static constexpr std::array<std::string_view, 30> kNames{
      "Ada",   "Boris", "Clara", "Dmitri", "Esther", "Felix",  "Greta",  "Hugo",
      "Irene", "Jonas", "Karin", "Leon",   "Marta",  "Nils",   "Olga",   "Pavel",
      "Rosa",  "Simon", "Tilda", "Ulrich", "Vera",   "Walter", "Yvonne", "Zoltan",
      "Bruno", "Celia", "Edgar", "Frida",  "Gustav", "Hanna"};

  struct Config {
    int N = 0;
    int depth_constraint = 2;
    int width_constraint = 2;
    REDQUEEN_FIELDS(N, depth_constraint, width_constraint)
  };
  struct Problem {
    int N = 0;
    std::vector<std::string> names;
    std::string quiz;
    std::map<std::string, std::string> gold_answer;  // "knight" or "knave", by name
    REDQUEEN_FIELDS(N, names, quiz, gold_answer)
  };
  using Answer = std::vector<std::int64_t>;  // 1 for a knight, 0 for a knave, in the names' order

  static Config at_level(int level, Rng&) { return {.N = 3 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    return first_of_use([&]() -> std::optional<Problem> {
      std::vector<std::string> names = draw_names(config.N, rng);
      const std::uint64_t everybody = (std::uint64_t{1} << config.N) - 1;
      const auto knights =
          static_cast<std::uint64_t>(rng.integer(1, static_cast<std::int64_t>(everybody) - 1));
      std::vector<Statement> statements;
      for (int person = 0; person < config.N; ++person) {
        const bool truth = (knights >> person & 1) != 0;
        do {
          statements.resize(person);
          statements.push_back(draw_statement(config.N, person, rng));
        } while (holds(statements.back(), knights) != truth);
      }
      if (consistent_roles(statements).size() != 1) return std::nullopt;
      return with_names(std::move(names), statements, knights);
    });
  }

  // Statements of everybody are drawn at random until exactly one assignment of roles fits. A
  // statement is a claim, the negation of one, or joins two different ones, which may be about the
  // same person or the speaker; nobody claims to be a knave.
  static Problem published(const Config& config, Rng& rng) {
    return first_of_use([&]() -> std::optional<Problem> {
      std::vector<Statement> statements;
      for (int person = 0; person < config.N; ++person) {
        statements.push_back(draw_published_statement(config.N, person, rng));
      }
      const std::vector<std::uint64_t> roles = consistent_roles(statements);
      if (roles.size() != 1) return std::nullopt;
      return with_names(draw_names(config.N, rng), statements, roles[0]);
    });
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, kLeastPeople, kMaxPeople));
    if (std::ssize(problem.names) != problem.N) {
      return failure("\"names\": expected {} names, found {}", problem.N, problem.names.size());
    }
    for (const std::string& name : problem.names) {
      const bool is_word = std::ranges::all_of(name, [](char c) { return is_letter(c); });
      if (name.empty() || name.size() > 50 || !is_word ||
          std::ranges::count(problem.names, name) != 1) {
        return failure("\"names\": expected different words of letters");
      }
    }
    if (problem.quiz.size() > kMaxText) {
      return failure("\"quiz\": more than {} bytes", kMaxText);
    }
    const auto statements = read_statements(problem);
    if (!statements) {
      return failure("\"quiz\": expected the {} names, and then a statement of each", problem.N);
    }
    const std::vector<std::uint64_t> roles = consistent_roles(*statements);
    if (roles.size() != 1) return failure("\"quiz\": it has not exactly one solution");
    std::map<std::string, std::string> right;
    for (int person = 0; person < problem.N; ++person) {
      right[problem.names[person]] = role((roles[0] >> person & 1) != 0);
    }
    return reference_is("gold_answer", problem.gold_answer, right);
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "{}\n"
        "Everybody is either a knight or a knave. What a knight says is true, and what a knave "
        "says is false, taken as a whole. \"p or q\" is also true if both are; \"if p then q\" is "
        "false only if p is true and q is false; \"p if and only if q\" is true if both are true "
        "or both are false. There is exactly one solution.\n"
        "Answer with one line that names everybody's role once, and uses the words knight and "
        "knave for nothing else, in this form: {} is a ..., {} is a ..., and so on, with knight or "
        "knave in place of the dots.",
        problem.quiz, problem.names[0], problem.names[1]);
  }

  static std::optional<Answer> parse(const Problem& problem, std::string_view text) {
    const std::string lower = ascii_lower(text);
    std::int64_t mentions = 0;
    for (std::size_t i = 0; i + 5 <= lower.size(); ++i) {
      const std::string_view rest = std::string_view(lower).substr(i);
      mentions += rest.starts_with("knight") || rest.starts_with("knave");
    }
    if (mentions != problem.N) return std::nullopt;
    Answer answer(problem.names.size(), -1);
    const std::vector<std::string_view> words = split_words(lower);
    for (std::size_t i = 0; i + 3 < words.size(); ++i) {
      const bool knight = words[i + 3].starts_with("knight");
      if (words[i + 1] != "is" || words[i + 2] != "a") continue;
      if (!knight && !words[i + 3].starts_with("knave")) continue;
      const std::string_view name = last_letters(words[i]);
      for (int person = 0; person < problem.N; ++person) {
        if (answer[person] < 0 && same_but_for_case(name, problem.names[person])) {
          answer[person] = knight ? 1 : 0;
        }
      }
    }
    if (std::ranges::find(answer, -1) != answer.end()) return std::nullopt;
    return answer;
  }

  static std::string format(const Problem& problem, const Answer& answer) {
    std::string text;
    for (int person = 0; person < problem.N; ++person) {
      text += fmt::format("{}{} is a {}", person == 0 ? "" : ", ", problem.names[person],
                          role(answer[person] != 0));
    }
    return text;
  }

  static double score(const Problem& problem, const Answer& answer) {
    std::int64_t matches = 0;
    for (int person = 0; person < problem.N; ++person) {
      matches += problem.gold_answer.at(problem.names[person]) == role(answer[person] != 0);
    }
    return share_reward(matches, problem.N, kBeta);
  }

  static Answer solve(const Problem& problem) {
    Answer answer;
    for (const std::string& name : problem.names) {
      answer.push_back(problem.gold_answer.at(name) == "knight" ? 1 : 0);
    }
    return answer;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return draw_numbers(problem.N, 0, 1, rng);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    Answer called(problem.names.size(), 0);   // times called a knight, less times called a knave
    Answer sincere(problem.names.size(), 0);  // as one would answer who believes single parts
    const auto statements = read_statements(problem);
    for (std::size_t person = 0; person < statements->size(); ++person) {
      const Statement& statement = (*statements)[person];
      called[statement.first.person] += statement.first.knight ? 1 : -1;
      if (statement.kind != Kind::kSingle) {
        called[statement.second.person] += statement.second.knight ? 1 : -1;
      }
      sincere[person] = statement.first.knight ? 1 : 0;
    }
    for (std::int64_t& role : called) role = role >= 0 ? 1 : 0;
    return {{"knights only", format(problem, Answer(problem.names.size(), 1))},
            {"knaves only", format(problem, Answer(problem.names.size(), 0))},
            {"what people are called more often", format(problem, called)},
            {"who first calls somebody a knight is one", format(problem, sincere)}};
  }

 private:
  enum class Kind { kSingle, kAnd, kOr, kImplies, kEquivalent };
  struct Claim {
    int person = 0;
    bool knight = false;
    bool negated = false;  // worded as "is not a", with the other role
  };
  struct Statement {
    Kind kind = Kind::kSingle;
    Claim first;
    Claim second;  // not of kSingle
  };

  static std::string_view role(bool knight) { return knight ? "knight" : "knave"; }

  static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

  static std::string_view last_letters(std::string_view word) {
    std::size_t begin = word.size();
    while (begin > 0 && is_letter(word[begin - 1])) --begin;
    return word.substr(begin);
  }

  // In any machine words: bit-wise of 64 combinations of roles at once, or of one.
  static std::uint64_t truth(Kind kind, std::uint64_t p, std::uint64_t q) {
    switch (kind) {
      case Kind::kAnd:
        return p & q;
      case Kind::kOr:
        return p | q;
      case Kind::kImplies:
        return ~p | q;
      case Kind::kEquivalent:
        return ~(p ^ q);
      case Kind::kSingle:
        break;
    }
    return p;
  }

  static bool holds(const Statement& statement, std::uint64_t knights) {
    const auto is_true = [&](const Claim& claim) -> std::uint64_t {
      return ((knights >> claim.person & 1) != 0) == claim.knight ? 1 : 0;
    };
    return (truth(statement.kind, is_true(statement.first), is_true(statement.second)) & 1) != 0;
  }

  // All sets of knights, up to two, for which exactly the knights' statements are true.
  static std::vector<std::uint64_t> consistent_roles(const std::vector<Statement>& statements) {
    constexpr std::array<std::uint64_t, 6> kLow{0xAAAAAAAAAAAAAAAA, 0xCCCCCCCCCCCCCCCC,
                                                0xF0F0F0F0F0F0F0F0, 0xFF00FF00FF00FF00,
                                                0xFFFF0000FFFF0000, 0xFFFFFFFF00000000};
    const auto n = static_cast<int>(statements.size());
    const std::uint64_t in_block =
        n < 6 ? (std::uint64_t{1} << (std::uint64_t{1} << n)) - 1 : ~std::uint64_t{0};
    std::vector<std::uint64_t> found;
    for (std::uint64_t block = 0; block < (n < 6 ? 1 : std::uint64_t{1} << (n - 6)); ++block) {
      const auto knight = [&](int person) {
        if (person < 6) return kLow[person];
        return (block >> (person - 6) & 1) != 0 ? ~std::uint64_t{0} : std::uint64_t{0};
      };
      const auto claim = [&](const Claim& c) {
        return c.knight ? knight(c.person) : ~knight(c.person);
      };
      std::uint64_t left = in_block;
      for (int person = 0; person < n && left != 0; ++person) {
        const Statement& s = statements[person];
        left &= ~(knight(person) ^ truth(s.kind, claim(s.first), claim(s.second)));
      }
      for (; left != 0; left &= left - 1) {
        found.push_back(block << 6 | static_cast<std::uint64_t>(std::countr_zero(left)));
        if (found.size() == 2) return found;
      }
    }
    return found;
  }

  static std::vector<std::string> draw_names(int people, Rng& rng) {
    std::vector<std::string> names;
    for (const std::int64_t name : rng.sample(0, std::ssize(kNames) - 1, people)) {
      names.emplace_back(kNames[name]);
    }
    return names;
  }

  static Problem with_names(std::vector<std::string> names,
                            const std::vector<Statement>& statements, std::uint64_t knights) {
    Problem problem{.N = static_cast<int>(names.size()),
                    .names = std::move(names),
                    .quiz = {},
                    .gold_answer = {}};
    problem.quiz = fmt::format(
        "On an island live knights, who always tell the truth, and knaves, who always lie. You "
        "meet {} of its people: {}.",
        problem.N, fmt::join(problem.names, ", "));
    for (int person = 0; person < problem.N; ++person) {
      problem.quiz += fmt::format(" {} says: \"{}.\"", problem.names[person],
                                  wording(statements[person], problem.names));
    }
    problem.quiz += " Who is a knight, and who is a knave?";
    for (int person = 0; person < problem.N; ++person) {
      problem.gold_answer[problem.names[person]] = role((knights >> person & 1) != 0);
    }
    return problem;
  }

  static Statement draw_published_statement(int people, int speaker, Rng& rng) {
    const auto draw_claim = [&] {
      Claim claim;
      do {
        claim.knight = rng.chance(0.5);
        claim.person = static_cast<int>(rng.below(static_cast<std::uint64_t>(people)));
      } while (!claim.knight && claim.person == speaker);
      return claim;
    };
    const std::int64_t form = rng.integer(0, 5);
    Statement statement;
    statement.first = draw_claim();
    if (form == 0) return statement;
    if (form == 1) {
      statement.first.negated = true;
      statement.first.knight = !statement.first.knight;
      return statement;
    }
    constexpr std::array kKinds{Kind::kAnd, Kind::kOr, Kind::kImplies, Kind::kEquivalent};
    statement.kind = kKinds[form - 2];
    do {
      statement.second = draw_claim();
    } while (statement.second.person == statement.first.person &&
             statement.second.knight == statement.first.knight);
    return statement;
  }

  static Statement draw_statement(int people, int speaker, Rng& rng) {
    Statement statement;
    const std::int64_t form = rng.integer(0, 5);
    const auto draw_claim = [&](int other_than) {
      Claim claim;
      do {
        claim.person = static_cast<int>(rng.below(static_cast<std::uint64_t>(people)));
      } while (claim.person == other_than);
      claim.knight = rng.chance(0.5);
      return claim;
    };
    if (form < 2) {
      statement.first = draw_claim(speaker);
      statement.first.negated = form == 1;
      return statement;
    }
    constexpr std::array kKinds{Kind::kAnd, Kind::kOr, Kind::kImplies, Kind::kEquivalent};
    statement.kind = kKinds[form - 2];
    statement.first = draw_claim(-1);
    statement.second = draw_claim(statement.first.person);
    return statement;
  }

  static std::string wording(const Claim& claim, const std::vector<std::string>& names) {
    return fmt::format("{} is {}a {}", names[claim.person], claim.negated ? "not " : "",
                       role(claim.knight != claim.negated));
  }

  static std::string wording(const Statement& statement, const std::vector<std::string>& names) {
    const std::string first = wording(statement.first, names);
    const std::string second = wording(statement.second, names);
    switch (statement.kind) {
      case Kind::kAnd:
        return first + " and " + second;
      case Kind::kOr:
        return first + " or " + second;
      case Kind::kImplies:
        return "If " + first + " then " + second;
      case Kind::kEquivalent:
        return first + " if and only if " + second;
      case Kind::kSingle:
        break;
    }
    return first;
  }

  // Reads a quiz word by word, without punctuation: the names that are not in statements are first
  // those of the introduction, then one speaker for each statement, in the same order.
  class Reader {
   public:
    explicit Reader(const Problem& problem) : names_(problem.names) {
      for (std::string_view word : split_words(problem.quiz)) {
        while (!word.empty() && !is_letter(word.front())) word.remove_prefix(1);
        while (!word.empty() && !is_letter(word.back())) word.remove_suffix(1);
        words_.push_back(word);
      }
    }

    std::optional<std::vector<Statement>> read() {
      std::vector<int> mentioned;
      std::vector<Statement> in_order;
      while (at_ < words_.size()) {
        if (const auto statement = read_statement()) {
          in_order.push_back(*statement);
        } else {
          if (const int person = name(at_); person >= 0) mentioned.push_back(person);
          ++at_;
        }
      }
      const std::size_t n = names_.size();
      if (mentioned.size() != 2 * n || in_order.size() != n) return std::nullopt;
      std::vector<Statement> statements(n);
      std::vector<char> spoke(n, 0);
      for (std::size_t i = 0; i < n; ++i) {
        statements[mentioned[n + i]] = in_order[i];
        spoke[mentioned[n + i]] = 1;
      }
      if (std::ranges::find(spoke, 0) != spoke.end()) return std::nullopt;
      return statements;
    }

   private:
    // The person of this name, also in "Ann's words"; -1: no name.
    int name(std::size_t at) const {
      if (at >= words_.size()) return -1;
      std::string_view word = words_[at];
      if (word.ends_with("'s")) word.remove_suffix(2);
      const auto found = std::ranges::find(names_, word);
      return found == names_.end() ? -1 : static_cast<int>(found - names_.begin());
    }

    // Whether these words come next; reads them if so.
    bool skip(std::initializer_list<std::string_view> expected) {
      if (words_.size() - at_ < expected.size()) return false;
      const auto next = words_.begin() + static_cast<std::ptrdiff_t>(at_);
      if (!std::equal(expected.begin(), expected.end(), next)) return false;
      at_ += expected.size();
      return true;
    }

    std::optional<Claim> read_claim() {
      const std::size_t begin = at_;
      Claim claim{.person = name(at_)};
      if (claim.person >= 0) {
        ++at_;
        claim.negated = skip({"is", "not", "a"});
        if (claim.negated || skip({"is", "a"})) {
          const bool knight = skip({"knight"});
          if (knight || skip({"knave"})) {
            claim.knight = knight != claim.negated;
            return claim;
          }
        }
      }
      at_ = begin;
      return std::nullopt;
    }

    std::optional<Statement> read_statement() {
      const std::size_t begin = at_;
      const bool condition = skip({"If"}) || skip({"if"});
      const auto first = read_claim();
      if (!first) {
        at_ = begin;
        return std::nullopt;
      }
      Statement statement{.first = *first, .second = *first};
      const std::size_t middle = at_;
      if (condition) {
        statement.kind = Kind::kImplies;
        skip({"then"});
      } else if (skip({"and"})) {
        statement.kind = Kind::kAnd;
      } else if (skip({"or"})) {
        statement.kind = Kind::kOr;
      } else if (skip({"if", "and", "only", "if"})) {
        statement.kind = Kind::kEquivalent;
      } else {
        return statement;
      }
      if (const auto second = read_claim()) {
        statement.second = *second;
        return statement;
      }
      if (condition) {
        at_ = begin;
        return std::nullopt;
      }
      at_ = middle;
      statement.kind = Kind::kSingle;
      return statement;
    }

    const std::vector<std::string>& names_;
    std::vector<std::string_view> words_;
    std::size_t at_ = 0;
  };

  static std::optional<std::vector<Statement>> read_statements(const Problem& problem) {
    return Reader(problem).read();
  }
};
REDQUEEN_ENVIRONMENT(KnightsAndKnaves);

}  // namespace
}  // namespace redqueen
