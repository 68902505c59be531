import { z } from 'zod';
import type { Tx } from '../../postgres/database.ts';
import { boundedSearch } from '../bounded-search.ts';
import { cut } from '../compact.ts';
import { ownUser, readableKinds } from '../notifications/own.ts';
import { pageParams } from '../paging.ts';
import { tool } from '../tool.ts';
import type { Caller, ToolContext } from '../tool-context.ts';
import { workspaceParam } from '../workspace-param.ts';
import { SEARCH_SCOPES, type SearchKind, type SearchType, type Wanted } from './search-kind.ts';
import { leadsByWords, SEARCH_KINDS } from './search-kinds.ts';

const TYPES = Object.keys(SEARCH_SCOPES) as [SearchType, ...SearchType[]];

/** Characters of a snippet: 25 hits fit 8 kB. */
const LONGEST_SNIPPET = 90;

/** Catalog record SearchHit. */
const searchHit = z.object({
  type: z.string(),
  id: z.string(),
  title: z.string(),
  snippet: z.string(),
  getTool: z.string(),
});
type Hit = z.output<typeof searchHit>;

export const search = tool({
  name: 'svc_search',
  domain: 'Search & Diagnostics',
  title: 'Search everything',
  description:
    "Finds records of any kind by text or ID, within the key's scopes. Next: the get tool named in each hit.",
  example: { input: { query: 'founders', types: ['campaign'] } },
  scope: 'workspace:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'param',
  input: z.strictObject({
    workspaceId: workspaceParam,
    query: z.string().min(1).max(300),
    types: z.array(z.enum(TYPES)).optional(),
    ...pageParams,
  }),
  output: z.object({
    hits: z.array(searchHit),
    omittedTypes: z.array(z.string()),
    nextCursor: z.string().nullable(),
  }),
  async run(ctx, input) {
    const text = input.query.trim();
    const asked = input.types ?? TYPES;
    const filters = { workspaceId: ctx.workspaceId, text, types: input.types };
    const [from, after] = (ctx.cursors.decode('svc_search', filters, input.cursor) ?? ['', null]) as [string, string];
    const kinds = readable(ctx.caller, asked);
    const found = await ctx.tx((tx) =>
      boundedSearch(tx, '"query" or "types"', (limited) =>
        collect(limited, kinds, wantedOf(ctx, limited, text), from, after, input.limit + 1),
      ),
    );
    const hits = found.slice(0, input.limit);
    const last = hits.at(-1);
    const more = found.length > input.limit && last !== undefined;
    return {
      hits,
      omittedTypes: [...new Set(asked)].filter((type) => !ctx.caller.scopes.has(SEARCH_SCOPES[type])),
      nextCursor: more ? ctx.cursors.encode('svc_search', filters, [last.type, last.id]) : null,
    };
  },
});

function readable(caller: Caller, asked: readonly SearchType[]): SearchKind[] {
  return SEARCH_KINDS.filter((kind) => asked.includes(kind.type) && caller.scopes.has(kind.scope));
}

function wantedOf(ctx: ToolContext, tx: Tx, text: string): Omit<Wanted, 'after' | 'limit'> {
  const { workspaceId } = ctx;
  let found: Promise<readonly string[]> | undefined;
  const leads = (): Promise<readonly string[]> => {
    found ??= leadsByWords(tx, workspaceId, text);
    return found;
  };
  return { workspaceId, userId: ownUser(ctx), eventKinds: readableKinds(ctx), text, leads };
}

/** Kind after kind until there are enough; `from` and `after` are kind and id of the last hit of the page before. */
async function collect(
  tx: Tx,
  kinds: readonly SearchKind[],
  wanted: Omit<Wanted, 'after' | 'limit'>,
  from: string,
  after: string | null,
  enough: number,
): Promise<Hit[]> {
  const hits: Hit[] = [];
  if (wanted.text === '') return hits;
  const start = Math.max(
    0,
    kinds.findIndex((kind) => kind.type === from),
  );
  for (const kind of kinds.slice(start)) {
    const limit = enough - hits.length;
    if (limit === 0) break;
    const rows = await kind.find(tx, { ...wanted, after: kind.type === from ? after : null, limit });
    hits.push(
      ...rows.map(({ id, title, snippet }) => ({
        ...{ type: kind.type, id, title: cut(title), snippet: cut(snippet, LONGEST_SNIPPET) },
        getTool: kind.getTool,
      })),
    );
  }
  return hits;
}
