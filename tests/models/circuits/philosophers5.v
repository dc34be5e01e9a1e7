// expect: order=5
// A table of 5 philosophers, all alike: the ring of their seats can be turned.
typedef enum {thinking, hungry, eating, full} mood;

module table5(clock);
    input clock;
    mood wire s0, s1, s2, s3, s4;
    philosopher p0(clock, s0, s1, s4);
    philosopher p1(clock, s1, s2, s0);
    philosopher p2(clock, s2, s3, s1);
    philosopher p3(clock, s3, s4, s2);
    philosopher p4(clock, s4, s0, s3);
endmodule

module philosopher(clock, state, left, right);
    input clock, left, right;
    output state;
    mood wire left, right;
    mood reg state;
    wire go;

    assign go = $ND(0, 1);
    initial state = thinking;

    always @(posedge clock)
        if (go)
            case (state)
                thinking: state = hungry;
                hungry: if (left != eating && left != hungry && right != eating) state = eating;
                eating: state = full;
                full: state = thinking;
            endcase
endmodule
