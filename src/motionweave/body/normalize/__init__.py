"""What files do in many ways, brought to one: the up axis, the pelvis as root, whole legs."""
