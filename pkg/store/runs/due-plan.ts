/**
 * The statement by which `app.claim_due` finds work, as the function runs it (a test holds it against the function): the doctor
 * asks for its plan. The entries of the agenda that come first: workspace, from when until when
 * (epoch ms), from which lane to which, how many.
 */
export const DUE_ENTRIES = `select a.ctid as at, cardinality(a.run_ids) as runs from agenda a
        where a.workspace_id = $1 and a.due_at >= $2 and a.due_at <= $3 and a.lane >= $4 and a.lane <= $5
        order by a.due_at limit $6`;
