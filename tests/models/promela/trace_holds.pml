/* expect: states=3 transitions=5 verdict=holds plain_states=3 plain_transitions=5 */
mtype = {a, b};
chan q = [1] of { mtype };
trace { do :: q!a; q?a :: q!b; q?b od }
active proctype S() { do :: q!a :: q!b od }
active proctype R() { do :: q?a :: q?b od }
