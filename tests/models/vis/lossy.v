// expect: states=35
// The alternating bit protocol on two channels that lose messages; functions of enumerations as continuous assignments.
typedef enum {SEND0, WAIT0, SEND1, WAIT1} snd;
typedef enum {NOMSG, M0, M1} msg;
module main(clk);
    input clk;
    msg wire d, a, dl, al;
    snder s(clk, al, d);
    rcver r(clk, dl, a);
    chan cd(clk, d, dl);
    chan ca(clk, a, al);
endmodule

module chan(clk, i, o);
    input clk, i;
    output o;
    msg wire i;
    msg reg o;
    wire lose;
    assign lose = $ND(0,1);
    initial o = NOMSG;
    always @(posedge clk) o = lose ? NOMSG : i;
endmodule

module snder(clk, a, d);
    input clk, a;
    output d;
    msg wire a, d;
    snd reg st;
    initial st = SEND0;
    assign d = (st == SEND0 || st == WAIT0) ? M0 : M1;
    always @(posedge clk) case (st) SEND0: st = WAIT0; WAIT0: if (a == M0) st = SEND1; SEND1: st = WAIT1; WAIT1: if (a == M1) st = SEND0; endcase
endmodule

module rcver(clk, d, a);
    input clk, d;
    output a;
    msg wire d;
    msg reg a;
    reg exp;
    reg got;
    initial begin a = NOMSG; exp = 0; got = 0; end
    always @(posedge clk) begin got = 0; if (d != NOMSG) begin a = d; if ((d == M1) == exp) begin got = 1; exp = ~exp; end end end
endmodule
