import type pg from 'pg';

/** What the pages of lists can name in a seeded database. */
export const LISTED = {
  workflowId: 'bench-flow',
  conversationId: '018f0000-0000-7000-8c00-0000000c0000',
  accountId: 'bench-account-1',
} as const;

/** A row's id from its number, in the numbers' order. */
const ID = `create or replace function pg_temp.row_id(p_kind text, p_i bigint) returns uuid language sql immutable as $$
  select ('018f0000-0000-7000-8' || p_kind || '-' || lpad(to_hex(p_i), 12, '0'))::uuid $$`;

/**
 * Fills what grows with the use of a workspace: 100,000 runs of one workflow (and 300,000 newer ones of another
 * workspace), conversations, notifications, credit entries, signals and review items; hundreds of campaigns, lists,
 * workflows and ICPs.
 * @param client a superuser's connection after `seed`, search_path outrider, app, public
 */
export async function seedLists(client: pg.Client): Promise<void> {
  await client.query(ID);
  await client.query(
    `create temp table own as select id, row_number() over (order by id) as n from lead where workspace_id = 'bench'`,
  );
  // No trigger keeps an agenda of runs that nobody works on.
  await client.query('set session_replication_role = replica');
  for (const statement of STATEMENTS) await client.query(statement);
  await client.query('set session_replication_role = default; analyze');
}

const STATEMENTS = [
  `insert into workspace (id, uid, name, created_at, updated_at) values ('other', 'other', 'Other', 1, 1)`,
  `insert into campaign (id, workspace_id, uid, title, created_at, updated_at)
     select 'bench-campaign-' || n, 'bench', 'c' || n, 'Campaign ' || n, n, n from generate_series(2, 400) n`,
  `insert into lead_list (id, workspace_id, name, type, created_at)
     select pg_temp.row_id('111', n), 'bench', 'List ' || n, 'static', n from generate_series(1, 400) n`,
  `insert into icp (id, workspace_id, campaign_id, created_at)
     select pg_temp.row_id('222', n), 'bench', 'bench-campaign-' || 2 + n % 399, n from generate_series(1, 400) n`,
  `insert into workflow (id, workspace_id, campaign_id, uid, name, enabled, graph_version, node_count, created_at, updated_at)
     select case n when 1 then '${LISTED.workflowId}' else '${LISTED.workflowId}-' || n end, 'bench', 'bench-campaign', 'w' || n, 'Flow ' || n, true, 1, 2, n, n
     from generate_series(1, 200) n`,
  `insert into workflow_graph (workspace_id, workflow_id, version, graph, node_types_version, created_at)
     values ('bench', '${LISTED.workflowId}', 1, '{"nodes": [{"nodeId": "wait", "nodeType": "flow:wait", "label": "Wait", "config": {}}, {"nodeId": "rare", "nodeType": "flow:wait", "label": "Rare", "config": {}}], "edges": []}', '1', 1)`,
  `insert into run (id, workspace_id, workflow_id, campaign_id, lead_id, graph_version, node_id, state, entered_at, started_at, ended_at)
     select pg_temp.row_id('333', n), 'bench', '${LISTED.workflowId}', 'bench-campaign', id, 1, case when n % 5003 = 0 then 'rare' else 'wait' end,
       case when n % 5009 = 0 then 'failed' when n % 3 = 0 then 'completed' else 'waiting' end, n, n, case when n % 5009 = 0 or n % 3 = 0 then n end from own`,
  `insert into run (id, workspace_id, workflow_id, campaign_id, lead_id, graph_version, node_id, state, entered_at, started_at)
     select pg_temp.row_id('334', n + 100000 * m), 'other', 'other-flow-' || m, 'other', id, 1, 'wait', 'waiting', n, n from own, generate_series(1, 3) m`,
  `insert into app_user (id, email, created_at) values (pg_temp.row_id('444', 1), 'bench@example.com', 1)`,
  `insert into member (id, workspace_id, user_id, role, joined_at) values (pg_temp.row_id('445', 1), 'bench', pg_temp.row_id('444', 1), 'owner', 1)`,
  `insert into notification (id, workspace_id, user_id, kind, title, text, origin, created_at, read_at)
     select pg_temp.row_id('446', n), 'bench', pg_temp.row_id('444', 1), case when n % 997 = 0 then 'low_credits' else 'reply' end, 'Title', 'Text', n::text, n, case when n % 50 > 0 then n end
     from generate_series(1, 100000) n`,
  `insert into credit_entry (id, workspace_id, kind, amount, balance_after, held_after, action, campaign_id, idempotency_key, at)
     select pg_temp.row_id('555', n), 'bench', case when n % 1000 = 0 then 'refund' else 'settle' end, case when n % 1000 = 0 then 1 else -1 end, 1000000, 0,
       case when n % 2000 = 0 then 'rare' else 'enrich' end, 'bench-campaign', n::text, n from generate_series(1, 100000) n`,
  `insert into network_account (id, external_id, status_since, created_at) select 'bench-account-' || n, 'x' || n, 1, n from generate_series(1, 4) n`,
  `insert into account_link (account_id, workspace_id, linked_at) select 'bench-account-' || n, 'bench', 1 from generate_series(1, 4) n`,
  `insert into conversation (id, account_id, external_id, participant_name, preview, last_message_at, unread, reply_class)
     select pg_temp.row_id('c00', n), 'bench-account-' || 1 + n % 4, n::text, 'Person ' || n || case when n % 5003 = 0 then ' Quetzal' else '' end, 'About the offer', n,
       case when n % 40 = 0 then 1 else 0 end, case when n % 2003 = 0 then 'positive' else 'unclassified' end from generate_series(0, 100000) n`,
  `update conversation set id = '${LISTED.conversationId}' where account_id = '${LISTED.accountId}' and external_id = '0'`,
  `insert into message (id, conversation_id, account_id, external_id, direction, body, sent_at)
     select pg_temp.row_id('d00', n), '${LISTED.conversationId}', '${LISTED.accountId}', n::text, case n % 2 when 0 then 'in' else 'out' end, 'A message', n from generate_series(1, 20000) n`,
  `insert into review_item (id, workspace_id, workflow_id, campaign_id, run_id, lead_id, node_id, send_node_id, channel, body, original_body, state, created_at, expires_at)
     select pg_temp.row_id('e00', n), 'bench', '${LISTED.workflowId}', 'bench-campaign', pg_temp.row_id('333', n), id, 'wait', 'wait', 'message', 'Hello', 'Hello',
       case when n % 10 = 0 then 'pending' else 'approved' end, n, n from own where n <= 50000`,
  `insert into signal (id, workspace_id, type, lead_id, title, occurred_at, detected_at, expires_at)
     select pg_temp.row_id('f00', n), 'bench', case when n % 2003 = 0 then 'funding_round' else 'new_post' end, id, 'A post', n, n, case when n % 3 = 0 then 9000000000000 else n end from own`,
  `insert into signal (id, type, company_id, title, occurred_at, detected_at, expires_at)
     select pg_temp.row_id('f01', row_number() over ()), 'job_change', id, 'News', 1, row_number() over () + 200000, 9000000000000 from company`,
];
