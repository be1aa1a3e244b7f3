#include "redqueen/arena/environments/box2d/box2d_simulator.h"

#include <mutex>

namespace redqueen::arena {
namespace {

std::unique_ptr<b2World> empty_world() { return std::make_unique<b2World>(to_b2(0, -10)); }

// Box2D fills its tables when the first world, and in it the first contact, is made; two threads
// must not do that at once.
void fill_tables() {
  const auto world = empty_world();
  b2CircleShape shape;
  shape.m_radius = 1;
  b2BodyDef definition;
  definition.type = b2_dynamicBody;
  for (int i = 0; i < 2; ++i) add_fixture(*world->CreateBody(&definition), shape, {.density = 1});
  world->Step(0.02F, 1, 1);
  assert(world->GetContactCount() == 1);
}

}  // namespace

b2PolygonShape to_polygon(std::span<const std::array<double, 2>> corners) {
  std::array<b2Vec2, b2_maxPolygonVertices> points;
  assert(corners.size() <= points.size());
  for (std::size_t i = 0; i < corners.size(); ++i) points[i] = to_b2(corners[i][0], corners[i][1]);
  b2PolygonShape polygon;
  polygon.Set(points.data(), static_cast<int>(corners.size()));
  return polygon;
}

void GroundContacts::watch(const b2Body* trunk, std::array<const b2Body*, 2> feet) {
  trunk_ = trunk;
  feet_ = feet;
  stands_ = {};
  trunk_has_touched_ = false;
}

void GroundContacts::BeginContact(b2Contact* contact) {
  if (contact->GetFixtureA()->GetBody() == trunk_ || contact->GetFixtureB()->GetBody() == trunk_) {
    trunk_has_touched_ = true;
  }
  set_feet(*contact, true);
}

void GroundContacts::EndContact(b2Contact* contact) { set_feet(*contact, false); }

void GroundContacts::set_feet(b2Contact& contact, bool stands) {
  for (std::size_t i = 0; i < feet_.size(); ++i) {
    if (contact.GetFixtureA()->GetBody() == feet_[i] ||
        contact.GetFixtureB()->GetBody() == feet_[i]) {
      stands_[i] = stands;
    }
  }
}

Box2dSimulator::Box2dSimulator(SimulatorCard card) : NativeSimulator(std::move(card)) {
  static std::once_flag once;
  std::call_once(once, fill_tables);
}

void Box2dSimulator::make_world() {
  world_ = empty_world();
  world_->SetContactListener(&contacts_);
}

b2Body* Box2dSimulator::add_body(b2BodyType type, b2Vec2 position, double angle,
                                 const b2Shape& shape, const Material& material) {
  b2BodyDef definition;
  definition.type = type;
  definition.position = position;
  definition.angle = static_cast<float>(angle);
  b2Body* body = world_->CreateBody(&definition);
  add_fixture(*body, shape, material);
  return body;
}

b2RevoluteJoint* Box2dSimulator::add_joint(const MotorJoint& joint) {
  b2RevoluteJointDef definition;
  definition.bodyA = joint.a;
  definition.bodyB = joint.b;
  definition.localAnchorA = joint.anchor_a;
  definition.localAnchorB = joint.anchor_b;
  definition.referenceAngle = joint.b->GetAngle() - joint.a->GetAngle();
  definition.enableLimit = true;
  definition.lowerAngle = static_cast<float>(joint.lower);
  definition.upperAngle = static_cast<float>(joint.upper);
  definition.enableMotor = true;
  definition.maxMotorTorque = static_cast<float>(joint.torque);
  definition.motorSpeed = static_cast<float>(joint.speed);
  return static_cast<b2RevoluteJoint*>(world_->CreateJoint(&definition));
}

void Box2dSimulator::simulate() {
  constexpr int kVelocityIterations = 180;
  constexpr int kPositionIterations = 60;
  world_->Step(static_cast<float>(1 / kFramesPerSecond), kVelocityIterations, kPositionIterations);
}

void add_fixture(b2Body& body, const b2Shape& shape, const Material& material) {
  b2FixtureDef definition;
  definition.shape = &shape;
  definition.density = static_cast<float>(material.density);
  definition.friction = static_cast<float>(material.friction);
  definition.filter.categoryBits = material.category;
  definition.filter.maskBits = material.collides_with;
  body.CreateFixture(&definition);
}

SimulatorCard box2d_card(std::string_view id, int max_episode_steps) {
  return {.id = std::string(id),
          .max_episode_steps = max_episode_steps,
          .versions = {{"Box2D", "2.3.10"}, {"gymnasium", "1.3.0"}}};
}

}  // namespace redqueen::arena
