/* expect: states=33 transitions=51 verdict=holds plain_states=33 plain_transitions=51 */
chan q[3] = [1] of { byte };
active [3] proctype N() {
    byte x;
    if
    :: _pid == 0 -> q[1]!1
    :: else
    fi;
    q[_pid]?x;
    if
    :: _pid != 0 -> q[(_pid + 1) % 3]!x
    :: else -> assert(x == 1)
    fi
}
