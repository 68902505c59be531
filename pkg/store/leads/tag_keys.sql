-- Returns the entries of the index lead_overlay_tag_keys, '<workspace>:<tag>' each, since tags are a workspace's own.
-- {} without tags.
create or replace function app.tag_keys(p_workspace text, p_tags text[]) returns text[]
  language sql immutable parallel safe
  as $$ select coalesce(array_agg(p_workspace || ':' || t), '{}') from unnest(p_tags) t $$;

revoke execute on function app.tag_keys(text, text[]) from public;
grant execute on function app.tag_keys(text, text[]) to outrider_app, outrider_definer, outrider_executor;
