/* expect: states=43 transitions=73 verdict=holds plain_states=74 plain_transitions=123 */
byte log;
byte x;
active [2] proctype P() {
    log = _pid;
    x++;
    log = x;
    x-- ;
    printf("%d\n", log)
}
