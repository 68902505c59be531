-- Erases in rows of a table, or counts them: the one place where a mark becomes a statement. The condition comes from
-- the marks or from a function of ours, never from a caller.
-- p_where: which rows t ($1: p_subject). p_act: empty (marked columns are emptied and hashed), words (those to
-- erase are emptied), delete, or cut (what p_subject.pattern finds is cut out of the
-- texts, and out of prose what prose_pattern finds). p_dry: it only counts.
-- p_most: rows at most; null: all.
-- Returns how many rows it changed, or would.
create or replace function app.erase_rows(
  p_table text, p_where text, p_act text, p_subject app.erasure_subject, p_dry boolean, p_most int
)
  returns int
  language plpgsql security definer
  set search_path = outrider, app, public, pg_catalog, pg_temp
  as $$
  declare
    changes text;
    left_words text;
    statement text;
    n int;
  begin
    if p_act = 'cut' then
      select
        string_agg(
          format('%1$I = regexp_replace(t.%1$I::text, %3$s, ''erased'', ''gi'')::%2$s', column_name, type_name, finds),
          ', '
        ),
        string_agg(format('t.%I::text ~* %s', column_name, finds), ' or ')
      into changes, left_words
      from app.marked_columns(p_table) c
      cross join lateral (
        select case when c.fact then '($1).pattern' else 'coalesce(($1).prose_pattern, ($1).pattern)' end as finds
      ) f
      where not hashed and type_name <> 'bytea';
    else
      select
        string_agg(format('%I = %s', column_name, gone), ', '),
        string_agg(format('t.%I::text is distinct from (%s)::text', column_name, gone), ' or ')
      into changes, left_words
      from app.marked_columns(p_table)
      where not hashed or p_act = 'empty';
    end if;
    if p_act <> 'delete' and changes is null then return 0; end if;
    statement := format('(%s)', p_where);
    if p_act <> 'delete' then statement := format('%s and (%s)', statement, left_words); end if;
    if p_most is not null then
      statement := format(
        't.ctid = any (array(select t.ctid from %s t where %s limit %s))', p_table, statement, p_most
      );
    end if;
    if p_dry then
      execute format('select count(*)::int from %s t where %s', p_table, statement) into n using p_subject;
      return n;
    end if;
    if p_act = 'delete' then
      execute format('delete from %s t where %s', p_table, statement) using p_subject;
    else
      execute format('update %s t set %s where %s', p_table, changes, statement) using p_subject;
    end if;
    get diagnostics n = row_count;
    return n;
  end $$;

alter function app.erase_rows(text, text, text, app.erasure_subject, boolean, int) owner to outrider_definer;
revoke execute on function app.erase_rows(text, text, text, app.erasure_subject, boolean, int) from public;
