#include "redqueen/arena/simulators/hosted_texts.h"

#include "redqueen/base/format.h"

namespace redqueen::arena {
namespace {

constexpr std::string_view kCarRacing =
    R"(Drive a car once around a track, seen from above. Every case has a track of its own, a closed loop of some 200 to 350 tiles; the
car starts at rest on the first one. 50 steps are a second.

Observation: an image, rows by columns by colour (red, green, blue), 0 to 255. The camera follows the car and turns with it: the car
drives upwards and stays near column 48, row 70; over the first second the camera moves in from far above. The road is grey, the grass
around it green. The rows from 84 on are a black panel: at the left the return so far, as digits, then bars for the true speed (white),
the speeds of the four wheels (blue and violet), the angle of the steering wheel (green) and the car's rate of turning (red).

Action: three numbers. [0] steering, -1 full left to 1 full right. [1] gas, 0 to 1. [2] brake, 0 to 1; from 0.9 on the wheels lock.
The car has rear-wheel drive: with much gas in a bend it spins.

Reward: -0.1 a step, and 1000 / N for every tile of the N that a wheel touches for the first time. A whole lap in 732 steps returns
1000 - 73.2 = 926.8.

End: terminated when 95 % of the tiles have been visited and the car comes to the first one again, or all have been visited.
Terminated with a reward of -100 in that step when the car leaves the playing field, far from the track. Truncated after 1000 steps.)";

constexpr std::string_view kParking =
    R"(Park a car in a given space, with the right heading and without driving into a wall. The car starts at rest in the middle of the
yard, at (0, 0), with any heading. The yard is 70 m (x) by 42 m (y) between four walls, with its centre at (0, 0). Two rows of 14 spaces,
4 m wide and 8 m long, lie at y from 10 to 18 and from -10 to -18; one of them is the goal, its middle at y = 14 or -14. There are no
other cars. 5 steps are a second.

Observation: a dictionary of three lists of six numbers each. "achieved_goal" is the car, "desired_goal" is where it is to stand, and
"observation" is equal to "achieved_goal". The six numbers:
[0] x, in units of 100 m   [1] y, in units of 100 m
[2] velocity along x, in units of 5 m/s   [3] velocity along y, in units of 5 m/s (0 in the goal)
[4] cosine of the heading   [5] sine of the heading (the goal has (0, 1) where y is above 0, and (0, -1) where it is below)

Action: two numbers from -1 to 1. [0] acceleration, times 5 m/s2; negative is backwards, and the car can reverse. [1] angle of the front
wheels, times 45 degrees (pi/4). The car is 5 m long; its heading changes by velocity * sin(slip) / 2.5 m a second, where
tan(slip) = tan(angle) / 2.

Reward, each step: -sqrt(|dx| + 0.3 |dy| + 0.02 |dcos| + 0.02 |dsin|) with the differences between "achieved_goal" and "desired_goal" in
the units above; velocities do not count. A step in which the car has hit a wall earns 5 less.

End: terminated when that root is below 0.12 (the car is parked, whatever its speed) or the car has hit a wall. Truncated after 500
steps. As rewards are negative, the sooner the car is parked, the better.)";

constexpr std::string_view kRoundabout =
    R"(Drive through a roundabout with traffic, fast and without a collision. The car comes from the south with 8 m/s and is to leave the
roundabout in the north; its steering follows the lanes by itself. The roundabout has its centre at (0, 0), two lanes of radius 20 m
and 24 m, and four roads. x grows to the east and y to the south: the car starts near (2, 45). A step is a second.

Observation: a table of 5 rows by 5 columns. Row 0 is the car itself; the others are the nearest vehicles, ordered by their distance along
the car's lane, the far-behind ones left out; rows of zeros where there are fewer. Columns:
[0] 1 where the row is a vehicle, else 0
[1] x, in units of 100 m   [2] y, in units of 100 m (of the map, not relative to the car)
[3] velocity along x, in units of 15 m/s   [4] velocity along y, in units of 15 m/s
All of them are cut off at -1 and 1.

