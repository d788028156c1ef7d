"""How is work done that may have to be ended?

Takes: the name of a module that runs as a process of its own. Gives: that process, started by exec, and a connection to
it that carries frames; inside it, limits of memory, time and files that the kernel keeps. Promises: it dies with
whoever started it, and imports nothing from the folder in which it starts. Never: knows what the process is for.
"""
