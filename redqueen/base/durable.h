// Replaces files and folders atomically: whoever looks finds the old one or the new one, whole, at
// any moment and after any crash.
//
// The new one is written beside its place and put there in one system call. While it is written,
// and while the old one is being removed, it has the name of a leftover,
//
//   .NAME.draft-OWNER    the new NAME, or an old one that is being removed
//   .NAME.former-OWNER   the old NAME, stepped aside (see replace_folder())
//
// where OWNER is the process: its id, its start time and a number. A process that is killed
// leaves at most such names behind; sweep_leftovers() clears them.
//
// The functions may be called from several threads and processes, for one path as well: the last
// one wins.
#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

#include "redqueen/base/error.h"

namespace redqueen {

// The events that a finished replacement survives. Both kinds are atomic.
enum class Survives {
  kPowerLoss,     // everything is synced: the data, then the name in its folder
  kProcessDeath,  // nothing is synced: for what can be made again
};

// Makes `content` what the file holds. A symbolic link is replaced, not followed. Its folder must
// be there.
Status replace_file(const std::filesystem::path& path, std::string_view content,
                    Survives survives = Survives::kPowerLoss);

// Calls write(DRAFT) with a new, empty folder and puts it in the place of `path`, which may be
// there or not. Makes the folders above it, and sweeps the leftovers of the same name. Returns the
// error of `write`, if it fails, and leaves the old folder then. Fails where `path` is no folder.
//
// The folders change places in one step (renameat2 with RENAME_EXCHANGE). A file system that cannot
// do that, NFS for one, takes two: the old folder steps aside, the new one takes its place. Only
// for a process that is killed in between there is no `path`; sweep_leftovers() puts the old
// folder back.
Status replace_folder(const std::filesystem::path& path,
                      const std::function<Status(const std::filesystem::path& draft)>& write,
                      Survives survives = Survives::kPowerLoss);

// Removes a folder with all that it holds, if it is there. A process that is killed leaves it whole
// or under the name of a leftover.
Status remove_folder(const std::filesystem::path& path);

// Says whether a file's name is that of a leftover, which whoever lists a folder should pass over.
bool is_leftover(std::string_view name);

// Removes the leftovers that lie in `folder`, also those that earlier versions named otherwise
// (NAME.new-PID, NAME.old-PID, .unfinished-NAME, .NAME.partial, .NAME.draft, .NAME.former); if
// NAME is not there, its former self is put back. The leftovers of processes that are alive stay.
// Call it where only this process writes: a process in another container or on another machine
// counts as dead, and earlier versions put no process into some names. Succeeds where there is no
// such folder.
Status sweep_leftovers(const std::filesystem::path& folder);

}  // namespace redqueen
