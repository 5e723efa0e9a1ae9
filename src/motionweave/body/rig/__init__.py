"""The roles of joints: hips, spine, head, legs and arms of any humanoid skeleton."""
