"""A small GTP engine with settings, for tests of the tuner: it passes, or resigns, as it is set.

``strength X`` from 0 to 10 is a setting over GTP, and so is ``style calm|wild``; ``--pace N`` from 1 to 9
stands in the command line. It plays the better, the nearer strength is to 7: then it passes and wins by komi
as White, else it resigns at its first move.
"""

import sys

KNOWN = ("name", "version", "protocol_version", "known_command", "list_commands", "boardsize", "clear_board")


def main() -> None:
    strength, seed = 0.0, 0
    words = sys.argv[1:]
    if "--pace" in words and not 1 <= float(words[words.index("--pace") + 1]) <= 9:
        sys.exit("pace is from 1 to 9")
    if "--seed" in words and words[words.index("--seed") + 1].isdigit():
        seed = int(words[words.index("--seed") + 1])
    for line in sys.stdin:
        number, command, *rest = line.split()
        answer, status = "", "="
        if command == "name":
            answer = "settings"
        elif command == "version":
            answer = "1"
        elif command == "strength":
            strength = float(rest[0])
            if not 0 <= strength <= 10:
                answer, status = f"strength {rest[0]} is not from 0 to 10", "?"
        elif command == "style":
            if rest[0] not in ("calm", "wild"):
                answer, status = f"no style {rest[0]}", "?"
        elif command == "genmove":
            weak = abs(strength - 7) > 1 + 2 * (seed * 2654435761 % 1000) / 1000
            answer = "resign" if weak else "pass"
        elif command == "quit":
            print(f"={number}\n", flush=True)
            return
        elif command not in (*KNOWN, "komi", "play"):
            answer, status = "unknown command", "?"
        print(f"{status}{number} {answer}\n", flush=True)


if __name__ == "__main__":
    main()
