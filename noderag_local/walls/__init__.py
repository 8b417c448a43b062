"""The sandbox: rights that a process gives up for good before it reads a stranger's file; one module a wall.

Two kinds of processes stand behind them: those that read files, and the one that renders a model's chat template. What is
refused by the operating system holds for C code as for Python; what is refused in the interpreter for Python alone. Where a
system lacks a wall the others stand, and `standing` tells which do.
"""
