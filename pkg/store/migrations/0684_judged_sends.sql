-- What judges a claim of sends and what takes it speak by these types; neither is ever stored. app.send_wish,
-- app.take_wishes and app.claim_in_turn have no callers from here on. The next release drops them: a claim that runs
-- during this upgrade may call them still.

-- Why a request is refused.
create type app.send_refusal as (
  why text,
  -- when it is worth asking again (epoch ms, product time); null: nobody knows
  next_at bigint
);

-- A request for a send, and what app.judge_sends found. Times are epoch ms, product time.
create type app.judged_send as (
  -- The request: its place in the batch first
  ord bigint,
  run_id uuid,
  send_id uuid,
  node_id text,
  account_id text,
  action text,
  -- actions that give a unit each
  budgets text[],
  body text,
  target jsonb,
  -- nobody is waited for: it is dispatched as it is claimed
  at_once boolean,
  -- Its run
  workflow_id text,
  campaign_id text,
  lead_id uuid,
  person_id uuid,
  -- What it takes: key of send_key, key of the contact claim, local date whose units it takes
  send_key text,
  scope_key text,
  budget_date date,
  -- its run has the contact claim
  holds_claim boolean,
  -- its run holds a promise
  promised boolean,
  -- What a grant of another request can change. It reaches a person
  contact boolean,
  -- whom it counts for; null: nobody counts
  company_key text,
  -- people of the company who may still be reached today (null: nobody counts, or this person was reached today), and
  -- the next midnight
  company_room int,
  company_next_at bigint,
  -- closed hours end then
  not_before bigint,
  -- the account keeps no pace
  unpaced boolean,
  -- the moment that was promised to it, where that has come, and how long the account rests after it (ms)
  promised_at bigint,
  gap_ms bigint,
  -- the account's last action of the same class lets it act from then on
  free_at bigint,
  -- units that each of its budgets has, the local date on which there are some again, and the account's timezone
  left_units int[],
  units_on date[],
  zone text,
  -- The judgement: null when nothing stands against it
  refusal text,
  next_at bigint,
  -- it is refused whatever becomes of the other requests
  stands boolean
);
