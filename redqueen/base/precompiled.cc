// Carries the precompiled header; see precompiled.h.
