/* What Python and C share, told to Python: where the members of each record are, and what the numbers are called.
 *
 * Python lays the same records out with ctypes (library.py, engines/temporal) and compares when it loads the library, so
 * that a member added on one side alone stops the first run with a message, instead of being read from a wrong place. */
#include "evaluate.h"
#include "follow.h"
#include "gates.h"
#include "graph.h"
#include "lasso.h"
#include "product.h"
#include "quorbit.h"
#include "reduce.h"
#include "search.h"
#include "shard.h"
#include "stubborn.h"

typedef struct {
    const char *record, *member; /* member: "" for the whole record */
    uint64_t offset, size;
} qb_member;

typedef struct {
    const char *name;
    int64_t value;
} qb_constant;

#define WHOLE(record) {#record, "", 0, sizeof(record)}
#define MEMBER(record, member) {#record, #member, offsetof(record, member), sizeof(((record *)0)->member)}
#define CONSTANT(name) {#name, (int64_t)(name)}

static const qb_member members[] = {
    WHOLE(qb_instruction), MEMBER(qb_instruction, op), MEMBER(qb_instruction, a), MEMBER(qb_instruction, b),
    MEMBER(qb_instruction, c), MEMBER(qb_instruction, x), MEMBER(qb_instruction, y),

    WHOLE(qb_expression), MEMBER(qb_expression, kind), MEMBER(qb_expression, first), MEMBER(qb_expression, count),
    MEMBER(qb_expression, unused), MEMBER(qb_expression, value),

    WHOLE(qb_program), MEMBER(qb_program, words), MEMBER(qb_program, registers), MEMBER(qb_program, call_words),
    MEMBER(qb_program, commands), MEMBER(qb_program, next), MEMBER(qb_program, check), MEMBER(qb_program, stuck),
    MEMBER(qb_program, code_count), MEMBER(qb_program, table_count), MEMBER(qb_program, target_count),
    MEMBER(qb_program, code), MEMBER(qb_program, table), MEMBER(qb_program, targets), MEMBER(qb_program, memo),
    MEMBER(qb_program, call), MEMBER(qb_program, values), MEMBER(qb_program, chain_count),
    MEMBER(qb_program, chain_starts), MEMBER(qb_program, chain_commands), MEMBER(qb_program, gates),

    WHOLE(qb_gate_symmetry), MEMBER(qb_gate_symmetry, first), MEMBER(qb_gate_symmetry, count), MEMBER(qb_gate_symmetry, spared),

    WHOLE(qb_gates), MEMBER(qb_gates, bits), MEMBER(qb_gates, state_nodes), MEMBER(qb_gates, columns), MEMBER(qb_gates, mixed_nodes),
    MEMBER(qb_gates, choices), MEMBER(qb_gates, blocks), MEMBER(qb_gates, guard), MEMBER(qb_gates, condition_count),
    MEMBER(qb_gates, symmetry_count), MEMBER(qb_gates, pair_count), MEMBER(qb_gates, places), MEMBER(qb_gates, state_edges),
    MEMBER(qb_gates, mixed_edges), MEMBER(qb_gates, next), MEMBER(qb_gates, conditions), MEMBER(qb_gates, pairs),
    MEMBER(qb_gates, values), MEMBER(qb_gates, symmetries),

    /* native code has it as text (native/source.py) */
    WHOLE(qb_sink), MEMBER(qb_sink, records), MEMBER(qb_sink, metas), MEMBER(qb_sink, capacity), MEMBER(qb_sink, skip),
    MEMBER(qb_sink, n), MEMBER(qb_sink, registers), MEMBER(qb_sink, stop),

    WHOLE(qb_field), MEMBER(qb_field, word), MEMBER(qb_field, shift), MEMBER(qb_field, width),

    WHOLE(qb_cell), MEMBER(qb_cell, field), MEMBER(qb_cell, low), MEMBER(qb_cell, is_atom), MEMBER(qb_cell, kind),
    MEMBER(qb_cell, family), MEMBER(qb_cell, length), MEMBER(qb_cell, slot), MEMBER(qb_cell, owner_count),
    MEMBER(qb_cell, elements), MEMBER(qb_cell, owners),

    WHOLE(qb_unit), MEMBER(qb_unit, is_set), MEMBER(qb_unit, first), MEMBER(qb_unit, count),

    WHOLE(qb_plan), MEMBER(qb_plan, words), MEMBER(qb_plan, atoms), MEMBER(qb_plan, run_count),
    MEMBER(qb_plan, cell_count), MEMBER(qb_plan, family_count), MEMBER(qb_plan, length_count),
    MEMBER(qb_plan, unit_count), MEMBER(qb_plan, unit_field_count), MEMBER(qb_plan, cache_bits),
    MEMBER(qb_plan, unused), MEMBER(qb_plan, node_count), MEMBER(qb_plan, run_starts), MEMBER(qb_plan, runs),
    MEMBER(qb_plan, cells), MEMBER(qb_plan, families), MEMBER(qb_plan, lengths), MEMBER(qb_plan, keep),
    MEMBER(qb_plan, units), MEMBER(qb_plan, unit_fields), MEMBER(qb_plan, nodes), MEMBER(qb_plan, values),
    MEMBER(qb_plan, value_fields), MEMBER(qb_plan, value_field_count),

    WHOLE(qb_options), MEMBER(qb_options, program), MEMBER(qb_options, most_bytes), MEMBER(qb_options, most_states),
    MEMBER(qb_options, most_depth), MEMBER(qb_options, all_errors), MEMBER(qb_options, transient),
    MEMBER(qb_options, check), MEMBER(qb_options, stuck), MEMBER(qb_options, threads), MEMBER(qb_options, order),
    MEMBER(qb_options, compact), MEMBER(qb_options, limbs), MEMBER(qb_options, squeezed),
    MEMBER(qb_options, most_moves), MEMBER(qb_options, parents), MEMBER(qb_options, wide),
    MEMBER(qb_options, bit_bytes), MEMBER(qb_options, alpha), MEMBER(qb_options, seed),
    MEMBER(qb_options, plan), MEMBER(qb_options, counting), MEMBER(qb_options, partial_order),

    WHOLE(qb_test), MEMBER(qb_test, word), MEMBER(qb_test, shift), MEMBER(qb_test, width), MEMBER(qb_test, kind),
    MEMBER(qb_test, fails), MEMBER(qb_test, values), MEMBER(qb_test, entry), MEMBER(qb_test, needs), MEMBER(qb_test, stride),

    WHOLE(qb_need), MEMBER(qb_need, first), MEMBER(qb_need, first_settles), MEMBER(qb_need, gates), MEMBER(qb_need, gates_settle),

    WHOLE(qb_partial_order), MEMBER(qb_partial_order, cases), MEMBER(qb_partial_order, tests),
    MEMBER(qb_partial_order, words), MEMBER(qb_partial_order, commands), MEMBER(qb_partial_order, invisible),
    MEMBER(qb_partial_order, rows), MEMBER(qb_partial_order, needs), MEMBER(qb_partial_order, settling), MEMBER(qb_partial_order, dependent), MEMBER(qb_partial_order, enablers),
    MEMBER(qb_partial_order, enabling), MEMBER(qb_partial_order, asking), MEMBER(qb_partial_order, visible), MEMBER(qb_partial_order, loose), MEMBER(qb_partial_order, test_starts),
    MEMBER(qb_partial_order, test_list), MEMBER(qb_partial_order, case_starts), MEMBER(qb_partial_order, case_list),
    MEMBER(qb_partial_order, case_commands), MEMBER(qb_partial_order, need_table),
    MEMBER(qb_partial_order, test_table),
    MEMBER(qb_partial_order, program),

    WHOLE(qb_report), MEMBER(qb_report, states), MEMBER(qb_report, transitions), MEMBER(qb_report, levels),
    MEMBER(qb_report, cursor), MEMBER(qb_report, bytes), MEMBER(qb_report, errors), MEMBER(qb_report, failure_kind),
    MEMBER(qb_report, failure_state), MEMBER(qb_report, cpu_seconds), MEMBER(qb_report, lost),
    MEMBER(qb_report, cache_hits), MEMBER(qb_report, deepest), MEMBER(qb_report, status), MEMBER(qb_report, left_out),

    WHOLE(qb_level_report), MEMBER(qb_level_report, found), MEMBER(qb_level_report, checksum),
    MEMBER(qb_level_report, transitions), MEMBER(qb_level_report, errors), MEMBER(qb_level_report, failure_kind),
    MEMBER(qb_level_report, bytes), MEMBER(qb_level_report, sent_count), MEMBER(qb_level_report, sent_bytes),
    MEMBER(qb_level_report, partly), MEMBER(qb_level_report, cpu_seconds),

    WHOLE(qb_run_view), MEMBER(qb_run_view, steps), MEMBER(qb_run_view, states), MEMBER(qb_run_view, ends),
    MEMBER(qb_run_view, commands),

    WHOLE(qb_cast), MEMBER(qb_cast, actors), MEMBER(qb_cast, processes), MEMBER(qb_cast, process_count),
    MEMBER(qb_cast, atoms), MEMBER(qb_cast, follow), MEMBER(qb_cast, unused),

    WHOLE(qb_graph_view), MEMBER(qb_graph_view, states), MEMBER(qb_graph_view, edges), MEMBER(qb_graph_view, expanded),
    MEMBER(qb_graph_view, set_keys), MEMBER(qb_graph_view, permutation_keys),

    WHOLE(qb_question), MEMBER(qb_question, program_count), MEMBER(qb_question, label_count),
    MEMBER(qb_question, programs), MEMBER(qb_question, certain), MEMBER(qb_question, labels), MEMBER(qb_question, all),
    MEMBER(qb_question, automaton_states), MEMBER(qb_question, automaton_initial), MEMBER(qb_question, fairness),
    MEMBER(qb_question, stutters), MEMBER(qb_question, expands), MEMBER(qb_question, aim),
    MEMBER(qb_question, root_count), MEMBER(qb_question, last_first), MEMBER(qb_question, roots), MEMBER(qb_question, ends),

    WHOLE(qb_product_view), MEMBER(qb_product_view, nodes), MEMBER(qb_product_view, deepest),
    MEMBER(qb_product_view, cores), MEMBER(qb_product_view, letter), MEMBER(qb_product_view, bad_state),
    MEMBER(qb_product_view, bad_proposition), MEMBER(qb_product_view, key),

    WHOLE(qb_way), MEMBER(qb_way, length), MEMBER(qb_way, edges), MEMBER(qb_way, start), MEMBER(qb_way, node),
    MEMBER(qb_way, found), MEMBER(qb_way, ends),
};

