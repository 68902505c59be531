-- Keeps what an executor wrote about a lead to a CRM of its workspace: who the lead is there, and the hashes of the
-- values, by which they are known when they come back. p_now: epoch ms UTC, product time.
create or replace function app.note_pushed(
  p_integration text, p_external text, p_lead uuid, p_properties text[], p_hashes bytea[], p_now bigint
)
  returns void
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare
    ws text := app.workspace();
  begin
    if not exists (
      select 1
      from integration i
      join lead l on l.id = p_lead and (l.workspace_id is null or l.workspace_id = ws) and l.erased_at is null
      where i.id = p_integration and i.workspace_id = ws and i.deleted_at is null
    ) then return; end if;
    insert into integration_object (integration_id, external_id, workspace_id, lead_id)
    values (p_integration, p_external, ws, p_lead)
    on conflict (integration_id, external_id) do nothing;
    insert into integration_echo (
      integration_id, external_id, property, workspace_id, lead_id, value_hash, written_at
    )
    select p_integration, p_external, w.property, ws, p_lead, w.value_hash, p_now
    from unnest(p_properties, p_hashes) w (property, value_hash)
    on conflict (integration_id, external_id, property) do update set
      value_hash = excluded.value_hash,
      written_at = excluded.written_at;
  end $$;

alter function app.note_pushed(text, text, uuid, text[], bytea[], bigint) owner to outrider_definer;
revoke execute on function app.note_pushed(text, text, uuid, text[], bytea[], bigint) from public;
grant execute on function app.note_pushed(text, text, uuid, text[], bytea[], bigint) to outrider_executor;
