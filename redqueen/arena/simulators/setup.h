// Installs the Python packages that environments need into a virtual environment, with the versions
// of a profile, and says per environment what is there and what is missing.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "redqueen/arena/environments/requirements.h"
#include "redqueen/arena/simulators/simulator_check.h"
#include "redqueen/base/error.h"

namespace redqueen::arena {

struct SetupPlan {
  std::string profile = "paper";
  std::vector<std::string> environments;  // ids; empty: all that need packages
  std::filesystem::path folder;    // of the virtual environment; empty: default_setup_folder()
  std::string python = "python3";  // that the virtual environment is made with
  std::filesystem::path wheels;    // a folder of wheels instead of an index; empty: none
  std::string index;               // URL of an index; empty: pip's own
};

struct SetupState {
  std::string environment;
  std::vector<Requirement> there;    // in the version of the profile
  std::vector<Requirement> missing;  // absent, or there in another version
  std::string reason;                // of what is missing; empty: nobody tried

  [[nodiscard]] bool complete() const { return missing.empty(); }
};

// The folder that the plan means. A usage error: it names none and there is no HOME.
Expected<std::filesystem::path> folder_of(const SetupPlan& plan);

// Returns the installed state; reads names of folders and starts nothing. A usage error: an
// environment that is not known, no such profile.
Expected<std::vector<SetupState>> look_at_setup(const SetupPlan& plan);

// Installs what look_at_setup() finds missing, wheels only, and looks again; where nothing is
// missing it starts nothing. A setup that was killed is begun anew. A usage error besides: the
// folder holds something else. A failure: no Python, no venv, a second setup of the same folder.
// A package that pip does not get is no failure of the call: the state says why. pip's words are in
// FOLDER/setup.log.
Expected<std::vector<SetupState>> set_up(const SetupPlan& plan);

// Plays an episode of an environment twice, with what the setup installed (simulator_check.h): a
// package may be there and lack another one that nobody named.
Expected<SimulatorCheck> play_after_setup(const SetupPlan& plan, const std::string& environment);

}  // namespace redqueen::arena
