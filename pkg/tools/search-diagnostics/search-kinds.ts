import { isUuid } from '../../base/ids.ts';
import type { Tx } from '../../postgres/database.ts';
import { findLeads, wordsOf } from '../../store/lead-search.ts';

/** A record that was found. */
export interface Found {
  id: string;
  title: string;
  snippet: string;
}

/** What is looked for. */
export interface Wanted {
  workspaceId: string;
  /** As it was written, trimmed. */
  text: string;
  /** Last id of the page before, in this kind. */
  after: string | null;
  limit: number;
}

/** A kind of record that can be found. */
export interface SearchKind {
  type: string;
  /** Scope that reads it. */
  scope: string;
  getTool: string;
  find(tx: Tx, wanted: Wanted): Promise<Found[]>;
}

/** `%text%` with the wildcards of the text itself taken as letters. */
const pattern = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;
const uuidOf = (text: string): string | null => (isUuid(text) ? text : null);

/** One statement per kind: $1 workspace, $2 pattern, $3 the text itself, $4 the id to go on after, $5 how many. */
function kind(type: string, scope: string, getTool: string, sql: string): SearchKind {
  return {
    type,
    scope,
    getTool,
    find: (tx, { workspaceId, text, after, limit }) =>
      tx.rows<Found>(sql, [workspaceId, pattern(text), text, after, limit]),
  };
}

const LEADS: SearchKind = {
  type: 'lead',
  scope: 'leads:read',
  getTool: 'svc_get_lead',
  /** An id, a mail address, or words, each as a beginning; newest first. Private leads of the workspace and the shared pool. */
  async find(tx, { workspaceId, text, after, limit }) {
    const id = uuidOf(text);
    if (id !== null) return after === null ? leadsOf(tx, workspaceId, [id]) : [];
    if (text.includes('@')) return after === null ? leadsByMail(tx, workspaceId, text, limit) : [];
    if (wordsOf(text) === '') return [];
    const criteria = { query: text };
    const page = { workspaceId, criteria, before: after, limit, withoutSuppressed: false, now: 0 };
    return leadsOf(tx, workspaceId, (await findLeads(tx, page)).leadIds);
  },
};

const LEAD_HIT = `select l.id::text as id, l.full_name as title, concat_ws(', ', nullif(l.title, ''), nullif(l.company, ''), l.email) as snippet`;

function leadsOf(tx: Tx, workspaceId: string, leadIds: readonly string[]): Promise<Found[]> {
  return tx.rows<Found>(
    `${LEAD_HIT} from unnest($2::uuid[]) with ordinality u (id, place) join lead l on l.id = u.id
     where l.erased_at is null and (l.workspace_id is null or l.workspace_id = $1) order by u.place`,
    [workspaceId, leadIds],
  );
}

function leadsByMail(tx: Tx, workspaceId: string, mail: string, limit: number): Promise<Found[]> {
  return tx.rows<Found>(
    `${LEAD_HIT} from lead l where l.erased_at is null and coalesce(l.workspace_id, '') in ('', $1) and lower(l.email) = lower($2)
     order by l.id limit $3`,
    [workspaceId, mail, limit],
  );
}

/** Kinds of records that exist, in the order of hits. Kinds of the catalog that are not among them have no records yet. */
export const SEARCH_KINDS: readonly SearchKind[] = [
  kind(
    'campaign',
    'campaigns:read',
    'svc_get_campaign',
    `select id, title, left(coalesce(nullif(goal, ''), description), 200) as snippet from campaign
     where workspace_id = $1 and deleted_at is null and (title ilike $2 or goal ilike $2 or description ilike $2 or id = $3)
       and ($4::text is null or id > $4) order by id limit $5`,
  ),
  LEADS,
  kind(
    'lead_list',
    'lead_lists:read',
    'svc_get_lead_list',
    `select id::text as id, name as title, left(description, 200) as snippet from lead_list
     where workspace_id = $1 and deleted_at is null and (name ilike $2 or description ilike $2 or id::text = $3)
       and ($4::text is null or id > $4::uuid) order by id limit $5`,
  ),
  kind(
    'workflow',
    'workflows:read',
    'svc_get_workflow',
    `select id, name as title, case when enabled then 'enabled' else 'disabled' end as snippet from workflow
     where workspace_id = $1 and deleted_at is null and (name ilike $2 or id = $3)
       and ($4::text is null or id > $4) order by id limit $5`,
  ),
  kind(
    'conversation',
    'inbox:read',
    'svc_list_messages',
    `select c.id::text as id, c.participant_name as title, left(c.preview, 200) as snippet from conversation c
     where c.account_id in (select account_id from account_link where workspace_id = $1)
       and (c.participant_name ilike $2 or c.preview ilike $2 or c.participant_profile_url ilike $2 or c.id::text = $3)
       and ($4::text is null or c.id > $4::uuid) order by c.id limit $5`,
  ),
];
