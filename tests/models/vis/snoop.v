// expect: states=108
// Two caches of one line and an arbiter that gives the bus to either; what a processor wants is one of three values.
typedef enum {RD, WR, NOP} op;
typedef enum {INV, SH, EX} cs;
module sys(clk);
    input clk;
    op wire o0, o1;
    cs wire s0, s1;
    op wire bus;
    wire gid;
    arb a(clk, gid);
    assign bus = gid ? o1 : o0;
    cache c0(clk, bus, gid == 0, o0, s0);
    cache c1(clk, bus, gid == 1, o1, s1);
endmodule

module arb(clk, g);
    input clk;
    output g;
    reg g;
    initial g = $ND(0,1);
    always @(posedge clk) g = $ND(0,1);
endmodule

module cache(clk, bus, mine, o, s);
    input clk, bus, mine;
    output o, s;
    op wire bus, o;
    cs reg s;
    cpu p(clk, o);
    initial s = INV;
    always @(posedge clk) begin
        if (mine) case (bus) RD: if (s == INV) s = SH; WR: s = EX; endcase
        else case (bus) RD: if (s == EX) s = SH; WR: s = INV; endcase
    end
endmodule

module cpu(clk, o);
    input clk;
    output o;
    op reg o;
    initial o = NOP;
    always @(posedge clk) o = $ND(RD, WR, NOP);
endmodule
