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
      format(
        '(t.%1$I::text ~* ($1).%2$s%3$s)',
        column_name,
        case p_act when 'cut' then 'pattern' else 'wide_pattern' end,
        case when fact then '' else format(' or t.%I::text ~* ($1).prose_pattern', column_name) end
      ),
      ' or '
    ), string_agg(format('t.%I::text', column_name), ', ')
    into naming, texts
    from app.marked_columns(p_table)
    where not hashed and type_name <> 'bytea';
    if naming is null then return 0; end if;
    -- A row without a needle holds no name: the patterns cost more than all the rest. Needles know no accents, so that
    -- a text with other letters than a to z is read for names.
    naming := format(
      '(%1$s) and (lower(%2$s) like any (($1).needles) or ($1).prose_pattern is not null and octet_length(%2$s) '
      '<> length(%2$s)) and (%3$s)',
      p_where, format('concat_ws('' '', %s)', texts), naming
    );
    -- A key stays what it is, or becomes a hash by which it is known (app.erase_keys).
    return app.erase_rows(
      p_table, naming, case p_act when 'empty' then 'words' else p_act end, p_subject, p_dry, null
    );
  end $$;

alter function app.erase_mentions(text, text, text, app.erasure_subject, boolean) owner to outrider_definer;
revoke execute on function app.erase_mentions(text, text, text, app.erasure_subject, boolean) from public;
