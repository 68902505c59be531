/**
 * The statements by which `app.claim_due` finds work, as it runs them; for whoever asks for their plans. A test holds them
 * against the function.
 */

/** The entries of the agenda that come first: workspace, from when until when (epoch ms), from which lane to which, how many. */
export const DUE_ENTRIES = `select a.ctid as at, cardinality(a.run_ids) as runs from agenda a
        where a.workspace_id = $1 and a.due_at >= $2 and a.due_at <= $3 and a.lane >= $4 and a.lane <= $5
        order by a.due_at limit $6`;

/** Those of their runs that are due: ids, workspace, until when (epoch ms), of which lane (null: of both), ids to leave, how many. */
export const DUE_RUNS = `select r.id from run r
        where r.id = any ($1) and r.due_at <= $3 and (r.workspace_id = $2) is true
          and ($4::int is null or app.lane_of(r.account_id) = $4) and r.id not in (select unnest($5::uuid[]))
        order by r.due_at, r.id limit $6 for no key update skip locked`;
