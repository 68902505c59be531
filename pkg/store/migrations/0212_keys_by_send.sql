-- Which mails the ledger lacks, by the ids of their sends. One that a reconciliation took over may have no send, only its key.
set local search_path = outrider, app, public;

-- The claim of a batch finds the keys that it took by their sends; without this it read all keys, every time.
create index send_key_send on outrider.send_key (send_id);

drop function app.lacking_mails(text, uuid[]);
create function app.lacking_mails(p_account text, p_sends uuid[]) returns setof uuid
  language sql stable security definer set search_path = outrider, app, pg_catalog
  as $$
    select x.id from unnest(p_sends) as x (id)
    where app.may_use_account(p_account)
      and not exists (select 1 from send s where s.id = x.id) and not exists (select 1 from send_key k where k.send_id = x.id)
  $$;
alter function app.lacking_mails(text, uuid[]) owner to outrider_definer;
revoke execute on function app.lacking_mails(text, uuid[]) from public;
grant execute on function app.lacking_mails(text, uuid[]) to outrider_definer, outrider_executor, outrider_owner, outrider_app;
