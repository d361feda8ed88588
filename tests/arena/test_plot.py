"""Pictures of ratings: which players make a curve, and that a picture comes out whole."""

import io

import numpy as np
import pytest
from matplotlib.image import imread

from playout.arena import plot
from playout.arena.elo import rate
from playout.arena.plot import curve_point, curves, picture
from playout.errors import InputError


def games(*names):
    """Each player beats those after it, mostly."""
    return [
        (first, second, score)
        for k, first in enumerate(names)
        for second in names[k + 1 :]
        for score in (1, 1, 0.5, 0)
    ]


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("td-200000", ("td", 200000.0)),
        ("td_0.5", ("td", 0.5)),
        ("td 20k", ("td", 20000.0)),
        ("td-2M", ("td", 2e6)),
        ("mogo:sims=1000", ("mogo:sims", 1000.0)),
        ("a2-7", ("a2", 7.0)),
        ("td9", ("td", 9.0)),
        ("-9", ("-", 9.0)),
        ("td-", None),
        ("1000", None),
        ("td-5x", None),
        ("", None),
    ],
)
def test_a_number_at_the_end_is_a_place_on_a_curve(name, place):
    assert curve_point(name) == place


def test_curves_have_two_points_or_more_in_rising_order():
    standings = rate(games("td-1M", "td-20k", "uct-5", "gnugo", "td-3")).standings()
    found, levels = curves(standings)
    assert [(curve.name, [place for place, _ in curve.points]) for curve in found] == [("td", [3, 20e3, 1e6])]
    assert [row.name for row in found[0].points[0][1:]] == ["td-3"]
    assert {row.name for row in levels} == {"uct-5", "gnugo"}


@pytest.mark.parametrize(
    "names",
    [
        ("a", "b"),
        ("td-0", "td-10", "td-10000", "uct"),
        ("td-1", "td-2", "b-1", "b-2", "$x^$", "naïve ○", "x" * 300),
        tuple(f"player{chr(97 + k)}" for k in range(26)),
    ],
)
@pytest.mark.parametrize("anchored", [False, True])
def test_a_picture_is_a_png_with_something_on_it(names, anchored):
    ratings = rate(games(*names), anchors={names[0]: 1800} if anchored else None)
    image = imread(io.BytesIO(picture(ratings, title="event $1.db")), format="png")
    assert image.shape[0] > 200
    assert image.shape[1] == 960
    assert np.ptp(image[..., :3]) == 1


def test_kinds():
    with_curve, without = rate(games("td-1", "td-2")), rate(games("a", "b"))
    kinds = ("points", "curves", "both")
    sizes = {kind: imread(io.BytesIO(picture(with_curve, kind))).shape for kind in kinds}
    assert sizes["both"][0] > max(sizes["points"][0], sizes["curves"][0])
    with pytest.raises(InputError, match="there is no learning curve"):
        picture(without, "curves")
    with pytest.raises(InputError, match="'pie' is no kind of picture; one of points, curves, both"):
        picture(with_curve, "pie")
    with pytest.raises(InputError, match="nobody"):
        picture(rate([]))


@pytest.fixture
def drawn(monkeypatch):
    """The figure that was drawn last."""
    kept = []
    monkeypatch.setattr(plot, "png", lambda figure: kept.append(figure) or b"")
    return kept


def test_the_figure_says_what_intervals_are_relative_to(drawn):
    names = ("td-1", "td-2", "gnugo", "b")
    for anchors, words in (
        (None, "the distance to the mean, which is 0"),
        ({"gnugo": 1800}, "the distance to gnugo, held at 1800"),
        ({"gnugo": 1800, "b": 1700}, "gnugo, held at 1800 and b, held at 1700"),
    ):
        picture(rate(games(*names), anchors=anchors), "both")
        above, below = drawn[-1].axes
        assert words in above.get_ylabel()
        assert words in below.get_xlabel()


def test_a_rating_is_a_place_and_not_a_length(drawn):
    picture(rate(games("a", "b", "c")), "points")
    (axes,) = drawn[-1].axes
    assert not axes.patches  # no bars
    assert len(axes.containers) == 3


def test_direct_play_and_search_differ_in_more_than_a_name(drawn):
    groups = {
        name: (name[-1], "search" if "-" in name else "direct") for name in ("a", "b", "flat-a", "flat-b")
    }
    picture(rate(games("flat-a", "flat-b", "a", "b", "gnugo")), "points", "", groups)
    (axes,) = drawn[-1].axes
    assert sorted(label.get_text() for label in axes.get_yticklabels()) == ["a", "b", "gnugo"]
    assert {text.get_text() for text in axes.get_legend().get_texts()} == {"direct", "search"}
    points = [bars.lines[0] for bars in axes.containers]
    looks = {(p.get_marker(), p.get_color(), p.get_markerfacecolor() == "white") for p in points}
    assert len({marker for marker, _, _ in looks}) == 3  # direct, search and who is neither
    assert len(looks) == 3


def test_curves_are_named_at_their_ends(drawn):
    picture(rate(games("td-1", "td-2", "uct-1", "uct-2")), "curves")
    (axes,) = drawn[-1].axes
    assert axes.get_legend() is None
    assert {text.get_text() for text in axes.texts} == {"td", "uct"}
    assert len({(line.get_color(), line.get_linestyle(), line.get_marker()) for line in axes.lines}) == 2
