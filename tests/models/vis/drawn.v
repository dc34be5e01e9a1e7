// expect: states=14
// Registers whose first values are drawn, one by way of another.
typedef enum {P0,P1,P2} pos;
module ndinit(clk);
    input clk;
    pos reg a, b;
    wire w;
    assign w = $ND(0,1);
    reg [1:0] k;
    initial begin a = $ND(P0,P2); b = (a == P0) ? P1 : P2; k = $ND(1,3); end
    always @(posedge clk) begin if (w) a = b; else b = a; k = k ^ 2'b11; end
endmodule
