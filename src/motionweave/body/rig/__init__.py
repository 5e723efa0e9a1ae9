"""Which joint plays which part: hips, spine, head, legs and arms of any humanoid skeleton."""
