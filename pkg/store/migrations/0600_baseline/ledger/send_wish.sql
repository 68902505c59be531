-- A request for a send that nothing stands against (app.claim_sends hands them to app.take_wishes). Never stored.
create type app.send_wish as (
  -- place in the batch
  ord bigint,
  run_id uuid,
  send_id uuid,
  node_id text,
  account_id text,
  action text,
  budgets text[],
  body text,
  target jsonb,
  workflow_id text,
  campaign_id text,
  lead_id uuid,
  person_id uuid,
  -- key to be taken in send_key
  send_key text,
  -- key of the contact claim
  scope_key text,
  -- local date whose units it takes
  budget_date date,
  -- its run has the contact claim
  holds boolean,
  -- its run holds a promise
  slot_id boolean,
  -- nobody is waited for: it is dispatched as it is claimed
  at_once boolean
);
