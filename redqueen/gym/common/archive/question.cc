#include "redqueen/gym/common/archive/question.h"

#include <algorithm>
#include <array>

#include "redqueen/gym/common/parameter/within.h"
#include "redqueen/gym/common/worlds/words.h"

namespace redqueen {
namespace {

constexpr std::size_t kLongestPath = 8;

// What is counted of those that lead by a relation to something.
struct Count {
  std::string_view relation;
  std::string_view question;
};
constexpr std::array kCounts{
    Count{"birthplace", "How many people were born in {}?"},
    Count{"teacher", "How many people had {} as their teacher?"},
    Count{"school", "How many people attended {}?"},
    Count{"region", "How many cities lie in {}?"},
    Count{"mayor", "How many cities had {} as their first mayor?"},
    Count{"founder", "How many schools were founded by {}?"},
    Count{"seat", "How many schools have their seat in {}?"},
    Count{"author", "How many novels are by {}?"},
    Count{"setting", "How many novels have {} as their setting?"},
};

const Count* find_count(std::string_view relation) {
  const auto found = std::ranges::find(kCounts, relation, &Count::relation);
  return found == kCounts.end() ? nullptr : &*found;
}

// "the birthplace of the author of the novel The Silent Mill"
std::string path_text(const Archive& archive, const ArchivePath& path) {
  const ArchiveKind kind = *find_archive_kind(path.kind);
  std::string text = name_of(archive, {kind, path.start});
  if (kind != ArchiveKind::kPerson && kind != ArchiveKind::kSchool) {
    text = fmt::format("the {} {}", kind_name(kind), text);
  }
  for (const std::string& relation : path.relations) {
    text = fmt::format("{} {}", find_archive_relation(relation)->phrase, text);
  }
  return text;
}

ArchiveKind end_kind(const ArchivePath& path) {
  return path.relations.empty() ? *find_archive_kind(path.kind)
                                : find_archive_relation(path.relations.back())->to;
}

// The end of a path; nullopt: untold.
std::optional<ArchiveEntry> end_of(const Archive& archive, const ArchivePath& path) {
  const auto entries = follow(archive, path);
  return entries.size() == path.relations.size() + 1 ? std::optional(entries.back()) : std::nullopt;
}

Status check_path(const Archive& archive, const ArchivePath& path) {
  const auto kind = find_archive_kind(path.kind);
  if (!kind) return failure("\"question\": there is no kind \"{}\"", quotable(path.kind));
  RETURN_IF_ERROR(within("question", path.start, 0, count_of(archive, *kind) - 1));
  RETURN_IF_ERROR(within("question", std::ssize(path.relations), 0, kLongestPath));
  ArchiveKind at = *kind;
  for (const std::string& name : path.relations) {
    const ArchiveRelation* relation = find_archive_relation(name);
    if (relation == nullptr || relation->from != at) {
      return failure("\"question\": no relation \"{}\" leads from a {}", quotable(name),
                     kind_name(at));
    }
    at = relation->to;
  }
  return {};
}

Status check_earlier(const Archive& archive, const ArchiveQuestion& question) {
  const auto& [first, second] = std::tie(question.paths[0], question.paths[1]);
  if (end_kind(first) != end_kind(second)) {
    return failure("\"question\": two of one kind are compared");
  }
  const auto a = end_of(archive, first);
  const auto b = end_of(archive, second);
  if (!a || !b || year_of(archive, *a) == 0 || year_of(archive, *b) == 0) return {};
  if (year_of(archive, *a) == year_of(archive, *b)) {
    return failure("\"question\": neither of the two is the earlier one");
  }
  return {};
}

// A walk of so many relations from an entry, which comes to no entry twice.
std::optional<ArchivePath> draw_path(const Archive& archive, ArchiveEntry start, int length,
                                     Rng& rng) {
  ArchivePath path{.kind = std::string(kind_name(start.kind)), .start = start.index};
  std::vector<ArchiveEntry> seen{start};
  for (int i = 0; i < length; ++i) {
    std::vector<std::pair<const ArchiveRelation*, ArchiveEntry>> ways;
    for (const ArchiveRelation& relation : archive_relations()) {
      if (relation.from != seen.back().kind) continue;
      const ArchiveEntry next{relation.to, relation.follow(archive, seen.back().index)};
      if (next.index >= 0 && std::ranges::find(seen, next) == seen.end()) {
        ways.emplace_back(&relation, next);
      }
    }
    if (ways.empty()) return std::nullopt;
    const auto& [relation, next] = rng.choice(ways);
    path.relations.emplace_back(relation->name);
    seen.push_back(next);
  }
  return path;
}

ArchiveEntry draw_entry(const Archive& archive, Rng& rng) {
  // Kinds first: there are few regions and many people.
  const auto kind = static_cast<ArchiveKind>(rng.below(kArchiveKinds));
  const auto count = static_cast<std::uint64_t>(count_of(archive, kind));
  return {kind, static_cast<int>(rng.below(count))};
}

}  // namespace

std::vector<ArchiveEntry> follow(const Archive& archive, const ArchivePath& path) {
  std::vector<ArchiveEntry> entries{{*find_archive_kind(path.kind), path.start}};
  for (const std::string& name : path.relations) {
    const ArchiveRelation& relation = *find_archive_relation(name);
    const int next = relation.follow(archive, entries.back().index);
    if (next < 0) break;
    entries.push_back({relation.to, next});
  }
  return entries;
}

std::vector<ArchiveEntry> leading_to(const Archive& archive, const ArchiveRelation& relation,
                                     ArchiveEntry entry) {
  std::vector<ArchiveEntry> entries;
  for (int i = 0; i < count_of(archive, relation.from); ++i) {
    if (relation.follow(archive, i) == entry.index) entries.push_back({relation.from, i});
  }
  return entries;
}

std::string question_text(const Archive& archive, const ArchiveQuestion& question) {
  const std::string first = path_text(archive, question.paths[0]);
  const ArchiveKind kind = end_kind(question.paths[0]);
  const bool person = kind == ArchiveKind::kPerson;
  if (question.form == "entry") return fmt::format("{} is {}?", person ? "Who" : "What", first);
  if (question.form == "year") {
    return fmt::format("In which year was {} {}?", first, year_word(kind));
  }
  if (question.form == "earlier") {
    return fmt::format("{} was {} earlier: {}, or {}?", person ? "Who" : "Which", year_word(kind),
                       first, path_text(archive, question.paths[1]));
  }
  return fmt::format(fmt::runtime(find_count(question.counted)->question), first);
}

std::string question_answer(const Archive& archive, const ArchiveQuestion& question) {
  std::vector<ArchiveEntry> ends;
  for (const ArchivePath& path : question.paths) {
    const auto end = end_of(archive, path);
    if (!end) return std::string(kUntold);
    ends.push_back(*end);
  }
  if (question.form == "entry") return name_of(archive, ends[0]);
  if (question.form == "count") {
    const ArchiveRelation& relation = *find_archive_relation(question.counted);
    return fmt::format("{}", leading_to(archive, relation, ends[0]).size());
  }
  const int year = year_of(archive, ends[0]);
  if (question.form == "year") return year == 0 ? std::string(kUntold) : fmt::format("{}", year);
  const int other = year_of(archive, ends[1]);
  if (year == 0 || other == 0) return std::string(kUntold);
  return name_of(archive, year < other ? ends[0] : ends[1]);
}

Status check_question(const Archive& archive, const ArchiveQuestion& question) {
  constexpr std::array<std::string_view, 4> kForms{"entry", "year", "earlier", "count"};
  if (std::ranges::find(kForms, question.form) == kForms.end()) {
    return failure("\"question\": there is no form \"{}\"; there are {}", quotable(question.form),
                   fmt::join(kForms, ", "));
  }
  const bool two = question.form == "earlier";
  if (question.paths.size() != (two ? 2u : 1u)) {
    return failure("\"question\": {} has {}", question.form, two ? "two paths" : "one path");
  }
  for (const ArchivePath& path : question.paths) RETURN_IF_ERROR(check_path(archive, path));
  const ArchivePath& path = question.paths[0];
  if (question.form == "entry" && path.relations.empty()) {
    return failure("\"question\": its path leads nowhere");
  }
  if ((two || question.form == "year") && year_word(end_kind(path)).empty()) {
    return failure("\"question\": a region has no year");
  }
  if (two) return check_earlier(archive, question);
  if (question.form != "count") return {};
  const ArchiveRelation* relation = find_archive_relation(question.counted);
  if (relation == nullptr || find_count(question.counted) == nullptr ||
      relation->to != end_kind(path)) {
    return failure("\"question\": nothing is counted by \"{}\"", quotable(question.counted));
  }
  return {};
}

std::optional<ArchiveQuestion> draw_question(const Archive& archive, std::string_view form,
                                             int hops, Rng& rng) {
  constexpr int kMostCounted = 6;
  ArchiveQuestion question{.form = std::string(form)};
  // The year, or the counting, is a fact as well.
  const int last = form == "entry" ? 0 : 1;
  const int first_hops = form == "earlier" ? hops / 2 : hops;
  const auto path = draw_path(archive, draw_entry(archive, rng), first_hops - last, rng);
  if (!path) return std::nullopt;
  question.paths.push_back(*path);
  if (form == "earlier") {
    const auto other = draw_path(archive, draw_entry(archive, rng), hops - first_hops - 1, rng);
    if (!other || end_of(archive, *other) == end_of(archive, *path)) return std::nullopt;
    question.paths.push_back(*other);
  }
  if (form == "count") {
    std::vector<std::string> counted;
    for (const Count& count : kCounts) {
      const ArchiveRelation& relation = *find_archive_relation(count.relation);
      if (relation.to != end_kind(*path)) continue;
      const auto found = leading_to(archive, relation, *end_of(archive, *path));
      if (!found.empty() && found.size() <= kMostCounted) counted.emplace_back(count.relation);
    }
    if (counted.empty()) return std::nullopt;
    question.counted = rng.choice(counted);
  }
  if (!check_question(archive, question)) return std::nullopt;
  if (question_answer(archive, question) == kUntold) return std::nullopt;
  return question;
}

void make_unanswerable(Archive& archive, const ArchiveQuestion& question, Rng& rng) {
  const ArchivePath& path = question.paths[0];
  const auto entries = follow(archive, path);
  const bool year = question.form == "year";
  const auto fact = rng.below(path.relations.size() + (year ? 1 : 0));
  if (fact == path.relations.size()) {
    forget_year(archive, entries[fact]);
  } else {
    find_archive_relation(path.relations[fact])->forget(archive, entries[fact].index);
  }
}

}  // namespace redqueen
