/* expect: states=30 transitions=39 verdict=holds plain_states=30 plain_transitions=39 */
mtype = { a, b, c, d, e, f }
chan q = [2] of { chan };
chan r = [0] of { byte };
byte n;
active proctype P() { chan x; byte k = 7; q!f; q!k; x = k + 200; q!x; q!300; q!q }
active proctype Q() { mtype m; chan y; byte z; q?m; q?z; q?y; n = y; q?y; n = y; q?y; y == q; q!d; q?eval(d); r!1 }
active proctype R() { byte z; r?z }
