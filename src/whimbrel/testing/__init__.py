"""Fakes of the world, shipped so that anybody can try things without a network.

Takes: pages and how their server shall misbehave. Gives: a small web on loopback, a generated site, a clock
that jumps. Promises: the same arguments give the same web; nothing leaves this machine. Never: fakes a part of
Whimbrel itself.
"""
