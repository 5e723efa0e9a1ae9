"""The work itself, apart from Blender: nothing in here imports ``bpy``.

The same modules run inside Blender and in a process beside it.
"""
