import type { Tx } from '../../postgres/database.ts';

/** What notifications call things by, by their ids. */
export interface EventNames {
  campaigns: ReadonlyMap<string, string>;
  accounts: ReadonlyMap<string, string>;
}

/** Drafts that wait in a campaign. */
export interface WaitingDrafts {
  waiting: number;
  /** Epoch ms, product time. */
  oldestExpiresAt: number;
}

/** Titles of campaigns of the workspace, and names of the accounts and mailboxes that are linked to it. Platform only. */
export async function readEventNames(
  tx: Tx,
  workspaceId: string,
  of: { campaigns: readonly string[]; accounts: readonly string[] },
): Promise<EventNames> {
  const campaigns = await tx.rows<{ id: string; name: string }>(
    'select id, title as name from campaign where id = any ($1) and workspace_id = $2',
    [of.campaigns, workspaceId],
  );
  const accounts = await tx.rows<{ id: string; name: string }>(
    `select a.id, coalesce(nullif(a.display_name, ''), a.id) as name
     from network_account a
     join account_link l on l.account_id = a.id and l.workspace_id = $2
     where a.id = any ($1)`,
    [of.accounts, workspaceId],
  );
  const byId = (rows: readonly { id: string; name: string }[]): Map<string, string> =>
    new Map(rows.map(({ id, name }) => [id, name]));
  return { campaigns: byId(campaigns), accounts: byId(accounts) };
}

/** What waits for a person in campaigns, by campaign; one in which nothing waits is left out. Platform only. */
export async function readWaitingDrafts(
  tx: Tx,
  workspaceId: string,
  campaigns: readonly string[],
): Promise<Map<string, WaitingDrafts>> {
  const rows = await tx.rows<WaitingDrafts & { id: string }>(
    `select campaign_id as id, count(*)::int as waiting, min(expires_at) as "oldestExpiresAt"
     from review_item
     where workspace_id = $1 and campaign_id = any ($2) and state = 'pending'
     group by campaign_id`,
    [workspaceId, campaigns],
  );
  return new Map(rows.map(({ id, ...drafts }) => [id, drafts]));
}