static const qb_constant constants[] = {
    CONSTANT(QB_RUNNING), CONSTANT(QB_DONE), CONSTANT(QB_FAILED), CONSTANT(QB_MEMORY), CONSTANT(QB_DEPTH),
    CONSTANT(QB_STATES), CONSTANT(QB_TOO_FEW_ATOMS), CONSTANT(QB_TOO_LARGE), CONSTANT(QB_STOPPED), CONSTANT(QB_DISK),
    CONSTANT(QB_NOTHING), CONSTANT(QB_BY_MOVE), CONSTANT(QB_IN_STATE), CONSTANT(QB_STUCK),
    CONSTANT(QB_PARENTS_PLAIN), CONSTANT(QB_PARENTS_ORDERED), CONSTANT(QB_PARENTS_NONE),
    CONSTANT(QB_OLDEST_FIRST), CONSTANT(QB_NEWEST_FIRST), CONSTANT(QB_MIXED),
    CONSTANT(QB_IDENTITY), CONSTANT(QB_ENUMERATE), CONSTANT(QB_CHAIN), CONSTANT(QB_SWAPS), CONSTANT(QB_SORT),
    CONSTANT(QB_TURN), CONSTANT(QB_DESCEND), CONSTANT(QB_ORBIT), CONSTANT(QB_REFINE), CONSTANT(QB_SYMMETRIC),
    CONSTANT(QB_MARK), CONSTANT(QB_FOREST), CONSTANT(QB_COSETS), CONSTANT(QB_E_ALL), CONSTANT(QB_LATE), CONSTANT(QB_DAMAGED),
    CONSTANT(QB_NO_ROOM),
};

QB_API const qb_member *qb_members(uint64_t *count) {
    *count = sizeof(members) / sizeof(members[0]);
    return members;
}

QB_API const qb_constant *qb_constants(uint64_t *count) {
    *count = sizeof(constants) / sizeof(constants[0]);
    return constants;
}
