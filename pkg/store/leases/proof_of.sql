-- Returns what app.enter leaves in the session for a token and the transaction that proved it, 64 bits of a hash of
-- both. Null in a transaction that has no number, since it locked and wrote nothing.
create or replace function app.proof_of(p_token text) returns bigint
  language sql stable
  as $$
    select (
      'x' || left(
        encode(sha256(convert_to(p_token || '|' || pg_current_xact_id_if_assigned()::text, 'UTF8')), 'hex'),
        16
      )
    )::bit(64)::bigint
  $$;

grant execute on function app.proof_of(text) to outrider_definer;
