-- Hashes the keys of calls in a table that name the subject (app.kept_key finds them), or counts them.
-- p_column: which keys; p_where: among which rows t; p_dry: it only counts. Returns how many rows.
create or replace function app.erase_keys(
  p_table text, p_column text, p_where text, p_subject app.erasure_subject, p_dry boolean
)
  returns int
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog, pg_temp
  as $$
  declare
    hashed text := format('''erased:'' || encode(app.erasure_hash(''word'', t.%I), ''hex'')', p_column);
    naming text := format(
      -- A name may have anything beside it in a key; one that is hashed for nothing is known all the same.
      '(%s) and t.%2$I !~ ''^erased:[0-9a-f]{64}$'' and (translate(t.%2$I, ''-'', '' '') ~* ($1).prose_pattern '
      'or ($1).prose_pattern is null and lower(t.%2$I) like any (($1).needles))',
      p_where, p_column
    );
    n int;
  begin
    if p_dry then
      execute format('select count(*)::int from %s t where %s', p_table, naming) into n using p_subject;
      return n;
    end if;
    execute format(
      'insert into erased_key (hash) select distinct %s from %s t where %s on conflict do nothing',
      hashed, p_table, naming
    ) using p_subject;
    execute format('update %s t set %I = %s where %s', p_table, p_column, hashed, naming) using p_subject;
    get diagnostics n = row_count;
    return n;
  end $$;

alter function app.erase_keys(text, text, text, app.erasure_subject, boolean) owner to outrider_definer;
revoke execute on function app.erase_keys(text, text, text, app.erasure_subject, boolean) from public;
