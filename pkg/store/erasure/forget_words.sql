-- Empties what was said in sends: text, address and error, and the texts of the evidence. That there was contact,
-- when and with which outcome stays. Returns how many it emptied. It asks for no permission, which its callers do.
create or replace function app.forget_words(p_sends uuid[]) returns int
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare forgotten int;
  begin
    update send s
    set
      body = null,
      target = '{}',
      error = null,
      evidence = (
        select coalesce(jsonb_agg(e.said - 'text' order by e.place), '[]')
        from jsonb_array_elements(s.evidence) with ordinality e (said, place)
      )
    where s.id = any (p_sends);
    get diagnostics forgotten = row_count;
    return forgotten;
  end $$;

alter function app.forget_words(uuid[]) owner to outrider_definer;
revoke execute on function app.forget_words(uuid[]) from public;
grant execute on function app.forget_words(uuid[]) to outrider_owner;
