"""The figure that is drawn around a skeleton: its plan, capsules, and a smooth torso."""
