"""`Library`: the public interface."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor

from numpy.typing import ArrayLike

from motionweave.core.runtime.progress import Progress
from motionweave.errors import LibraryError
from motionweave.library.collect.collection import Collection, collect
from motionweave.library.collect.web import of_kind
from motionweave.library.graph import walk
from motionweave.library.graph.building import graph_of
from motionweave.library.graph.graph import Graph
from motionweave.library.graph.live import LiveWalk
from motionweave.library.graph.plan import beginning
from motionweave.library.graph.walk import Walk
from motionweave.library.index.features import roles_of
from motionweave.library.index.folder import IndexedFolder
from motionweave.library.search.examples import (
    Frames,
    Given,
    examples_of,
    frames_of,
    motion_of,
    rigs_of,
)
from motionweave.library.search.matches import Match, distinct, similar, whole_clips
from motionweave.library.search.query import Query, Range, chosen, kind_of


class Library(IndexedFolder):
    """A folder of thousands of clips: search it, make new motion from it, fill gaps with it.

    Parameters
    ----------
    folder
        The folder with the clips.
    store
        Where the library keeps its index; by default in ``.motionweave`` in that folder.
    executor
        What reads the clips: any `concurrent.futures.Executor`. None for processes on this machine.

    Raises
    ------
    LibraryError
        If the folder does not exist, or the store is not a library or of a newer version.

    Examples
    --------
    >>> import tempfile
    >>> import motionweave as mw
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in ("walk", "jog", "punch"):
    ...         mw.save(mw.sample(name), f"{folder}/{name}.npz")
    ...     library = mw.Library(folder)
    ...     report = library.add()
    ...     found = library.find(mw.sample("punch"), most=1)
    >>> print(report)
    3 added, 0 unchanged
    >>> found[0].clip
    'punch.npz'
    """

    # Finding

    def find(
        self,
        example: Given | None = None,
        *,
        frames: Frames | None = None,
        most: int = 20,
        limit: float | None = None,
        part: str | Sequence[str] | None = None,
        through_others: bool = False,
        alike: float | None = None,
        mirrored: bool = False,
        itself: bool = True,
        words: str = "",
        measures: Mapping[str, Range] | None = None,
        rigs: Sequence[Given] = (),
    ) -> tuple[Match, ...]:
        """Find stretches of clips similar to an example, or clips by words and measures.

        Parameters
        ----------
        example
            A motion, or the path of a clip inside or outside the library. A motion with a single
            frame finds that pose. None to find whole clips by words and measures.
        frames
            First and last frame of the example to look for; by default all of it.
        most
            The largest number of matches.
        limit
            The largest distance (root mean square of all roles in leg lengths); by default there is
            none; with ``through_others`` it follows from the gaps between kinds of motion.
        part
            Part of the body to compare: ``"arms"``, ``"legs"``, ``"left arm"``,
            ``"right arm"``, ``"upper body"``, or roles.
        through_others
            Also find clips similar to a match: every match becomes an example in turn, which
            reaches motions of the same kind that look too different from the example.
        alike
            With ``through_others``: how much a match must share of what sets the example apart,
            as in `collect`.
        mirrored
            Also find what is similar to the mirror image of the example.
        itself
            Whether to list the stretch that the example was cut out of. A clip that is given by its
            path in the library does not find itself in any case.
        words
            Only clips with all of these words in folders, names or catalogues.
        measures
            Only clips with measures in a range, such as ``{"turn": (60, None)}``; see
            `motionweave.library.index.features.measures`.
        rigs
            Only clips with the same joints as one of these, each a motion or the path of a clip;
            by default clips of any rig.

        Returns
        -------
        tuple of Match
            The nearest first.
        """
        if alike is not None and not through_others:
            raise LibraryError("alike works with through_others=True only; without it, use limit")
        among = chosen(self.index, words, measures, rigs_of(self, rigs))
        if example is None:
            return whole_clips(self, among, most)
        examples = examples_of(self, [example], frames, with_mirrored=mirrored)
        # The example itself, which is left out, must not take the place of another match.
        query = Query(most + 1, limit, alike, roles_of(part), among)
        if through_others:
            found = of_kind(self, examples, query).matches
        else:
            found = similar(self, examples, query)
        matches = distinct(found, examples, query.most)
        if matches and not itself:
            motion = motion_of(self, example, frames)
            matches = matches[int(matches[0].is_itself(motion)) :]
        return matches[:most]

    def collect(
        self,
        *examples: Given,
        frames: Frames | Sequence[Frames | None] | None = None,
        most: int = 200,
        limit: float | None = None,
        alike: float | None = None,
        part: str | Sequence[str] | None = None,
        mirrored: bool = False,
        words: str = "",
    ) -> Collection:
        """Collect everything in the library of the examples' kind, ready to be registered and
        blended.

        Parameters
        ----------
        *examples
            One or more, each as in `find`. A high kick does not find a shot at a ball: give one of
            each, and everything is collected that is of the kind of any of them.
        frames
            First and last frame of the example; for several, a list with those of each, or None for
            all of one.
        most, limit, part, mirrored, words
            As in `find`, which searches for motions similar to an example and to its matches. What
            is similar to a mirror image is mirrored before it is registered.
        alike
            How much a match must share, 0 to 1, of what sets an example apart from everything else
            in the library; by default enough neighbours decide, or else 0.55. Lower it to collect
            more, raise it to collect less; for whole bodies only, without ``part``.

        Returns
        -------
        Collection
            Continue with ``registered()`` or ``parametric(["turn"])``; it also lists outliers,
            what is similar but of another kind, and what could not be used, and why.
        """
        if not examples:
            raise LibraryError("nothing to collect: give one or more examples")
        among = chosen(self.index, words, None)
        wanted = examples_of(self, examples, frames, with_mirrored=mirrored)
        query = Query(most + len(wanted), limit, alike, roles_of(part), among)
        found = of_kind(self, wanted, query)
        motions = [
            motion_of(self, one, which)
            for one, which in zip(examples, frames_of(examples, frames), strict=True)
        ]
        matches = distinct(found.matches, wanted, most)
        outliers = distinct(found.outliers, wanted, most, without=matches)
        return collect(motions, matches, outliers, found.others)

    # Graph and walks

    def graph(
        self,
        *,
        words: str = "",
        measures: Mapping[str, Range] | None = None,
        tolerance: float = 1.0,
        executor: Executor | None = None,
        progress: Progress | None = None,
    ) -> Graph:
        """The motion graph: where clips can turn into each other, without dead ends.

        Clips turn only into others with the same joints. The graph is kept in the store until clips
        change.

        Parameters
        ----------
        words, measures
            Which clips to use, as in `find`; by default all.
        tolerance
            Scales how far apart two moments may be; by default about as far as clips of the kind
            change in 0.2 s.
        executor
            What computes it, instead of the library's own executor.
        progress
            Called with the number of pieces of work done so far and the total.

        Returns
        -------
        Graph
            ``len`` gives the number of junctions, ``statistics()`` more figures.

        Raises
        ------
        LibraryError
            If no clip can turn into another.
        """
        return graph_of(
            self,
            words=words,
            measures=measures,
            tolerance=tolerance,
            executor=executor or self._executor,
            progress=progress,
        )

    def walk(
        self,
        path: ArrayLike | None = None,
        *,
        to: tuple[float, float] | None = None,
        heading: float | None = None,
        through: Sequence[str] | None = None,
        seconds: float | None = None,
        seed: int = 0,
        start: str | None = None,
        bend: float = 8.0,
        clean: bool = True,
        graph: Graph | None = None,
    ) -> Walk:
        """Make a new motion from the library's clips, each turning into the next.

        Give exactly one of ``path``, ``to``, ``through`` and ``seconds``. Along a path and to a
        place, moments are avoided in which the hips or the lower foot are not as high as usual in
        the graph's clips: who can walk there does not jump, crouch or crawl. To be sure, give the
        graph of some clips only, such as ``graph(words="walk")``.

        Parameters
        ----------
        path
            ``(n, 2)`` places (x, z) to walk along, in metres of a body that is 1.7 m tall: on a
            larger body, and in files of other units, the path is as much larger.
        to
            A place (x, z) to walk to, from the origin and facing +z, in the same metres.
        heading
            With ``to``: the facing direction there, in degrees; 0 is +z, 90 is +x.
        through
            Clips (paths) or kinds (words) to pass through, in order.
        seconds
            Duration of a random walk.
        seed
            Seed for random choices.
        start
            The clip to start with; by default any.
        bend
            Along a path or to a place: degrees per leg length travelled by which the walk may be
            bent towards it; 0 to play the clips unchanged.
        clean
            Whether to plant the feet.
        graph
            The graph to use; by default that of all clips.

        Returns
        -------
        Walk
            The motion, which parts of which clips it plays, and how far it is from the path.
        """
        wanted = [w for w in (path, to, through, seconds) if w is not None]
        if len(wanted) != 1:
            raise LibraryError(
                "a walk needs one of: a path, a place to walk to, clips to pass through, or seconds"
            )
        ways = self.graph() if graph is None else graph
        if path is not None:
            return walk.along(self, ways, path, start=start, bend=bend, clean=clean)
        if to is not None:
            return walk.to_place(self, ways, to, heading, start=start, bend=bend, clean=clean)
        if seconds is not None:
            return walk.at_random(self, ways, seconds, seed=seed, start=start, clean=clean)
        assert through is not None
        kinds = [kind_of(self.index, one) for one in through]
        return walk.through_clips(self, ways, kinds, clean=clean)

    def live(self, *, start: str | None = None, graph: Graph | None = None) -> LiveWalk:
        """A walk that you steer step by step while it goes on.

        It starts at the origin, facing +z.

        Parameters
        ----------
        start
            The clip to start with; by default the one with the most continuations.
        graph
            The graph to use; by default that of all clips.

        Returns
        -------
        LiveWalk
            ``step(heading, speed)`` returns the next frames, ``motion`` everything so far.

        Examples
        --------
        >>> import tempfile
        >>> import motionweave as mw
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     for name in ("walk", "walk_left", "walk_right"):
        ...         mw.save(mw.sample(name, duration=6.0), f"{folder}/{name}.npz")
        ...     library = mw.Library(folder)
        ...     report = library.add()
        ...     live = library.live(graph=library.graph(tolerance=2.0))
        ...     frames = [len(live.step(heading=30.0)) for _ in range(4)]
        >>> len(live.motion) == 1 + sum(frames)
        True
        """
        ways = self.graph() if graph is None else graph
        return LiveWalk(self, ways, beginning(ways, self, start))
