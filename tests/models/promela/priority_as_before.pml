/* expect: states=21 transitions=33 verdict=holds plain_states=21 plain_transitions=33 */
/* Nobody's priority ever changes, although it is set. */
byte x;

active [2] proctype A() priority 2 {
    x++;
    set_priority(_pid, 2);
    x--
}
