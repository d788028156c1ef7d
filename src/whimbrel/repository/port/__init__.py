"""What any repository can be asked: the one interface that the other rooms see, whatever engine keeps it.

`writer` leases and commits plans; `reader` shows pages, versions, readings, changes, requests and the roster;
`followed` tells followers what happened since; `engine` opens them for a location. The records are in
`repository.contract` (what is written), `repository.views` (what is shown) and `repository.upkeep`;
`repository.engines` knows the engines.
"""
