-- Actions that a person asks for: at once, where they say so.

-- It keeps neither pace nor hours; budgets, exclusions and stops hold.
alter table outrider.action add column urgent boolean not null default false;

-- It takes `urgent` and `unclaimed` now (pkg/store/actions/plan_action.sql).
drop function if exists app.plan_action(
  uuid, text, text, uuid, text, text, text[], text, text, jsonb, bigint, bigint, text, uuid, bigint
);
