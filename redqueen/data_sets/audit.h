// Audits a data set: whether the right answer earns each row.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/base/enum_names.h"
#include "redqueen/base/error.h"
#include "redqueen/data_sets/rows.h"
#include "redqueen/sandbox/sandbox_service.h"

namespace redqueen::data_sets {

enum class RowFaultKind {
  kUnread,     // no row of a known form, or one that no answer could meet
  kAnswer,     // its own answer earns less than the full reward
  kRewriting,  // another way of writing its answer does
  kReference,  // its own program fails its tests
  kDuplicate,  // an earlier row has the same prompt and answer
  kConflict,   // an earlier row has the same prompt and another answer
  kInside,     // its tests run in the program's own process, where a program can forge them
};
inline constexpr auto kRowFaultNames =
    enum_names<RowFaultKind>({{"unread", RowFaultKind::kUnread},
                              {"answer", RowFaultKind::kAnswer},
                              {"rewriting", RowFaultKind::kRewriting},
                              {"reference", RowFaultKind::kReference},
                              {"duplicate", RowFaultKind::kDuplicate},
                              {"conflict", RowFaultKind::kConflict},
                              {"inside", RowFaultKind::kInside}});

// True if a right answer does not earn such a row; the other kinds are remarks.
constexpr bool is_unsound(RowFaultKind kind) { return kind <= RowFaultKind::kReference; }

struct RowFault {
  std::size_t line = 0;  // of the file, from 1
  std::string id;        // the row's; may be empty
  RowFaultKind kind = RowFaultKind::kUnread;
  std::string reason;
  bool operator==(const RowFault&) const = default;
};

struct Audit {
  std::size_t rows = 0;
  std::size_t audited = 0;   // of them
  std::size_t earned = 0;    // of those audited: the right answer earns them
  std::size_t untested = 0;  // of those earned: programs without a reference, so nothing was run
  std::vector<RowFault> faults;  // by line
};

struct AuditOptions {
  // Audits so many rows at most, evenly spread over the file; 0: all. Duplicates are told of all.
  std::size_t most_rows = 0;
  std::function<void(std::size_t done, std::size_t all)> progress = {};
};

// Scores each row's answer and its rewritings (rewritings.h), runs each row's program against its
// tests, and looks for rows that come twice. Fails where rows need a sandbox that does not start.
Expected<Audit> audit_rows(const std::vector<ReadRow>& rows,
                           const std::shared_ptr<sandbox::SandboxService>& sandbox,
                           const AuditOptions& options = {});

// The audit of a file with this text, from `cache` where it is already there; else it is made, and
// written there. An empty folder: no cache. A cache that cannot be read or written does not matter.
Expected<Audit> cached_audit(std::string_view text, const std::vector<ReadRow>& rows,
                             const std::shared_ptr<sandbox::SandboxService>& sandbox,
                             const AuditOptions& options, const std::filesystem::path& cache);

// $XDG_CACHE_HOME/redqueen/audits, or that below ~/.cache; empty: neither is known.
std::filesystem::path audit_cache_folder();

Json to_json(const Audit& audit);
Expected<Audit> audit_from_json(const Json& json);

// "line 12 (q7): its own answer earns −1".
std::string to_string(const RowFault& fault);

// "498 of 500 rows (99.6 %) are earned by the right answer", and what else there is to say.
std::string summary(const Audit& audit);

}  // namespace redqueen::data_sets
