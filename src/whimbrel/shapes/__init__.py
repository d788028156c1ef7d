"""What shape does a picture show, and does its label say the same?

Takes: a picture as an array of greys. Gives: the thing in it as a mask, its outline as a chain code and as numbers that
do not depend on size, place or rotation, the class it is nearest to, a hash for pictures that look alike. Promises: the
same array gives the same answer. Never: reads a file, decodes a picture.
"""
