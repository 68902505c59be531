-- Returns the marked columns of a table with the SQL of what an erasure leaves in each of a row t, and its type.
-- fact: it says what something is or is called and is no prose, so that a person's name alone proves nothing there.
-- `gone` of an erased column: what the mark says, else its default, else null, else what its type calls empty.
create or replace function app.marked_columns(p_table text)
  returns table (column_name text, type_name text, hashed boolean, gone text, fact boolean)
  language sql stable security definer
  set search_path = outrider, app, pg_catalog, pg_temp
  as $$
    select
      a.attname::text,
      format_type(a.atttypid, a.atttypmod),
      a.attname = any (m.hashed || m.keyed),
      case
        when a.attname = any (m.hashed || m.keyed) then format('app.hashed_word(t.%I)', a.attname)
        else coalesce(
          m.emptied ->> a.attname::text,
          pg_get_expr(d.adbin, d.adrelid),
          case
            when not a.attnotnull then 'null::' || format_type(a.atttypid, a.atttypmod)
            when y.typcategory = 'A' or y.typname in ('json', 'jsonb') then '''{}''::' || format_type(a.atttypid, null)
            else '''''::' || format_type(a.atttypid, null)
          end
        )
      end,
      a.attname = any (m.facts)
    from app.column_marks() m
    join pg_attribute a on a.attrelid = m.table_name::regclass and a.attname = any (m.erased || m.hashed || m.keyed)
    join pg_type y on y.oid = a.atttypid
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where m.table_name = p_table and not a.attisdropped
    order by a.attnum
  $$;

alter function app.marked_columns(text) owner to outrider_definer;
revoke execute on function app.marked_columns(text) from public;
