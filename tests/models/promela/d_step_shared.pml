/* expect: states=1105 transitions=2724 verdict=holds plain_states=1105 plain_transitions=2724 own_states=568 own_orbits=307 */
/* The d_steps are edges of several states: their inner steps are there once. */
byte x, y;

active [2] proctype counter() {
    byte n;
    {
        do
        :: n < 2 ->
            n++;
            if
            :: do
               :: d_step { x < 5 -> x++; x++; x++ }
               :: break
               od
            :: x = 0
            fi
        :: n == 2 -> break
        od
    } unless { d_step { y == 1 -> x = 9; y = 2 } }
}

active proctype escape() { y = 1 }
