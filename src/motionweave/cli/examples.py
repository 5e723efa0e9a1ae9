"""A few command lines for each verb: shown by ``--help``, listed in the documentation, tested."""

from __future__ import annotations

# Clips are those that the first example writes.
EXAMPLES: dict[str, tuple[str, ...]] = {
    "samples": (
        "motionweave samples",
        "motionweave samples write clips",
        "motionweave samples write glb --names walk jog --fps 60 --format glb",
    ),
    "info": ("motionweave info clips/walk.bvh", "motionweave info clips --json"),
    "contacts": (
        "motionweave contacts clips/walk.bvh -o walk.contacts.json",
        "motionweave contacts clips/reach_low.bvh --hands --plot contacts.png",
    ),
    "plot": (
        "motionweave plot clips/walk.bvh clips/jog.bvh -o strip.png",
        "motionweave plot clips/walk_left.bvh --kind path -o path.png",
    ),
    "render": (
        "motionweave render clips/walk.bvh -o walk.gif --size 320x180 --fps 10",
        "motionweave render clips/walk.bvh clips/jog.bvh -o both.html",
    ),
    "quality": ("motionweave quality clips/walk.bvh clips/jog.bvh",),
    "clean": (
        "motionweave clean clips/walk.bvh -o clean.bvh",
        "motionweave clean 'clips/walk*.bvh' -o cleaned --jobs 2",
    ),
    "convert": (
        "motionweave convert clips/walk.bvh -o walk.glb",
        "motionweave convert 'clips/walk_*.bvh' -o glb --format glb",
        "motionweave convert clips/walk.bvh -o part.bvh --trim 10:60 --fps 60 --units m:cm",
    ),
    "retarget": (
        "motionweave convert clips/jog.bvh --scale 1.8 -o giant.bvh",
        "motionweave retarget clips/walk.bvh giant.bvh -o giant_walk.bvh",
    ),
    "loop": (
        "motionweave loop clips/walk.bvh --rounds 4 -o loop.bvh",
        "motionweave loop clips/walk.bvh --in-place -o treadmill.bvh",
    ),
    "register": ("motionweave register clips/walk.bvh clips/jog.bvh -o gaits.mwreg",),
    "framespace": (
        "motionweave framespace clips/jog.bvh clips/walk.bvh -o jog_to_walk.bvh",
        "motionweave framespace clips/jog.bvh clips/walk.bvh --shape blend --level 0.3 -o mix.bvh",
    ),
    "blend": (
        "motionweave blend clips/walk.bvh clips/jog.bvh --weights 0.5,0.5 -o half.bvh",
        "motionweave blend clips/walk.bvh clips/jog.bvh --ends cyclic -w 0.7,0.3 --duration 6 "
        "-o long.bvh",
    ),
    "transition": (
        "motionweave transition clips/walk.bvh clips/jog.bvh -o joined.bvh",
        "motionweave transition clips/walk.bvh clips/jog.bvh --list",
    ),
    "warp": ("motionweave warp clips/walk.bvh limp.yaml -o limping.bvh",),
    "layer": ("motionweave layer clips/walk.bvh clips/jab.bvh --start 20 -o walk_jab.bvh",),
    "join": ("motionweave join clips/walk.bvh clips/sit.bvh --overlap 20 -o walk_sit.bvh",),
    "spline": ("motionweave spline clips/landing.bvh clips/jump.bvh -o landing_jump.bvh",),
    "parametric": (
        "motionweave parametric clips/walk_left.bvh clips/walk_right.bvh --range turn",
        "motionweave parametric clips/walk_left.bvh clips/walk_right.bvh --set turn=20 "
        "-o turn20.bvh",
    ),
    "export": ("motionweave export clips/walk.bvh clips/jog.bvh --ends cyclic -o gaits",),
    "library": (
        "motionweave library add clips",
        "motionweave library find clips clips/walk.bvh --frames 20:60 --most 5",
        "motionweave library find clips --words walk --where turn=30:",
    ),
    "studio": ("motionweave studio clips",),
    "demo": ("motionweave demo",),
    "completion": ("motionweave completion bash",),
    "warm-up": ("motionweave warm-up",),
}
