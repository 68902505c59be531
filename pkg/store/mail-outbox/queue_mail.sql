-- Queues a mail of the platform, in the transaction that is its reason. Anybody may name any address, so that an
-- address gets p_most_to of them in a day (product time) and a workspace sends p_most_of. Strangers ask for mails that
-- sign in, so that these are counted apart: they never keep an invitation from anybody, nor others them.
-- p_workspace: null for what is the platform's own, which only the platform queues. Times are epoch ms, product time.
-- Returns queued, known (this idempotency key was queued before), recipient_full, or workspace_full.
create or replace function app.queue_mail(
  p_id uuid, p_key text, p_kind text, p_workspace text, p_recipient text, p_params jsonb, p_sealed bytea,
  p_now bigint, p_expires bigint, p_most_to int, p_most_of int
)
  returns text
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare
    day bigint := p_now - 86400000;
    n int;
  begin
    if not (case when p_workspace is null then app.is_platform() else app.may_use(p_workspace) end) then
      raise exception 'not a mail of this caller';
    end if;
    if exists (select 1 from mail_outbox o where o.idempotency_key = p_key) then return 'known'; end if;
    select count(*)
    into n
    from mail_outbox o
    where lower(o.recipient) = lower(p_recipient)
      and o.created_at > day
      and (o.kind = 'sign_in') = (p_kind = 'sign_in');
    if n >= p_most_to then return 'recipient_full'; end if;
    select count(*) into n from mail_outbox o where o.workspace_id = p_workspace and o.created_at > day;
    if n >= p_most_of then return 'workspace_full'; end if;
    insert into mail_outbox (id, idempotency_key, kind, workspace_id, recipient, params, sealed, created_at, expires_at)
    values (p_id, p_key, p_kind, p_workspace, p_recipient, p_params, p_sealed, p_now, p_expires)
    on conflict (idempotency_key) do nothing;
    return case when found then 'queued' else 'known' end;
  end $$;

alter function app.queue_mail(uuid, text, text, text, text, jsonb, bytea, bigint, bigint, int, int)
  owner to outrider_definer;
revoke execute on function app.queue_mail(uuid, text, text, text, text, jsonb, bytea, bigint, bigint, int, int)
  from public;
grant execute on function app.queue_mail(uuid, text, text, text, text, jsonb, bytea, bigint, bigint, int, int)
  to outrider_app;
