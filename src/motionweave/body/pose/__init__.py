"""How a body is posed: its facing direction, its posture, the bend of its joints, T-poses."""
