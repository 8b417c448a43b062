"""The vault as files: JSON Lines that give the same vault again, notes to read, a graph to draw, a bundle to carry."""
