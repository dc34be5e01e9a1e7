// expect: order=20
// A table of 20 philosophers, all alike: the ring of their seats can be turned.
typedef enum {thinking, hungry, eating, full} mood;

module table20(clock);
    input clock;
    mood wire s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15, s16, s17, s18, s19;
    philosopher p0(clock, s0, s1, s19);
    philosopher p1(clock, s1, s2, s0);
    philosopher p2(clock, s2, s3, s1);
    philosopher p3(clock, s3, s4, s2);
    philosopher p4(clock, s4, s5, s3);
    philosopher p5(clock, s5, s6, s4);
    philosopher p6(clock, s6, s7, s5);
    philosopher p7(clock, s7, s8, s6);
    philosopher p8(clock, s8, s9, s7);
    philosopher p9(clock, s9, s10, s8);
    philosopher p10(clock, s10, s11, s9);
    philosopher p11(clock, s11, s12, s10);
    philosopher p12(clock, s12, s13, s11);
    philosopher p13(clock, s13, s14, s12);
    philosopher p14(clock, s14, s15, s13);
    philosopher p15(clock, s15, s16, s14);
    philosopher p16(clock, s16, s17, s15);
    philosopher p17(clock, s17, s18, s16);
    philosopher p18(clock, s18, s19, s17);
    philosopher p19(clock, s19, s0, s18);
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