Action: 0 change to the lane on the left, 1 go on, 2 change to the lane on the right, 3 faster, 4 slower. The car has three speeds: 0, 8 and
16 m/s; faster and slower move by one of them.

Reward, each step: (1 + 0.1 * s - 0.05 * c - 1 * h) / 1.2 where s is the speed's number (0, 1, 2 for 0, 8, 16 m/s), c is 1 in a step with
action 0 or 2, and h is 1 if the car has collided; 0 where the car has left the road. So a step at 16 m/s earns 1, at 8 m/s 0.917, at
rest 0.833, and nothing is earned after a collision, which ends the episode.

End: terminated by a collision. Truncated after 11 steps.)";

// The two tasks of the Fetch robot see the same.
constexpr std::string_view kFetchSeen =
    R"(A step is 0.04 s.

Observation: a dictionary. "achieved_goal" is the position of the block, "desired_goal" the target, each [x, y, z] in metres. "observation"
has 25 numbers; velocities are in metres (or radians) a step, which is m/s times 0.04:
[0-2] position of the gripper, x, y, z, in m
[3-5] position of the block, in m
[6-8] position of the block minus that of the gripper, in m
[9-10] how far the right and the left finger are open, in m (0 to 0.05)
[11-13] rotation of the block about x, y, z (Euler angles), in rad
[14-16] velocity of the block minus that of the gripper
[17-19] rotational velocity of the block about x, y, z
[20-22] velocity of the gripper
[23-24] velocity of the right and the left finger
)";

constexpr std::string_view kFetchPush =
    R"(Push a block over a table to a target with the gripper of a robot arm, which stays closed. The gripper starts near (1.36, 0.75) m at
z = 0.416 m, just above the table; the block lies on the table 0.1 to 0.2 m from there (its middle at z = 0.425 m), and the target too lies on
the table, up to 0.15 m in x and in y from where the gripper started. )";

constexpr std::string_view kFetchPushEnd =
    R"(
Action: four numbers from -1 to 1. [0-2] movement of the gripper along x, y, z, times 0.05 m a step; the arm needs a step or more to follow.
[3] has no effect.

Reward: each step 0 where the block is at most 0.05 m from the target, else -1.

End: never before 50 steps, when the episode is truncated. So the block has to be brought there and to stay; the return is -50 if it is
never there.)";

constexpr std::string_view kFetchPickAndPlace =
    R"(Pick up a block with the gripper of a robot arm and bring it to a target. The gripper starts closed near (1.34, 0.75) m at z = 0.535 m,
a decimetre above the table; the block lies on the table 0.1 to 0.2 m from there in x and y (its middle at z = 0.425 m). The target is up to 0.15 m in x and
in y from where the gripper started: in half of the cases on the table, in the others up to 0.45 m above it. )";

constexpr std::string_view kFetchPickAndPlaceEnd =
    R"(
Action: four numbers from -1 to 1. [0-2] movement of the gripper along x, y, z, times 0.05 m a step; the arm needs a step or more to follow.
[3] the fingers: above 0 they open, below 0 they close, the more the farther from 0. To grasp, come down over the block with open fingers
until the positions agree, close, keep on closing while lifting.

Reward: each step 0 where the block is at most 0.05 m from the target, else -1.

End: never before 50 steps, when the episode is truncated. So the block has to be brought there and to stay; the return is -50 if it is
never there.)";

}  // namespace

std::string hosted_text(std::string_view id) {
  if (id == "CarRacing-v3") return std::string(kCarRacing);
  if (id == "FetchPickAndPlace-v4") {
    return fmt::format("{}{}{}", kFetchPickAndPlace, kFetchSeen, kFetchPickAndPlaceEnd);
  }
  if (id == "FetchPush-v4") return fmt::format("{}{}{}", kFetchPush, kFetchSeen, kFetchPushEnd);
  if (id == "parking-v0") return std::string(kParking);
  if (id == "roundabout-v0") return std::string(kRoundabout);
  return {};
}

}  // namespace redqueen::arena
