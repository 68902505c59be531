-- A note of ours, and a message whose answer is missing, are known in a conversation though the network writes their lines and spaces otherwise, as
-- a restored ledger knows them: before, such a note stood there as written by hand, and took a unit of the account's messages.
set local search_path = outrider, app, public;

create or replace function app.own_texts(p_account text, p_person uuid, p_bodies text[]) returns table (body text, run_id uuid)
  language sql stable security definer set search_path = outrider, app, pg_catalog
  as $$
    select distinct on (b.body) b.body, s.run_id
    from send_key k join send s on s.id = k.send_id join unnest(p_bodies) b (body) on app.plain_text(b.body) = app.plain_text(s.body)
      where k.person_id = p_person and s.account_id = p_account and s.body <> ''
        and s.state in ('dispatched', 'unknown', 'confirmed') and app.may_use_account(p_account)
      order by b.body, s.claimed_at desc
  $$;

do $$
declare
  before text := pg_get_functiondef('app.is_ours(text, text, uuid, text)'::regprocedure);
  after text := replace(before, 's.body = p_body or', 's.body <> '''' and app.plain_text(s.body) = app.plain_text(p_body) or');
begin
  if after = before then raise exception 'app.is_ours does not read as expected'; end if;
  execute after;
end $$;
