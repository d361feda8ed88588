"""Small games and problems that come along: to try algorithms on, to test them with, to copy from."""
