import { z } from 'zod';
import { usableText } from '../../base/usable-text.ts';
import type { Scope } from '../../postgres/database.ts';
import { FORBIDDEN, RpcError } from '../errors.ts';
import type { MessageContext, MessageServices } from '../handle-message.ts';
import { PROMPTS } from '../prompts/prompts.ts';
import { RECORD_RESOURCES } from '../resources/records.ts';
import type { RecordResource } from '../resources/resource.ts';
import { limitAllows } from '../within-roles.ts';
import type { Method } from './method.ts';
import { admitLikeTool } from './run-tool.ts';

/** Source: MCP, utilities/completion: 100 values at most. */
const MAX_VALUES = 100;

const paramsSchema = z.looseObject({
  ref: z.union([
    z.looseObject({ type: z.literal('ref/prompt'), name: z.string().max(200) }),
    z.looseObject({ type: z.literal('ref/resource'), uri: z.string().max(400) }),
  ]),
  argument: z.looseObject({ name: z.string().max(100), value: z.string().max(400) }),
});
type Wanted = z.output<typeof paramsSchema>;

/** `completion/complete`: ids of what the caller may see; nothing for what has no ids. */
export const complete: Method = async (services, context, params) => {
  const parsed = paramsSchema.safeParse(params);
  if (!parsed.success) throw new RpcError(-32_602, 'Invalid params: ref and argument {name, value} are required.');
  const kind = kindOf(parsed.data);
  const { value } = parsed.data.argument;
  const values = kind === undefined ? [] : await valuesOf(services, context, kind, value);
  const hasMore = values.length > MAX_VALUES;
  return JSON.stringify({ completion: { values: values.slice(0, MAX_VALUES), hasMore } });
};

type Kind = 'campaign' | 'workflow' | 'workspace';

/** What the argument names. */
function kindOf({ ref, argument }: Wanted): Kind | undefined {
  if ('uri' in ref) {
    const resource = RECORD_RESOURCES.find((one) => one.uriTemplate === ref.uri);
    if (resource?.variable !== argument.name) return undefined;
    return resource.table === 'notification' ? 'workspace' : resource.table;
  }
  const prompt = PROMPTS.find((one) => one.name === ref.name);
  return prompt?.arguments.find((one) => one.name === argument.name)?.completes;
}

async function valuesOf(
  services: MessageServices,
  context: MessageContext,
  kind: Kind,
  value: string,
): Promise<string[]> {
  if (kind === 'workspace') {
    const ids = context.authenticated.caller.workspaces.map((one) => one.workspaceId);
    return ids.filter((id) => id.startsWith(value)).sort();
  }
  const resource = RECORD_RESOURCES.find((one) => one.table === kind);
  return resource ? idsOf(services, context, resource, value) : [];
}

/** Ids that begin with the value, then those whose title does; newest first. */
async function idsOf(
  services: MessageServices,
  context: MessageContext,
  resource: RecordResource,
  value: string,
): Promise<string[]> {
  const tool = services.tools.get(resource.listTool);
  if (!tool || usableText(value) !== value) return [];
  const { caller } = await admitLikeTool(services, context, tool, { complete: resource.table, value });
  if (!caller.scopes.has(tool.scope)) {
    throw new RpcError(FORBIDDEN, `Scope ${tool.scope} is required to complete ids of this kind.`);
  }
  const open = caller.workspaces.filter((one) => limitAllows(one, tool));
  const scope: Scope = { kind: 'workspaces', ids: open.map((one) => one.workspaceId) };
  const title = resource.table === 'campaign' ? 'title' : 'name';
  const rows = await services.db.tx(scope, (tx) =>
    tx.named<{ id: string }>(
      `complete_${resource.table}`,
      `select id
       from ${resource.table}
       where workspace_id = any($3)
         and deleted_at is null
         and (starts_with(id, $1) or starts_with(lower(${title}), lower($1)))
       order by starts_with(id, $1) desc, created_at desc, id limit $2`,
      [value, MAX_VALUES + 1, scope.ids],
    ),
  );
  return rows.map((row) => row.id);
}
