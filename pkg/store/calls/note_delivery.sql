-- Keeps what a delivery through an integration of the lease's workspace says of its health. `p_error` null: it went
-- through. `p_needs_auth`: its credentials were refused. `p_now`: epoch ms UTC, product time.
create or replace function app.note_delivery(
  p_integration text, p_error text, p_needs_auth boolean, p_now bigint
)
  returns void
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  begin
    perform set_config('app.now', p_now::text, true);
    update integration i
    set
      last_delivery_at = case when p_error is null then p_now else i.last_delivery_at end,
      failures_in_row = case when p_error is null then 0 else i.failures_in_row + 1 end,
      last_error = p_error,
      status = case
        when p_error is null then case when i.status = 'paused' then i.status else 'connected' end
        when p_needs_auth then 'needs_auth'
        else i.status
      end
    where i.id = p_integration and i.workspace_id = app.workspace();
  end $$;

alter function app.note_delivery(text, text, boolean, bigint) owner to outrider_definer;
revoke execute on function app.note_delivery(text, text, boolean, bigint) from public;
grant execute on function app.note_delivery(text, text, boolean, bigint) to outrider_executor;
