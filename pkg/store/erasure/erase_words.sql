-- Erases in a table by the marks (app.column_marks) all that is about a subject, and what names it where it has a
-- pattern; or counts it. p_dry: it only counts. Returns how many rows; 0 for a table without marks, and unless the
-- caller is the platform or a function of ours.
create or replace function app.erase_words(p_subject app.erasure_subject, p_table text, p_dry boolean) returns int
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog, pg_temp
  as $$
  declare
    m record;
    n int := 0;
    naming text;
    key text;
  begin
    select * into m from app.column_marks() c where c.table_name = p_table;
    if not found then return 0; end if;
    -- A search of prose alone leaves what is about the person to the search by their addresses.
    if m.person <> '' and p_subject.prose_pattern is null then
      n := app.erase_rows(p_table, m.person, m.row_act, p_subject, p_dry, null);
    end if;
    -- By a workspace's own names only its own texts are searched.
    naming := case
      when p_subject.workspace_id is null then 'true'
      when m.known_by <> '' then m.known_by
    end;
    if m.stays <> '' then naming := format('(%s) and (%s) is not true', naming, m.stays); end if;
    if p_subject.pattern is not null and naming is not null then
      foreach key in array m.keyed loop
        n := n + app.erase_keys(p_table, key, naming, p_subject, p_dry);
      end loop;
    end if;
    if m.person <> '' and naming is not null then
      naming := format('(%s) and (%s) is not true', naming, m.person);
    end if;
    if p_subject.pattern is not null and m.mention_act <> 'no' and naming is not null then
      n := n + app.erase_mentions(p_table, naming, m.mention_act, p_subject, p_dry);
    end if;
    return n;
  end $$;

alter function app.erase_words(app.erasure_subject, text, boolean) owner to outrider_definer;
revoke execute on function app.erase_words(app.erasure_subject, text, boolean) from public;
