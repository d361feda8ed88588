"""The bytes of any record: names of variables, what is read where, and one key for all of it."""

import numpy as np
import pytest

from playout.errors import InputError
from playout.kernel import kernel, record_type
from playout.kernel.raw import KINDS, RUNS_FIELDS, bytes_key, integer_at, places_of, real_at, write_runs

PURSE = record_type([("gold", "i2"), ("weight", "f4")])
HOARD = record_type(
    [
        ("purses", PURSE, (2,)),  # first: that is where records in records are aligned
        ("owner", "u1"),
        ("heat", "f8"),
        ("map", "i1", (2, 3)),
        ("cursed", "b1"),
        ("spells", "u8"),
        ("debt", "i8"),
        ("rooms", "u4"),
        ("below", "i4"),
    ]
)
RUNS = record_type(RUNS_FIELDS)
pytestmark = pytest.mark.small


def hoard():
    made = np.zeros(1, HOARD)
    made["owner"], made["heat"], made["cursed"] = 250, -2.5, True
    made["map"] = [[1, -2, 3], [4, 5, -6]]
    made["purses"]["gold"], made["purses"]["weight"] = [[-300, 7]], [[0.5, -8.25]]
    made["spells"], made["debt"], made["rooms"], made["below"] = 2**64 - 3, -5, 2**32 - 1, -7
    return made


@kernel
def read(records, offsets, kinds, integers, reals):
    for k in range(offsets.size):
        integers[k] = integer_at(records[0], offsets[k], kinds[k])
        reals[k] = real_at(records[0], offsets[k], kinds[k])


def read_all(records, places):
    integers, reals = np.zeros(len(places), np.uint64), np.zeros(len(places))
    offsets, kinds = (np.array([getattr(p, n) for p in places], np.int64) for n in ("offset", "kind"))
    read(records, offsets, kinds, integers, reals)
    return [
        float(r) if p.is_real else int(i if KINDS[p.kind] == "u8" else i.astype(np.int64))
        for p, i, r in zip(places, integers, reals, strict=True)
    ]


def test_every_variable_is_read_where_it_lies():
    places = places_of(HOARD)
    found = dict(zip((p.name for p in places), read_all(hoard(), places), strict=True))
    assert found == {
        "owner": 250,
        "heat": -2.5,
        "map[0,0]": 1,
        "map[0,1]": -2,
        "map[0,2]": 3,
        "map[1,0]": 4,
        "map[1,1]": 5,
        "map[1,2]": -6,
        "purses[0].gold": -300,
        "purses[0].weight": 0.5,
        "purses[1].gold": 7,
        "purses[1].weight": -8.25,
        "cursed": 1,
        "spells": 2**64 - 3,
        "debt": -5,
        "rooms": 2**32 - 1,
        "below": -7,
        **({name: 0 for name in found if name.startswith("unused")}),
    }
    for place, value in zip(places, found.values(), strict=True):
        assert place.values(hoard())[0] == value


def test_a_name_stands_for_one_or_for_all():
    assert [p.name for p in places_of(HOARD, ["map[1,2]", "cursed", "purses[1]"])] == [
        "map[1,2]",
        "cursed",
        "purses[1].gold",
        "purses[1].weight",
    ]
    (bit,) = places_of(HOARD, ["spells<1>"])
    assert bit.bits == 1
    assert bit.values(hoard())[0] == 0
    assert places_of(HOARD, ["spells<2>"])[0].values(hoard())[0] == 1


@pytest.mark.parametrize("kind", range(len(KINDS)))
def test_beyond_the_record_there_is_nothing(kind):
    width = int(KINDS[kind][1])
    offsets = np.array([HOARD.itemsize - width + 1, HOARD.itemsize, -1, 2**40])
    full = np.frombuffer(b"\x01" * HOARD.itemsize, HOARD).copy()
    integers, reals = np.ones(4, np.uint64), np.ones(4)
    read(full, offsets, np.full(4, kind), integers, reals)
    assert not integers.any()
    assert not reals.any()
    read(full, np.array([HOARD.itemsize - width]), np.array([kind]), integers, reals)
    assert integers[0] != 0 or reals[0] != 0


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("owners", "a state has no variable 'owners'; did you mean owner?"),
        ("map[2,0]", "a state has no variable 'map[2,0]': map has 2×3 elements"),
        ("map[1]", "a state has no variable 'map[1]': map has 2×3 elements"),
        ("owner[0]", "a state has no variable 'owner[0]': owner has no elements"),
        ("purses.gold", "a state has no variable 'purses.gold': purses is an array, as in purses[0]"),
        (
            "purses[0].old",
            "a state has no variable 'purses[0].old'; did you mean purses[0].gold or purses[0].weight?",
        ),
        ("heat<1>", "a state has no variable 'heat<1>': heat is a real number"),
        ("owner<8>", "a state has no variable 'owner<8>': owner is a number of 8 bits"),
        ("", "'' is no name of a variable, as cells[3], board[1,2] or own<5> are"),
        ("map[-1,0]", "'map[-1,0]' is no name of a variable, as cells[3], board[1,2] or own<5> are"),
        ("owner]", "'owner]' is no name of a variable, as cells[3], board[1,2] or own<5> are"),
    ],
)
def test_a_wrong_name_is_refused_with_what_there_is(name, sentence):
    with pytest.raises(InputError) as refused:
        places_of(HOARD, [name])
    assert str(refused.value) == sentence


@kernel
def key_of(runs, records, key):
    return bytes_key(runs[0], records[0], np.uint64(key))


def test_the_key_stands_for_all_that_a_record_holds_and_nothing_else():
    runs, one = np.zeros(1, RUNS), hoard()
    write_runs(runs, HOARD)
    keys = {int(key_of(runs, one, 1)), int(key_of(runs, one, 2))}
    assert len(keys) == 2
    held = np.zeros(HOARD.itemsize, bool)
    for place in places_of(HOARD):
        held[place.offset : place.offset + place.bits // 8] = True
    assert not held.all()  # there are bytes that only align
    for k in range(HOARD.itemsize):
        other = one.copy()
        other.view(np.uint8)[k] ^= 1
        assert (int(key_of(runs, other, 1)) == int(key_of(runs, one, 1))) is not bool(held[k])
