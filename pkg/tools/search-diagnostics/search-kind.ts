import { foldings } from '../../domain/fold-text.ts';
import type { Tx } from '../../postgres/database.ts';

/** Types of records that the catalog lets search, with the scope that reads each; not all of them are built yet. */
export const SEARCH_SCOPES = {
  campaign: 'campaigns:read',
  lead: 'leads:read',
  company: 'leads:read',
  lead_list: 'lead_lists:read',
  workflow: 'workflows:read',
  conversation: 'inbox:read',
  content_post: 'content:read',
  signal_agent: 'signals:read',
  competitor_watch: 'competitors:read',
  integration: 'integrations:read',
  persona: 'campaigns:read',
  phase: 'campaigns:read',
  icp: 'icps:read',
  automation: 'automations:read',
  workflow_run: 'workflows:read',
  review_item: 'workflows:read',
  signal: 'signals:read',
  network_account: 'accounts:read',
  import: 'integrations:read',
  member: 'workspace:read',
  invitation: 'workspace:read',
  api_key: 'workspace:read',
  notification: 'notifications:read',
} as const;
export type SearchType = keyof typeof SEARCH_SCOPES;

/** A record that was found. */
export interface Found {
  id: string;
  title: string;
  snippet: string;
}

/** What is looked for. */
export interface Wanted {
  workspaceId: string;
  /** Whose own records are found; null: those of all members (a workspace's key). */
  userId: string | null;
  /** Kinds of events that the caller's key may read: of others no notification is found. */
  eventKinds: readonly string[];
  /** As it was written, trimmed. */
  text: string;
  /** Last id of the page before, in this kind. */
  after: string | null;
  limit: number;
  /** Newest leads whose name, title or company has the words: what is about them is found with them. */
  leads: () => Promise<readonly string[]>;
}

/** A kind of record that can be found. */
export interface SearchKind {
  type: SearchType;
  /** Scope that reads it. */
  scope: string;
  getTool: string;
  find(tx: Tx, wanted: Wanted): Promise<Found[]>;
}

/** `%text%` without accents, with the wildcards of the text itself taken as letters: for what `folded` makes of a column. */
const pattern = (text: string): string => `%${(foldings(text)[0] ?? text).replace(/[\\%_]/g, '\\$&')}%`;

/** A text as it is and without accents, as SQL. */
export const folded = (column: string): string => `(${column} || ' ' || app.folded(${column}))`;

/** One statement per kind: $1 workspace, $2 pattern, $3 the text itself, $4 the id to go on after, $5 how many. */
export function kind(type: SearchType, getTool: string, sql: string): SearchKind {
  return {
    type,
    scope: SEARCH_SCOPES[type],
    getTool,
    find: (tx, { workspaceId, text, after, limit }) =>
      tx.rows<Found>(sql, [workspaceId, pattern(text), text, after, limit]),
  };
}

/** As `kind`, of records that are about leads: $6 the ids of leads that were found. */
export function kindOfLeads(type: SearchType, getTool: string, sql: string): SearchKind {
  return {
    type,
    scope: SEARCH_SCOPES[type],
    getTool,
    find: async (tx, { workspaceId, text, after, limit, leads }) =>
      tx.rows<Found>(sql, [workspaceId, pattern(text), text, after, limit, await leads()]),
  };
}

/** As `kind`, of what members are told: $6 who, null: all; $7 kinds that may be read. */
export function kindOfMembers(type: SearchType, getTool: string, sql: string): SearchKind {
  return {
    type,
    scope: SEARCH_SCOPES[type],
    getTool,
    find: (tx, { workspaceId, text, after, limit, userId, eventKinds }) =>
      tx.rows<Found>(sql, [workspaceId, pattern(text), text, after, limit, userId, eventKinds]),
  };
}
