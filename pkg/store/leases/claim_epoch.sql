-- Returns the epoch that the transaction's token says, unproven, for functions that have asked for the proven
-- workspace or account. Null without a token.
create or replace function app.claim_epoch() returns bigint
  language sql stable
  as $$ select split_part(current_setting('app.claim_token', true), '|', 3)::bigint $$;

grant execute on function app.claim_epoch() to outrider_app, outrider_definer, outrider_executor;
