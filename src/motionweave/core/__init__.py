"""Motions as data: skeletons, rotations, planar moves, kinematics."""
