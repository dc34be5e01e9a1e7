// expect: states=12
// Parameters by position and by defparam; a net that only a connection declares.
module lock(clk);
    input clk;
    wire [1:0] d;
    assign d = $ND(0,1,2,3);
    dial #(2,1,3) l1(clk, d, o1);
    dial l2(clk, d, o2);
    defparam l2.A = 1, l2.C = 0;
endmodule

module dial(clk, d, open);
    input clk;
    input [1:0] d;
    output open;
    parameter A = 0, B = 1;
    parameter C = 2;
    reg [1:0] st;
    initial st = 0;
    assign open = st == 3;
    always @(posedge clk) case (st) 0: if (d == A) st = 1; 1: st = (d == B) ? 2 : 0; 2: if (d == C) st = 3; else st = 0; default: ; endcase
endmodule
