// expect: states=71
// Registers and a memory without a first value start with any.
module uninit(clk);
    input clk;
    reg [1:0] a;
    reg b;
    reg [1:0] m[0:1];
    initial b = 0;
    always @(posedge clk) begin a = a + 1; if (a == 2) b = 1; m[a[0]] = a; end
endmodule
