-- Erases in rows of a table that name the subject without being about it (p_subject.pattern; where the
-- whole text goes, wide_pattern), or counts them.
-- p_where: among which rows t; p_act: cut, empty or delete; p_dry: it only counts. Returns how many rows.
create or replace function app.erase_mentions(
  p_table text, p_where text, p_act text, p_subject app.erasure_subject, p_dry boolean
)
  returns int
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog, pg_temp
  as $$
  declare
    naming text;
    texts text;
  begin
    select string_agg(
      format('t.%I::text ~* ($1).%s', column_name, case p_act when 'cut' then 'pattern' else 'wide_pattern' end),
      ' or '
    ), string_agg(format('t.%I::text', column_name), ', ')
    into naming, texts
    from app.marked_columns(p_table)
    where not hashed and type_name <> 'bytea';
    if naming is null then return 0; end if;
    -- A row without a needle holds no name: the patterns cost more than all the rest.
    naming := format('(%s) and lower(concat_ws('' '', %s)) like any (($1).needles) and (%s)', p_where, texts, naming);
    return app.erase_rows(p_table, naming, p_act, p_subject, p_dry, null);
  end $$;

alter function app.erase_mentions(text, text, text, app.erasure_subject, boolean) owner to outrider_definer;
revoke execute on function app.erase_mentions(text, text, text, app.erasure_subject, boolean) from public;
