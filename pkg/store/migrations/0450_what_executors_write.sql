-- What an executor writes itself is what it has to, for whoever takes one over: an exclusion that named the platform or an agency
-- as its level barred people in all workspaces, and a send that was written past app.claim_sends, with any account in it, gave units
-- of a neighbour's budget back when it was settled as failed. Sends and runs come to be in functions; of a send an executor notes
-- what a look-up said.
set local search_path = outrider, app, public;

alter policy executor_claim on suppression with check (workspace_id = (select app.workspace()) and level in ('workspace', 'campaign') and agency_id is null);

revoke insert, update on send from outrider_executor;
grant update (lookups, not_found, lookup_after, evidence, dead_letter_at, dead_letter_state) on send to outrider_executor;
revoke insert on run from outrider_executor;
