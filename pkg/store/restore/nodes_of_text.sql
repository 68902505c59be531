-- Returns the nodes of workflows that send through the account and whose text, with its placeholders filled somehow,
-- is p_text. It looks at every version of a graph and at deleted ones, since it is asked where a send came from that
-- the ledger lacks.
-- p_kind: message, inmail or connection_request, as in `network:…`. Empty where the caller may not use the account.
create or replace function app.nodes_of_text(p_account text, p_kind text, p_text text)
  returns table (workspace_id text, campaign_id text, workflow_id text, node_id text)
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  as $$
    select distinct w.workspace_id, w.campaign_id, w.id, n ->> 'nodeId'
    from account_link l
    join workflow w on w.workspace_id = l.workspace_id
    join workflow_graph g on g.workflow_id = w.id
    cross join lateral jsonb_array_elements(g.graph -> 'nodes') n
    cross join lateral (
      select app.text_pattern(
        coalesce(n -> 'config' ->> 'text', n -> 'config' ->> 'noteTemplate', n -> 'config' ->> 'body', '')
      ) as pattern
    ) p
    where l.account_id = p_account
      and app.may_use_account(p_account)
      and n ->> 'nodeType' = 'network:' || p_kind
      and p.pattern <> ''
      and app.plain_text(p_text) like p.pattern
  $$;

alter function app.nodes_of_text(text, text, text) owner to outrider_definer;
revoke execute on function app.nodes_of_text(text, text, text) from public;
grant execute on function app.nodes_of_text(text, text, text) to outrider_app, outrider_owner;
