import { z } from 'zod';
import { CADENCES } from '../../domain/watches/watch-state.ts';
import { watchedSearch } from '../../domain/watches/watched-search.ts';
import type { Tx } from '../../postgres/database.ts';
import { readWatch } from '../../store/watches/watches.ts';
import { invalidInput, notFound, wrongState } from '../errors.ts';
import { requireList } from '../lead-lists/list-row.ts';
import { iso } from '../times.ts';
import { tool } from '../tool.ts';
import { workspaceParam } from '../workspace-param.ts';
import { makeWatch } from './watch-schedule.ts';

const input = z.strictObject({
  workspaceId: workspaceParam,
  kind: z.enum(['topic', 'search']),
  name: z.string().min(1).max(120),
  query: z.string().max(500).optional().describe('Words; a topic finds posts, a search people.'),
  searchUrl: z.url().max(1_000).optional().describe('Of a search on the network, with kind search.'),
  cadence: z.enum(CADENCES).default('daily'),
  leadListId: z.string().min(1).optional().describe('A static list that new hits feed.'),
  monthlyCreditLimit: z.int().min(0).max(100_000).optional(),
});
type Request = z.output<typeof input>;

export const createSearchWatch = tool({
  name: 'svc_create_search_watch',
  domain: 'Topics & Search Watches',
  title: 'Create search watch',
  description:
    'Watches a topic (posts about it) or a search (people or posts newly matching); new hits can feed a lead list. Next: svc_list_search_watches.',
  example: {
    input: { kind: 'topic', name: 'Warehouse robots', query: 'warehouse robots' },
    keep: { searchWatchId: 'searchWatchId' },
  },
  scope: 'competitors:write',
  category: 'write',
  reaches: true,
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  workspace: 'param',
  input,
  output: z.object({ searchWatchId: z.string(), nextRunAt: z.string() }),
  stands: async (tx, { searchWatchId }) => (await readWatch(tx, searchWatchId)) !== undefined,
  async run(ctx, request) {
    const now = ctx.clocks.product.now();
    const { workspaceId } = ctx;
    const search = searchOf(request);
    return ctx.create(workspaceId, async (tx) => {
      const leadListId = await requireStaticList(tx, workspaceId, request.leadListId);
      const id = ctx.ids.uuid();
      const nextFor = await makeWatch(tx, {
        id,
        workspaceId,
        kind: request.kind,
        name: request.name,
        cadence: request.cadence,
        profileUrl: null,
        domain: null,
        findingKinds: [],
        ...search,
        leadListId,
        monthlyCreditLimit: request.monthlyCreditLimit ?? null,
        now,
      });
      return { searchWatchId: id, nextRunAt: iso(nextFor) };
    });
  },
});

/** Exactly one of words and an address. @throws UserError */
function searchOf({ kind, query, searchUrl }: Request): { query: string | null; searchUrl: string | null } {
  const words = query?.replace(/\s+/g, ' ').trim() ?? '';
  if ((words === '') === (searchUrl === undefined))
    throw invalidInput('query', 'give exactly one of query and searchUrl');
  if (searchUrl === undefined) return { query: words, searchUrl: null };
  if (kind === 'topic') throw invalidInput('searchUrl', 'goes with kind search; a topic is given by query');
  const parsed = watchedSearch(searchUrl);
  if ('refused' in parsed) throw invalidInput('searchUrl', `${parsed.refused}. svc_build_search_url makes one`);
  return { query: null, searchUrl: parsed.url };
}

async function requireStaticList(tx: Tx, workspaceId: string, leadListId: string | undefined): Promise<string | null> {
  if (leadListId === undefined) return null;
  const list = await requireList(tx, leadListId);
  if (list.workspace_id !== workspaceId) throw notFound('leadList', leadListId);
  if (list.type !== 'static') throw wrongState('A query list fills itself', 'svc_create_lead_list');
  return list.id;
}
