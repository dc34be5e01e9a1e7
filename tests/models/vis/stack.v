// expect: states=1106
// A stack of three words: tasks that change registers of the module, one with an argument declared twice.
module taskful(clk, cmd);
    input clk;
    input [1:0] cmd;
    reg [3:0] acc;
    reg [1:0] sp;
    reg [3:0] st[0:2];
    reg ov;
    reg [1:0] lc;
    integer i;
    task push;
        input [3:0] v; begin if (sp == 3) ov = 1; else begin st[sp] = v; sp = sp + 1; end end
    endtask
    task pop;
        output [3:0] v;
        reg [3:0] v; begin if (sp == 0) begin ov = 1; v = 15; end else begin sp = sp - 1; v = st[sp]; st[sp] = 0; end end
    endtask
    initial begin acc = 1; sp = 0; ov = 0; lc = 0; for (i = 0; i < 3; i = i + 1) st[i] = 0; end
    always @(posedge clk) if (!ov) begin lc = cmd;
        case (cmd) 2'd0: push(acc); 2'd1: pop(acc); 2'd2: acc = {acc[2:0], acc[3]}; 2'd3: ; endcase end
endmodule
