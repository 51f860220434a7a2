"""The parts of attacker.py."""
