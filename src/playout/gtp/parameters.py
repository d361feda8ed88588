"""Every setting of the player and every rule, to read and to set; and what GoGui's menus can show."""

from __future__ import annotations

from playout.errors import InputError, near
from playout.games.go import coords
from playout.games.go.board import SUPERKO
from playout.gtp.insight import GOGUI as INSIDE
from playout.gtp.insight import learns_shapes
from playout.gtp.session import SCORING, Session
from playout.gtp.table import command

GOGUI = """\
string/Show Board/showboard
dboard/Ownership/playout-ownership
plist/Legal Moves/all_legal %c
plist/Stones/list_stones %c
plist/Liberties/findlib %p
plist/Dead Stones/final_status_list dead
plist/Black Territory/final_status_list black_territory
plist/White Territory/final_status_list white_territory
string/Final Score/final_score
string/Move History/move_history
string/CPU Time/cputime
string/Parameter Values/playout-get-param
param/Parameters/playout-param"""

_CHOICES = {"superko": SUPERKO, "scoring": tuple(SCORING)}


def _word(value: object) -> str:
    """A value as it is typed."""
    return str(value).lower() if isinstance(value, bool) or value is None else str(value)


@command("playout-get-param")
def get_param(session: Session, name: str | None = None) -> str:
    known = session.parameters()
    if name is None:
        return "\n".join(f"{key} {_word(value)}" for key, value in known.items())
    if name not in known:
        raise InputError(f"there is no parameter {coords.shown(name)}{near(name[:40], known)}")
    return _word(known[name])


@command("playout-set-param")
def set_param(session: Session, name: str, value: str, *words: str) -> None:
    session.set_parameter(name, " ".join([value, *words]))


@command("playout-param")
def param(session: Session, name: str | None = None, *words: str) -> str | None:
    """GoGui's form: ``[TYPE] NAME VALUE`` lines, or a name and its new value."""
    if name is not None:
        session.set_parameter(name, " ".join(words))
        return None
    lines = []
    for key, value in session.parameters().items():
        if isinstance(value, bool):
            lines.append(f"[bool] {key} {int(value)}")
        else:
            kind = "/".join(["list", *_CHOICES[key]]) if key in _CHOICES else "string"
            lines.append(f"[{kind}] {key} {_word(value)}")
    return "\n".join(lines)


@command("set_random_seed")
def set_random_seed(session: Session, seed: int) -> None:
    session.set_parameter("seed", str(seed))


@command("get_random_seed")
def get_random_seed(session: Session) -> str:
    return get_param(session, "seed")


@command("gogui-analyze_commands")
def analyze_commands(session: Session) -> str:
    return "\n".join([GOGUI, *(INSIDE if learns_shapes(session) else ())])


@command("playout-ownership")
def show_ownership(session: Session, simulations: int = 1000) -> str:
    """Each point's mean owner at the end of simulations, 1 Black to -1 White, as rows from the top.

    The player's own policy plays them; MoGo's where it has none.
    """
    from playout.games.go.ownership import ownership
    from playout.games.go.policy.mogo import Mogo
    from playout.kernel import new_rng
    from playout.policy.api import Copies

    if not 1 <= simulations <= 1_000_000:
        raise InputError(f"simulations {simulations} is not from 1 to 1000000")
    board = session.board
    policies = Copies(session.player.policy or Mogo()).at(board.record)[0]
    mean = ownership(board, policies, simulations, new_rng(0)).owners
    return "\n" + "\n".join(" ".join(f"{owner:.3f}" for owner in row) for row in mean)
