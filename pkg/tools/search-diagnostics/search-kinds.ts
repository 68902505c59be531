import { isUuid } from '../../base/ids.ts';
import type { Tx } from '../../postgres/database.ts';
import { findCompanies } from '../../store/companies/company-search.ts';
import { findLeads, wordsOf } from '../../store/leads/lead-search.ts';
import { AGENT_KINDS, CONTENT_KINDS, OFFICE_KINDS, WORK_KINDS } from './more-search-kinds.ts';
import { type Found, folded, kind, SEARCH_SCOPES, type SearchKind, type Wanted } from './search-kind.ts';

/** Newest first, by words, mail address or id; private leads of the workspace and the shared pool. */
const LEADS: SearchKind = {
  type: 'lead',
  scope: SEARCH_SCOPES.lead,
  getTool: 'svc_get_lead',
  async find(tx, wanted) {
    const { workspaceId, text, after: before, limit } = wanted;
    const byMail = text.includes('@')
      ? await tx.row<{ ids: string[] }>('select app.leads_by_mail($1, $2) as ids', [workspaceId, text])
      : undefined;
    const search = { workspaceId, criteria: { query: text }, before, limit, withoutSuppressed: false, now: 0 };
    const byWords = wordsOf(text) === '' ? [] : (await findLeads(tx, search)).leadIds;
    return tx.rows<Found>(
      `select
         l.id::text as id,
         l.full_name as title,
         concat_ws(', ', nullif(l.title, ''), nullif(l.company, ''), l.email) as snippet
       from lead l
       where l.id = any ($2::uuid[])
         and l.erased_at is null
         and (l.workspace_id is null or l.workspace_id = $1)
       order by l.id desc`,
      [workspaceId, pageOf([...exact(text), ...(byMail?.ids ?? []), ...byWords], wanted)],
    );
  },
};

/** Newest first, by words of name and industry, or by id; the shared ones and the workspace's own. */
const COMPANIES: SearchKind = {
  type: 'company',
  scope: SEARCH_SCOPES.company,
  getTool: 'svc_get_company',
  async find(tx, wanted) {
    const { workspaceId, text, after: before, limit } = wanted;
    const search = { workspaceId, criteria: { query: text }, before, limit };
    const byWords = wordsOf(text) === '' ? [] : (await findCompanies(tx, search)).companyIds;
    return tx.rows<Found>(
      `select
         c.id::text as id,
         c.name as title,
         concat_ws(', ', nullif(c.domain, ''), nullif(c.industry, ''), nullif(c.location, '')) as snippet
       from company c
       where c.id = any ($2::uuid[]) and (c.workspace_id is null or c.workspace_id = $1)
       order by c.id desc`,
      [workspaceId, pageOf([...exact(text), ...byWords], wanted)],
    );
  },
};

/** Leads whose records are looked for with them. */
const MOST_LEADS = 100;

/** The newest leads that have these words in name, title or company; none for an id or an address. */
export async function leadsByWords(tx: Tx, workspaceId: string, text: string): Promise<readonly string[]> {
  if (wordsOf(text) === '' || isUuid(text)) return [];
  const search = { workspaceId, criteria: { query: text }, before: null, limit: MOST_LEADS, withoutSuppressed: false };
  return (await findLeads(tx, { ...search, now: 0 })).leadIds;
}

/** The text itself where it is an id. */
function exact(text: string): string[] {
  return isUuid(text) ? [text.toLowerCase()] : [];
}

/** The ids of a page, the highest first: ids are compared as the database compares them. */
function pageOf(ids: readonly string[], { after, limit }: Wanted): string[] {
  const behind = [...new Set(ids)].filter((id) => after === null || id < after);
  return behind.sort((a, b) => (a < b ? 1 : -1)).slice(0, limit);
}

/** A node of a workflow is found with it, by label or id. */
const HAS_NODE = `exists (
         select 1
         from workflow_graph g
         cross join jsonb_array_elements(g.graph -> 'nodes') n
         where g.workflow_id = workflow.id
           and g.version = workflow.graph_version
           and (${folded(`(n ->> 'label')`)} ilike $2 or n ->> 'nodeId' = $3)
       )`;

/** Kinds of records that exist, in the order of hits. Kinds of the catalog that are not among them have no records yet. */
export const SEARCH_KINDS: readonly SearchKind[] = [
  kind(
    'campaign',
    'svc_get_campaign',
    `select id, title, left(coalesce(nullif(goal, ''), description), 200) as snippet
     from campaign
     where workspace_id = $1
       and deleted_at is null
       and (${folded('title')} ilike $2 or ${folded('goal')} ilike $2 or ${folded('description')} ilike $2 or id = $3)
       and ($4::text is null or id > $4)
     order by id limit $5`,
  ),
  LEADS,
  COMPANIES,
  kind(
    'lead_list',
    'svc_get_lead_list',
    `select id::text as id, name as title, left(description, 200) as snippet from lead_list
     where workspace_id = $1 and deleted_at is null
       and (${folded('name')} ilike $2 or ${folded('description')} ilike $2 or id::text = $3)
       and ($4::text is null or id > $4::uuid) order by id limit $5`,
  ),
  kind(
    'workflow',
    'svc_get_workflow',
    `select id, name as title, case when enabled then 'enabled' else 'disabled' end as snippet from workflow
     where workspace_id = $1 and deleted_at is null and (${folded('name')} ilike $2 or id = $3 or ${HAS_NODE})
       and ($4::text is null or id > $4) order by id limit $5`,
  ),
  kind(
    'conversation',
    'svc_list_messages',
    `select c.id::text as id, c.participant_name as title, left(c.preview, 200) as snippet from conversation c
     where c.account_id in (select account_id from account_link where workspace_id = $1)
       and (${folded('c.participant_name')} ilike $2 or ${folded('c.preview')} ilike $2
         or c.participant_profile_url ilike $2 or c.id::text = $3)
       and ($4::text is null or c.id > $4::uuid) order by c.id limit $5`,
  ),
  kind(
    'integration',
    'svc_list_integrations',
    `select
       id,
       coalesce(nullif(name, ''), provider) as title,
       concat_ws(', ', provider, status) as snippet
     from integration
     where workspace_id = $1
       and deleted_at is null
       and (${folded('name')} ilike $2 or provider ilike $2 or id = $3)
       and ($4::text is null or id > $4)
     order by id limit $5`,
  ),
  ...WORK_KINDS,
  ...CONTENT_KINDS,
  ...AGENT_KINDS,
  ...OFFICE_KINDS,
];
