// expect: states=44
// A sum of numbers that are drawn from five of eight.
module nw(clk);
    input clk;
    wire [2:0] r;
    assign r = $ND(0,1,2,3,4);
    reg [2:0] a;
    reg [3:0] sum;
    reg f;
    initial begin a = 0; sum = 0; f = 0; end
    always @(posedge clk) begin a = r; if (sum + a > 4'd9) begin sum = 0; f = 1; end else begin sum = sum + a; f = 0; end end
endmodule
