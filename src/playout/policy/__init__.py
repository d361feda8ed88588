"""How simulations choose actions: what a policy is (`api`), and random play in any game (`random`)."""
