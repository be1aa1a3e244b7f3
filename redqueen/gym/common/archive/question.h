// Questions about an archive whose answers take several documents.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "redqueen/gym/common/archive/archive.h"

namespace redqueen {

// From an entry along relations: {"novel", 3, {"author", "birthplace"}} is the birthplace of the
// author of the fourth novel.
struct ArchivePath {
  std::string kind;
  int start = 0;
  std::vector<std::string> relations;
  REDQUEEN_FIELDS(kind, start, relations)
};

// The forms of questions:
//
//   entry     what lies at the end of the path
//   year      its year
//   earlier   which of the ends of two paths has the earlier year
//   count     how many entries lead by the relation `counted` to the end of the path
struct ArchiveQuestion {
  std::string form;
  std::vector<ArchivePath> paths;
  std::string counted;  // of count; of others ""
  REDQUEEN_FIELDS(form, paths, counted)
};

// The answer to a question whose facts the documents do not tell.
inline constexpr std::string_view kUntold = "unknown";

// The entries from the start of a path on, up to where a fact is untold. Complete if there is one
// more of them than relations.
std::vector<ArchiveEntry> follow(const Archive& archive, const ArchivePath& path);

std::string question_text(const Archive& archive, const ArchiveQuestion& question);
std::string question_answer(const Archive& archive, const ArchiveQuestion& question);

// The entries that lead by a relation to an entry.
std::vector<ArchiveEntry> leading_to(const Archive& archive, const ArchiveRelation& relation,
                                     ArchiveEntry entry);

// An error that names the key unless relations fit together, and an answer is one and only one.
Status check_question(const Archive& archive, const ArchiveQuestion& question);

// A question of a form that takes so many facts, or nullopt if this walk found none. hops ≥ 2.
// Answers are told; the one of count lies in 1..6.
std::optional<ArchiveQuestion> draw_question(const Archive& archive, std::string_view form,
                                             int hops, Rng& rng);

// Makes one fact on the way untold, so that the answer is kUntold. Of entry and year alone.
void make_unanswerable(Archive& archive, const ArchiveQuestion& question, Rng& rng);

}  // namespace redqueen
