"""The notebook side of Lakelet: runs cells and talks to the engine."""
