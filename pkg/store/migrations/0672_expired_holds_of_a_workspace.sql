-- Whose holds expire next in a workspace: each hold of credits asks for it, and read the expired holds of all workspaces for it.
create index credit_hold_expired on outrider.credit_hold (workspace_id, expires_at) where state = 'held';
-- Whether a call that is not settled needs a hold: asked of each hold that is to expire.
create index node_call_hold on outrider.node_call (credit_hold_id) where state <> 'settled' and credit_hold_id is not null;
