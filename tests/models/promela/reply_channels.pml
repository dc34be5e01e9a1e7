/* expect: states=136 transitions=319 verdict=holds plain_states=136 plain_transitions=319 */
mtype = { ask, answer };
chan srv = [2] of { mtype, chan };
active [3] proctype client() { chan me = [1] of { mtype }; do :: srv!ask,me; me?answer od }
active proctype server() { chan who; do :: srv?ask,who -> who!answer od }
