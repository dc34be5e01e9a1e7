// expect: order=1152
// A switch that connects free rows with free columns, one pair at a time.  Rows are alike, and so are columns: the
// states are the partial matchings, their orbits the numbers of connections.  `-D N=8` takes another size.
`ifndef N
`define N 4
`endif
module crossbar(clock, connect, row, column);
    input clock, connect;
    input [`N-1:0] row, column;
    wire [`N-1:0] one_row, one_column, busy_row, crowded;
    wire bad, full;
    genvar i, j;
    generate
        for (i = 0; i < `N; i = i + 1) begin : line
            reg [`N-1:0] joined;
            initial joined = 0;
            assign one_row[i] = row == (1 << i);
            assign one_column[i] = column == (1 << i);
            assign busy_row[i] = |joined;
        end
        for (i = 0; i < `N; i = i + 1) begin : across
            wire [`N-1:0] down;
            for (j = 0; j < `N; j = j + 1) begin : cell
                assign down[j] = line[j].joined[i];
                always @(posedge clock)
                    if (one_row[j] & one_column[i])
                        line[j].joined[i] <= connect & (line[j].joined[i] | ~(busy_row[j] | (|down)));
            end
            assign crowded[i] = |(down & (down - 1));
        end
    endgenerate
    assign bad = |crowded;
    assign full = &busy_row;
endmodule
