// The base of the environments on Box2D: a new world for every episode, bodies made as Gymnasium
// makes them, and contacts with the ground. The engine is Box2D 2.3 as the wheel `box2d` 2.3.10 has
// it (E. Catto, "Iterative Dynamics with Temporal Coherence", 2005).
//
// Box2D computes in float, Gymnasium in Python's doubles: every number is rounded once, where it is
// handed to the engine, and widened again where it is read.
#pragma once

#include <Box2D/Box2D.h>

#include <array>
#include <memory>
#include <span>

#include "redqueen/arena/environments/native_simulator.h"

namespace redqueen::arena {

// A point or a vector, m.
inline b2Vec2 to_b2(double x, double y) { return {static_cast<float>(x), static_cast<float>(y)}; }

// A polygon around corners, m.
b2PolygonShape to_polygon(std::span<const std::array<double, 2>> corners);

// The collision categories.
inline constexpr std::uint16_t kGroundBits = 0x0001;
inline constexpr std::uint16_t kAllBits = 0xFFFF;

// The physical properties of a body's part. The defaults are Box2D's own.
struct Material {
  double density = 0;  // kg/m²
  double friction = 0.2;
  std::uint16_t category = kGroundBits;
  std::uint16_t collides_with = kAllBits;
};

// A joint with a motor and limits, rad and N m. The anchors are points of the two bodies. The angle
// is 0 as the bodies stand when they are joined.
struct MotorJoint {
  b2Body* a = nullptr;
  b2Body* b = nullptr;
  b2Vec2 anchor_a = {0, 0};
  b2Vec2 anchor_b = {0, 0};
  double lower = 0;
  double upper = 0;
  double torque = 0;
  double speed = 0;  // rad/s
};

// Notes contacts: whether the trunk has touched anything, and which feet stand. As in Gymnasium, a
// foot that leaves one piece of ground stands no more, even if it touches another.
class GroundContacts final : public b2ContactListener {
 public:
  void watch(const b2Body* trunk, std::array<const b2Body*, 2> feet);

  bool trunk_has_touched() const { return trunk_has_touched_; }
  bool stands(std::size_t foot) const { return stands_[foot]; }

  void BeginContact(b2Contact* contact) override;
  void EndContact(b2Contact* contact) override;

 private:
  void set_feet(b2Contact& contact, bool stands);

  const b2Body* trunk_ = nullptr;
  std::array<const b2Body*, 2> feet_{};
  std::array<bool, 2> stands_{};
  bool trunk_has_touched_ = false;
};

class Box2dSimulator : public NativeSimulator {
 public:
  explicit Box2dSimulator(SimulatorCard card);

 protected:
  static constexpr double kFramesPerSecond = 50;

  // Begins an empty world with a gravity of 10 m/s² downwards. What was in the last one is gone.
  void make_world();
  b2World& world() { return *world_; }
  GroundContacts& contacts() { return contacts_; }

  // A body with one part, at a place (m) and an angle (rad).
  b2Body* add_body(b2BodyType type, b2Vec2 position, double angle, const b2Shape& shape,
                   const Material& material);
  b2RevoluteJoint* add_joint(const MotorJoint& joint);

  // A frame of the engine.
  void simulate();

 private:
  GroundContacts contacts_;
  std::unique_ptr<b2World> world_;
};

// Adds a part to a body.
void add_fixture(b2Body& body, const b2Shape& shape, const Material& material);

// The card of an environment on Box2D, but for its texts and spaces.
SimulatorCard box2d_card(std::string_view id, int max_episode_steps);

}  // namespace redqueen::arena
