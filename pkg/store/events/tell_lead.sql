-- Trigger after updates of a `lead` that was erased or enriched.
create or replace function app.tell_lead() returns trigger
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  begin
    insert into run_event (workspace_id, at, kind, actor, data)
    values (
      new.workspace_id,
      case when tg_name = 'told_erased' then new.erased_at else new.enriched_at end,
      case when tg_name = 'told_erased' then 'lead.erased' else 'lead.enriched' end,
      'system',
      jsonb_build_object('leadId', new.id)
    );
    return null;
  end $$;

alter function app.tell_lead() owner to outrider_definer;
revoke execute on function app.tell_lead() from public;
