"""The graph for people to walk in: entities, themes, the timeline, and the way that an answer came."""
